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
from itertools import combinations
from typing import Any

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.solvers.hinge.pairs import HingePairs
from rankexp.solvers.hinge.sorted_sweep import BEYOND, SortedSweep, loops, prefix

FIXED_BITS = 50  # of a score: a double has 53, and a difference of two takes one more
SUM_BITS = 61  # of a sum of scores: an int64 has 63, and the band takes two more
SMALLEST_BAND = 16  # units of the fixed point: alpha then has at least 32 steps


def sweep(pairs: HingePairs, s: Floats, h: float) -> SortedSweep:
    """Evaluate all pairs at scores ``s`` (n,) with band half width ``h``, in O(n log n)."""
    keys, scale = (loops().fixed_keys if pairs.use_numba else fixed_keys)(s, pairs.bits)
    if not h * scale < 2.0**SUM_BITS:
        raise FloatingPointError(BEYOND)
    one, half = round(scale), max(SMALLEST_BAND, round(h * scale))
    apart = 0
    if pairs.bounds.shape[0] > 2:
        apart = int(keys.max()) - int(keys.min()) + one + half + 1
        keys += pairs.order.group * apart
    order = keys.argsort()
    join = loops().merge if pairs.use_numba else merge
    residual, rows, (hinge, alpha, band) = join(keys, order, pairs.layout, (apart, one, half))
    residual *= 0.5 / (half * pairs.count)
    return SortedSweep(
        pairs=pairs,
        h=half / scale,
        residual=residual,
        hinge=hinge / (scale * pairs.count),
        alpha=alpha / (2.0 * half * pairs.count),
        band_size=band,
        order=order,
        rows=rows,
        keys=keys,
        one=one,
        half=half,
    )


def fixed_keys(s: Floats, bits: int) -> tuple[Ints, float]:
    """Return scores in fixed point, and the scale.

    The scale is a power of two, such that no sum over 2^bits rows overflows.
    """
    reach = math.frexp(2.0 + max(float(s.max()), -float(s.min())))[1]
    scale = math.ldexp(1.0, min(FIXED_BITS, SUM_BITS - bits) - reach)
    keys = s * scale
    return np.rint(keys, out=keys).astype(np.int64), scale


class _Level:
    """The rows of one level in the order of their keys, and sums before each."""

    def __init__(
        self, keys: Ints, rows: Ints, weight: Ints, bounds: Ints, apart: int, shares: Floats
    ) -> None:
        self.rows, self.keys, self.bounds = rows, keys.take(rows), bounds
        self.local, self.group = self.keys, None
        self.share: Any = shares[0]
        if apart:
            self.group = np.repeat(np.arange(bounds.size - 1), np.diff(bounds))
            self.local = self.keys - apart * self.group
            self.share = shares[self.group]
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

    def within(self, low: Ints, high: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the weight before windows, up to their ends, and the keys within."""
        keys = self.total.take(high)
        keys -= self.total.take(low)
        return self.count.take(low), self.count.take(high), keys


def _at_most(ends: Ints, size: int) -> Ints:
    """Return how many ends are at most 0, 1, ..., size - 1."""
    return np.cumsum(np.bincount(ends, minlength=size))[:size]


def merge(
    keys: Ints, order: Ints, layout: tuple[Any, ...], units: tuple[int, int, int]
) -> tuple[Floats, Ints, tuple[float, float, float]]:
    """Sum over the pairs of each row, for each pair of levels, all but costs in integers.

    `keys` (n,), int: scores in fixed point, groups far apart. `order` (n,), int: ascending order
    of ``keys``. `layout`: level and weight (n,), costs (K, K), bounds (G + 1, K) and shares (G,);
    see `HingePairs.layout`. `units`: how far groups are apart (0 for one group), the margin, and
    half the band. Returned are `residual` (n,): by row: sum of ``2 half alpha`` over its pairs as
    lower row, less those as upper row. `rows` (n,), int: those of each level, in order. Then
    sums: of the hinge in units; of ``2 half alpha``; of pairs in the band.
    """
    level, weight, costs, bounds, shares = layout
    apart, one, half = units
    ranked = level.take(order)
    levels = [
        _Level(keys, order.take(np.flatnonzero(ranked == k)), weight, bounds[:, k], apart, shares)
        for k in range(costs.shape[0])
    ]
    hinge = alpha = band = 0.0
    for low, up in combinations(range(len(levels)), 2):
        lower, upper, cost = levels[low], levels[up], float(costs[low, up])
        if not (cost > 0.0 and lower.rows.size and upper.rows.size):
            continue
        sought, key = upper.keys - one, upper.local - one
        low_at = lower.keys.searchsorted(sought - half, side="right")
        high_at = lower.keys.searchsorted(sought + half, side="left")
        begin, until, pull = lower.within(low_at, high_at)
        count, total = lower.end(upper)
        inside = until - begin
        pull += (half - key) * inside
        pull += 2 * half * (count - until)
        middle = lower.keys.searchsorted(sought)
        excess = total - lower.total.take(middle)
        excess -= key * (count - lower.count.take(middle))
        w = cost * upper.share * upper.weight
        weighted = w * pull
        upper.pull -= weighted
        hinge += float(w @ excess.astype(np.float64))
        alpha += float(weighted.sum())
        band += float(w @ inside)

        # A lower row is in the windows that begin by it, but for those that end by it.
        ended, begun = (_at_most(ends, lower.rows.size) for ends in (high_at, low_at))
        begin, until, push = upper.within(ended, begun)
        push -= (half + one + lower.local) * (until - begin)
        push -= 2 * half * (begin - upper.start(lower))
        lower.pull -= cost * lower.share * lower.weight * push
    residual = np.empty(keys.size)
    for one_level in levels:
        residual[one_level.rows] = one_level.pull
    rows = np.concatenate([one_level.rows for one_level in levels])
    return residual, rows, (hinge, alpha, band)
