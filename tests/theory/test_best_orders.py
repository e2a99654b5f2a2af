"""Theorems 1 and 4 by enumeration: no weak order of the points has less risk."""

import numpy as np
import pytest
from enumeration import random_model, support, weak_orders
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp import registry
from rankexp.generators import Discrete, Gaussian, Polynomial
from rankexp.losses import Exponential, Hinge, Logistic, SquaredHinge
from rankexp.studies.uematsu2010.theory.ratios import log_ratio_factor, tripartite_ratio
from rankexp.theory import half_log_ratio, likelihood_ratio, log_ratio, tripartite
from rankexp.theory.population_hinge import pair_weights, ranking_risk

SEEDS = st.integers(0, 2**32 - 1)


def risks(weights, orders):
    below = (orders[:, :, None] < orders[:, None, :]) + 0.5 * (
        orders[:, :, None] == orders[:, None, :]
    )
    return (weights * below).sum(axis=(1, 2))


@pytest.mark.parametrize(("m", "count"), [(1, 1), (2, 3), (3, 13), (4, 75), (5, 541)])
def test_all_weak_orders_are_there(m, count):
    assert len(weak_orders(m)) == len({tuple(r) for r in weak_orders(m).tolist()}) == count


def test_risk_of_pairs_by_hand():
    """Three levels at two points; ties count half; costs weigh."""
    masses = np.array([[0.1, 0.2, 0.1], [0.05, 0.15, 0.4]])
    costs = [[0, 1, 3], [0, 0, 2], [0, 0, 0]]
    weights = pair_weights(masses, costs)
    total = (0.15 * 0.35) * 1 + (0.15 * 0.5) * 3 + (0.35 * 0.5) * 2
    apart = (0.15 * 0.1) * 1 + (0.4 * 0.1) * 3 + (0.4 * 0.2) * 2  # the better example second
    other = (0.2 * 0.05) * 1 + (0.1 * 0.05) * 3 + (0.1 * 0.15) * 2  # and first
    same = total - apart - other
    assert ranking_risk([5.0, 2.0], weights) == pytest.approx((apart + same / 2) / total)
    assert ranking_risk([2.0, 5.0], weights) == pytest.approx((other + same / 2) / total)
    assert ranking_risk([2.0, 2.0], weights) == pytest.approx(0.5)
    np.testing.assert_allclose(pair_weights(7 * masses, costs), weights)


@settings(max_examples=200)
@given(SEEDS, st.integers(2, 5), st.booleans())
def test_theorem_1_no_order_beats_the_likelihood_ratio(seed, m, zeros):
    model = random_model(np.random.default_rng(seed), m, 2, zeros)
    X, masses = support(model)
    weights = pair_weights(masses)
    least = risks(weights, weak_orders(m)).min()
    ratio = likelihood_ratio(model, X)
    assert ranking_risk(ratio, weights) <= least + 1e-14
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(ratio, np.divide(*np.array(model.pmfs)[::-1]), rtol=1e-12)
    for same_order in (log_ratio(model, X), half_log_ratio(model, X), model.ranking(X)):
        assert ranking_risk(np.round(same_order, 12), weights) <= least + 1e-14


@settings(max_examples=300)
@given(SEEDS, st.integers(2, 5), st.booleans(), st.booleans())
def test_theorem_4_no_order_beats_the_tripartite_function(seed, m, zeros, free):
    """With any costs, zeros among them, even that of the outer levels."""
    rng = np.random.default_rng(seed)
    model = random_model(rng, m, 3, zeros)
    costs = np.triu(rng.exponential(size=(3, 3)), 1)
    if free:
        costs[[(0, 1), (0, 2), (1, 2)][rng.integers(3)]] = 0
    X, masses = support(model)
    if not (masses @ costs.T @ masses.T).any():
        return
    weights = pair_weights(masses, costs)
    r = tripartite(model, X, costs=costs)
    assert not np.isnan(r).any()
    assert ranking_risk(r, weights) <= risks(weights, weak_orders(m)).min() + 1e-14


