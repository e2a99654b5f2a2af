import numpy as np
import pytest

from rankexp.estimators import ORBoost, RankBoost
from rankexp.metrics import rank_loss

BOTH = pytest.mark.parametrize("variant", ["lr", "all"])


def gaussians(m=150, K=3, d=1, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(K), m)
    return rng.normal(size=(K * m, d)) + 2.0 * y[:, None], y


def brute_risk(s, y, theta, variant):
    k = np.arange(theta.size)
    upper = k < y[:, None]
    counted = np.ones_like(upper)
    if variant == "lr":
        counted = (k == y[:, None] - 1) | (k == y[:, None])
    margins = np.where(upper, s[:, None] - theta, theta - s[:, None])
    return (np.exp(-margins) * counted).sum() / y.size


@BOTH
def test_scores_and_thresholds_belong_together(variant):
    X, y = gaussians(K=4)
    model = ORBoost(variant=variant, n_rounds=80, n_cuts=30).fit(X, y)
    s = model.predict(X)
    assert model.risk_[-1] == pytest.approx(brute_risk(s, y, model.thresholds_, variant))
    assert (np.diff(model.risk_) <= 0.0).all()
    assert (np.diff(model.thresholds_) >= 0.0).all()
    level = (s[:, None] > model.thresholds_).sum(axis=1)
    assert (model.predict_level(X) == level).all()
    assert (level == y).mean() > 0.7
    *_, last = model.staged_decision_function(X)
    np.testing.assert_allclose(last, s, atol=1e-12)


@BOTH
def test_two_levels_are_adaboost_and_rank_boost_in_the_long_run(variant):
    """The threshold is where classes of these sizes are as likely; r is half the log ratio."""
    X, y = gaussians(2000, K=2)
    X = np.clip(np.round(X), -1.0, 3.0)
    X, y = X[500:], y[500:]
    values = np.unique(X)[:, None]
    ratio = np.array(
        [np.log((y[X[:, 0] == v] == 1).sum() / (y[X[:, 0] == v] == 0).sum()) for v in values[:, 0]]
    )
    model = ORBoost(variant=variant, n_rounds=2000, cuts="all").fit(X, y)
    np.testing.assert_allclose(model.predict(values) - model.thresholds_, ratio / 2, atol=1e-3)
    pairs = RankBoost(n_rounds=2000, cuts="all").fit(X, y).decision_function(values)
    s = model.predict(values)
    np.testing.assert_allclose(pairs - pairs.mean(), s - s.mean(), atol=1e-3)


def test_for_two_levels_the_variants_are_one():
    X, y = gaussians(K=2, d=2)
    left_right, every = (
        ORBoost(variant=variant, n_rounds=50).fit(X, y) for variant in ("lr", "all")
    )
    assert (left_right.predict(X) == every.predict(X)).all()
    assert (left_right.thresholds_ == every.thresholds_).all()


def test_levels_without_an_example():
    X, y = gaussians(50)
    words = np.array(["b", "c", "d"])[y]
    for variant in ("lr", "all"):
        model = ORBoost(variant=variant, levels=["a", "b", "c", "d", "e"]).fit(X, words)
        plain = ORBoost(variant=variant).fit(X, y)
        assert model.thresholds_[[0, 3]].tolist() == [-np.inf, np.inf]
        np.testing.assert_allclose(model.thresholds_[1:3], plain.thresholds_, atol=1e-10)
        assert (model.predict_level(X) == np.array(["b", "c", "d"])[plain.predict_level(X)]).all()
    gap = ORBoost(levels=[0, 1, 5, 2]).fit(X, y)
    assert gap.thresholds_[1] == gap.thresholds_[2]
    assert 5 not in gap.predict_level(X)


def test_smoothing_is_one_over_the_number_of_rows():
    X, y = gaussians(50)
    assert (ORBoost(smoothing=1 / 150).fit(X, y).alphas_ == ORBoost().fit(X, y).alphas_).all()


def test_constant_features_leave_the_shares_of_levels():
    X, y = np.ones((30, 2)), np.repeat([0, 1, 2], [5, 10, 15])
    model = ORBoost().fit(X, y)
    assert model.n_iter_ == 0
    assert model.predict(X).tolist() == [0.0] * 30
    np.testing.assert_allclose(
        model.thresholds_, np.maximum.accumulate(0.5 * np.log([5 / 10, 10 / 15]))
    )
    assert list(model.staged_decision_function(X)) == []


def test_order_is_that_of_levels_and_turns_round_with_it():
    X, y = gaussians(60, d=2)
    words = np.array(["x", "m", "a"])[y]
    model = ORBoost(levels=["x", "m", "a"]).fit(X, words)
    back = ORBoost(levels=["a", "m", "x"]).fit(X, words)
    np.testing.assert_allclose(back.predict(X), -model.predict(X), atol=1e-9)
    np.testing.assert_allclose(back.thresholds_, -model.thresholds_[::-1], atol=1e-9)
    assert rank_loss(y > 0, model.predict(X)) < 0.1


@BOTH
def test_three_gaussians_come_near_the_theory(variant):
    """A small form of uematsu2010's example: r(x) = x and thresholds 2 apart for "lr"."""
    X, y = gaussians(2000)
    x = np.linspace(-2.0, 2.0, 81)
    model = ORBoost(variant=variant, n_rounds=500, cuts="quantile", n_cuts=50).fit(X, y)
    r = model.predict(x[:, None] + 2.0) - model.thresholds_.mean()
    slope = np.polyfit(x, r, 1)[0]
    gap = float(np.diff(model.thresholds_)[0])
    expected = (1.0, 2.0) if variant == "lr" else (1.13, 2.34)  # population: 1 and 2; 1.13, 2.34
    assert (slope, gap) == pytest.approx(expected, abs=0.15)
