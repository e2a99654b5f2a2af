"""ORBoost's r* and proportional odds' against direct minimisation, and the printed formulas."""

import numpy as np
import pytest
from enumeration import random_model, support, weak_orders
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from rankexp.generators import Discrete, Gaussian
from rankexp.studies.uematsu2010.theory.ordinal import (
    _log_risk,
    _loss,
    _sides,
    odds_root,
    orboost_function,
    orboost_thresholds,
    proportional_odds_thresholds,
)
from rankexp.theory import half_log_ratio, log_ratio, orboost, proportional_odds, tripartite
from rankexp.theory.population_hinge import pair_weights, ranking_risk

SEEDS = st.integers(0, 2**32 - 1)
EACH_VARIANT = pytest.mark.parametrize("variant", ["lr", "all"])
TRIPARTITE = Gaussian([-2, 0, 2]).draw_model(None)
X2 = np.linspace(-2, 2, 401)[:, None]


def three_level_root(q, thresholds):
    """Return r*(x) for three levels in closed form (K = 3 in the source), q being
    (P2 + P3) / (P1 + P2), of which it is an increasing function.
    """
    first, second = thresholds
    shift = q - 1.0
    root = np.hypot(shift, 2.0 * np.sqrt(np.exp(first - second) * q))
    with np.errstate(divide="ignore", invalid="ignore"):
        small = first + np.log(2.0 * q / (root - np.minimum(shift, 0.0)))
        large = second + np.log((np.maximum(shift, 0.0) + root) / 2.0)
    return np.where(shift < 0.0, small, large)


def ordinal_risk(r, theta, masses, variant):
    """The exponential ordinal loss, as defined: an example's own thresholds, or all."""
    total, K = 0.0, masses.shape[1]
    for i, row in enumerate(masses):
        for y, mass in enumerate(row):
            for k in range(K - 1):
                if variant == "all" or k in (y - 1, y):
                    margin = r[i] - theta[k] if k < y else theta[k] - r[i]
                    total += mass * np.exp(-margin)
    return total


def odds_loss(r, theta, masses):
    """Minus the log likelihood of the model, as defined."""
    below = expit(np.concatenate([[-np.inf], theta, [np.inf]]) - r[:, None])
    with np.errstate(divide="ignore"):
        logs = np.log(np.diff(below, axis=1))
    return -(masses * logs).sum()


def directly(loss, m, K):
    """Return the least loss over r(x) and ordered thresholds, the first of them 0."""

    def value(z):
        found = loss(z[:m], np.concatenate([[0.0], np.cumsum(np.exp(z[m:]))]))
        return found if np.isfinite(found) else 1e10

    start = np.zeros(m + K - 2)
    best = minimize(value, start, method="BFGS", options={"gtol": 1e-9, "maxiter": 2000})
    options = {"xatol": 1e-9, "fatol": 1e-15}
    return minimize(value, best.x, method="Nelder-Mead", options=options).fun


@EACH_VARIANT
@settings(max_examples=8)
@given(seed=SEEDS, m=st.integers(3, 4), K=st.integers(3, 4))
@example(seed=561170806, m=4, K=4)  # where its risk is least the logarithm is nearly 0
def test_orboost_is_the_direct_minimiser(variant, seed, m, K):
    model = random_model(np.random.default_rng(seed), m, K)
    X, masses = support(model)
    theta = orboost_thresholds(model, variant)
    r = orboost(model, X, variant=variant)
    reached = ordinal_risk(r, theta, masses, variant)

    def free(z):
        return ordinal_risk(z[:m], z[m:], masses, variant)

    peer = minimize(free, np.zeros(m + K - 1), method="BFGS", options={"gtol": 1e-10})
    assert reached == pytest.approx(peer.fun, rel=1e-9)
    apart = peer.x[m:] - (peer.x[m] + peer.x[-1]) / 2
    np.testing.assert_allclose(theta, apart, atol=1e-4)
    np.testing.assert_allclose(r, peer.x[:m] - (peer.x[m] + peer.x[-1]) / 2, atol=1e-4)


@settings(max_examples=50)
@given(SEEDS, st.integers(2, 6), st.integers(2, 5))
def test_the_printed_fixed_point_holds_for_lr(seed, m, K):
    model = random_model(np.random.default_rng(seed), m, K)
    X, masses = support(model)
    theta = orboost_thresholds(model, "lr")
    chance = masses.sum(axis=1)
    P = masses / chance[:, None]
    ratio = (P[:, 1:] @ np.exp(theta)) / (P[:, :-1] @ np.exp(-theta))
    np.testing.assert_allclose(orboost(model, X), 0.5 * np.log(ratio), atol=1e-10)
    for i in range(K - 1):
        above = chance @ (P[:, i] * np.sqrt(ratio))
        below = chance @ (P[:, i + 1] / np.sqrt(ratio))
        assert np.exp(2 * theta[i]) == pytest.approx(above / below, rel=1e-7)


