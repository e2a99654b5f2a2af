"""IAUC beside one argsort; trees and forests beside scikit-learn's of least squares."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

from benchmarks._timing import best_times, time_ratio
from rankexp.estimators import CRank, KendallTree, RankingForest
from rankexp.metrics import iauc


def _iauc_rows() -> Iterator[tuple[str, float, float | None]]:
    rng = np.random.default_rng(0)
    y = rng.random(1_000_000)
    s = y + rng.random(y.size)
    tied = np.round(y, 2), np.round(s, 2)
    iauc(y[:10], s[:10])  # compiled
    calls = (y.argsort, lambda: iauc(y, s), lambda: iauc(y, s, kind=5), lambda: iauc(*tied))
    sort, *times = best_times(4, *calls)
    for what, seconds in zip(("(6)", "(5)", "(6), ties"), times, strict=True):
        yield f"IAUC by {what}, n = 1e6 / one argsort", seconds / sort, 12


def _split_time(n: int) -> float:
    """Return the time that a tree of one split, of 10 sorted features, takes on n rows."""
    rng = np.random.default_rng(0)
    X, y = rng.random((n, 10)), rng.random(n)
    grow, rng = KendallTree(depth=1)._grower(X, y), np.random.RandomState(0)
    return best_times(5, lambda: grow(None, rng))[0]


def _forest_rows() -> Iterator[tuple[str, float, float | None]]:
    """Compare forests of 100 trees with the same limits, fits and predictions."""
    for n, d, rounds in ((500, 10, 7), (500, 20, 7), (5000, 10, 3)):
        rng = np.random.default_rng(0)
        X = rng.random((n, d))
        y = X[:, 0] + np.sin(6 * X[:, 1]) + 0.3 * rng.standard_normal(n)
        limits = {"max_features": 2 / 3, "min_samples_leaf": 3, "random_state": 0}
        theirs = RandomForestRegressor(max_depth=8, **limits).fit(X, y)
        ours = RankingForest(depth=8, **limits).fit(X, y)
        fit = time_ratio(partial(ours.fit, X, y), partial(theirs.fit, X, y), rounds)
        predict = time_ratio(partial(ours.predict, X), partial(theirs.predict, X), rounds)
        yield f"RankingForest / RandomForestRegressor, {n} × {d}, 100 trees", fit, 0.5
        yield f"their predictions, {n} × {d}", predict, 1


def rows() -> Iterator[tuple[str, float, float | None]]:
    """Yield (name, measured ratio, target); lower is better."""
    yield from _iauc_rows()
    yield from _forest_rows()
    rng = np.random.default_rng(0)
    X = rng.random((100_000, 10))
    y = X[:, 0] + np.sin(6 * X[:, 1]) + 0.3 * rng.standard_normal(len(X))
    rounded = np.round(y, 1)
    cart, kendall, crank, tied = best_times(
        3,
        lambda: DecisionTreeRegressor(max_depth=6).fit(X, y),
        lambda: KendallTree(depth=6).fit(X, y),
        lambda: CRank(depth=6).fit(X, y),
        lambda: KendallTree(depth=6).fit(X, rounded),
    )
    yield "KendallTree / DecisionTreeRegressor, 1e5 × 10, depth 6", kendall / cart, 1
    yield "KendallTree / DecisionTreeRegressor, same, ties in y", tied / cart, 1
    yield "CRank (stumps) / DecisionTreeRegressor, same", crank / cart, 1
    small, large = _split_time(100_000), _split_time(1_000_000)
    yield "Kendall split of a sorted node, n = 1e6 / n = 1e5, by 10 (cache)", large / small / 10, 4
