"""The metrics of a part, of all its rows or of its groups; thresholds that some of them need."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

from rankexp.arrays import Floats
from rankexp.estimators.labels import best_threshold
from rankexp.metrics.bipartite import NAN
from rankexp.metrics.by_example import NAMES
from rankexp.metrics.metric import Metric, UndefinedMetricWarning, mean_over_groups
from rankexp.runner.config.asking import message
from rankexp.runner.grid import EQUAL
from rankexp.runner.protocols.protocol import Part
from rankexp.runner.run.material import FoldRows
from rankexp.runner.run.record import RecordRow

NO_THRESHOLD = float("nan")  # of an estimator that fits no threshold of its own
SAME = 2.0**-40
"""Scores that are nearer, over the largest, are equal: rounding differs between processors by some
1e-15 of it, and a solver's error by 1e-11 at most, which orders no two rows otherwise."""
MANY = 0.01  # share of a column's different scores that may be lost before it is told


def with_ties(scores: Floats) -> Floats:
    """Return scores, (n, G), in which those of a column that differ by rounding alone are equal.

    They get the smallest of them; all others keep their bits. A `UserWarning` tells where many
    different scores of a column are so near beside its largest.
    """
    size = np.max(np.abs(scores), axis=0, initial=0.0, where=np.isfinite(scores))
    ranked = np.sort(scores, axis=0)
    with np.errstate(invalid="ignore"):
        gaps = np.diff(ranked, axis=0)
    near = (gaps > 0.0) & (gaps <= SAME * size)
    if not near.any():
        return scores
    made = scores.copy()
    for g in np.flatnonzero(near.any(axis=0)):
        first = np.concatenate(([True], ~(gaps[:, g] <= SAME * size[g]) & (gaps[:, g] != 0.0)))
        lowest = ranked[first, g]
        at = np.searchsorted(lowest, scores[:, g], side="right") - 1
        made[:, g] = lowest[at]
        lost, different = int(near[:, g].sum()), int((gaps[:, g] != 0.0).sum()) + 1
        if lost > MANY * different:
            text = message("run.near", lost=lost, different=different, same=SAME)
            warnings.warn(text, stacklevel=2)
    return made


def measured(
    metrics: Sequence[Metric],
    scores: Floats,
    fitted: Mapping[str, Floats],
    tested: FoldRows,
    decimals: int | None = None,
) -> tuple[Floats, Floats]:
    """Return the metrics on a part, (metrics, G), and within its groups, (metrics, Q, G).

    Where the rows have groups the value on the part is the mean over those that have a value, but
    for a metric that makes its own use of groups. Scores are rounded to `decimals`, if given.
    """
    scores = scores if decimals is None else np.round(scores, decimals)
    known = tested.known | {"fitted": fitted, "scores": scores}
    if tested.part.groups is None:
        values = [metric(**known) for metric in metrics]
        return np.array(values, dtype=np.float64), np.empty((len(metrics), 0, scores.shape[1]))
    within = np.empty((len(metrics), len(tested.by_group), scores.shape[1]))
    others = [i for i, metric in enumerate(metrics) if metric.declaration.each is None]
    for i in set(range(len(metrics))) - set(others):
        within[i] = metrics[i].each(**known)
    with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
        for place, (_, rows) in enumerate(tested.by_group if others else ()):
            own = FoldRows(tested.X[rows], tested.part.take(rows)).known
            own |= {"fitted": fitted, "scores": scores[rows]}
            within[others, place] = [metrics[i](**own) for i in others]
    values = [
        metric(**known)
        if i in others and "groups" in metric.takes
        else mean_over_groups(within[i], repr(metric))
        for i, metric in enumerate(metrics)
    ]
    return np.array(values, dtype=np.float64), within


def best_points(metrics: Sequence[Metric], values: Floats) -> set[int]:
    """Return the grid points that are best in some metric, from values (metrics, G); ties too."""
    signs = [1.0 if metric.direction == "higher" else -1.0 for metric in metrics]
    known = np.where(np.isnan(values), -np.inf, values * np.array(signs)[:, None])
    best = known.max(axis=1, keepdims=True)
    return set(np.flatnonzero((known >= best - EQUAL).any(axis=0)).tolist())


def rows_of(
    part: str, metrics: Sequence[Metric], whole: Floats, within: Floats, tested: FoldRows
) -> Iterator[RecordRow]:
    """Yield the rows of a record: those of a part, then those of its groups.

    A validation part only serves to choose: its groups are left out.
    """
    yield from rows(part, metrics, whole)
    if part == "test":
        for (label, _), values in zip(tested.by_group, within.swapaxes(0, 1), strict=True):
            yield from rows(part, metrics, values, label)


def rows(
    part: str, metrics: Sequence[Metric], values: Floats, group: str | None = None
) -> Iterator[RecordRow]:
    """Yield a row for each metric and grid point, from values (metrics, G)."""
    for metric, line in zip(metrics, values.tolist(), strict=True):
        name = repr(metric)
        yield from (RecordRow(part, g, None, group, name, value) for g, value in enumerate(line))


def threshold_of(model: Any) -> float:
    """Return the threshold of scores that an estimator was fitted with, or `NO_THRESHOLD`.

    An intercept comes first: a linear ranker's `decision_function` is relative to the threshold
    of `predict`, which has the least training error whatever the loss is.
    """
    if separates(model):
        return -float(model.threshold_)
    if not is_classifier(model):
        return NO_THRESHOLD
    return 0.0 if hasattr(model, "decision_function") else 0.5


def thresholds(scores: Floats, train: Part, own: Floats) -> dict[str, Floats]:
    """Return both kinds of thresholds, (G,) each, from the scores of training rows, (n, G).

    There are none unless the training part has two classes.
    """
    if len(np.unique(train.y)) != 2:
        return {}
    if np.isnan(scores).any():
        raise ValueError(NAN)
    positive = train.y == train.y.max()
    least = np.array([best_threshold(s, positive, sample_weight=train.weights) for s in scores.T])
    return dict(zip(NAMES.values(), (np.where(np.isnan(own), least, own), least), strict=True))


def separates(model: BaseEstimator) -> bool:
    """Tell whether an intercept is fitted: along a path of penalties the threshold is then 0."""
    return bool(getattr(model, "separates", bool)())
