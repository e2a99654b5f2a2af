"""A line search on the derivative along a ray, for convex functions."""

from collections.abc import Callable
from math import isfinite
from typing import TypeVar

T = TypeVar("T")

GROWTH = 1.5, 10.0  # A step that is too short grows by at least and at most these factors. Tuned
INSIDE = 0.1, 0.9  # shares of an interval that a new step keeps from its ends
OVERFLOWED = 0.2  # where in an interval the step goes whose far end is no number. Tuned
ENOUGH, MOST = 0.5, 40  # of the first derivative, small enough; evaluations


def derivative_search(
    along: Callable[[float], tuple[float, T]], start: float
) -> tuple[float, T | None]:
    """Find a t at which the derivative is small against its `start`, 0 if none goes down."""
    enough = -ENOUGH * start
    low, d_low, high, d_high = 0.0, start, 0.0, float("inf")
    best: T | None = None
    t = 1.0
    for _ in range(MOST):
        d, found = along(t)
        if -enough <= d <= enough:
            return t, found
        if d < 0.0:
            low, d_low, best = t, d, found
            slack = start - d if d > start else 0.0
            grown = t * start / slack if slack else GROWTH[1] * t
        else:
            high, d_high = t, d if isfinite(d) else float("inf")
        if not high:
            t = min(max(grown, GROWTH[0] * t), GROWTH[1] * t)
            continue
        share = d_low / (d_low - d_high) if isfinite(d_high) else OVERFLOWED
        t = low + (high - low) * min(max(share, INSIDE[0]), INSIDE[1])
    return low, best
