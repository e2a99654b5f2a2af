"""Curvature of the smoothed pairwise hinge: (1/2hN) times the sum over the band of D D'."""

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from rankexp.solvers.hinge.data import Floats, Sweep
from rankexp.solvers.hinge.sweep import SAMPLED_PAIRS


def band_hessian(swept: Sweep) -> Floats:
    """Return the Hessian of the loss, without the penalty, shape (d, d).

    A band of few pairs is listed; a wide one takes windows or prefix sums over the sorted rows,
    or without numba, beyond 20,000 rows, a sample of its pairs.

    Parameters
    ----------
    swept : Sweep
    """
    p = swept.pairs
    n, d = p.X.shape
    if swept.band_size == 0.0:
        return np.zeros((d, d))
    listed = swept.listed(min(2 * n, SAMPLED_PAIRS))
    if listed is None:
        return swept.laplacian() / (2.0 * swept.h * p.count)
    i, j = listed
    D = p.X[i]
    D -= p.X[j]
    m = p.multiplicity(i, j)
    if m is not None:
        D *= np.sqrt(m)[:, None]
    H: Floats = D.T @ D
    H *= 1.0 / (2.0 * swept.h * p.count)
    return H


def factor(H: Floats, lam: float) -> Floats | None:
    """Return the Cholesky factor of ``H + lam I``, or None where it isn't positive definite."""
    M = H.copy()
    M.flat[:: M.shape[0] + 1] += lam
    upper, info = dpotrf(M)
    return upper if info == 0 else None


def solve(upper: Floats, b: Floats) -> Floats:
    """Solve with a factor from :func:`factor`."""
    x, _ = dpotrs(upper, b)
    return np.asarray(x)
