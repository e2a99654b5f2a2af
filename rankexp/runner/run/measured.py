"""The metrics of a part: of all its rows, or of its groups with their mean."""

import warnings
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from rankexp.arrays import Floats
from rankexp.metrics.metric import Metric, UndefinedMetricWarning, mean_over_groups
from rankexp.runner.run.material import FoldRows
from rankexp.runner.run.record import RecordRow


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
