"""The integrated ROC curve."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats
from rankexp.metrics.continuous import checked
from rankexp.runner.keep.curves import Curve

REGISTER = {"iroc": "integrated_roc"}

POINTS = 201
"""Shares of false positives at which the curve is kept: more than a line in print can show."""
DECIMALS = 6  # kept of the curve


def integrated_roc(X: Floats, y: Floats, scores: Floats) -> Curve:
    """Return the IROC curve at evenly spaced shares of false positives."""
    x, value = iroc(y, scores, np.linspace(0.0, 1.0, POINTS))
    return {"x": x.tolist(), "y": value.round(DECIMALS).tolist()}


def iroc(
    y: npt.ArrayLike, scores: npt.ArrayLike, grid: npt.ArrayLike | None = None
) -> tuple[Floats, Floats]:
    """Return the IROC curve of scores (clemencon2017, (4)).

    Each example j with both smaller and greater targets gives the ROC curve between
    {y > y_j} and {y < y_j}, equal scores joined by a segment; the curve is their mean, each
    counting the same, so that its area is ``iauc(y, scores, kind=5)``. It is given as shares of
    false and mean shares of true positives: on a grid (g,), ascending in [0, 1], where a vertical
    piece has its top, or at every one of its corners, a vertical piece as two points with one x.
    It takes O(v m) for v values of y and m of the scores, at corners twice that in memory.
    """
    target, s = checked(y, scores)
    if s.ndim != 1:
        raise ValueError(f"scores must be (n,), got {s.shape}")
    curves = _curves(target, s)
    if grid is None:
        return _corners(list(curves))
    x = np.asarray(grid, dtype=np.float64)
    if x.ndim != 1 or not ((x >= 0) & (x <= 1)).all() or (np.diff(x) < 0).any():
        raise ValueError("grid must be (g,), ascending in [0, 1]")
    total, weights = np.zeros(x.size), 0.0
    for weight, false, true in curves:
        total += weight * _on_grid(x, false, true)
        weights += weight
    return x, total / weights


def _curves(y: Floats, s: Floats) -> Iterator[tuple[float, Floats, Floats]]:
    values, level, sizes = np.unique(y, return_inverse=True, return_counts=True)
    if values.size < 3:
        raise ValueError("y has fewer than three values: no cut-off has examples on both sides")
    codes = np.unique(-s, return_inverse=True)[1]
    m = int(codes.max()) + 1
    examples = np.split(level.argsort(kind="stable"), np.cumsum(sizes)[:-1])
    histograms = (np.bincount(codes[rows], minlength=m) for rows in examples)
    below, here = np.zeros(m + 1), np.zeros(m + 1)
    above = np.concatenate(([0.0], np.bincount(codes, minlength=m)))
    for place, histogram in enumerate(histograms):
        below += here
        here[1:] = histogram
        above -= here
        if 0 < place < values.size - 1:
            false, true = below.cumsum(), above.cumsum()
            yield float(sizes[place]), false / false[-1], true / true[-1]


def _on_grid(x: Floats, false: Floats, true: Floats) -> Floats:
    after = false.searchsorted(x, side="right")
    last = np.minimum(after, false.size - 1)
    before = after - 1
    width = false[last] - false[before]
    part = np.divide(x - false[before], width, out=np.zeros(x.size), where=width > 0)
    return true[before] + part * (true[last] - true[before])


def _corners(curves: list[tuple[float, Floats, Floats]]) -> tuple[Floats, Floats]:
    """Return the mean curve at every corner, from the sums of jumps and of changes of slope."""
    weights = sum(weight for weight, _, _ in curves)
    at, jumps, bends = [], [], []
    for weight, false, true in curves:
        run, rise = np.diff(false), np.diff(true) * (weight / weights)
        slope = np.divide(rise, run, out=np.zeros(run.size), where=run > 0)
        at.append(np.concatenate((false[:-1], false[1:])))
        jumps.append(np.concatenate((np.where(run > 0, 0.0, rise), np.zeros(run.size))))
        bends.append(np.concatenate((slope, -slope)))
    x, place = np.unique(np.concatenate(at), return_inverse=True)
    jump = np.bincount(place, weights=np.concatenate(jumps))
    slopes = np.bincount(place, weights=np.concatenate(bends)).cumsum()
    rises = np.concatenate(([0.0], slopes[:-1] * np.diff(x)))
    top = np.cumsum(rises + jump)
    return np.repeat(x, 2), np.column_stack((top - jump, top)).ravel()
