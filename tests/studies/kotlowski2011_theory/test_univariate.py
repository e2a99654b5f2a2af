"""Bounds by losses of single examples: where they are tight, and what is misprinted."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from rankexp.losses import (
    AsymmetricA,
    Exponential,
    Hinge,
    Logistic,
    PClassification,
    Squared,
    ZeroOne,
)
from rankexp.studies.kotlowski2011_theory.theory.regret import (
    loss_regret,
    loss_risk,
    rank_regret,
    rank_risk,
)
from rankexp.studies.kotlowski2011_theory.theory.univariate_bounds import (
    balanced_bound,
    error_rates_bound,
    plug_in_bound,
    plug_in_deviation,
    profiled_exponential,
    proper_regret_bound,
    regret_bound,
    zero_one_bound,
)


def test_error_rates_are_all_that_matters_for_the_worst_scores():
    """False negatives lowest, false positives highest, the others right: the bound is reached."""
    masses = np.array([[0.1, 0.0], [0.0, 0.2], [0.4, 0.0], [0.0, 0.3]])[[1, 2, 3, 0]]
    s = np.array([-2.0, -1.0, 1.0, 2.0])
    bound = error_rates_bound(0.2, 0.1, 0.5)
    assert rank_risk(masses, s) == pytest.approx(bound) == pytest.approx(0.4 + 0.2 - 0.08)


def test_the_majority_classifier():
    masses, s = np.array([[0.02, 0.5], [0.08, 0.4]]), np.ones(2)
    risk = loss_risk(masses, s, ZeroOne(), balanced=False)
    assert risk == pytest.approx(0.1)
    assert rank_risk(masses, s) == pytest.approx(0.5)
    assert zero_one_bound(risk, 0.9) == pytest.approx(1.0)
    assert balanced_bound(loss_risk(masses, s, ZeroOne()), ZeroOne()) == pytest.approx(1.0)


@pytest.mark.parametrize("loss", [Exponential(), Logistic(), Squared(), Hinge()], ids=repr)
def test_half_of_the_bound_is_reached_by_scores_near_0(loss):
    masses, s = np.diag([0.5, 0.5]), np.array([1e-9, -1e-9])
    risk = loss_risk(masses, s, loss)
    assert rank_risk(masses, s) == 1.0
    assert balanced_bound(risk, loss, convex=True) == pytest.approx(1.0)
    assert balanced_bound(risk, loss) == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("loss", "p"), [(Exponential(), 0.5), (Logistic(), 0.5), (Squared(), 0.5), (Squared(), 0.1)]
)
def test_the_best_constant_is_reached_by_uniform_etas_in_the_wrong_order(loss, p):
    eta = p + 1e-3 * np.linspace(-1.0, 1.0, 41)
    masses = np.stack([1.0 - eta, eta], axis=1)
    s = float(loss.link(np.asarray(p))) + 1e-9 * np.linspace(1.0, -1.0, 41)
    regret = loss_regret(masses, s, loss, balanced=False)
    assert 0.999 < rank_regret(masses, s) / proper_regret_bound(regret, loss, p=p) <= 1.0


@pytest.mark.parametrize(
    ("loss", "least"),
    [(Exponential(), 0.0972488), (Logistic(), (1 - np.sqrt(1 / 3)) / 2)],
    ids=["(12)", "(13)"],
)
def test_without_balance_theorem_41_fails_below_a_share_of_positives(loss, least):
    """The same example: the ratio is sqrt(2 / (3 w(p))) / (p (1 - p)), w the loss's weight."""

    def of_bound(p):
        eta = p * (1 + 1e-2 * np.linspace(-1.0, 1.0, 41))
        masses = np.stack([1.0 - eta, eta], axis=1)
        s = float(loss.link(np.asarray(p))) + 1e-9 * np.linspace(1.0, -1.0, 41)
        regret = loss_regret(masses, s, loss, balanced=False)
        return rank_regret(masses, s) / regret_bound(regret, loss)

    q = least * (1 - least)
    printed = {"exponential": np.sqrt(4 / 3) / q**0.25, "logistic": np.sqrt(2 / 3) / np.sqrt(q)}
    assert printed[repr(loss)] == pytest.approx(regret_bound(1.0, loss), abs=1e-5)
    assert of_bound(least * 0.98) > 1.0 > of_bound(least * 1.02)


