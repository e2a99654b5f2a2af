"""Two methods on one test set, from the placements of its examples that records keep."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from rankexp.metrics.base import Metric
from rankexp.runner.analyse import delong
from rankexp.runner.analyse.kept import Source, curves
from rankexp.runner.analyse.notes import Refusal
from rankexp.runner.analyse.paired import UNSEEN, Estimate

KEPT = "placements"
SIGNS = {"auc": 1.0, "u_pairs": 1.0, "rank_loss": -1.0}
"""Metrics whose variance over test examples is known: shares of pairs, in order or not."""


def alone(
    sources: Iterable[Source], metric: Metric, level: float
) -> dict[str, tuple[float, float, float, float]]:
    """Return value, SE and interval of each method of a problem, of those whose they are known."""
    made = {}
    for one in curves(sources, KEPT) if repr(metric) in SIGNS else ():
        if np.unique(one.x, return_counts=True)[1].min() < 2:
            continue
        orders = delong.from_won(one.x.astype(np.int64), one.y[None, :])
        share, se = float(orders.value[0]), float(np.sqrt(orders.covariance[0, 0]))
        low, high = orders.interval(0, level)
        higher = SIGNS[repr(metric)] > 0
        made[one.method] = (share, se, low, high) if higher else (1 - share, se, 1 - high, 1 - low)
    return made


class Seen(NamedTuple):
    """A difference over test examples; where they show no variance, how many bound it."""

    estimate: Estimate
    n: int
    bound: int | None


def compare(
    sources: Iterable[Source], problem: str, pair: tuple[str, str], metric: Metric
) -> Seen | Refusal:
    """Return the difference of two methods, or why it has no test."""
    if repr(metric) not in SIGNS:
        why = f"there is one test set, and the variance of the {metric.label} over it is not known"
        return Refusal(why, problem)
    found = {one.method: one for one in curves(sources, KEPT) if one.problem == problem}
    if not found.keys() >= set(pair):
        return Refusal(
            f"there is one test set, and the records keep no {KEPT} (see 'keep')", problem
        )
    first, second = (found[name] for name in pair)
    if not np.array_equal(first.x, second.x):
        return Refusal("the two methods were tested on different rows", problem)
    sizes = np.unique(first.x, return_counts=True)[1]
    if sizes.min() < 2:
        why = "a level has a single row in the test set, so its variance is not known"
        return Refusal(why, problem)
    orders = delong.from_won(first.x.astype(np.int64), np.array([first.y, second.y]))
    mean, se, df = orders.difference(0, 1)
    bound = orders.examples if se == UNSEEN / orders.examples else None
    return Seen(Estimate(SIGNS[repr(metric)] * mean, se, df), len(first.x), bound)
