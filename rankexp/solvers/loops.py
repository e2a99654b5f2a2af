"""The compiled loops of stumps and their weights, of sums over panels and of pairs."""

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats, Ints, Listed, Unsigned
from rankexp.compiled import njit

Cells = npt.NDArray[np.int32]
BLOCK = 4096  # tuned: rows whose charges stay in the nearest cache over all features
Couple = tuple[Floats, Floats]
Side = tuple[Floats, Floats, Floats, Floats]  # of rows in order: scores, weights, and derivatives


@njit
def histograms(bins: Unsigned, charges: Floats, width: int) -> Floats:
    """Return the sum of charges in each bin of each feature."""
    d, n = bins.shape
    sums = np.zeros((d, width))
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        for f in range(d):
            for i in range(start, stop):
                sums[f, bins[f, i]] += charges[i]
    return sums


@njit
def split(bins: Unsigned, cut: int, cell: Cells, up: Floats, down: Floats, cells: int) -> Couple:
    """Return the sums of up and of down in each cell, below and above a cut, (2, cells) each."""
    ups, downs = np.zeros((2, cells)), np.zeros((2, cells))
    for i in range(bins.size):
        side = 1 if bins[i] > cut else 0
        ups[side, cell[i]] += up[i]
        downs[side, cell[i]] += down[i]
    return ups, downs


@njit
def advance(
    bins: Unsigned, cut: int, height: float, factor: float, s: Floats, up: Floats, down: Floats
) -> None:
    """Add the height to the scores above a cut; factor is its exponential."""
    for i in range(bins.size):
        if bins[i] > cut:
            s[i] += height
            up[i] /= factor
            down[i] *= factor


@njit
def charges(cell: Cells, up: Floats, down: Floats, of_up: Floats, of_down: Floats) -> Floats:
    """Return ``up · of_up - down · of_down``, the last of each by cell."""
    out = np.empty(cell.size)
    for i in range(cell.size):
        out[i] = up[i] * of_up[cell[i]] - down[i] * of_down[cell[i]]
    return out


@njit
def moments(x: Floats, weight: Floats, cell: Ints, shape: tuple[int, int, int]) -> Floats:
    """Return the sums of the polynomials times weights, if any, of shape (panels, m, cells)."""
    out = np.zeros(shape)
    for i in range(x.size):
        panel = np.int64(x[i])
        t = 2.0 * (x[i] - panel) - 1.0
        into, w = out[panel], weight[i] if weight.size else 1.0
        before, now, twice = 1.0, t, 2.0 * t
        into[0, cell[i]] += w * before
        into[1, cell[i]] += w * now
        for q in range(2, shape[1]):
            before, now = now, twice * now - before
            into[q, cell[i]] += w * now
    return out


@njit
def values(x: Floats, cell: Ints, field: Floats) -> Floats:
    """Return the polynomials with coefficients (panels, m, cells) at the scores, (n,)."""
    out = np.empty(x.size)
    for i in range(x.size):
        panel = np.int64(x[i])
        t = 2.0 * (x[i] - panel) - 1.0
        row = field[panel]
        before, now, twice = 1.0, t, 2.0 * t
        total = row[0, cell[i]] * before + row[1, cell[i]] * now
        for q in range(2, field.shape[1]):
            before, now = now, twice * now - before
            total += row[q, cell[i]] * now
        out[i] = total
    return out


@njit
def steps(x: Floats, cell: Ints, cells: int, powers: Floats) -> Couple:
    """Return sums of powers of places with coefficients (panels · cells, m), and derivatives."""
    out, rise = np.empty(x.size), np.empty(x.size)
    for i in range(x.size):
        panel = np.int64(x[i])
        t = 2.0 * (x[i] - panel) - 1.0
        row = powers[panel * cells + cell[i]]
        total, slope = row[-1], 0.0
        for q in range(row.size - 2, -1, -1):
            slope = slope * t + total
            total = total * t + row[q]
        out[i], rise[i] = total, slope
    return out, rise


@njit
def by_cell(order: Ints, cell: Ints, begin: Ints) -> Ints:
    """Return the rows cell by cell, each in the order given."""
    place, rows = begin.copy(), np.empty_like(order)
    for row in order:
        rows[place[cell[row]]] = row
        place[cell[row]] += 1
    return rows


@njit
def squared_excess(given: Couple, rows: Ints, begin: Ints, pairs: Listed, out: Couple) -> float:
    """Return the sum of squares of pairs; add half its slopes, and curvatures, by row."""
    # `given`: scores and weights (n,). `rows`: cell by cell, each in order.
    at, w = given[0][rows], given[1][rows]
    value, first, second = 0.0, np.zeros(at.size), np.zeros(at.size)
    for k in range(pairs[0].size):
        up, low, cost = pairs[0][k], pairs[1][k], pairs[2][k]
        i, j = slice(begin[up], begin[up + 1]), slice(begin[low], begin[low + 1])
        lower, upper = (at[j], w[j], first[j], second[j]), (at[i], w[i], first[i], second[i])
        value += _of_levels(lower, upper, cost)
    for place in range(rows.size):
        out[0][rows[place]] += first[place]
        out[1][rows[place]] += second[place]
    return value


@njit
def _of_levels(lower: Side, upper: Side, cost: float) -> float:
    """Add to the derivatives what the pairs of two levels do; return the sum of squares."""
    # What a row has is moved on to the next one: all that is added is positive, so that no digits
    # are lost, however far the scores lie from 0 or from each other.
    t, mass, rise, bend = lower
    s, charge, fall, curve = upper
    value, j = 0.0, t.size - 1
    count = excess = square = 0.0
    for i in range(s.size - 1, -1, -1):
        u, step = s[i] - 1.0, s[min(i + 1, s.size - 1)] - s[i]
        square += step * (2.0 * excess + count * step)
        excess += count * step
        while j >= 0 and t[j] > u:
            far = t[j] - u
            count += mass[j]
            excess += mass[j] * far
            square += mass[j] * far * far
            j -= 1
        w = cost * charge[i]
        value += w * square
        fall[i] -= w * excess
        curve[i] += w * count
    i, count, excess = 0, 0.0, 0.0
    for j in range(t.size):
        excess += count * (t[j] - t[max(j - 1, 0)])
        while i < s.size and s[i] - 1.0 < t[j]:
            count += charge[i]
            excess += charge[i] * (t[j] - (s[i] - 1.0))
            i += 1
        w = cost * mass[j]
        rise[j] += w * excess
        bend[j] += w * count
    return value


@njit
def rows_over(X: Floats, s: Floats, rows: Ints, w: Floats, begin: Ints, pairs: Listed) -> Floats:
    """Return the costs of the pairs of each upper row times the rows of the lower ones, (n, d)."""
    out, total = np.zeros(X.shape), np.empty(X.shape[1])
    for k in range(pairs[0].size):
        up, low, cost = pairs[0][k], pairs[1][k], pairs[2][k]
        j, total[:] = begin[low + 1] - 1, 0.0
        for place in range(begin[up + 1] - 1, begin[up] - 1, -1):
            i = rows[place]
            while j >= begin[low] and s[rows[j]] > s[i] - 1.0:
                for c in range(total.size):
                    total[c] += w[rows[j]] * X[rows[j], c]
                j -= 1
            for c in range(total.size):
                out[i, c] += cost * w[i] * total[c]
    return out
