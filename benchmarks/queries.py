"""Pairs within queries: linear rankers beside logistic regression and one sort; boosting.

Made data of the shape of a training part of OHSUMED: 60 queries of 150 rows with 45 features from
0 to 1, of which 9 are constant, and three levels that they say little of.
"""

from collections.abc import Iterator

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks._timing import best_times
from rankexp.estimators import LinearRanker, RankBoost

Row = tuple[str, float, float | None]
LAMS = 10.0 ** np.arange(1.0, -4.1, -0.5)
LOSSES = ("exponential", "logistic", "squared_hinge", "hinge")
QUERIES, ROWS, FEATURES = 60, 150, 45


def made() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return features, levels and queries, of some 280,000 pairs."""
    rng = np.random.default_rng(0)
    queries = np.repeat(np.arange(QUERIES), ROWS)
    X = rng.uniform(size=(queries.size, FEATURES))
    X[:, :9] = 0.0
    s = X @ rng.normal(size=FEATURES) * 0.15 + rng.logistic(size=queries.size)
    s += rng.normal(size=QUERIES)[queries]
    return X, np.digitize(s, np.quantile(s, [0.7, 0.86])), queries


def _linear(count: str) -> Iterator[Row]:
    X, y, queries = made()
    s, lam = X @ np.ones(FEATURES), LAMS[6:7]
    calls = [
        lambda loss=loss, lams=lams: LinearRanker(
            loss=loss, risk="multipartite", queries=count
        ).path(X, y, lams, groups=queries)
        for lams in (LAMS, lam)
        for loss in LOSSES
    ]
    path, fit, sort, *ours = best_times(
        7,
        lambda: LinearRanker(loss="logistic").path(X, y > 0, LAMS),
        lambda: LogisticRegression(C=1.0 / (y.size * lam[0])).fit(X, y > 0),
        s.argsort,
        *calls,
    )
    target = 3.0 if count == "pairs" else None
    names = [f"{loss}, {count} alike" for loss in LOSSES]
    for name, seconds in zip(names, ours, strict=False):
        yield f"{name}, 11 lambdas / logistic path + sort", seconds / (path + sort), target
    for name, seconds in zip(names, ours[len(names) :], strict=True):
        yield f"{name}, one fit / scikit-learn's + sort", seconds / (fit + sort), target


def rows() -> Iterator[Row]:
    """Yield (name, measured ratio or seconds, target); lower is better."""
    for count in ("pairs", "each"):
        yield from _linear(count)
    X, y, queries = made()
    model = RankBoost(risk="multipartite", n_rounds=600, cuts="equidistant", n_cuts=255)
    (seconds,) = best_times(3, lambda: model.fit(X, y, groups=queries))
    yield "seconds of RankBoost, 600 rounds, 9,000 x 45, 255 cuts", seconds, 3.0
