"""Curvature of the smoothed pairwise hinge: (1/2hN) times the sum over the band of D D'."""

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from rankexp.arrays import Floats
from rankexp.solvers.hinge.sweep import LISTED_PAIRS, SortedSweep

LISTED_ROWS = 2  # tuned: pairs a row, up to which a list is faster than prefix sums over rows
RIDGE = 1e-14  # of the trace: some times the rounding of a matrix of 50 columns
RIDGE_GROWTH = 10.0  # tuned: few factorisations, and not much more ridge than is needed


def band_hessian(swept: SortedSweep) -> Floats:
    """Return the Hessian of the loss, without the penalty, shape (d, d)."""
    p = swept.pairs
    n, d = p.X.shape
    if swept.band_size == 0.0:
        return np.zeros((d, d))
    listed = swept.listed(min(LISTED_ROWS * n, LISTED_PAIRS))
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
    """Return the Cholesky factor of ``H + lam I``, or None if it isn't positive definite."""
    M = H.copy()
    M.flat[:: M.shape[0] + 1] += lam
    upper, info = dpotrf(M)
    return upper if info == 0 else None


def ridged_factor(H: Floats, lam: float) -> Floats:
    """Factor ``H + lam I``, adding to the diagonal if rounding has made it indefinite."""
    upper, ridge = factor(H, lam), lam
    while upper is None:
        if not (np.all(np.isfinite(H)) and ridge < np.inf):
            raise FloatingPointError(
                "the pairwise hinge overflowed; divide the columns of X by their largest values"
            )
        ridge = max(RIDGE_GROWTH * ridge, RIDGE * float(np.trace(H)))
        upper = factor(H, ridge)
    return upper


def solve(upper: Floats, b: Floats) -> Floats:
    """Solve with a factor from :func:`factor`."""
    x, _ = dpotrs(upper, b)
    return np.asarray(x)
