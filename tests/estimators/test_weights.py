"""A weight of k is k copies of the row, for every ranker that takes weights."""

import inspect
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from rankexp import registry
from rankexp.estimators import (
    CRank,
    KendallTree,
    KernelRanker,
    LinearRanker,
    ORBoost,
    OrdinalSVM,
    ProportionalOdds,
    RankBoost,
    RankingForest,
    SmoothMarginRanker,
)
from rankexp.runner.config.estimators import fit_takes

TAKE = {
    "linear": LinearRanker(lam=0.1),
    "linear-pairs": LinearRanker(loss="logistic", risk="bipartite", lam=0.1, tol=1e-9),
    "linear-levels": LinearRanker(loss="squared_hinge", risk="multipartite", lam=0.1, tol=1e-9),
    "linear-hinge": LinearRanker(loss="hinge", risk="bipartite", lam=0.1, tol=1e-9),
    "boost": RankBoost(n_rounds=12),
    "boost-quantiles": RankBoost(n_rounds=12, n_cuts=5),
    "boost-logistic": RankBoost(n_rounds=12, loss="logistic"),
    "boost-multipartite": RankBoost(risk="multipartite", n_rounds=12),
    "boost-multipartite-logistic": RankBoost(risk="multipartite", n_rounds=12, loss="logistic"),
    "smooth-margin": SmoothMarginRanker(n_rounds=12),
    "smooth-margin-levels": SmoothMarginRanker(risk="multipartite", n_rounds=12),
    "orboost": ORBoost(n_rounds=12),
    "orboost-all": ORBoost(variant="all", n_rounds=12, n_cuts=4),
    "odds": ProportionalOdds(lam=0.1),
    "svm": OrdinalSVM(lam=0.1),
    "kendall": KendallTree(),
    "kendall-pruned": KendallTree(prune="tau", random_state=0),
    "crank": CRank(min_samples_leaf=3),
    "forest": RankingForest(n_estimators=3, random_state=0),
}
COPIES = (OrdinalSVM, KendallTree, CRank, RankingForest)


def data(seed, n):
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((n, 3)), 1)
    s = X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.standard_normal(n)
    return X, np.searchsorted(np.quantile(s, [0.4, 0.7]), s), rng


def fitted(model, *given, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return type(model)(**model.get_params()).fit(*given, **more)


@pytest.mark.parametrize("name", TAKE)
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), n=st.sampled_from([25, 60]))
def test_a_weight_is_so_many_copies(name, seed, n):
    model = TAKE[name]
    X, y, rng = data(seed, n)
    if getattr(model, "risk", None) in ("bipartite", "classification"):
        y = np.minimum(y, 1)
    times = rng.integers(0, 4, n)
    times[[np.flatnonzero(y == level)[0] for level in np.unique(y)]] = 1
    weighed = fitted(model, X, y, sample_weight=times.astype(float))
    copied = fitted(model, X.repeat(times, axis=0), y.repeat(times))
    found, expected = weighed.decision_function(X), copied.decision_function(X)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)
    for attribute in ("risk_", "thresholds_", "objective_", "n_leaves_"):
        if hasattr(copied, attribute):
            values = (getattr(one, attribute) for one in (weighed, copied))
            np.testing.assert_allclose(*values, rtol=1e-5, atol=1e-4)
    assert "sample_weight" in fit_takes(model)


@pytest.mark.parametrize("name", TAKE)
def test_impossible_weights_are_refused(name):
    model = TAKE[name]
    X, y, _ = data(0, 40)
    y = np.minimum(y, 1)
    for weight, said in (
        (np.zeros(40), "all sample weights are 0|non-zero"),
        (np.r_[-1.0, np.ones(39)], "[Nn]egative"),
        (np.ones(39), "shape"),
        (np.r_[np.nan, np.ones(39)], "NaN"),
    ):
        with pytest.raises(ValueError, match=said):
            fitted(model, X, y, sample_weight=weight)
    halves = np.full(40, 0.5)
    if isinstance(model, COPIES):
        with pytest.raises(ValueError, match="sample_weight must be whole numbers"):
            fitted(model, X, y, sample_weight=halves)
    elif not isinstance(model, SmoothMarginRanker):  # whose sum over pairs does
        # A mean does not change where all weights are the same.
        boosted = {"smoothing": 0.01} if "smoothing" in model.get_params() else {}
        model = type(model)(**{**model.get_params(), **boosted})
        found = fitted(model, X, y, sample_weight=halves).decision_function(X)
        np.testing.assert_allclose(found, fitted(model, X, y).decision_function(X), atol=1e-6)


def test_what_takes_no_weights_says_so():
    X, y, _ = data(0, 40)
    y = np.minimum(y, 1)
    model = RankBoost(validation_fraction=0.3)
    assert "sample_weight" not in fit_takes(model)
    with pytest.raises(ValueError, match="sample_weight"):
        model.fit(X, y, sample_weight=np.ones(40))
    assert fit_takes(KernelRanker()) == {"groups"}


def test_every_ranker_is_known_here():
    """A new one that takes weights is to be listed above."""
    for name in registry.names("estimators"):
        if name == "BoostedRanker":  # engines count rows for leaves: see test_boosted_ranker.py
            continue
        made = registry.get("estimators", name)
        if "sample_weight" in inspect.signature(made.fit).parameters:
            assert any(type(model) is made for model in TAKE.values()), name


def test_weighted_thresholds_on_a_large_sample():
    """With many rows the descent starts on a sample of them, which has their weights."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60_000, 2))
    y = (X[:, 0] + rng.logistic(size=60_000) > 0).astype(int) + (X[:, 1] > 1)
    weight = rng.integers(1, 3, 60_000)
    found = ProportionalOdds(lam=1e-3).fit(X, y, sample_weight=weight)
    copied = ProportionalOdds(lam=1e-3).fit(X.repeat(weight, axis=0), y.repeat(weight))
    np.testing.assert_allclose(found.coef_, copied.coef_, rtol=1e-4)
