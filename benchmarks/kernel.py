"""KernelRanker: seconds where the Gram matrix has full rank, and where it hasn't; beside SVC."""

import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.svm import SVC

from benchmarks._timing import best_times
from rankexp.estimators import KernelRanker

SECONDS = 10.0
Row = tuple[str, float, float | None]


def curved(n: int, d: int, levels: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Return normal rows, and levels of equal size of a noisy function that isn't linear."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    f = X[:, 0] + X[:, 1 % d] * X[:, 0] + 0.5 * rng.normal(size=n)
    return X, np.searchsorted(np.quantile(f, np.arange(1, levels) / levels), f)


def seconds(
    X: np.ndarray, y: np.ndarray, groups: np.ndarray | None, **parameters: object
) -> float:
    """Return the time of one fit that reaches its tolerance."""
    ranker = KernelRanker(**parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return best_times(1, lambda: ranker.fit(X, y, groups=groups))[0]


def _full_rank() -> Iterator[Row]:
    X, y = curved(2000, 10)
    for gamma in (10.0, 1.0, 0.1):
        for lam in (1e-1, 1e-2, 1e-3, 1e-4):
            name = f"seconds, hinge, 2,000 × 10, gamma {gamma:g}, lambda {lam:g}, relative 1e-4"
            yield name, seconds(X, y, None, gamma=gamma, lam=lam), SECONDS
    for loss in ("squared_hinge", "logistic", "exponential"):
        name = f"seconds, {loss}, 2,000 × 10, gamma 1, lambda 0.0001, relative 1e-4"
        yield name, seconds(X, y, None, gamma=1.0, lam=1e-4, loss=loss), SECONDS
    X = np.random.default_rng(0).normal(size=(2000, 4))
    f = X[:, 0] + X[:, 1] * X[:, 0]
    for lam in (1e-3, 1e-4):  # the hardest found: twice as many steps as elsewhere
        name = f"seconds, hinge, 2 % positive, no noise, 2,000 × 4, gamma 3, lambda {lam:g}"
        yield name, seconds(X, f > np.quantile(f, 0.98), None, gamma=3.0, lam=lam), None
    X, y = curved(2000, 10, 5)
    for kind, groups in (("all pairs", None), ("40 groups", np.arange(2000) % 40)):
        name = f"seconds, hinge, 5 levels, {kind}, 2,000 × 10, gamma 1, lambda 0.0001"
        found = seconds(X, y, groups, gamma=1.0, lam=1e-4, risk="multipartite")
        yield name, found, SECONDS


def rows() -> Iterator[Row]:
    """Yield (name, measured, target); lower is better."""
    KernelRanker().fit(*curved(50, 2))  # compiled
    yield from _full_rank()
    X, y = curved(10_000, 1)
    found = seconds(X, y, None, gamma=10.0, lam=1e-3)
    yield "seconds, hinge, 10,000 × 1, gamma 10, lambda 0.001, relative 1e-4", found, 2.0
    X, y = curved(2000, 10)
    pairs, points = best_times(
        1,
        lambda: KernelRanker(gamma=0.1, lam=1e-3).fit(X, y),
        lambda: SVC(gamma=0.1, C=1 / (2000 * 1e-3), cache_size=500).fit(X, y),
    )
    yield (
        "hinge of pairs / SVC of points, 2,000 × 10, gamma 0.1, lambda 0.001",
        pairs / points,
        None,
    )