@pytest.mark.parametrize("p", [0.6, 0.9, 0.99])
def test_least_zero_one_risks_with_the_largest_rank_regrets(p):
    """All negatives where a positive is hardly likelier: two points reach (2p - 1) / p and 1/4."""
    near = (1 - p) * (1 + 1e-6)
    plain = np.array([[1 - p, near], [0.0, p - near]])
    classes = np.array([[0.5, 0.5 * (1 + 1e-6)], [0.0, 0.5 * (1 - 1e-6)], [0.5, 0.0]])
    for masses, cut, largest in ((plain, 0.5, (2 * p - 1) / p), (classes * [1 - p, p], p, 0.25)):
        eta = masses[:, 1] / masses.sum(axis=1)
        s = 2.0 * np.where(eta > cut, 1.0, -1.0) - eta
        found = loss_regret(masses, s, ZeroOne(), balanced=cut == p)
        assert found == pytest.approx(0.0, abs=1e-12)
        assert rank_regret(masses, s) == pytest.approx(largest, abs=1e-5)


def test_the_constants():
    for loss, printed in ((Exponential(), 3 / np.sqrt(2)), (Logistic(), 2.0)):
        assert regret_bound(0.25, loss) == pytest.approx(printed / 2)
        assert proper_regret_bound(0.25, loss) == pytest.approx(np.sqrt(8 / 3) / 2)
    assert proper_regret_bound(0.25, Squared()) == pytest.approx(np.sqrt(1 / 3))
    same = [proper_regret_bound(0.1, loss) for loss in (Exponential(), PClassification(1.0))]
    assert same[0] == pytest.approx(same[1])
    assert proper_regret_bound(0.1, PClassification(4.0)) > same[0]
    scaled = {loss: proper_regret_bound(loss.at_zero, loss) for loss in (Logistic(), Squared())}
    assert list(scaled.values()) == pytest.approx([1.3596, 1.1547], abs=1e-4)  # l(0) = 1


def test_plug_in_weights_against_draws():
    rng = np.random.default_rng(0)
    for epsilon, n, p in ((0.2, 50, 0.3), (0.5, 20, 0.1), (1.5, 10, 0.5)):
        with np.errstate(divide="ignore"):
            wrong = np.abs(1.0 - p * n / rng.binomial(n, p, size=100_000)) >= epsilon
        assert plug_in_deviation(epsilon, n, p) == pytest.approx(wrong.mean(), abs=0.006)


def test_what_is_printed_of_plug_in_weights_is_no_bound():
    epsilon, n, p = 0.05, 1000, 0.5
    printed = 2.0 * np.exp(-2.0 * p * n * epsilon / (1.0 - epsilon))
    assert printed < 1e-20 < plug_in_deviation(epsilon, n, p)
    for epsilon in (0.02, 0.1, 0.5, 0.9, 2.0):
        for n in (10, 100, 3000):
            for p in (0.01, 0.3, 0.5, 0.9):
                exact = plug_in_deviation(epsilon, n, p)
                assert exact <= plug_in_bound(epsilon, n, p) + 1e-12


def test_chernoffs_bound_has_the_right_exponent():
    for epsilon, n, p in ((0.2, 3000, 0.3), (0.5, 1000, 0.5), (0.3, 1000, 0.9)):
        exact, bound = np.log([of(epsilon, n, p) for of in (plug_in_deviation, plug_in_bound)])
        assert 0.85 * exact > bound > exact


def test_the_profiled_loss_is_the_least_of_all_shifts():
    rng = np.random.default_rng(2)
    c, y = rng.standard_normal(30), np.where(rng.random(30) < 0.3, 1, -1)
    w = np.where(y > 0, 7.0, 0.5)
    found = minimize_scalar(lambda b: float((w * np.exp(-y * (c + b))).sum()), tol=1e-12)
    least, shift = profiled_exponential(c, y, (0.5, 7.0))
    assert least == pytest.approx(found.fun)
    assert shift == pytest.approx(found.x, abs=1e-6)
    assert least == pytest.approx(np.sqrt(0.5 * 7.0) * profiled_exponential(c, y)[0])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: error_rates_bound(0.6, 0.1, 0.5), "alpha <= p"),
        (lambda: zero_one_bound(0.1, 1.0), "p must be"),
        (lambda: balanced_bound(0.1, AsymmetricA()), "bounds nothing"),
        (lambda: balanced_bound(0.1, ZeroOne(), convex=True), "not convex"),
        (lambda: regret_bound(0.1, Squared()), "Theorem 4.1 is about exponential and logistic"),
        (lambda: regret_bound(-0.1, Logistic()), "below 0"),
        (lambda: proper_regret_bound(0.1, Hinge()), "not proper"),
        (lambda: plug_in_deviation(0.0, 9, 0.5), "epsilon=0"),
        (lambda: plug_in_bound(0.1, 9, 1.0), "p must be"),
        (lambda: profiled_exponential([1.0, 2.0], [1, 1]), "both of them"),
        (lambda: profiled_exponential([1.0, 2.0], [1, -1], (0.0, 1.0)), "a weight=0"),
    ],
)
def test_what_a_bound_says_nothing_of_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
