"""Compiled variants of the sorted sweeps; imported only where numba is wanted.

Same integers and sums as :mod:`rankexp.solvers.hinge.bipartite`, in one pass, no temporaries.
"""

import numpy as np

from rankexp.compiled import njit
from rankexp.solvers.hinge.data import Bools, Floats, Ints


@njit
def fixed_keys(s: Floats, positive: Bools, bits: int) -> tuple[Ints, float]:
    """Return scores in fixed point, positives less one, and the scale."""
    reach = 2.0
    for i in range(s.size):
        reach = max(reach, 2.0 + abs(s[i]))
    power = 50
    while reach >= 1.0 and power > -1000:
        reach *= 0.5
        power -= 1
    scale = 2.0 ** min(power, power + 11 - bits)
    keys = np.empty(s.size, np.int64)
    for i in range(s.size):
        keys[i] = np.int64(np.rint(scale * (s[i] - positive[i])))
    return keys, scale


@njit
def merge(
    keys: Ints, order: Ints, positive: Bools, weight: Ints, half: int
) -> tuple[Floats, float, float, float, Ints, Ints]:
    """Sum over the pairs of each row; see :func:`rankexp.solvers.hinge_bipartite.merge`."""
    n = keys.size
    k = np.empty(n, np.int64)
    # Before each position: weight and weighted sum of keys of the negatives, of the positives.
    before = np.zeros((n + 1, 4), np.int64)
    for m in range(n):
        row = order[m]
        key, w = keys[row], weight[row]
        w_pos = w * positive[row]
        w_neg = w - w_pos
        k[m] = key
        before[m + 1, 0] = before[m, 0] + w_neg
        before[m + 1, 1] = before[m, 1] + w_neg * key
        before[m + 1, 2] = before[m, 2] + w_pos
        before[m + 1, 3] = before[m, 3] + w_pos * key
    residual = np.empty(n)
    low = np.empty(n, np.int64)
    high = np.empty(n, np.int64)
    lo, hi = 0, 0
    hinge, alpha, band = 0.0, 0.0, 0.0
    for m in range(n):
        key = k[m]
        while k[lo] <= key - half:
            lo += 1
        while hi < n and k[hi] < key + half:
            hi += 1
        low[m], high[m] = lo, hi
        row = order[m]
        w = float(weight[row])
        if positive[row]:
            inside = before[hi, 0] - before[lo, 0]
            beyond = before[n, 0] - before[hi, 0]
            total = before[hi, 1] - before[lo, 1] + (half - key) * inside + 2 * half * beyond
            weighted = w * float(total)
            alpha += weighted
            band += w * float(inside)
            residual[row] = -weighted
            rest = before[n, 1] - before[m, 1] - key * (before[n, 0] - before[m, 0])
            hinge += w * float(rest)
        else:
            inside = before[hi, 2] - before[lo, 2]
            total = before[lo, 3] - before[hi, 3] + (half + key) * inside
            residual[row] = w * float(total + 2 * half * before[lo, 2])
    return residual, hinge, alpha, band, low, high


@njit
def listed(order: Ints, positive: Bools, low: Ints, high: Ints, most: int) -> tuple[Ints, Ints]:
    """Return rows of all positives and negatives in the band; empty if more than ``most``."""
    n = order.size
    before = np.zeros(n + 1, np.int64)
    negatives = np.empty(n, np.int64)
    for m in range(n):
        negatives[before[m]] = order[m]
        before[m + 1] = before[m] + (not positive[order[m]])
    total = 0
    for m in range(n):
        if positive[order[m]]:
            total += before[high[m]] - before[low[m]]
    if total > most:
        total = 0
    i = np.empty(total, np.int64)
    j = np.empty(total, np.int64)
    at = 0
    for m in range(n):
        if total == 0:
            break
        if positive[order[m]]:
            for k in range(before[low[m]], before[high[m]]):
                i[at] = order[m]
                j[at] = negatives[k]
                at += 1
    return i, j


@njit
def laplacian_rows(
    X: Floats,
    centre: Floats,
    order: Ints,
    positive: Bools,
    weight: Ints,
    low: Ints,
    high: Ints,
    start: int,
    stop: int,
    window: tuple[Floats, Floats, Ints],
    rows: Floats,
    LX: Floats,
) -> None:
    """Write the sorted rows from ``start`` to ``stop``, and their band's Laplacian times X.

    ``window`` holds sums over the window, of negatives and of positives, their count, and where
    the window begins and ends; it slides on from one call to the next.
    """
    total, count, place = window
    d = X.shape[1]
    lo, hi = place
    for m in range(start, stop):
        while hi < high[m]:
            row = order[hi]
            c, w = int(positive[row]), float(weight[row])
            count[c] += w
            for k in range(d):
                total[c, k] += w * (X[row, k] - centre[k])
            hi += 1
        while lo < low[m]:
            row = order[lo]
            c, w = int(positive[row]), float(weight[row])
            count[c] -= w
            for k in range(d):
                total[c, k] -= w * (X[row, k] - centre[k])
            lo += 1
        row = order[m]
        other, w = 1 - int(positive[row]), float(weight[row])
        for k in range(d):
            rows[m - start, k] = X[row, k] - centre[k]
            LX[m - start, k] = w * (count[other] * rows[m - start, k] - total[other, k])
    place[:] = lo, hi


@njit
def laplacian(
    X: Floats,
    centre: Floats,
    order: Ints,
    positive: Bools,
    weight: Ints,
    low: Ints,
    high: Ints,
    size: int,
) -> Floats:
    """Return the sum over the band of D D' (d, d), by windows that slide over sorted rows.

    With L the graph Laplacian of the band it is X' L X, taken ``size`` rows at a time.
    """
    n, d = X.shape
    H = np.zeros((d, d))
    LX = np.empty((size, d))
    rows = np.empty((size, d))
    window = np.zeros((2, d)), np.zeros(2), np.zeros(2, np.int64)
    for start in range(0, n, size):
        stop = min(n, start + size)
        laplacian_rows(
            X, centre, order, positive, weight, low, high, start, stop, window, rows, LX
        )
        H += np.dot(rows[: stop - start].T, LX[: stop - start])
    return 0.5 * (H + H.T)
