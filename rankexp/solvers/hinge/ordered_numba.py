"""Compiled variants of the sweep of ordered levels; imported only where numba is wanted.

Same sums as :mod:`rankexp.solvers.hinge.ordered`, in one pass with running sums by level.
"""

import numpy as np

from rankexp.compiled import njit
from rankexp.solvers.hinge.data import Floats, Ints


@njit
def merge(
    k: Ints,
    apart: Ints,
    order: Ints,
    level: Ints,
    weight: Ints,
    costs: Floats,
    starts: Ints,
    bounds: Ints,
    one: int,
    half: int,
) -> tuple[Floats, Floats, Floats, Floats, float, float, float, float]:
    """Sum over the pairs of each row; see :func:`rankexp.solvers.hinge_ordered._merge`."""
    n, K = k.size, costs.shape[0]
    out = np.empty((4, n))
    hinge = alpha = settled = band = 0.0
    lev, wt = level[order], weight[order]
    # Weight and weighted sum of keys, by level: of the rows of the group before five places,
    # the ends of both windows and the margin, and of all.
    count, total = np.zeros((6, K), np.int64), np.zeros((6, K), np.int64)
    edge = np.array([-one - half, -one + half - 1, -one, one - half, one + half - 1])
    place = np.zeros(5, np.int64)
    for g in range(starts.size - 1):
        first, end = starts[g], starts[g + 1]
        count[:] = 0
        total[:] = 0
        place[:] = first
        for m in range(first, end):
            count[5, lev[m]] += wt[m]
            total[5, lev[m]] += wt[m] * k[m]
        for m in range(first, end):
            key = k[m]
            for t in range(5):
                p = place[t]
                while p < end and k[p] <= key + edge[t]:
                    count[t, lev[p]] += wt[p]
                    total[t, lev[p]] += wt[p] * k[p]
                    p += 1
                place[t] = p
            a, w = lev[m], float(wt[m])
            up0 = up1 = up2 = rest = 0.0
            for j in range(a):
                c = costs[j, a]
                if c > 0.0:
                    inside, after = count[1, j] - count[0, j], count[5, j] - count[1, j]
                    units = total[1, j] - total[0, j] + (half - key + one) * inside
                    up0 += c * float(units + 2 * half * after)
                    up1 += c * float(after)
                    up2 += c * float(inside)
                    left = count[5, j] - count[2, j]
                    rest += c * float(total[5, j] - total[2, j] - (key - one) * left)
            down0 = down1 = down2 = 0.0
            for j in range(a + 1, K):
                c = costs[a, j]
                if c > 0.0:
                    inside, after = count[4, j] - count[3, j], count[3, j]
                    units = total[3, j] - total[4, j] + (half + key + one) * inside
                    down0 += c * float(units + 2 * half * after)
                    down1 += c * float(after)
                    down2 += c * float(inside)
            row = order[m]
            out[0, row] = w * (down0 - up0)
            out[1, row] = w * (down1 - up1)
            out[2, row] = w * (up2 - down2)
            out[3, row] = w * (up2 + down2)
            hinge += w * rest
            alpha += w * up0
            settled += w * up1
            band += w * up2
    return out[0], out[1], out[2], out[3], hinge, alpha, settled, band


@njit
def windows(lower: Ints, upper: Ints, half: int) -> tuple[Ints, Ints]:
    """Return where the keys that differ from each upper one by less than half begin and end."""
    begin, end = np.empty(upper.size, np.int64), np.empty(upper.size, np.int64)
    lo = hi = 0
    for p in range(upper.size):
        while lo < lower.size and lower[lo] <= upper[p] - half:
            lo += 1
        hi = max(hi, lo)
        while hi < lower.size and lower[hi] < upper[p] + half:
            hi += 1
        begin[p], end[p] = lo, hi
    return begin, end


@njit
def laplacian_rows(
    X: Floats,
    centre: Floats,
    keys: Ints,
    order: Ints,
    level: Ints,
    weight: Ints,
    costs: Floats,
    one: int,
    half: int,
    start: int,
    stop: int,
    window: tuple[Floats, Floats, Ints],
    rows: Floats,
    LX: Floats,
) -> None:
    """Write the sorted rows from ``start`` to ``stop``, and their band's Laplacian times X.

    ``window`` holds sums by level over the windows around s - 1 and around s + 1, their weights,
    and where the windows end and begin; they slide on from one call to the next.
    """
    total, count, place = window
    (n, d), K = X.shape, costs.shape[0]
    for m in range(start, stop):
        for side in range(2):
            middle = keys[m] + (one if side else -one)
            for leaving in range(2):
                edge = middle - half if leaving else middle + half - 1
                p = place[side, leaving]
                while p < n and keys[p] <= edge:
                    row = order[p]
                    a = level[row]
                    w = float(-weight[row] if leaving else weight[row])
                    count[side, a] += w
                    for c in range(d):
                        total[side, a, c] += w * (X[row, c] - centre[c])
                    p += 1
                place[side, leaving] = p
        row = order[m]
        a, w, degree = level[row], float(weight[row]), 0.0
        for j in range(K):
            cost = costs[j, a] if j < a else costs[a, j]
            degree += cost * count[0 if j < a else 1, j]
        for c in range(d):
            rows[m - start, c] = X[row, c] - centre[c]
            LX[m - start, c] = w * degree * rows[m - start, c]
        for j in range(K):
            side = 0 if j < a else 1
            cost = w * (costs[j, a] if j < a else costs[a, j])
            if cost > 0.0 and count[side, j] > 0.0:
                for c in range(d):
                    LX[m - start, c] -= cost * total[side, j, c]
