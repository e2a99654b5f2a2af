"""Loss, derivative and dual variables of all pairs, from one sort of the scores.

With ``z = 1 - s_i + s_j`` for an upper row i and a lower row j, the hinge ``max(0, z)`` is
smoothed over a band ``|z| < h`` (Huber), and ``alpha = clip((z + h) / 2h, 0, 1)`` is its
derivative, which is also a feasible dual variable of the exact hinge. Scores become integers
(fixed point) first: prefix sums are then exact; those of floats stall on ties or certify falsely.

Rows are sorted once, by group and score, and merged for each pair of levels: a row is the upper
one of pairs with rows around ``s - 1``, the lower one of pairs with rows around ``s + 1``. That is
O(n log n + K n) an evaluation. Groups lie so far apart in the sorted keys that no window leaves
its group. Two classes are two levels.
"""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.solvers.hinge.pairs import HingePairs

SUM_BITS = 61  # of a sum of scores: an int64 has 63, and the band takes two more
SMALLEST_BAND = 16  # units of the fixed point: alpha then has at least 32 steps
LISTED_PAIRS = 20_000  # tuned: the longest list of the pairs of the band
ROWS_AT_ONCE = 256  # tuned: what stays in the cache
WIDE, WIDE_ROWS = 256, 2048  # tuned: from so many columns on, half of a symmetric product is saved
BEYOND = (
    "hinge of pairs: scores leave the range of floating-point numbers; scale the features, or "
    "take a larger lam"
)
STRIPS = 8  # tuned: of columns, whose products with those before them are left out
FINEST = 2**21  # tuned: cells; their histograms stay in the cache
CELLS_A_ROW = 2  # tuned: with more cells, sorting is faster
COARSEST = 2**15  # cells: steps of the grid are then some 1e-4, their square 1e-9
BAND_CELLS = 16  # in half a band: alpha then has 32 steps


@dataclass
class Sweep:
    """One evaluation of all pairs (i, j), i the upper one."""

    pairs: HingePairs
    h: float  # half width of the band, as rounded to the fixed point
    residual: Floats  # (n,): derivative by each score, -mean alpha for upper rows
    hinge: float  # mean over all pairs, without smoothing
    alpha: float  # mean over all pairs
    band_size: float  # number of pairs in the band, with multiplicities and costs


