"""Rank loss beside scikit-learn's roc_auc_score, one scorer and many; seconds of NDCG and MAP."""

from collections.abc import Iterator

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks._timing import best_times, time_ratio
from rankexp.metrics import mean_average_precision, ndcg, rank_loss
from rankexp.metrics.level_counts import won
from rankexp.statistics.orders import from_won


def rows() -> Iterator[tuple[str, float, float | None]]:
    """Yield (name, measured ratio, target); lower is better."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(10_000) < 0.5, 1, -1)
    s = rng.standard_normal(10_000) + y
    tied = np.round(s, 1)
    many = rng.standard_normal((10_000, 180)) + y[:, None]

    def one_by_one() -> list[float]:
        return [roc_auc_score(y, column) for column in many.T]

    yield (
        "rank loss / roc_auc_score, n = 1e4",
        time_ratio(lambda: rank_loss(y, s), lambda: roc_auc_score(y, s), 30),
        1 / 7,
    )
    yield (
        "rank loss / roc_auc_score, n = 1e4, ties",
        time_ratio(lambda: rank_loss(y, tied), lambda: roc_auc_score(y, tied), 30),
        1 / 7,
    )
    yield (
        "rank loss / roc_auc_score, n = 1e4, 180 columns",
        time_ratio(lambda: rank_loss(y, many), one_by_one, 3),
        1 / 10,
    )
    labels = (rng.random(1_000_000) < 0.3).astype(np.int64)
    long = rng.standard_normal(1_000_000) + labels
    yield (
        "AUC with its variance (DeLong) / argsort, n = 1e6",
        time_ratio(lambda: from_won(labels, won(labels, long)[None]), long.argsort, 3),
        4.0,
    )
    groups = rng.permutation(np.repeat(np.arange(10_000), 100))
    graded, real = rng.integers(0, 3, groups.size), rng.standard_normal(groups.size)
    for how, given in (("", real), (", ties", np.round(real, 1))):
        for name, metric in (("NDCG", ndcg), ("MAP", mean_average_precision)):
            (seconds,) = best_times(5, lambda m=metric, s=given: m(graded, s, groups))
            yield f"seconds of {name}, 1e4 queries of 100 rows{how}", seconds, 0.5
