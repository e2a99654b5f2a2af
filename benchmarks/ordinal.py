"""Ordinal models beside scikit-learn's; measures of K levels beside its AUC and one argsort."""

import itertools
import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.svm import LinearSVC

from benchmarks._timing import best_times, time_ratio
from rankexp.estimators import OrdinalSVM, ProportionalOdds
from rankexp.metrics import u_ovo, u_pairs, vus

LAM = 1e-4


def data(n: int, d: int, levels: int) -> tuple[np.ndarray, np.ndarray]:
    """Return n × d standard normal features, and equal shares of noisy levels."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    s = X @ rng.standard_normal(d) * (2 / np.sqrt(d)) + rng.logistic(size=n)
    return X, np.searchsorted(np.quantile(s, np.arange(1, levels) / levels), s)


def _odds_rows() -> Iterator[tuple[str, float, float | None]]:
    X, y = data(100_000, 20, 5)
    ours, others, path = best_times(
        5,
        lambda: ProportionalOdds(lam=LAM).fit(X, y),
        lambda: LogisticRegression(C=1.0 / (len(y) * LAM)).fit(X, y),
        lambda: ProportionalOdds().path(X, y, 10.0 ** -np.arange(6)),
    )
    text = "ProportionalOdds / multinomial LogisticRegression, 1e5 × 20, K = 5"
    yield text, ours / others, 5.0
    yield "ProportionalOdds, six lambdas / LogisticRegression with one, same", path / others, None


def _expanded(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return an example at every threshold, with a column a threshold, penalised next to not."""
    K = int(y.max()) + 1
    columns = -100.0 * np.tile(np.eye(K - 1), (len(y), 1))
    above = (y[:, None] > np.arange(K - 1)).ravel()
    return np.hstack((np.repeat(X, K - 1, axis=0), columns)), above


def _machine_rows() -> Iterator[tuple[str, float, float | None]]:
    X, y = data(2_000, 11, 6)
    rows, above = _expanded(X, y)
    machine = LinearSVC(C=1.0 / (LAM * len(y)), loss="hinge", fit_intercept=False, max_iter=1000)

    def linear_svc() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it hasn't converged
            machine.fit(rows, above)

    adjacent, every, other, multinomial = best_times(
        5,
        lambda: OrdinalSVM(lam=LAM).fit(X, y),
        lambda: OrdinalSVM(constraints="all", lam=LAM).fit(X, y),
        linear_svc,
        lambda: LogisticRegression(C=1.0 / (len(y) * LAM)).fit(X, y),
    )
    text = "OrdinalSVM, all / LinearSVC, 1000 iterations, expanded 2000 × 11, K = 6"
    yield text, every / other, 1.0
    text = "OrdinalSVM, adjacent / multinomial LogisticRegression, 2000 × 11, K = 6"
    yield text, adjacent / multinomial, 5.0
    few, many = data(10_000, 11, 6), data(100_000, 11, 6)
    ratio = time_ratio(
        lambda: OrdinalSVM(lam=LAM).fit(*many), lambda: OrdinalSVM(lam=LAM).fit(*few), 3
    )
    yield "OrdinalSVM, adjacent, n = 1e5 / n = 1e4", ratio, 20.0


def _metric_rows() -> Iterator[tuple[str, float, float | None]]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 100_000)
    s = 0.5 * y + rng.standard_normal(y.size)
    tied = np.round(s, 2)

    def by_pairs_of_levels() -> None:
        for j, i in itertools.combinations(range(5), 2):
            both = (y == j) | (y == i)
            roc_auc_score(y[both] == i, s[both])

    sort, other, ovo, *times = best_times(
        5,
        s.argsort,
        by_pairs_of_levels,
        lambda: u_ovo(y, s),
        lambda: u_pairs(y, s),
        lambda: u_pairs(y, tied),
        lambda: vus(y, s),
        lambda: vus(y, tied),
    )
    yield "U_ovo / roc_auc_score of each pair of levels, n = 1e5, K = 5", ovo / other, 1 / 7
    names = ("U_pairs", "U_pairs, ties", "VUS", "VUS, ties")
    for name, seconds in zip(names, times, strict=True):
        yield f"{name} / one argsort, n = 1e5, K = 5", seconds / sort, 5.0


def rows() -> Iterator[tuple[str, float, float | None]]:
    """Yield (name, measured ratio, target); lower is better."""
    yield from _odds_rows()
    yield from _machine_rows()
    yield from _metric_rows()