def test_the_tripartite_example():
    np.testing.assert_allclose(orboost_thresholds(TRIPARTITE, "lr"), [-1, 1], atol=1e-10)
    far = np.linspace(-30, 30, 61)[:, None]
    np.testing.assert_allclose(orboost(TRIPARTITE, far), far[:, 0], atol=1e-10)
    low, high = orboost_thresholds(TRIPARTITE, "all")
    assert high - low == pytest.approx(2.34, abs=0.005)
    slope = np.polyfit(X2[:, 0], orboost(TRIPARTITE, X2, variant="all"), 1)[0]
    assert slope == pytest.approx(1.13, abs=0.005)


@EACH_VARIANT
def test_orboost_of_two_levels_is_half_the_log_odds(variant):
    model = Gaussian([-1, 1], priors=[1, 3]).draw_model(None)
    assert orboost_thresholds(model, variant).tolist() == [0.0]
    shift = np.log(3) / 2
    found = orboost(model, X2, variant=variant)
    np.testing.assert_allclose(found, half_log_ratio(model, X2) + shift, atol=1e-12)


def test_orboost_lr_is_theorem_4s_for_the_costs_that_it_implies():
    """With three levels r* ranks as costs 1, 1 and exp(theta2 - theta1) of the outer pair want."""
    model = Gaussian([-2, 0.5, 2], [1, 2, 1], priors=[2, 1, 1]).draw_model(None)
    low, high = orboost_thresholds(model)
    costs = [[0, 1, np.exp(high - low)], [0, 0, 1], [0, 0, 0]]
    optimum = np.log(tripartite(model, X2, costs=costs))
    np.testing.assert_allclose(orboost(model, X2), optimum / 2, atol=1e-10)


@settings(max_examples=8)
@given(SEEDS, st.integers(3, 4), st.integers(3, 4))
def test_proportional_odds_is_the_direct_maximiser(seed, m, K):
    model = random_model(np.random.default_rng(seed), m, K)
    X, masses = support(model)
    theta, r = proportional_odds_thresholds(model), proportional_odds(model, X)
    least = directly(lambda r, theta: odds_loss(r, theta, masses), m, K)
    reached = odds_loss(r, theta, masses)
    assert reached <= least + 1e-10
    assert reached == pytest.approx(least, rel=1e-5)
    rng = np.random.default_rng(seed)
    for size in (1e-3, 1e-2, 0.1):
        z, t = rng.standard_normal(m), rng.standard_normal(K - 1)
        assert odds_loss(r + size * z, np.sort(theta + size * t), masses) >= reached - 1e-14


@settings(max_examples=50)
@given(SEEDS, st.floats(0.01, 8), st.integers(2, 6))
def test_the_root_for_given_thresholds_is_the_best_score(seed, gap, K):
    rng = np.random.default_rng(seed)
    theta = np.cumsum(rng.exponential(gap, size=K - 1) + 0.01) - gap
    P = rng.dirichlet(np.full(K, 0.3), size=20) + 1e-12
    P /= P.sum(axis=1, keepdims=True)
    r = odds_root(np.log(P), theta)
    pairs = P[:, 1:] + P[:, :-1]
    chance = (pairs * expit(theta - r[:, None])).sum(axis=1)
    np.testing.assert_allclose(chance, P[:, :-1].sum(axis=1), rtol=1e-9)
    if K == 3:
        q = (P[:, 1] + P[:, 2]) / (P[:, 0] + P[:, 1])
        np.testing.assert_allclose(three_level_root(q, theta), r, rtol=1e-9, atol=1e-9)
        e = q - 1 + np.sqrt((q - 1) ** 2 + 4 * np.exp(theta[0] - theta[1]) * q)
        printed = e / (2 * np.exp(-theta[1]))
        near = q >= 1  # below, the printed difference of nearly equal numbers loses digits
        np.testing.assert_allclose(np.exp(r[near]), printed[near], rtol=1e-9)


def test_the_root_far_out():
    theta = np.array([-1.0, 1.0])
    with np.errstate(divide="ignore"):
        ends = odds_root(np.log([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]]), theta)
        closed = three_level_root(np.array([0.0, 1.0, np.inf]), theta)
    np.testing.assert_allclose(ends, [-np.inf, 0, np.inf], atol=1e-12)
    np.testing.assert_allclose(closed, [-np.inf, 0, np.inf], atol=1e-12)
    far = proportional_odds(TRIPARTITE, np.array([[-1e3], [1e3]]))
    np.testing.assert_allclose(far, [-far[1], far[1]])
    assert 1e3 < far[1] < np.inf


