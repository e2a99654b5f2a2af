"""Rankers on 100,000 labelled pairs, beside scikit-learn's linear machine on their differences."""

import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.svm import LinearSVC

from benchmarks._timing import best_times
from rankexp.estimators import (
    KernelRanker,
    LinearRanker,
    MaxMarginRanker,
    OnlineRanker,
    RankBoost,
    RankPerceptron,
    SmoothMarginRanker,
)

PAIRS = 100_000
Row = tuple[str, float, float | None]


def _pairs(n: int, d: int, noise: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, pairs and labels by a noisy linear score; without noise, of no close pair."""
    rng = np.random.default_rng(0)
    X, pairs = rng.standard_normal((n, d)), rng.integers(0, n, (PAIRS, 2))
    w = rng.standard_normal(d)
    z = (X[pairs[:, 0]] - X[pairs[:, 1]]) @ (w / np.sqrt(d))
    labels = np.sign(z + noise * rng.standard_normal(PAIRS)).astype(int)
    labels[np.abs(z) < 0.05] *= noise > 0.0
    labels[pairs[:, 0] == pairs[:, 1]] = 0
    return X, pairs, labels


def rows() -> Iterator[Row]:
    """Yield (name, measured ratio or seconds, target); lower is better."""
    X, pairs, labels = _pairs(2000, 20, 0.5)
    kept = labels != 0
    D = labels[kept, None] * (X[pairs[kept, 0]] - X[pairs[kept, 1]])
    both, y = np.vstack((D, -D)), np.repeat([1, -1], len(D))
    svc = LinearSVC(loss="hinge", C=1.0 / (1e-2 * len(y)), tol=1e-4, fit_intercept=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        linear, theirs = best_times(
            2,
            lambda: LinearRanker(loss="hinge", lam=1e-2).fit_pairs(X, pairs, labels),
            lambda: svc.fit(both, y),
        )
    what = "1e5 pairs of 2,000 × 20"
    yield f"hinge, {what}, relative 1e-6 / LinearSVC, 1e-4", linear / theirs, 3.0
    few = X[:, :2]
    for rows_, rank in ((few, "low"), (X, "full")):
        ranker = KernelRanker(lam=1e-2)
        (seconds,) = best_times(1, lambda r=rows_, k=ranker: k.fit_pairs(r, pairs, labels))
        yield (
            f"seconds, KernelRanker, {what}, {rank} rank",
            seconds,
            10.0 if rank == "low" else None,
        )
    online = OnlineRanker(max_iter=1)
    (seconds,) = best_times(2, lambda: online.partial_fit_pairs(X, pairs, labels))
    yield f"seconds, OnlineRanker, {what}, once through", seconds, 5.0
    X, pairs, labels = _pairs(2000, 20, 0.0)
    lp, perceptron, boost, smooth = best_times(
        2,
        lambda: MaxMarginRanker().fit_pairs(X, pairs, labels),
        lambda: RankPerceptron().fit_pairs(X, pairs, labels),
        lambda: RankBoost().fit_pairs(X, pairs, labels),
        lambda: SmoothMarginRanker().fit_pairs(X, pairs, labels),
    )
    yield f"seconds, MaxMarginRanker, {what}", lp, 5.0
    yield f"seconds, RankPerceptron, {what}", perceptron, 5.0
    yield f"SmoothMarginRanker / RankBoost, 100 rounds, {what}", smooth / boost, 1.3
