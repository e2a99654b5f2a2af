"""IAUC beside one argsort; the Kendall tree beside scikit-learn's regression tree."""

from collections.abc import Iterator

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from benchmarks._timing import best_times
from rankexp.estimators import CRank, KendallTree
from rankexp.metrics import iauc
from rankexp.solvers.trees import best_threshold_split, kendall_charges, presort


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
    """Return the time that a presorted node of n rows and 10 features takes to split."""
    rng = np.random.default_rng(0)
    node = presort(rng.random((n, 10)), rng.random(n))
    features = np.arange(10)

    def split() -> object:
        return best_threshold_split(node, kendall_charges(node), features, n, ties=True)

    return best_times(5, split)[0]


def rows() -> Iterator[tuple[str, float, float | None]]:
    """Yield (name, measured ratio, target); lower is better."""
    yield from _iauc_rows()
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
    yield "KendallTree / DecisionTreeRegressor, 1e5 × 10, depth 6", kendall / cart, 20
    yield "KendallTree / DecisionTreeRegressor, same, ties in y", tied / cart, 20
    yield "CRank (stumps) / DecisionTreeRegressor, same", crank / cart, 20
    small, large = _split_time(100_000), _split_time(1_000_000)
    yield "Kendall split of a sorted node, n = 1e6 / n = 1e5, by 10 (cache)", large / small / 10, 4