@dataclass
class SortedSweep(Sweep):
    """An evaluation from sorted scores, which also knows the band."""

    order: Ints  # (n,): rows by group, then by score
    rows: Ints  # (n,): those of each level in this order, one level after the other
    keys: Ints  # (n,): by row, the score in fixed point, groups far apart
    one: int  # the margin in units of the fixed point
    half: int  # half the band
    bands: dict[tuple[int, int], tuple[Ints, Ints]] = field(default_factory=dict)

    @cached_property
    def at(self) -> list[Ints]:
        return [self.rows[start:stop] for start, stop in pairwise(self.pairs.starts)]

    @cached_property
    def counted(self) -> tuple[Floats, Floats, Floats, float]:
        """What rows count beyond the band, and in it, signed and not, (n,); pairs beyond."""
        p = self.pairs
        before = [np.append(0, p.weight[rows].cumsum()) for rows in self.at]
        beyond, tilt, degree = np.zeros((3, self.order.size))
        total = 0.0
        for low, up, cost in p.levels:
            for level, other in ((up, low), (low, up)):
                rows, count = self.at[level], before[other]
                begin, end = self.band(level, other)
                w, group = cost * p.charge[rows], p.order.group[rows]
                inside = w * (count[end] - count[begin])
                degree[rows] += inside
                if level == up:
                    after = w * (count[p.bounds[group + 1, low]] - count[end])
                    beyond[rows] -= after
                    tilt[rows] += inside
                    total += float(after.sum())
                else:
                    beyond[rows] += w * (count[begin] - count[p.bounds[group, up]])
                    tilt[rows] -= inside
        return beyond, tilt, degree, total

    @property
    def settled(self) -> Floats:
        """Residual with every alpha of the band at zero, shape (n,)."""
        return self.counted[0] / self.pairs.count

    @property
    def midway(self) -> Floats:
        """Residual with every alpha of the band at one half, shape (n,)."""
        return self.settled - (0.5 / self.pairs.count) * self.counted[1]

    @property
    def settled_alpha(self) -> float:
        """Mean over all pairs of alpha, those of the band at zero."""
        return self.counted[3] / self.pairs.count

    def band(self, level: int, other: int) -> tuple[Ints, Ints]:
        """Return where the band of each row of a level begins and ends in ``at[other]``."""
        from rankexp.solvers.hinge.sweep_loops import windows

        if (found := self.bands.get((level, other))) is None:
            units = self.one if other > level else -self.one, self.half
            found = windows(self.keys, self.at[other], self.at[level], units)
            self.bands[level, other] = found
        return found

    def listed(self, most: int) -> tuple[Ints, Ints] | None:
        """Return upper and lower rows of all pairs of the band, or None if more than ``most``."""
        if self.pairs.weight_or_none is None and self.band_size > most:  # costs are 1 at most
            return None
        upper, lower, total = [], [], 0
        for low, up, _ in self.pairs.levels:
            begin, end = self.band(up, low)
            count = end - begin
            total += int(count.sum())
            if total > most:
                return None
            place = np.arange(count.sum()) + (end - count.cumsum()).repeat(count)
            upper.append(self.at[up].repeat(count))
            lower.append(self.at[low][place])
        return np.concatenate(upper), np.concatenate(lower)

    def curvature(self) -> Floats:
        """Return the second derivatives of the smoothed loss by the scores, (n, n)."""
        n = self.order.size
        (i, j), L = self.listed(n * n) or (self.order[:0],) * 2, np.zeros((n, n))
        m = self.pairs.multiplicity(i, j)
        L[i, j] = L[j, i] = (-1.0 if m is None else -m) / (2.0 * self.h * self.pairs.count)
        L.flat[:: n + 1] = -L.sum(axis=0)
        return L

    def laplacian(self) -> Floats:
        """Return the sum over the band of D D' (d, d) from ``X' L X``, in blocks of rows."""
        from rankexp.solvers.hinge.sweep_loops import laplacian_rows

        p = self.pairs
        keys, order, one = self.keys, self.order, self.one
        if p.upper is not None:  # shifted, the rows of a pair are close in memory, too
            keys, one = (keys - one * p.upper).take(self.rows), 0
            merged = keys.argsort(kind="stable")  # of two sorted runs: linear
            keys, order = keys.take(merged), self.rows.take(merged)
        else:
            keys = keys.take(order)
        charge = p.charge.take(order).astype(np.float64)
        ranked = keys, order, p.order.level.take(order), p.weight.take(order), charge
        given, units = (p.X, p.centre, ranked, p.order.costs, p.paired), (one, self.half)
        (n, d), K = p.X.shape, p.order.costs.shape[0]
        # Of many columns in strips, half of which are mirrored.
        size, step = (ROWS_AT_ONCE, d) if d < WIDE else (WIDE_ROWS, -(-d // STRIPS))
        window = np.zeros((2 * K, d)), np.zeros(2 * K), np.zeros((2, 2), np.int64)
        (block, LX), H = np.empty((2, min(n, size), d)), np.zeros((d, d))
        for start in range(0, n, size):
            A, B = block[: n - start], LX[: n - start]
            laplacian_rows(given, units, start, window, (A, B))
            for k in range(0, d, step):
                H[k:, k : k + step] += A[:, k:].T @ B[:, k : k + step]
        return 0.5 * (H + H.T) if d < WIDE else np.tril(H) + np.tril(H, -1).T


def in_order(
    pairs: HingePairs, s: Floats, h: float
) -> tuple[Ints, Ints, float, tuple[int, int, int]]:
    """Return scores as integers (n,), their order, units of 1, and what loops take as units."""
    from rankexp.solvers.hinge.sweep_loops import fixed_keys

    keys, scale = fixed_keys(s, pairs.bits)
    if not h * scale < 2.0**SUM_BITS:
        raise FloatingPointError(BEYOND)
    one, half = round(scale), max(SMALLEST_BAND, round(h * scale))
    apart = 0
    if pairs.bounds.shape[0] > 2:
        apart = int(keys.max()) - int(keys.min()) + one + half + 1
        keys += pairs.order.group * apart
    return keys, keys.argsort(), scale, (apart, one, half)


def sweep(pairs: HingePairs, s: Floats, h: float) -> SortedSweep:
    """Evaluate all pairs at scores ``s`` (n,) with band half width ``h``, in O(n log n)."""
    from rankexp.solvers.hinge.sweep_loops import merge

    keys, order, scale, units = in_order(pairs, s, h)
    _, one, half = units
    residual, rows, (hinge, alpha, band) = merge(keys, order, pairs.layout, units)
    residual *= 0.5 / (half * pairs.count)
    hinge, alpha = hinge / (scale * pairs.count), alpha / (2.0 * half * pairs.count)
    known = pairs, half / scale, residual, hinge, alpha, band
    return SortedSweep(*known, order, rows, keys, one, half)


def coarse(pairs: HingePairs, s: Floats, h: float) -> Sweep:
    """Evaluate pairs of two classes on a grid in O(n); others, or in a narrow band, exactly."""
    # Scores are rounded to a grid much finer than the band. Their dual variables are as feasible
    # as any others, so the dual value is exact; the primal one is corrected to first order (some
    # 1e-9 is left), and the solver measures it once more, exactly, at the end.
    if pairs.upper is None:
        return sweep(pairs, s, h)
    keys = s - pairs.upper
    lowest = float(keys.min())
    span = float(keys.max()) - lowest
    scale = max(BAND_CELLS / h, COARSEST / (span + h))
    if not scale * (span + h) <= min(FINEST, CELLS_A_ROW * s.size):
        return sweep(pairs, s, h)
    half = round(h * scale)
    size = int(scale * span) + 2
    keys -= lowest
    keys *= scale
    cells = np.rint(keys)
    keys -= cells
    index: Ints = cells.astype(np.int64)
    index += size * pairs.upper
    unit = pairs.weight_or_none
    counts = np.bincount(index, weights=unit, minlength=2 * size)
    negative, positive = counts.astype(np.int64).reshape(2, size)
    table, slope = np.empty((2, 2 * size))
    alpha, band = _band_table(negative, positive, half, table)
    hinge = _hinge_table(negative, positive, slope)
    residual = table.take(index)
    rounding = keys * slope.take(index)
    if unit is not None:
        residual *= unit
        rounding *= unit
    residual *= 0.5 / (half * pairs.count)
    hinge = (hinge + float(rounding.sum())) / (scale * pairs.count)
    return Sweep(pairs, half / scale, residual, hinge, alpha / (2.0 * half * pairs.count), band)


def _before(counts: Ints, pad: int) -> tuple[Ints, Ints]:
    size = counts.size
    out = np.zeros((2, size + 1 + 2 * pad), dtype=np.int64)
    np.add.accumulate(counts, out=out[0, pad + 1 : pad + 1 + size])
    np.add.accumulate(counts * np.arange(size), out=out[1, pad + 1 : pad + 1 + size])
    out[:, pad + 1 + size :] = out[:, pad + size, None]
    return out[0], out[1]


def _band_table(negative: Ints, positive: Ints, half: int, table: Floats) -> tuple[float, float]:
    """Write sums of ``2 half alpha`` by cell, positives' second and negative; sum alpha, band."""
    size = negative.size
    cell = np.arange(size)
    at_low, at_high = slice(1, size + 1), slice(2 * half, 2 * half + size)
    count, total = _before(negative, half)
    inside = count[at_high] - count[at_low]
    units = total[at_high] - total[at_low]
    units += (half - cell) * inside
    units += 2 * half * (count[-1] - count[at_high])
    table[size:] = units
    alpha, band = float(positive @ table[size:]), float(positive @ inside)
    np.negative(table[size:], out=table[size:])
    count, total = _before(positive, half)
    units = total[at_low] - total[at_high]
    units += (half + cell) * (count[at_high] - count[at_low])
    units += 2 * half * count[at_low]
    table[:size] = units
    return alpha, band


def _hinge_table(negative: Ints, positive: Ints, slope: Floats) -> float:
    """Write the derivative of the exact hinge by cell (ties one half); return its sum."""
    size = negative.size
    count, total = _before(negative, 0)
    beyond = (total[-1] - total[:-1]) - np.arange(size) * (count[-1] - count[:-1])
    slope[size:] = 0.5 * (count[:-1] + count[1:]) - count[-1]
    hinge = float(positive @ beyond.astype(np.float64))
    count, _ = _before(positive, 0)
    slope[:size] = 0.5 * (count[:-1] + count[1:])
    return hinge
