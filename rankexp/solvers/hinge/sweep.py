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

from rankexp.arrays import Floats
from rankexp.solvers.hinge.pairs import HingePairs
from rankexp.solvers.hinge.sorted_sweep import BEYOND, SortedSweep

SUM_BITS = 61  # of a sum of scores: an int64 has 63, and the band takes two more
SMALLEST_BAND = 16  # units of the fixed point: alpha then has at least 32 steps


def sweep(pairs: HingePairs, s: Floats, h: float) -> SortedSweep:
    """Evaluate all pairs at scores ``s`` (n,) with band half width ``h``, in O(n log n)."""
    from rankexp.solvers.hinge.sweep_loops import fixed_keys, merge

    keys, scale = fixed_keys(s, pairs.bits)
    if not h * scale < 2.0**SUM_BITS:
        raise FloatingPointError(BEYOND)
    one, half = round(scale), max(SMALLEST_BAND, round(h * scale))
    apart = 0
    if pairs.bounds.shape[0] > 2:
        apart = int(keys.max()) - int(keys.min()) + one + half + 1
        keys += pairs.order.group * apart
    order = keys.argsort()
    residual, rows, (hinge, alpha, band) = merge(keys, order, pairs.layout, (apart, one, half))
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
