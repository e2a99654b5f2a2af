"""The sweep of many rows on a grid of scores: histograms instead of a sort.

Scores are rounded to a grid much finer than the band. The dual variables of the rounded scores
are as feasible as any others, so the dual value is exact; the primal one is corrected to first
order for rounding (what is left is of second order in the step of the grid, some 1e-9), and the
solver measures it once more, exactly, at the end.
"""

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.solvers.hinge.pairs import HingePairs
from rankexp.solvers.hinge.sweep import Sweep, sweep

FINEST = 2**21  # tuned: cells; their histograms stay in the cache
CELLS_A_ROW = 2  # tuned: with more cells, sorting is faster
COARSEST = 2**15  # cells: steps of the grid are then some 1e-4, their square 1e-9
BAND_CELLS = 16  # in half a band: alpha then has 32 steps


def coarse(pairs: HingePairs, s: Floats, h: float) -> Sweep:
    """Evaluate on a grid, or exactly where there is none or the band is too narrow for it."""
    return grid_sweep(pairs, s, h) or sweep(pairs, s, h)


def grid_sweep(pairs: HingePairs, s: Floats, h: float) -> Sweep | None:
    """Evaluate all pairs of two classes at scores (n,) in O(n); None if that is impossible."""
    if pairs.upper is None:
        return None
    keys = s - pairs.upper
    lowest = float(keys.min())
    span = float(keys.max()) - lowest
    scale = max(BAND_CELLS / h, COARSEST / (span + h))
    if not scale * (span + h) <= min(FINEST, CELLS_A_ROW * s.size):
        return None
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
    table = np.empty(2 * size)
    slope = np.empty(2 * size)
    alpha, band = _band_table(negative, positive, half, table)
    hinge = _hinge_table(negative, positive, slope)
    residual = table.take(index)
    rounding = keys
    rounding *= slope.take(index)
    if unit is not None:
        residual *= unit
        rounding *= unit
    residual *= 0.5 / (half * pairs.count)
    return Sweep(
        pairs=pairs,
        h=half / scale,
        residual=residual,
        hinge=(hinge + float(rounding.sum())) / (scale * pairs.count),
        alpha=alpha / (2.0 * half * pairs.count),
        band_size=band,
    )


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
