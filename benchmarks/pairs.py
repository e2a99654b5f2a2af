"""The squared hinge over pairs beside its parts and a peer; the hinge where classes part."""

import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.svm import LinearSVC

from benchmarks._timing import cpu_times, time_ratio
from benchmarks.linear import small
from benchmarks.widths import wide
from rankexp.estimators import LinearRanker
from rankexp.losses import SquaredHinge
from rankexp.solvers.hinge.path import hinge_path
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.path import pair_path

Row = tuple[str, float, float | None]


def _linear_svc(X: np.ndarray, y: np.ndarray, lam: float) -> None:
    D = (X[y][:, None] - X[~y][None]).reshape(-1, X.shape[1])
    sign = np.where(np.arange(D.shape[0]) % 2, 1.0, -1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = LinearSVC(C=1.0 / (lam * D.shape[0]), dual=False, fit_intercept=False)
        peer.fit(D * sign[:, None], sign)


def _passes(n: int) -> float:
    """Return how many products with the rows, and back, a fit takes."""
    X, y = wide(n, 50, "normal")
    w, r = np.zeros(50), np.zeros(n)
    order = PartialOrder.of_classes(y)
    return time_ratio(
        lambda: pair_path(X, order, SquaredHinge(), [1e-3]), lambda: (X @ w, r @ X), 5
    )


def _parting(n: int, d: int) -> float:
    """Return the time of the hinge at a tiny penalty over that at one under which classes part."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    order = PartialOrder.of_classes(X @ rng.normal(size=d) > 0.0)
    if not (hinge_path(X, order, [1e-5]).gap <= 1e-6).all():
        raise RuntimeError("the pairwise hinge isn't certified where classes part")
    return time_ratio(
        lambda: hinge_path(X, order, [1e-5]), lambda: hinge_path(X, order, [0.05]), 1
    )


def _levels(n: int, many: int, few: int) -> float:
    """Return the time of a fit to many levels over that to few."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 20))
    place = (X[:, 0] + rng.standard_normal(n)).argsort().argsort()
    ranker = LinearRanker(loss="squared_hinge", risk="multipartite", lam=1e-2)
    return time_ratio(
        lambda: ranker.fit(X, place * many // n), lambda: ranker.fit(X, place * few // n), 5
    )


def _far_apart() -> float:
    """Return the seconds of the logistic loss of pairs where three rows are far from others."""
    X, y = wide(3000, 10, "normal")
    X[:3] *= 1e4
    ranker = LinearRanker(risk="bipartite", lam=1e-4)
    return cpu_times(2, lambda: ranker.fit(X, y))[0]


def rows() -> Iterator[Row]:
    """Yield (name, measured ratio, target); lower is better."""
    X, y = small()
    ranker = LinearRanker(loss="squared_hinge", risk="bipartite", lam=1e-3)
    ratio = time_ratio(lambda: ranker.fit(X, y), lambda: _linear_svc(X, y, 1e-3), 2)
    yield "squared hinge of pairs / LinearSVC on all 250,000 pairs, one lambda", ratio, 0.05
    alone = time_ratio(
        lambda: ranker.fit(X, y),
        lambda: pair_path(X, PartialOrder.of_classes(y), SquaredHinge(), [1e-3]),
        20,
    )
    yield "squared hinge of pairs, fit with checks / solver alone, 1000 × 50", alone, 1.5
    for n in (20_000, 100_000):
        yield f"squared hinge of pairs / one X @ w and X' @ r, {n} × 50", _passes(n), 40.0
    yield "squared hinge of pairs, 900 levels / 5, 5000 × 20", _levels(5000, 900, 5), 5.0
    yield "hinge of parted classes, lambda 1e-5 / .05, 600 × 600", _parting(600, 600), 2.0
    yield "logistic loss of pairs, 3000 × 10, three rows far away, seconds", _far_apart(), 5.0
