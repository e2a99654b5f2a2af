"""The compiled loops of the sorted sweep: sums over the pairs of each row, in integers."""

import numpy as np

from rankexp.arrays import Bools, Floats, Ints
from rankexp.compiled import njit

Layout = tuple[Ints, Ints, Floats, Ints, Floats]
Sorted = tuple[Ints, Ints, Ints]  # keys, weights, sums of weights and of keys before each
Ranked = tuple[Ints, Ints, Ints, Ints, Ints]  # starts, rows, keys, weights, sums before each
Units = tuple[int, int, int]  # how far groups are apart, the margin, half the band
Ends = tuple[Ints, Ints, Floats]  # of groups, among lower and among upper rows; their shares
Banded = tuple[Floats, Floats, tuple[Ints, Ints, Ints, Ints, Floats], Floats, Bools]
Totals = tuple[float, float, float]  # of the hinge, of alpha, and of the band
Window = tuple[Floats, Floats, Ints]
LEAST_POWER = -1000  # of the scale: where scores aren't finite


@njit
def fixed_keys(s: Floats, bits: int) -> tuple[Ints, float]:
    """Return scores in fixed point, and the scale: a power of 2 such that no sum overflows."""
    reach = 2.0
    for i in range(s.size):
        reach = max(reach, 2.0 + abs(s[i]))
    power = 50
    while reach >= 1.0 and power > LEAST_POWER:
        reach *= 0.5
        power -= 1
    scale = 2.0 ** min(power, power + 11 - bits)
    keys = np.empty(s.size, np.int64)
    for i in range(s.size):
        keys[i] = np.int64(np.rint(scale * s[i]))
    return keys, scale


@njit
def ranked(keys: Ints, order: Ints, layout: Layout, apart: int) -> Ranked:
    """Return where levels begin, their rows, keys and weights in order, and sums before each."""
    level, weight, costs, bounds, _ = layout
    n, K, G = keys.size, costs.shape[0], bounds.shape[0] - 1
    start = np.zeros(K + 1, np.int64)
    for k in range(K):
        start[k + 1] = start[k] + bounds[G, k]
    place = start[:K].copy()
    rows, key, wt = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    before = np.empty((n + K, 2), np.int64)  # each level's sums begin with a 0
    for k in range(K):
        before[start[k] + k, 0] = before[start[k] + k, 1] = 0
    g, end = -1, 0
    for m in range(n):
        while m == end:
            g += 1
            end = bounds[g + 1].sum()
        row = order[m]
        k, w, at = level[row], weight[row], keys[row]
        p = place[k]
        place[k] = p + 1
        rows[p], key[p], wt[p] = row, at, w
        before[p + k + 1, 0] = before[p + k, 0] + w
        before[p + k + 1, 1] = before[p + k, 1] + w * (at - g * apart)
    return start, rows, key, wt, before


@njit
def sums(known: Ranked, layout: Layout, units: Units, found: Floats, lower_too: bool) -> Totals:
    """Sum over the pairs of each row, for each pair of levels, all but costs in integers."""
    # Added to ``found`` (n,), by place in order, is the sum of ``2 half alpha`` over the pairs of
    # a lower row, if these are wanted, and less that of an upper row. Returned are sums of the
    # hinge in units, of ``2 half alpha``, and of pairs in the band.
    _, _, costs, bounds, shares = layout
    start, _, key, wt, before = known
    K, G, total = costs.shape[0], bounds.shape[0] - 1, np.zeros(3)
    for up in range(K):
        for low in range(up):
            if costs[low, up] > 0.0 and bounds[G, low] > 0 and bounds[G, up] > 0:
                i, j = slice(start[up], start[up + 1]), slice(start[low], start[low + 1])
                upper = key[i], wt[i], before[start[up] + up :]
                lower = key[j], wt[j], before[start[low] + low :]
                ends = bounds[:, low], bounds[:, up], shares
                total += _pull_upper(lower, upper, ends, units, costs[low, up], found[i])
                if lower_too:
                    _push_lower(lower, upper, ends, units, costs[low, up], found[j])
    return total[0], total[1], total[2]


@njit
def merge(keys: Ints, order: Ints, layout: Layout, units: Units) -> tuple[Floats, Ints, Totals]:
    """Return what :func:`sums` adds, by row, the rows of each level in order, and the sums."""
    known = ranked(keys, order, layout, units[0])
    rows, found = known[1], np.zeros(keys.size)
    total = sums(known, layout, units, found, True)
    residual = np.empty(keys.size)
    for p in range(keys.size):
        residual[rows[p]] = found[p]
    return residual, rows, total


