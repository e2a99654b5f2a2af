"""Two methods on one test set, from the placements of its examples that records keep."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from rankexp.analyse import delong
from rankexp.analyse.kept import Source, curves
from rankexp.analyse.paired import UNSEEN, Estimate
from rankexp.metrics.base import Metric

KEPT = "placements"
SIGNS = {"auc": 1.0, "u_pairs": 1.0, "rank_loss": -1.0}
"""Metrics whose variance over test examples is known: shares of pairs, in order or not."""


class Seen(NamedTuple):
    """A difference over test examples; where they show no variance, how many bound it."""

    estimate: Estimate
    n: int
    bound: int | None


def compare(
    sources: Iterable[Source], problem: str, pair: tuple[str, str], metric: Metric
) -> Seen | str:
    """Return the difference of two methods, or why it has no test."""
    if repr(metric) not in SIGNS:
        return f"no test: one test set, over whose examples the variance of {metric} is not known"
    found = {one.method: one for one in curves(sources, KEPT) if one.problem == problem}
    if not found.keys() >= set(pair):
        return f"no test: one test set, of which records keep no {KEPT} (see 'keep')"
    first, second = (found[name] for name in pair)
    if not np.array_equal(first.x, second.x):
        return "no test: the records are of different test sets"
    try:
        orders = delong.from_won(first.x.astype(np.int64), np.array([first.y, second.y]))
    except ValueError as error:
        return f"no test: {error}"
    mean, se, df = orders.difference(0, 1)
    bound = orders.examples if se == UNSEEN / orders.examples else None
    return Seen(Estimate(SIGNS[repr(metric)] * mean, se, df), len(first.x), bound)
