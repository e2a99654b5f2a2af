"""The smooth paths beside scikit-learn's logistic regression: small, large, and in memory.

Theirs has its default tolerance here; `peers` and `widths` compare at equal objective.
"""

import tracemalloc
import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks._timing import time_ratio
from rankexp.losses import Exponential, Logistic, SquaredHinge
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.path import pair_path
from rankexp.solvers.smooth.path import smooth_path

LAMS = 10.0 ** -np.arange(6)


def labels(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return balanced labels of a random linear function with 15 % noise."""
    f = X @ rng.normal(size=X.shape[1])
    return (f > np.median(f)) ^ (rng.random(X.shape[0]) < 0.15)


def small() -> tuple[np.ndarray, np.ndarray]:
    """Return 1000 × 50 uniform features and labels."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(1000, 50))
    return X, labels(X, rng)


def large(n: int = 522_911) -> tuple[np.ndarray, np.ndarray]:
    """Return n × 54: 10 standard normal columns, 44 binary ones with means from .01 to .5."""
    rng = np.random.default_rng(0)
    X = np.empty((n, 54))
    X[:, :10] = rng.standard_normal((n, 10))
    X[:, 10:] = rng.random((n, 44)) < np.linspace(0.01, 0.5, 44)
    return X, labels(X, rng)


def _scikit_learn(X: np.ndarray, y: np.ndarray, lams: np.ndarray, tol: float = 1e-4) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for lam in lams:
            LogisticRegression(C=1.0 / (X.shape[0] * lam), tol=tol, max_iter=5000).fit(X, y)


def _peak(X: np.ndarray, y: np.ndarray) -> float:
    """Return the peak of memory, the features included, over the features."""
    tracemalloc.start()
    smooth_path(X, y, Logistic(), [1e-5])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return 1.0 + peak / X.nbytes


def rows() -> Iterator[tuple[str, float, float | None]]:
    """Yield (name, measured ratio, target); lower is better."""
    X, y = small()
    for loss, target in ((Logistic(), 0.2), (Exponential(), 0.2), (SquaredHinge(), None)):
        ratio = time_ratio(
            lambda loss=loss: smooth_path(X, y, loss, LAMS), lambda: _scikit_learn(X, y, LAMS), 40
        )
        what = "1000 × 50 uniform, its default tolerance"  # others and equal: `peers`
        yield f"{loss!r} path / scikit-learn's lbfgs path, {what}", ratio, target
    ratio = time_ratio(
        lambda: pair_path(X, PartialOrder.of_classes(y), Exponential(), LAMS),
        lambda: smooth_path(X, y, Logistic(), LAMS),
        40,
    )
    yield "bipartite exponential path / logistic path, 1000 × 50 uniform", ratio, None

    many = large(100_000)
    ratio = time_ratio(
        lambda: pair_path(many[0], PartialOrder.of_classes(many[1]), Logistic(), LAMS),
        lambda: smooth_path(*many, Logistic(), LAMS),
        3,
    )
    yield "bipartite logistic path / logistic path, 1e5 × 54", ratio, 1.5

    X, y = large()
    for loss in (Logistic(), Exponential()):
        ratio = time_ratio(
            lambda loss=loss: smooth_path(X, y, loss, [1e-5]),
            lambda: _scikit_learn(X, y, LAMS[5:]),
            3,
        )
        what = "522,911 × 54, one lambda, its default tolerance"
        yield f"{loss!r} / scikit-learn's lbfgs, {what}", ratio, 0.6
    yield "logistic, peak memory / X, 522,911 × 54", _peak(X, y), 2.2

    parts = large(100_000), large(1_000_000)
    ratio = time_ratio(
        lambda: smooth_path(*parts[1], Logistic(), [1e-3]),
        lambda: smooth_path(*parts[0], Logistic(), [1e-3]),
        3,
    )
    yield "logistic, n = 1e6 / n = 1e5, d = 54", ratio, 20.0