@njit
def _pull_upper(
    lower: Sorted, upper: Sorted, ends: Ends, units: Units, cost: float, out: Floats
) -> Floats:
    """Add what pairs do to their upper rows; return sums of hinge, alpha and band."""
    below, _, before = lower
    keys, weight, _ = upper
    apart, one, half = units
    lo, hi, middle, size = 0, 0, 0, below.size
    hinge = alpha = band = 0.0
    for g in range(ends[0].size - 1):
        end, charge = ends[0][g + 1], cost * ends[2][g]
        for p in range(ends[1][g], ends[1][g + 1]):
            key = keys[p] - one
            while lo < size and below[lo] <= key - half:
                lo += 1
            while middle < size and below[middle] < key:
                middle += 1
            while hi < size and below[hi] < key + half:
                hi += 1
            key -= g * apart
            inside, after = before[hi, 0] - before[lo, 0], before[end, 0] - before[hi, 0]
            pull = before[hi, 1] - before[lo, 1] + (half - key) * inside + 2 * half * after
            beyond = before[end, 0] - before[middle, 0]
            excess = before[end, 1] - before[middle, 1] - key * beyond
            w = charge * float(weight[p])
            hinge += w * float(excess)
            alpha += w * float(pull)
            band += w * float(inside)
            out[p] -= w * float(pull)
    return np.array([hinge, alpha, band])


@njit
def _push_lower(
    lower: Sorted, upper: Sorted, ends: Ends, units: Units, cost: float, out: Floats
) -> None:
    keys, weight, _ = lower
    above, _, before = upper
    apart, one, half = units
    lo, hi, size = 0, 0, above.size
    for g in range(ends[0].size - 1):
        first, charge = before[ends[1][g], 0], cost * ends[2][g]
        for p in range(ends[0][g], ends[0][g + 1]):
            key = keys[p] + one
            while lo < size and above[lo] <= key - half:
                lo += 1
            while hi < size and above[hi] < key + half:
                hi += 1
            key -= g * apart
            inside, ahead = before[hi, 0] - before[lo, 0], before[lo, 0] - first
            push = before[lo, 1] - before[hi, 1] + (half + key) * inside + 2 * half * ahead
            out[p] += charge * float(weight[p]) * float(push)


@njit
def windows(keys: Ints, others: Ints, rows: Ints, units: tuple[int, int]) -> tuple[Ints, Ints]:
    """Return where the keys of other rows that are in the band of each row begin and end."""
    begin, end = np.empty(rows.size, np.int64), np.empty(rows.size, np.int64)
    away, half = units
    lo = hi = 0
    for p in range(rows.size):
        middle = keys[rows[p]] + away
        while lo < others.size and keys[others[lo]] <= middle - half:
            lo += 1
        hi = max(hi, lo)
        while hi < others.size and keys[others[hi]] < middle + half:
            hi += 1
        begin[p], end[p] = lo, hi
    return begin, end


@njit
def laplacian_rows(
    given: Banded, units: tuple[int, int], start: int, window: Window, out: tuple[Floats, Floats]
) -> None:
    """Write sorted rows from ``start`` on, and the Laplacian of their band times X."""
    # ``window`` holds sums by level over the windows around s - 1 and then s + 1, their weights,
    # and where the windows end and begin; it slides on from one call to the next. With a margin of
    # 0 in ``units`` both are one window.
    X, centre, (keys, order, level, weight, charge), costs, paired = given
    total, count, place = window
    rows, LX = out
    (n, d), K = X.shape, costs.shape[0]
    one, half = units
    second = K if one else 0
    for m in range(rows.shape[0]):
        at, a, w = order[start + m], level[start + m], charge[start + m]
        for side in range(2 if one else 1):
            if one and not paired[side, a]:
                continue
            middle = keys[start + m] + (one if side else -one)
            for leaving in range(2):
                edge = middle - half if leaving else middle + half - 1
                p = place[side, leaving]
                while p < n and keys[p] <= edge:
                    if not one or paired[1 - side, level[p]]:
                        row, b = order[p], side * K + level[p]
                        v = float(-weight[p] if leaving else weight[p])
                        count[b] += v
                        for c in range(d):
                            total[b, c] += v * (X[row, c] - centre[c])
                    p += 1
                place[side, leaving] = p
        degree = 0.0
        for j in range(K):
            degree += w * (costs[j, a] * count[j] + costs[a, j] * count[second + j])
        for c in range(d):
            rows[m, c] = X[at, c] - centre[c]
            LX[m, c] = degree * rows[m, c]
        for j in range(K):
            b = j if j < a else second + j
            cost = w * (costs[j, a] + costs[a, j])
            if cost > 0.0 and count[b] > 0.0:
                for c in range(d):
                    LX[m, c] -= cost * total[b, c]
