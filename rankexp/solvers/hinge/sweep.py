"""Loss, derivative and dual variables of all pairs, from one sort of the scores.

With ``z = 1 - s_i + s_j`` for an upper row i and a lower row j, the hinge ``max(0, z)`` is
smoothed over a band ``|z| < h`` (Huber), and ``alpha = clip((z + h) / 2h, 0, 1)`` is its
derivative, which is also a feasible dual variable of the exact hinge. Scores become integers
(fixed point) first: prefix sums are then exact, where sums of floats would stall on ties or
certify falsely.

Rows are sorted once, by group and score, and merged for each pair of levels: a row is the upper
one of pairs with rows around ``s - 1``, the lower one of pairs with rows around ``s + 1``. That is
O(n log n + K n) an evaluation. Groups lie so far apart in the sorted keys that no window leaves
its group. Two classes are two levels.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.compiled import choose
from rankexp.solvers.hinge.pairs import HingePairs

LOOPS = "rankexp.solvers.hinge.sweep_numba"
FIXED_BITS = 50  # of a score: a double has 53, and a difference of two takes one more
SUM_BITS = 61  # of a sum of scores: an int64 has 63, and the band takes two more
SMALLEST_BAND = 16  # units of the fixed point: alpha then has at least 32 steps
FEW_ROWS = 20_000  # tuned: up to here numpy takes prefix sums over all rows
SAMPLED_PAIRS = 20_000  # tuned: of the band, without numba; also the longest list
ROWS_AT_ONCE = 256  # tuned: what stays in the cache
WIDE, WIDE_ROWS = 256, 2048  # tuned: from so many columns on, half of a symmetric product is saved
STRIPS = 8  # tuned: of columns, whose products with those before them are left out


@dataclass
class Sweep:
    """One evaluation of all pairs (i, j), i the upper one.

    `h`: half width of the band, as rounded to the fixed point. `residual` (n,): derivative of the
    smoothed loss by each score: -mean alpha for upper rows, + for lower. `hinge`, `alpha`: means
    over all pairs of the exact hinge and of the dual variables. `band_size`: number of pairs in
    the band, with multiplicities and costs.
    """

    pairs: HingePairs
    h: float
    residual: Floats
    hinge: float
    alpha: float
    band_size: float


@dataclass
class SortedSweep(Sweep):
    """An evaluation from sorted scores, which also knows the band.

    `order` (n,), int: rows by group, then by score. `keys` (n,), int: by row, the score in fixed
    point, groups far apart. `one`, `half`: the margin and half the band in units of the fixed
    point.
    """

    order: Ints
    keys: Ints
    one: int
    half: int

    @cached_property
    def at(self) -> list[Ints]:
        """Rows of each level, in the order of the keys."""
        return rows_of_levels(self.order, self.pairs.order.level, self.pairs.order.costs.shape[0])

    @cached_property
    def counted(self) -> tuple[Floats, Floats, Floats, float]:
        """What each row counts, three of shape (n,), and the number of pairs beyond the band.

        Pairs beyond the band, as lower less as upper row; pairs in the band, as upper less as
        lower row; and as either.
        """
        p, before = self.pairs, [prefix(self.pairs.weight[rows]) for rows in self.at]
        beyond, tilt, degree = np.zeros((3, self.order.size))
        total = 0.0
        for low, up, cost in p.levels:
            for level, other in ((up, low), (low, up)):
                rows, count = self.at[level], before[other]
                begin, end = self.band(level, other)
                w, inside = cost * p.weight[rows], count[end] - count[begin]
                group = p.order.group[rows]
                if level == up:
                    after = w * (count[p.bounds[group + 1, low]] - count[end])
                    beyond[rows] -= after
                    tilt[rows] += w * inside
                    total += float(after.sum())
                else:
                    beyond[rows] += w * (count[begin] - count[p.bounds[group, up]])
                    tilt[rows] -= w * inside
                degree[rows] += w * inside
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
        keys = self.keys[self.at[other]]
        sought = self.keys[self.at[level]] + (self.one if other > level else -self.one)
        if self.pairs.use_numba:
            found: tuple[Ints, Ints] = loops().windows(keys, sought, self.half)
            return found
        return (
            keys.searchsorted(sought - self.half, side="right"),
            keys.searchsorted(sought + self.half, side="left"),
        )

    def listed(self, most: int) -> tuple[Ints, Ints] | None:
        """Return upper and lower rows of all pairs of the band, or None if more than ``most``."""
        if self.pairs.weight_or_none is None and self.band_size > most:  # costs are 1 at most
            return None
        upper, lower, total = [], [], 0
        for low, up, _ in self.pairs.levels:
            begin, end = self.band(up, low)
            size = end - begin
            total += int(size.sum())
            if total > most:
                return None
            offset = np.repeat(begin - np.cumsum(size) + size, size)
            upper.append(np.repeat(self.at[up], size))
            lower.append(self.at[low][np.arange(offset.size) + offset])
        return np.concatenate(upper), np.concatenate(lower)

    def laplacian(self) -> Floats:
        """Return the sum over the band of D D' (d, d); of many rows, numpy takes a sample."""
        if self.pairs.use_numba:
            return self._compiled_laplacian()
        if self.order.size <= FEW_ROWS:
            return self._windows()
        i, j, mass = self._sampled_pairs(SAMPLED_PAIRS)
        D = self.pairs.X[i]
        D -= self.pairs.X[j]
        H: Floats = D.T @ D
        H *= mass / SAMPLED_PAIRS
        return H

    def _sampled_pairs(self, sampled: int) -> tuple[Ints, Ints, float]:
        """Return rows of pairs evenly spaced along the band, and what all of it counts."""
        weight, bands = self.pairs.weight, []
        for low, up, cost in self.pairs.levels:
            begin, end = self.band(up, low)
            before = prefix(weight[self.at[low]])
            size = before[end] - before[begin]
            bands.append((low, up, before, before[begin], size, cost))
        ends = np.cumsum(
            np.concatenate([c * size * weight[self.at[up]] for _, up, _, _, size, c in bands])
        )
        ticks = (np.arange(sampled) + 0.5) * (ends[-1] / sampled)
        which = np.minimum(np.searchsorted(ends, ticks, side="right"), ends.size - 1)
        rest = ticks - np.concatenate(([0.0], ends))[which]
        upper, lower, first = [], [], 0
        for low, up, before, begin, size, cost in bands:
            here = slice(*np.searchsorted(which, (first, first + size.size)))
            k = which[here] - first
            offset = np.minimum((rest[here] / cost % size[k]).astype(np.int64), size[k] - 1)
            j = np.searchsorted(before, begin[k] + offset, side="right") - 1
            upper.append(self.at[up][k])
            lower.append(self.at[low][j])
            first += size.size
        return np.concatenate(upper), np.concatenate(lower), float(ends[-1])

    def _windows(self) -> Floats:
        """Return the sum over the band of D D' (d, d) by prefix sums over the sorted rows."""
        p = self.pairs
        first, second = p.workspace
        Y = np.multiply(p.X, np.sqrt(self.counted[2])[:, None], out=first[:-1])
        H: Floats = Y.T @ Y
        for low, lower in enumerate(self.at):
            above = [(up, cost) for below, up, cost in p.levels if below == low]
            if not above:
                continue
            rows = self._weighted(lower, second)
            sums = first[: lower.size + 1]
            sums[0] = 0.0
            np.cumsum(rows, axis=0, out=sums[1:])
            for up, cost in above:
                begin, end = self.band(up, low)
                upper = self.at[up]
                inside = sums[end]
                inside -= np.take(sums, begin, axis=0, out=second[: upper.size], mode="clip")
                A = self._weighted(upper, second).T @ inside
                A *= cost
                H -= A
                H -= A.T
        return H

    def _weighted(self, rows: Ints, out: Floats) -> Floats:
        """Return rows of X times their weights, written to the start of ``out``."""
        found = np.take(self.pairs.X, rows, axis=0, out=out[: rows.size], mode="clip")
        if self.pairs.weight_or_none is not None:
            found *= self.pairs.weight[rows, None]
        return found

    def _compiled_laplacian(self) -> Floats:
        """Return the sum over the band of D D' (d, d) from ``X' L X``, in blocks of rows.

        Of many columns, only the lower triangle is worked out.
        """
        p, (n, d) = self.pairs, self.pairs.X.shape
        keys, order, one = self.keys, self.order, self.one
        if p.upper is not None:  # shifted, the rows of a pair are close in memory, too
            rows = np.concatenate(self.at)
            keys, one = (keys - one * p.upper).take(rows), 0
            merged = keys.argsort(kind="stable")  # of two sorted runs: linear
            keys, order = keys.take(merged), rows.take(merged)
        else:
            keys = keys.take(order)
        ranked = keys, order, p.order.level.take(order), p.weight.take(order)
        given, units = (p.X, p.centre, ranked, p.order.costs, p.paired), (one, self.half)
        if d < WIDE:
            product: Floats = loops().laplacian(given, units, min(n, ROWS_AT_ONCE))
            return product
        window, size = loops().empty_window(p.order.costs.shape[0], d), min(n, WIDE_ROWS)
        block, LX = np.empty((size, d)), np.empty((size, d))
        H, step = np.zeros((d, d)), -(-d // STRIPS)
        for start in range(0, n, size):
            A, B = block[: n - start], LX[: n - start]
            loops().laplacian_rows(given, units, start, window, (A, B))
            for k in range(0, d, step):
                H[k:, k : k + step] += A[:, k:].T @ B[:, k : k + step]
        return np.tril(H) + np.tril(H, -1).T


def sweep(pairs: HingePairs, s: Floats, h: float) -> SortedSweep:
    """Evaluate all pairs at scores ``s`` (n,) with band half width ``h``, in O(n log n)."""
    keys, scale = (loops().fixed_keys if pairs.use_numba else fixed_keys)(s, pairs.bits)
    one, half = round(scale), max(SMALLEST_BAND, round(h * scale))
    apart = 0
    if pairs.bounds.shape[0] > 2:
        apart = int(keys.max()) - int(keys.min()) + one + half + 1
        keys += pairs.order.group * apart
    order = keys.argsort()
    join = loops().merge if pairs.use_numba else merge
    residual, hinge, alpha, band = join(keys, order, pairs.layout, (apart, one, half))
    residual *= 0.5 / (half * pairs.count)
    return SortedSweep(
        pairs=pairs,
        h=half / scale,
        residual=residual,
        hinge=hinge / (scale * pairs.count),
        alpha=alpha / (2.0 * half * pairs.count),
        band_size=band,
        order=order,
        keys=keys,
        one=one,
        half=half,
    )


def loops() -> Any:
    """Return the module of compiled loops."""
    return choose(LOOPS, True)


def prefix(values: Ints) -> Ints:
    """Return the sums of the first 0, 1, ..., n values."""
    out = np.zeros(values.size + 1, dtype=np.int64)
    np.add.accumulate(values, out=out[1:])
    return out


def fixed_keys(s: Floats, bits: int) -> tuple[Ints, float]:
    """Return scores in fixed point, and the scale.

    The scale is a power of two, such that no sum over 2^bits rows overflows.
    """
    reach = math.frexp(2.0 + max(float(s.max()), -float(s.min())))[1]
    scale = math.ldexp(1.0, min(FIXED_BITS, SUM_BITS - bits) - reach)
    keys = s * scale
    return np.rint(keys, out=keys).astype(np.int64), scale


def rows_of_levels(order: Ints, level: Ints, K: int) -> list[Ints]:
    """Return the rows of each level (n,), in the order given."""
    ranked = level.take(order)
    return [order[ranked == k] for k in range(K)]


class _Level:
    """The rows of one level in the order of their keys, and sums before each."""

    def __init__(self, keys: Ints, rows: Ints, weight: Ints, bounds: Ints, apart: int) -> None:
        self.rows, self.keys, self.bounds = rows, keys.take(rows), bounds
        self.local, self.group = self.keys, None
        if apart:
            self.group = np.repeat(np.arange(bounds.size - 1), np.diff(bounds))
            self.local = self.keys - apart * self.group
        self.weight = weight.take(rows)
        self.count, self.total = prefix(self.weight), prefix(self.weight * self.local)
        self.pull = np.zeros(rows.size)

    def start(self, of: "_Level") -> Any:
        """Return the weight before the group of each row of another level."""
        return 0 if of.group is None else self.count[self.bounds[of.group]]

    def end(self, of: "_Level") -> tuple[Any, Any]:
        """Return the weight, and the sum of keys, up to the end of the group of each row."""
        at = -1 if of.group is None else self.bounds[of.group + 1]
        return self.count[at], self.total[at]

    def window(self, sought: Ints, half: int) -> tuple[Ints, Ints, Ints]:
        """Return the weight before a window around keys, up to its end, and the keys within."""
        low = self.keys.searchsorted(sought - half, side="right")
        high = self.keys.searchsorted(sought + half, side="left")
        keys = self.total.take(high)
        keys -= self.total.take(low)
        return self.count.take(low), self.count.take(high), keys


def merge(
    keys: Ints, order: Ints, layout: tuple[Any, ...], units: tuple[int, int, int]
) -> tuple[Floats, float, float, float]:
    """Sum over the pairs of each row, for each pair of levels, all but costs in integers.

    `keys` (n,), int: scores in fixed point, groups far apart. `order` (n,), int: ascending order
    of ``keys``. `layout`: level and weight (n,), costs (K, K) and bounds (G + 1, K); see
    `HingePairs.layout`. `units`: how far groups are apart (0 for one group), the margin, and half
    the band. Returned are `residual` (n,): by row: sum of ``2 half alpha`` over its pairs as lower
    row, less those as upper row. `hinge`, `alpha`, `band`: sum of the hinge in units; of ``2 half
    alpha``; of pairs in the band.
    """
    level, weight, costs, bounds = layout
    apart, one, half = units
    levels = [
        _Level(keys, rows, weight, bounds[:, k], apart)
        for k, rows in enumerate(rows_of_levels(order, level, costs.shape[0]))
    ]
    sums = np.zeros(3)
    for low, up in np.argwhere(costs > 0.0).tolist():
        lower, upper, cost = levels[low], levels[up], float(costs[low, up])
        if not (lower.rows.size and upper.rows.size):
            continue
        sought, key = upper.keys - one, upper.local - one
        begin, until, pull = lower.window(sought, half)
        count, total = lower.end(upper)
        inside = until - begin
        pull += (half - key) * inside
        pull += 2 * half * (count - until)
        middle = lower.keys.searchsorted(sought)
        excess = total - lower.total.take(middle)
        excess -= key * (count - lower.count.take(middle))
        w = cost * upper.weight
        weighted = w * pull
        upper.pull -= weighted
        sums += float(w @ excess.astype(np.float64)), float(weighted.sum()), float(w @ inside)

        begin, until, push = upper.window(lower.keys + one, half)
        push -= (half + one + lower.local) * (until - begin)
        push -= 2 * half * (begin - upper.start(lower))
        lower.pull -= cost * lower.weight * push
    residual = np.empty(keys.size)
    for one_level in levels:
        residual[one_level.rows] = one_level.pull
    return residual, float(sums[0]), float(sums[1]), float(sums[2])
