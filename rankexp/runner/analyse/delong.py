"""What records keep of test examples, and the differences that these tell."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from rankexp.arrays import Ints
from rankexp.metrics.metric import Metric
from rankexp.runner.analyse.kept import KeptItem, Source, curves
from rankexp.statistics.design import Design
from rankexp.statistics.orders import Orders, PlacedPart, from_parts, shares
from rankexp.statistics.paired import UNSEEN, Estimate
from rankexp.statistics.verdicts import Refusal

FEW_ROWS = 20
"""With fewer rows in the smallest level placements over folds show too little of the error."""
KEPT = "placements"
METRICS = {
    "auc": (1.0, KEPT),
    "rank_loss": (-1.0, KEPT),
    "u_pairs": (1.0, KEPT),
    "u_ovo": (1.0, "placements_ovo"),
    "u_cons": (1.0, "placements_cons"),
}
"""Metrics whose variance over test examples is known: their sign, and the curve that has the
placements."""


Pairs = Sequence[Sequence[str]]  # of methods


def _found(sources: Iterable[Source], metric: Metric) -> list[KeptItem]:
    """Return what is kept for a metric, of test parts in which pairs are ordered."""
    name = METRICS[repr(metric)][1]
    return [one for one in curves(sources, name) if np.ptp(one.x) > 0]


def _orders(items: Sequence[Sequence[KeptItem]], metric: Metric, design: Design) -> Orders:
    """Return how methods order test parts, from what is kept of each part by every method."""
    parts, wins = [], METRICS[repr(metric)][1] == KEPT
    known = np.unique(np.concatenate([own[0].x for own in items]))
    for own in items:
        levels, y = np.searchsorted(known, own[0].x), np.array([one.y for one in own])
        placements = shares(levels, y) if wins else y
        rows = np.arange(len(levels)) if own[0].rows is None else own[0].rows
        parts.append(PlacedPart(rows, levels, placements))
    return from_parts(parts, design.correction / (1.0 + design.correction))


def alone(
    sources: Iterable[Source], metric: Metric, level: float, design: Design
) -> dict[str, tuple[float, float, float, float]]:
    """Return value, SE and interval of each method of a problem, of those whose they are known."""
    if repr(metric) not in METRICS:
        return {}
    items: dict[str, list[KeptItem]] = {}
    for one in _found(sources, metric):
        items.setdefault(one.method, []).append(one)
    made = {}
    for method, own in items.items():
        try:
            orders = _orders([[one] for one in own], metric, design)
        except ValueError:  # a level of a single row
            continue
        share, se = float(orders.value[0]), orders.se(0)
        low, high = orders.interval(0, level)
        higher = METRICS[repr(metric)][0] > 0
        made[method] = (share, se, low, high) if higher else (1 - share, se, 1 - high, 1 - low)
    return made


def _same(first: Ints | None, second: Ints | None) -> bool:
    if first is None or second is None:
        return first is second
    return np.array_equal(first, second)


class Seen(NamedTuple):
    """A difference over test examples; where they show no variance, how many bound it."""

    estimate: Estimate
    n: int
    bound: float | None
    smallest: float  # rows that may move the value most

    def beside(self, resampled: Estimate) -> Estimate:
        """Return this estimate; of few rows the corrected resampled one if that is wider."""
        few = self.bound is None and self.smallest < FEW_ROWS
        return resampled if few and resampled.se > self.estimate.se else self.estimate


def compare(
    sources: Iterable[Source], problem: str, pairs: Pairs, metric: Metric, design: Design
) -> Seen | Refusal:
    """Return the mean difference of pairs of methods over test parts, or why it has no test."""
    if repr(metric) not in METRICS:
        why = f"there is one test set, and the variance of the {metric.label} over it is not known"
        return Refusal(why, problem)
    sign, name = METRICS[repr(metric)]
    own = [one for one in _found(sources, metric) if one.problem == problem]
    found = {(one.method, one.place): one for one in own}
    places = list(dict.fromkeys(place for _, place in found))
    methods = list(dict.fromkeys(method for pair in pairs for method in pair))
    if not places or any((method, place) not in found for method in methods for place in places):
        why = f"there is one test set, and the records keep no {name} (see 'keep')"
        return Refusal(why, problem)
    kept = [[found[method, place] for method in methods] for place in places]
    if not all(np.array_equal(o.x, a.x) and _same(o.rows, a.rows) for a, *b in kept for o in b):
        return Refusal("the two methods were tested on different rows", problem)
    sides = [[methods.index(pair[side]) for pair in pairs] for side in (0, 1)]
    try:
        orders = _orders(kept, metric, design).of_means(sides)
    except ValueError:
        why = "a level has a single row in the test set, so its variance is not known"
        return Refusal(why, problem)
    mean, se, df = orders.difference(0, 1)
    bound = orders.examples if se == UNSEEN / orders.examples else None
    return Seen(Estimate(sign * mean, se, df), len(orders.levels), bound, orders.examples)
