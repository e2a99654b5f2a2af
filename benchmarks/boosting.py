"""RankBoost beside scikit-learn's boosted stumps; the seconds of ORBoost."""

from collections.abc import Iterator

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from benchmarks._timing import best_times
from rankexp.estimators import ORBoost, RankBoost

Row = tuple[str, float, float | None]


def _two_classes(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 20))
    return X, X[:, 0] + X[:, 1] ** 2 + rng.standard_normal(n) > 1.0


def _three_levels(d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 2000)
    return rng.standard_normal((y.size, d)) + 2.0 * y[:, None], y


def _rank_boost() -> Iterator[Row]:
    X, y = _two_classes(100_000)
    many, labels = _two_classes(1_000_000)
    stumps = HistGradientBoostingClassifier(max_iter=100, max_leaf_nodes=2, early_stopping=False)
    ours, theirs, logistic, cells = best_times(
        3,
        lambda: RankBoost().fit(X, y),
        lambda: stumps.fit(X, y),
        lambda: RankBoost(loss="logistic").fit(X, y),
        lambda: RankBoost(risk="multipartite").fit(X, np.digitize(X[:, 0], [-1.0, 0.0, 1.0])),
    )
    what = "100 rounds, 1e5 x 20, 255 cuts"
    yield f"RankBoost, {what} / HistGradientBoosting, stumps", ours / theirs, 3.0
    yield "the same, logistic loss", logistic / theirs, None
    yield "the same, four levels", cells / theirs, None
    (larger,) = best_times(2, lambda: RankBoost().fit(many, labels))
    yield "RankBoost, time at n = 1e6 / at n = 1e5", larger / ours, None


def rows() -> Iterator[Row]:
    """Yield (name, measured ratio or seconds, target); lower is better."""
    RankBoost(n_rounds=2).fit(*_two_classes(1000))  # compiled
    yield from _rank_boost()
    for d in (1, 20):
        X, y = _three_levels(d)
        for variant in ("lr", "all"):
            (seconds,) = best_times(
                2, lambda X=X, y=y, v=variant: ORBoost(variant=v, n_rounds=2000).fit(X, y)
            )
            yield f"seconds of ORBoost-{variant}, 2,000 rounds, 6,000 x {d}", seconds, 5.0
