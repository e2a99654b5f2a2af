"""Risks and regrets on known distributions, against enumeration, minimisation and closed forms."""

import numpy as np
import pytest
from enumeration import random_model, support, weak_orders
from scipy.optimize import minimize_scalar
from scipy.special import ndtr

from rankexp.generators import Gaussian, Linear, Polynomial
from rankexp.losses import Exponential, Hinge, Logistic, PClassification, Squared, ZeroOne, parse
from rankexp.studies.kotlowski2011_theory.theory.regret import (
    loss_regret,
    loss_risk,
    rank_regret,
    rank_risk,
    scorer_regrets,
)
from rankexp.theory.population_hinge import pair_weights, ranking_risk

LOSSES = [Exponential(), Logistic(), Squared(), Hinge(), ZeroOne(), PClassification(2.0)]


def drawn(seed, m, zeros=False):
    rng = np.random.default_rng(seed)
    return support(random_model(rng, m, 2, zeros))[1], rng


@pytest.mark.parametrize("seed", range(8))
def test_rank_risk_and_regret_of_every_weak_order(seed):
    masses, _ = drawn(seed, 4, zeros=seed % 2)
    orders = weak_orders(4)
    risks = np.array([ranking_risk(order, pair_weights(masses)) for order in orders])
    many = np.broadcast_to(masses, (len(orders), 4, 2))
    np.testing.assert_allclose(rank_risk(many, orders), risks, atol=1e-15)
    np.testing.assert_allclose(rank_regret(many, orders), risks - risks.min(), atol=1e-15)
    assert rank_regret(masses, masses[:, 1] / masses.sum(axis=1)) == 0.0


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("balanced", [True, False])
def test_the_regret_of_a_loss_is_over_the_minimum_point_by_point(loss, balanced):
    masses, rng = drawn(3, 5)
    s = rng.standard_normal(5)
    shares = masses / masses.sum(axis=0) / 2 if balanced else masses
    risk, least = 0.0, 0.0
    for (q, p), v in zip(shares, s, strict=True):

        def at(z, q=q, p=p):
            z = np.asarray(float(z))
            return float(p * loss.value(1.0, z) + q * loss.value(-1.0, z))

        risk += at(v)
        found = minimize_scalar(at, bounds=(-4.0, 4.0), method="bounded", options={"xatol": 1e-9})
        least += min(found.fun, at(-1.0), at(1.0))
    assert loss_risk(masses, s, loss, balanced=balanced) == pytest.approx(risk)
    regret = loss_regret(masses, s, loss, balanced=balanced)
    assert regret == pytest.approx(risk - least, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("loss", [Exponential(), Logistic(), Squared()], ids=repr)
def test_the_link_of_eta_has_no_regret(loss):
    masses, _ = drawn(4, 6)
    balanced = masses / masses.sum(axis=0)
    s = loss.link(balanced[:, 1] / balanced.sum(axis=1))
    assert loss_regret(masses, s, loss) < 1e-15
    assert loss_regret(masses, s, loss, balanced=False) > 1e-3
    assert rank_regret(masses, s) == 0.0


def test_many_points_are_sorted_and_not_listed():
    masses, rng = drawn(5, 40)
    s = rng.integers(10, size=40) / 3
    twice = np.tile(masses / 2, (2, 1))
    for found in (rank_risk, rank_regret):
        assert found(twice, np.tile(s, 2)) == pytest.approx(float(found(masses, s)), abs=1e-14)
        stacked = found(np.stack([twice, twice[::-1]]), np.tile(s, (2, 2)))
        assert stacked.shape == (2,)


def test_a_point_without_mass_changes_nothing():
    masses, s = [[0.3, 0.2], [0.2, 0.3], [0.0, 0.0]], [1.0, 0.0, np.inf]
    assert rank_regret(masses, s) == pytest.approx(0.2)
    assert loss_regret(masses, s, Logistic()) == loss_regret(masses[:2], s[:2], Logistic())
    perfect = loss_risk([[0.5, 0.0], [0.0, 0.5]], [-np.inf, np.inf], Exponential())
    assert perfect == 0.0


def test_a_discrete_model_is_summed_exactly():
    model = random_model(np.random.default_rng(6), 5, 2)
    _, masses = support(model)
    rank, own = scorer_regrets(model, lambda X: -X[:, 0], Logistic())
    assert rank.se == own.se == 0.0
    assert rank.value == pytest.approx(float(rank_regret(masses, -np.arange(5.0))))
    assert own.value == pytest.approx(float(loss_regret(masses, -np.arange(5.0), Logistic())))


def test_a_gaussian_is_integrated_within_the_error():
    model = Gaussian().draw_model(np.random.default_rng(0))
    best = ndtr(-np.sqrt(2.0))  # of x, which is half the log odds
    rank, own = scorer_regrets(model, lambda X: X[:, 0], Exponential())
    assert rank.value == 0.0 and own.value < 1e-12
    rank, own = scorer_regrets(model, lambda X: -X[:, 0], Exponential())
    assert abs(rank.value - (1.0 - 2.0 * best)) <= rank.se < 1e-3
    least = np.exp(-0.5)  # E sqrt(4 eta (1 - eta)); the risk of -x is E exp(Z + 1), Z normal
    assert abs(own.value - (np.exp(1.5) - least)) <= own.se + 1e-9


def test_other_models_are_drawn_from():
    rng = np.random.default_rng(1)
    model = Linear(d=3).draw_model(rng)
    rank, own = scorer_regrets(model, model.eta, Logistic(), rng=rng, n=4000)
    assert rank.value == 0.0 == rank.se and own.value > 0.0
    rank, own = scorer_regrets(model, lambda X: np.zeros(len(X)), Logistic(), rng=rng, n=40_000)
    assert 0.0 < rank.se < 0.002 and abs(rank.value - 0.4) < 4 * rank.se + 2e-3
    known = np.log(2.0) + 0.1 * np.log(0.1) + 0.9 * np.log(0.9)
    assert abs(own.value - known) < 4 * own.se + 2e-3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rank_risk([0.5, 0.5], [0.0]), "masses must be"),
        (lambda: rank_risk([[0.5, 0.5]], [0.0, 1.0]), "masses must be"),
        (lambda: rank_risk([[0.5, 0.0]], [0.0]), "some in each class"),
        (lambda: rank_risk([[0.5, -0.5]], [0.0]), ">= 0"),
        (lambda: rank_regret([[0.5, 0.5]], [np.nan]), "NaN"),
        (lambda: loss_regret([[0.5, 0.5]], [0.0], parse("asymmetric_a(p=1)")), "p"),
    ],
)
def test_what_is_no_distribution_or_score(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()


def test_models_that_do_not_know_eta():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="does not know"):
        scorer_regrets(Polynomial().draw_model(rng), lambda X: X[:, 0], Logistic(), rng=rng)
    with pytest.raises(ValueError, match="give rng"):
        scorer_regrets(Linear(d=2).draw_model(rng), lambda X: X[:, 0], Logistic())
