import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import minimize

from rankexp.solvers.boosting.ordinal_boost import (
    VARIANTS,
    OrdinalWeights,
    boost_levels,
    ordered_minimum,
    relevant,
)
from rankexp.solvers.boosting.stumps import binned

laws = settings(max_examples=40)
BOTH = pytest.mark.parametrize("variant", VARIANTS)


def brute_risk(s, codes, theta, variant):
    """The mean loss, example by example."""
    total = 0.0
    for score, level in zip(s, codes, strict=True):
        for k, threshold in enumerate(theta):
            if variant == "all" or k in (level - 1, level):
                total += np.exp(-(score - threshold) if k < level else score - threshold)
    return total / len(s)


def data(n=90, K=4, d=2, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, K, n)
    codes[:K] = np.arange(K)
    return rng.normal(size=(n, d)) + codes[:, None], codes


def scores(X, rounds):
    return sum(one.alpha * (2.0 * one.stump.above(X) - 1.0) for one in rounds)


def test_which_thresholds_count():
    below, above = relevant("lr", 4)
    assert below.astype(int).tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert above.astype(int).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
    below, above = relevant("all", 3)
    assert below.astype(int).tolist() == [[0, 0], [1, 0], [1, 1]]
    assert (above == ~below).all()


@given(
    low=hnp.arrays(np.float64, 4, elements=st.floats(-3.0, 3.0)),
    high=hnp.arrays(np.float64, 4, elements=st.floats(-3.0, 3.0)),
)
@laws
def test_thresholds_are_the_ordered_minimum(low, high):
    def value(theta):
        return float((np.exp(low - theta) + np.exp(high + theta)).sum())

    theta = ordered_minimum(low, high)
    assert (np.diff(theta) >= 0.0).all()
    order = [{"type": "ineq", "fun": lambda t, k=k: t[k + 1] - t[k]} for k in range(3)]
    other = minimize(value, np.zeros(4), constraints=order, options={"ftol": 1e-13})
    assert value(theta) <= other.fun * (1.0 + 1e-8)


def test_thresholds_with_nothing_beyond_are_infinite():
    none = -np.inf
    assert ordered_minimum(np.array([none, 0.0, 1.0]), np.array([1.0, 0.0, none])).tolist() == [
        -np.inf,
        0.0,
        np.inf,
    ]
    middle = ordered_minimum(np.array([0.0, none]), np.array([none, 1.0]))  # pooled: ½ (0 - 1)
    assert middle.tolist() == [-0.5, -0.5]


@BOTH
def test_the_risk_is_that_of_all_examples_and_never_rises(variant):
    X, codes = data()
    rows = binned(X, "quantile", 15)
    weights = OrdinalWeights(rows, codes, 4, variant)
    seen, rounds = [weights.risk], []
    for one in boost_levels(rows, weights, 150, 1e-3):
        rounds.append(one)
        seen.append(one.risk)
        assert (np.diff(one.thresholds) >= 0.0).all()
        if len(rounds) % 30 == 0:
            brute = brute_risk(scores(X, rounds), codes, one.thresholds, variant)
            assert one.risk == pytest.approx(brute, rel=1e-10)
    assert len(rounds) == 150
    assert (np.diff(seen) <= 0.0).all()


@BOTH
def test_each_stump_has_the_greatest_edge_and_the_best_coefficient(variant):
    X, codes = data(n=40, K=3)
    rows = binned(X, "quantile", 5)
    weights = OrdinalWeights(rows, codes, 3, variant)
    theta, rounds = weights.thresholds, []
    for one in boost_levels(rows, weights, 5, 0.0):
        s = scores(X, rounds) if rounds else np.zeros(40)

        def risk(step, s=s, theta=theta):
            return brute_risk(s + step, codes, theta, variant)

        slopes = [
            abs(risk(1e-6 * h) - risk(-1e-6 * h)) / 2e-6
            for j, cuts in enumerate(rows.cuts)
            for h in (2.0 * (X[:, j, None] > cuts) - 1.0).T
        ]
        h = 2.0 * one.stump.above(X) - 1.0
        mine = abs(risk(1e-6 * h) - risk(-1e-6 * h)) / 2e-6
        assert mine == pytest.approx(max(slopes), rel=1e-6)
        around = [risk((one.alpha + shift) * h) for shift in (-1e-3, 0.0, 1e-3)]
        assert min(around) == around[1]
        rounds.append(one)
        theta = one.thresholds


@BOTH
@pytest.mark.parametrize("K", [2, 3])
def test_it_reaches_the_minimum_of_the_risk(variant, K):
    rng = np.random.default_rng(3)
    codes = rng.integers(0, K, 600)
    x = np.clip(np.round(rng.normal(size=600) + codes), -1.0, 2.0)  # four values, all mixed
    rows = binned(x[:, None], "all", 1)
    *_, last = boost_levels(rows, OrdinalWeights(rows, codes, K, variant), 3000, 1e-3)

    def risk(v):
        return brute_risk(v[:4][np.searchsorted([-1, 0, 1, 2], x)], codes, v[4:], variant)

    start = np.concatenate((np.arange(4.0), np.arange(K - 1.0)))
    assert last.risk == pytest.approx(minimize(risk, start, tol=1e-9).fun, rel=1e-5)


@BOTH
def test_levels_far_apart_stay_finite(variant):
    X, codes = np.arange(40.0)[:, None], np.repeat(np.arange(4), 10)
    rows = binned(X, "all", 1)
    rounds = list(boost_levels(rows, OrdinalWeights(rows, codes, 4, variant), 7000, 0.01))
    assert rounds[-1].risk == 0.0  # to the last bit, yet weights go on
    assert np.isfinite([one.alpha for one in rounds]).all()
    assert np.isfinite([one.thresholds for one in rounds]).all()
    s = scores(X, rounds)
    assert (np.searchsorted(rounds[-1].thresholds, s) == codes).all()
    assert min(abs(one.alpha) for one in rounds) > 0.1


def test_an_empty_error_needs_smoothing():
    rows = binned(np.arange(4.0)[:, None], "all", 1)
    weights = OrdinalWeights(rows, np.array([0, 0, 1, 1]), 2, "lr")
    with pytest.raises(ValueError, match="smoothing > 0"):
        list(boost_levels(rows, weights, 3, 0.0))