def test_proportional_odds_keeps_the_order_of_q_so_that_u_pairs_is_greatest():
    rng = np.random.default_rng(11)
    for _ in range(30):
        model = random_model(rng, 4, 3)
        X, masses = support(model)
        q = tripartite(model, X)
        r = proportional_odds(model, X)
        np.testing.assert_array_equal(np.argsort(r), np.argsort(q))
        weights = pair_weights(masses)
        least = min(ranking_risk(order, weights) for order in weak_orders(4))
        assert ranking_risk(r, weights) <= least + 1e-14


def test_proportional_odds_of_two_levels_are_the_log_odds():
    model = Gaussian([-1, 1], priors=[1, 3]).draw_model(None)
    assert proportional_odds_thresholds(model).tolist() == [0.0]
    found = proportional_odds(model, X2)
    np.testing.assert_allclose(found, log_ratio(model, X2) + np.log(3), atol=1e-10)


@pytest.mark.parametrize("thresholds", [orboost_thresholds, proportional_odds_thresholds])
@pytest.mark.parametrize("generator", [Gaussian([-2, 0, 3], [1, 2, 1]), Gaussian([0, 1, 2, 4])])
def test_sums_over_x_are_converged_and_reverse_with_the_levels(thresholds, generator, monkeypatch):
    found = thresholds(generator.draw_model(None))
    assert (np.diff(found) > 0).all()
    assert found[0] == pytest.approx(-found[-1])
    variances = generator.variances[::-1] if generator.variances else None
    turned = Gaussian([-m for m in generator.means[::-1]], variances)
    np.testing.assert_allclose(thresholds(turned.draw_model(None)), -found[::-1], atol=1e-8)
    monkeypatch.setattr("rankexp.generators.classes.STEPS", 40)
    monkeypatch.setattr("rankexp.generators.classes.REACH", 16.0)
    np.testing.assert_allclose(thresholds(generator.draw_model(None)), found, atol=1e-9)


@pytest.mark.parametrize(
    ("pmfs", "function", "message"),
    [
        ([[1, 0, 0], [0.5, 0.5, 0], [0, 0.5, 0.5]], orboost, "overlap too little"),
        ([[1, 0, 0], [0.5, 0.5, 0], [0, 0.5, 0.5]], proportional_odds, "number 2 overlap nowhere"),
    ],
)
def test_levels_that_overlap_too_little(pmfs, function, message):
    model = Discrete([1, 2, 3], pmfs).draw_model(None)
    with pytest.raises(ValueError, match=f"no finite thresholds are best.*{message}"):
        function(model, [[1.0]])


def test_derivatives_of_the_population_risks():
    rng = np.random.default_rng(0)
    masses = rng.dirichlet(np.ones(28)).reshape(7, 4)
    logs, middle, theta = np.log(masses), masses.sum(axis=0)[1:-1], np.array([-1.0, 0.2, 1.5])
    for risk in (
        lambda theta: _loss(logs, masses, middle, theta),
        lambda theta: _log_risk(*_sides(logs, "all"), theta),
    ):
        _, gradient, hessian = risk(theta)
        for j, step in enumerate(1e-5 * np.eye(3)):
            up, down = risk(theta + step), risk(theta - step)
            assert (up[0] - down[0]) / 2e-5 == pytest.approx(gradient[j], abs=1e-8)
            np.testing.assert_allclose((up[1] - down[1]) / 2e-5, hessian[j], atol=1e-8)


def test_densities_that_hardly_overlap():
    with pytest.raises(ValueError, match="levels overlap too little; bring them nearer"):
        orboost(Gaussian([-20, 0, 20]).draw_model(None), [[0.0]])
    with pytest.raises(ValueError, match="points, more than 200000: choose variances nearer"):
        orboost(Gaussian([-1, 0, 1], variances=[1e-12, 1, 1]).draw_model(None), [[0.0]])


def test_what_is_refused():
    with pytest.raises(ValueError, match="variant='left': expected lr or all"):
        orboost(TRIPARTITE, X2, variant="left")
    plane = Gaussian([[0, 1], [1, 1], [2, 2]]).draw_model(None)
    for function in (orboost, proportional_odds):
        with pytest.raises(ValueError, match="one feature, or finitely many points"):
            function(plane, np.zeros((1, 2)))
    with np.errstate(all="raise"):
        np.testing.assert_allclose(
            orboost_function(np.log([[0.2, 0.3, 0.5]]), np.array([-1.0, 1.0])),
            [0.5 * np.log((0.3 / np.e + 0.5 * np.e) / (0.2 * np.e + 0.3 / np.e))],
        )