def test_theorem_4_with_equal_costs_is_the_models_ranking():
    model = Gaussian([-2, 0, 2], priors=[1, 2, 3]).draw_model(None)
    X = np.linspace(-5, 5, 101)[:, None]
    np.testing.assert_allclose(np.log(tripartite(model, X)), model.ranking(X), atol=1e-12)
    P = model.posterior(X)
    printed = (P[:, 2] + P[:, 1]) / (P[:, 0] + P[:, 1])
    np.testing.assert_allclose(tripartite(model, X), printed, rtol=1e-9)
    costs = [[0, 2, 5], [0, 0, 3], [0, 0, 0]]
    printed = (5 * P[:, 2] + 2 * P[:, 1]) / (5 * P[:, 0] + 3 * P[:, 1])
    np.testing.assert_allclose(tripartite(model, X, costs=costs), printed, rtol=1e-9)


def test_the_printed_ratio_fails_where_outer_pairs_cost_nothing():
    """It is constant then: the limit of its order is meant."""
    model = Discrete([0, 1], [[0.7, 0.3], [0.5, 0.5], [0.2, 0.8]]).draw_model(None)
    X, masses = support(model)
    costs = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    weights = pair_weights(masses, costs)
    best = risks(weights, weak_orders(2)).min()
    assert ranking_risk(tripartite(model, X, costs=costs), weights) == pytest.approx(best)
    assert ranking_risk([1.0, 1.0], weights) > best + 0.01
    costs[0, 2] = 1e-9
    limit = tripartite_ratio(np.log(masses), costs)
    assert (np.argsort(limit) == np.argsort(tripartite(model, X))).all()


@pytest.mark.parametrize(("loss", "alpha"), [(Exponential(), 0.5), (Logistic(), 1.0)])
def test_the_factor_of_theorem_2(loss, alpha):
    assert log_ratio_factor(loss) == pytest.approx(alpha, rel=1e-12)


@pytest.mark.parametrize("loss", [Hinge(), SquaredHinge()])
def test_theorem_2_says_nothing_of_losses_with_a_flat_part(loss):
    with pytest.raises(ValueError, match="is not exp"):
        log_ratio_factor(loss)


@pytest.mark.parametrize("name", registry.names("theory"))
def test_models_without_densities(name):
    model = Polynomial().draw_model(np.random.default_rng(0))
    with pytest.raises(ValueError, match="PolynomialModel does not know the densities"):
        registry.get("theory", name)(model, np.zeros((2, 1)))


@pytest.mark.parametrize("name", registry.names("theory"))
def test_every_function_gives_a_score_a_row(name):
    means = [-2, 0, 2] if name == "tripartite" else [-1, 1]
    model = Gaussian(means).draw_model(None)
    function = registry.get("theory", name)
    X = np.linspace(-2.9, 2.9, 30)[:, None]
    scores = function(model, X)
    assert scores.shape == (30,)
    assert scores.dtype == np.float64
    assert (np.diff(scores) >= 0).all()
    assert scores[0] < scores[-1]
    np.testing.assert_array_equal(function(model, X[::-1]), scores[::-1])
    np.testing.assert_array_equal(function(model, X[3:4]), scores[3:4])
    with pytest.raises(ValueError, match="X must be of shape"):
        function(model, X[:, 0])


@pytest.mark.parametrize("name", ["likelihood_ratio", "log_ratio", "hinge_population"])
def test_two_classes_are_needed(name):
    model = Gaussian([-2, 0, 2]).draw_model(None)
    with pytest.raises(ValueError, match="known for 2 classes; the model has 3"):
        registry.get("theory", name)(model, np.zeros((2, 1)))


def test_three_classes_are_needed():
    with pytest.raises(ValueError, match="known for 3 classes; the model has 2"):
        tripartite(Gaussian().draw_model(None), np.zeros((2, 1)))
    with pytest.raises(ValueError, match=r"costs must be of shape \(3, 3\)"):
        tripartite(Gaussian([1, 2, 3]).draw_model(None), np.zeros((2, 1)), costs=[[0, 1], [0, 0]])


@pytest.mark.parametrize(
    ("masses", "message"),
    [
        ([1, 2], "masses must"),
        ([[1], [2]], "masses must"),
        ([[1, -1], [0, 2]], "masses must"),
        ([[0, 1], [0, 2]], "no pair"),
    ],
)
def test_bad_masses(masses, message):
    with pytest.raises(ValueError, match=message):
        pair_weights(masses)


def test_scores_of_another_length():
    with pytest.raises(ValueError, match=r"scores must be of shape \(2,\)"):
        ranking_risk([1.0], pair_weights([[1, 2], [3, 4]]))
