"""Curvature of the smoothed pairwise hinge: (1/2hN) times the sum over the band of D D'."""

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from rankexp.solvers.hinge_data import Floats, Ints
from rankexp.solvers.hinge_sweep import Sweep, loops

FEW_ROWS = 20_000  # up to here numpy takes prefix sums over all rows
SAMPLED_PAIRS = 20_000  # also the longest list
ROWS_AT_ONCE = 256  # what stays in the cache


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
    listed = listed_pairs(swept, min(2 * n, SAMPLED_PAIRS))
    if listed is not None:
        (i, j), scale = listed, 1.0
        D = p.X[i]
        D -= p.X[j]
        if p.weight[i].max() > 1 or p.weight[j].max() > 1:
            D *= np.sqrt(p.weight[i] * p.weight[j])[:, None]
    elif n <= FEW_ROWS or p.use_numba:
        return _prefix_hessian(swept) / (2.0 * swept.h * p.count)
    else:
        D, scale = _sampled_differences(swept, SAMPLED_PAIRS), swept.band_size / SAMPLED_PAIRS
    H: Floats = D.T @ D
    H *= scale / (2.0 * swept.h * p.count)
    return H


def listed_pairs(swept: Sweep, most: int) -> tuple[Ints, Ints] | None:
    """Return rows of all positives and negatives in the band, or None if more than ``most``."""
    p, order = swept.pairs, swept.order
    if p.use_numba:
        rows = loops().listed(order, p.positive, swept.low, swept.high, most)
        return rows if rows[0].size else None
    positive = p.positive[order]
    at = np.flatnonzero(positive)
    negatives = order[~positive]
    before = np.zeros(order.size + 1, dtype=np.int64)
    np.cumsum(~positive, out=before[1:])
    first = before[swept.low[at]]
    size = before[swept.high[at]] - first
    total = int(size.sum())
    if total > most:
        return None
    ends = np.cumsum(size)
    offset = np.repeat(first - ends + size, size)
    return np.repeat(order[at], size), negatives[np.arange(total) + offset]


def _sampled_differences(swept: Sweep, sampled: int) -> Floats:
    """Return ``x_i - x_j`` (sampled, d) of pairs evenly spaced along the band."""
    p, order = swept.pairs, swept.order
    at = np.flatnonzero(p.positive[order])
    ends = np.cumsum(swept.band_degree[order[at]])
    ticks = (np.arange(sampled) + 0.5) * (ends[-1] / sampled)
    which = np.minimum(np.searchsorted(ends, ticks, side="right"), at.size - 1)
    i = at[which]
    degree = swept.band_weight[i]
    rest = ticks - (ends[which] - degree * p.weight[order[i]])
    before = swept.negatives_before
    inside = np.minimum((rest % degree).astype(np.int64), degree - 1)
    j = np.searchsorted(before, before[swept.low[i]] + inside, side="right") - 1
    D: Floats = p.X[order[i]]
    D -= p.X[order[j]]
    return D


def _prefix_hessian(swept: Sweep) -> Floats:
    """Return the sum over the band of D D' (d, d) by prefix sums over the sorted rows."""
    p, order = swept.pairs, swept.order
    if p.use_numba:
        centre = np.zeros(p.X.shape[1]) if p.centred else p.X[:ROWS_AT_ONCE].mean(axis=0)
        product: Floats = loops().laplacian(
            p.X, centre, order, p.positive, p.weight, swept.low, swept.high, ROWS_AT_ONCE
        )
        return product
    positive = p.positive[order]
    at = np.flatnonzero(positive)
    negatives = order[~positive]
    before = np.zeros(order.size + 1, dtype=np.int64)
    np.cumsum(~positive, out=before[1:])
    first, second = p.workspace
    weighted = p.weight_or_none is not None
    rows = np.take(p.X, negatives, axis=0, out=second[: negatives.size], mode="clip")
    if weighted:
        rows *= p.weight[negatives][:, None]
    C = first[: negatives.size + 1]
    C[0] = 0.0
    np.cumsum(rows, axis=0, out=C[1:])
    inside = C[before[swept.high[at]]]
    inside -= np.take(C, before[swept.low[at]], axis=0, out=second[: at.size], mode="clip")
    if weighted:
        inside *= p.weight[order[at]][:, None]
    rows = np.take(p.X, order[at], axis=0, out=second[: at.size], mode="clip")
    A = rows.T @ inside
    Y = np.multiply(p.X, np.sqrt(swept.band_degree)[:, None], out=first[: order.size])
    H: Floats = Y.T @ Y
    H -= A
    H -= A.T
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
