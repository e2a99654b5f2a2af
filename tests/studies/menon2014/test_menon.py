"""The claims of menon2014, by the checks: which hold, which fail, and by how much."""

import numpy as np
import pytest

from rankexp.losses import Hinge, Logistic, Squared, parse
from rankexp.studies.menon2014.checks.decomposable import best_scorers, propriety, regret_bound
from rankexp.studies.menon2014.checks.same_minimisers import same_minimisers
from rankexp.studies.uematsu2010.theory.three_points import hinge_regions
from rankexp.theory.population_hinge import pair_weights, ranking_risk, surrogate_risk

SIGMOID = [
    "logistic",
    "exponential",
    "p_classification(p=1)",
    "p_classification(p=2)",
    "p_classification(p=4)",
    "scaled_logistic(p=4)",
    "asymmetric_a",
    "asymmetric_b",
]
"""Proper losses whose inverse link is a scaled sigmoid."""
OTHERS = ["squared", "squared_hinge"]


def found(check, seed=3, **parameters):
    rows = check(np.random.default_rng(seed), **parameters)
    return {row["quantity"]: row["value"] for row in rows}


def test_every_proper_loss_is_here():
    from rankexp import registry

    proper = {name for name in registry.names("losses") if parse(name).proper}
    assert proper == {text.partition("(")[0] for text in SIGMOID + OTHERS}


@pytest.mark.parametrize("loss", SIGMOID + OTHERS)
def test_proper_losses(loss):
    value = found(propriety, loss=loss)
    assert value["argmin"] < 1e-14
    assert value["weight"] < 2e-9


class Off(Logistic):
    """A logistic loss that is wrong about its link, or its weight."""

    def __init__(self, link: float = 1.0, weight: float = 1.0) -> None:
        self.shift, self.factor = link, weight

    def link(self, eta):
        return self.shift * super().link(eta)

    def weight(self, c):
        return self.factor * super().weight(c)


@pytest.mark.parametrize(
    ("wrong", "quantity"), [({"link": 1.1}, "argmin"), ({"weight": 2.0}, "weight")]
)
def test_a_wrong_link_or_weight_is_seen(monkeypatch, wrong, quantity):
    monkeypatch.setattr(
        "rankexp.studies.menon2014.checks.decomposable.parse", lambda text: Off(**wrong)
    )
    value = found(propriety)
    expected = {"argmin": 0.1 * np.log(99), "weight": 0.5}[quantity]
    assert value[quantity] == pytest.approx(expected)


def with_weight(name, weight):
    """Return a loss with another weight."""
    made = type("Printed", (type(parse(name)),), {"weight": lambda self, c: weight(c)})
    return made()


@pytest.mark.parametrize(
    ("name", "weight"),
    [
        ("exponential", lambda c: 1 / (c**1.5 * (1 - c**1.5))),
        ("exponential", lambda c: 1 / (c * (1 - c)) ** 1.5),
        ("p_classification", lambda c: c**-1.2 * (1 - c) ** -1.8),
    ],
)
def test_weights_fail_as_printed(monkeypatch, name, weight):
    monkeypatch.setattr(
        "rankexp.studies.menon2014.checks.decomposable.parse",
        lambda text: with_weight(name, weight),
    )
    value = found(propriety)
    assert value["argmin"] < 1e-14
    assert value["weight"] > 0.4


def test_asymmetric_losses_fail_as_printed():
    share = np.array([0.2, 0.5, 0.8])  # sigma(-v)
    v = np.log(1 / share - 1)
    a, b = parse("asymmetric_a"), parse("asymmetric_b")
    np.testing.assert_allclose(
        a.value(1.0, v), 2 * np.arctanh(np.sqrt(share))
    )  # printed without 2
    np.testing.assert_allclose(a.value(-1.0, v), 2 * (share**-0.5 - 1))  # printed without 2 and -1
    beside = b.value(1.0, np.array([-1e-9, 0.0]))
    np.testing.assert_allclose(beside, 1.0, rtol=1e-8)  # printed with log 2 + 1 just below 0


@pytest.mark.parametrize("seed", range(3))
def test_linear_scorers_are_the_same(seed):
    one = found(same_minimisers, seed)
    assert max(one["coef"], one["angle"]) < 1e-9
    assert one["swapped"] == 0
    for p in (1, 2, 4):
        example, risk = f"p_classification(p={p})", f"push(p={p})"
        for pair in ("exponential", example):  # l(1, D) alone counts
            same = found(same_minimisers, seed, example=example, pair=pair, risk=risk)
            assert max(same["coef"], same["angle"]) < 1e-9


@pytest.mark.parametrize(
    "other",
    [
        {"intercept": False},
        {"lam": 0.1},
        {"example": "logistic", "pair": "logistic"},
        {"example": "p_classification(p=4)", "risk": "push(p=2)"},
        {"example": "scaled_logistic(p=4)", "risk": "push(p=4)"},
        {"example": "p_classification(p=4)", "pair": "p_classification(p=4)"},
    ],
)
def test_linear_scorers_part(other):
    value = found(same_minimisers, **other)
    assert value["coef"] > 1e-3
    assert value["angle"] > 5e-4
    assert 0 < value["swapped"] < 0.1


def test_they_part_as_the_penalty_grows():
    coef, angle = (
        [found(same_minimisers, lam=lam)[name] for lam in (0.0, 1e-4, 1e-3, 1e-2, 1e-1)]
        for name in ("coef", "angle")
    )
    assert (np.diff(coef) > 0).all()
    assert (np.diff(angle) > 0).all()
    assert coef[2] == pytest.approx(10 * coef[1], rel=0.1)


def test_the_angle_and_the_swaps_are_of_directions(monkeypatch):
    class Ranker:
        def __init__(self, *, risk=None, **more):
            self.turned = risk is not None

        def fit(self, X, y):
            self.coef_ = np.array([[0.0, 2.0, 0.0] if self.turned else [1.0, 0.0, 0.0]])
            return self

    monkeypatch.setattr(f"{same_minimisers.__module__}.LinearRanker", Ranker)
    value = found(same_minimisers, lam=1.0)
    assert value["angle"] == pytest.approx(np.pi / 2)
    assert value["coef"] == pytest.approx(np.sqrt(5) / 2)
    assert value["swapped"] == pytest.approx(0.5, abs=0.1)


def test_a_separated_sample_is_refused(monkeypatch):
    monkeypatch.setattr(
        "rankexp.studies.menon2014.checks.same_minimisers.expit", lambda s: (s > 0) * 1.0
    )
    with pytest.raises(ValueError, match="separates the classes"):
        found(same_minimisers, lam=0.001)


@pytest.mark.parametrize("loss", SIGMOID)
def test_best_scorers_are_links(loss):
    value = found(best_scorers, loss=loss, draws=8)
    assert value["from_link"] < 2e-9
    assert value["eta_pair"] < 1e-14
    assert value["pair_link"] < 1e-13
    assert value["additivity"] < 1e-9
    assert abs(value["gap"]) < 1e-12
    assert value["tied"] == value["reversed"] == value["rank_regret"] == 0
    assert found(best_scorers, loss=loss, risk="classification", draws=8)["from_link"] < 2e-9


def test_a_falling_sigmoid_ranks_in_reverse():
    """Sigma has a < 0, too: log(1 + exp(y v)) has the link -logit; its best scorers reverse."""
    falling = Logistic()
    v, eta = np.linspace(-3, 3, 6001), np.array([0.1, 0.3, 0.8])
    risk = eta[:, None] * falling.value(1.0, -v) + (1 - eta[:, None]) * falling.value(-1.0, -v)
    best = v[risk.argmin(axis=1)]
    np.testing.assert_allclose(best, -np.log(eta / (1 - eta)), atol=1e-3)
    assert (np.diff(best) < 0).all()
    masses = np.stack([1 - eta, eta], axis=1) / len(eta)
    pairs = masses[:, 0][None, :] * masses[:, 1][:, None]  # of a positive (row) and a negative

    def loss_of_pairs(s):
        D = s[:, None] - s[None, :]
        both = falling.value(1.0, -D) + falling.value(-1.0, D)  # l(1, D) + l(-1, -D)
        return float((pairs * both).sum() / 2)

    least = loss_of_pairs(best)
    rng = np.random.default_rng(0)
    tried = [loss_of_pairs(best + 0.1 * rng.standard_normal(3)) for _ in range(200)]
    assert least < min(tried) and least < loss_of_pairs(-best)


@pytest.mark.parametrize("loss", OTHERS)
def test_other_links_do_not_decompose_but_rank_well(loss):
    value = found(best_scorers, loss=loss)
    assert value["pair_link"] < 1e-14
    assert value["additivity"] > 0.5
    assert value["from_link"] > 0.2
    assert value["gap"] > 0.01
    assert value["tied"] == value["reversed"] == value["rank_regret"] == 0
    assert found(best_scorers, loss=loss, points=2)["additivity"] < 1e-14  # no three points
    assert found(best_scorers, loss=loss, risk="classification")["from_link"] < 1e-9


@pytest.mark.parametrize("p", [1, 2, 4])
def test_the_best_scorer_of_the_push(p):
    value = found(best_scorers, risk=f"push(p={p})", draws=8)
    assert value["from_logit"] < 2e-9
    assert (value["from_link"] < 2e-9) == (p == 1)
    scaled = found(best_scorers, loss=f"scaled_logistic(p={p})", draws=8)
    assert scaled["from_link"] < 2e-9  # the link is logit / (p + 1)
    other = found(best_scorers, loss="logistic", risk=f"push(p={p})", draws=8)
    assert other["from_logit"] > 0.1


@pytest.mark.parametrize("loss", ["p_classification(p=2)", "asymmetric_a", "asymmetric_b"])
def test_one_partial_loss_leads_elsewhere(loss):
    """The bipartite risk as printed, with l(1, D) alone."""
    for each, apart in ((loss, True), ("logistic", False)):
        away = found(best_scorers, loss=each, risk="push(p=1)", draws=8)["from_link"]
        assert away > 0.5 if apart else away < 2e-9


def test_the_hinge_ties_what_differs():
    value = found(best_scorers, loss="hinge")
    assert value["tied"] > 0.5
    assert value["reversed"] == 0
    assert 0.001 < value["rank_regret"] < 0.1
    assert set(value) == {"tied", "reversed", "rank_regret"}
    assert found(best_scorers, loss="hinge", points=2)["rank_regret"] == 0


def test_three_points_that_the_hinge_ties():
    """The example in the claims of the study: no other scores have as little hinge risk."""
    p, q = np.array([0.6, 0.2, 0.2]), np.array([0.2, 0.35, 0.45])
    W = pair_weights(np.column_stack([q, p]))
    assert hinge_regions(p, q)[:2] == (1.0, 0.0)
    best = surrogate_risk([1.0, 0.0, 0.0], W, Hinge())
    steps = np.arange(-3, 4) / 2
    others = [[1, a, b] for a in steps for b in steps if (a, b) != (0, 0)]
    assert min(surrogate_risk(s, W, Hinge()) for s in others) > best + 1e-3
    assert ranking_risk([1, 0, 0], W) - ranking_risk(p / q, W) == pytest.approx(0.01)


def test_scores_in_another_order_would_be_seen(monkeypatch):
    monkeypatch.setattr(
        "rankexp.studies.menon2014.checks.decomposable.minimise_hinge", lambda W: np.arange(len(W))
    )
    value = found(best_scorers, loss="hinge")
    assert value["tied"] == 0
    assert value["reversed"] > 0.9
    assert value["rank_regret"] > 0.1


@pytest.mark.parametrize("loss", SIGMOID)
def test_regret_bounds(loss):
    value = found(regret_bound, loss=loss)
    assert value["violations"] == value["violations_of_pairs"] == 0
    assert 0.5 < value["tightest"] < 1


def test_the_squared_loss_breaks_the_bound():
    values = [found(regret_bound, seed, loss="squared") for seed in range(10)]
    assert sum(value["violations"] for value in values) > 0
    assert max(value["tightest"] for value in values) > 1.005
    assert not any(value["violations_of_pairs"] for value in values)


def test_a_bound_that_is_too_large_would_be_seen(monkeypatch):
    class Steep(Squared):
        def bayes_risk(self, eta):
            return 2 * super().bayes_risk(eta)

    monkeypatch.setattr(
        "rankexp.studies.menon2014.checks.decomposable.parse", lambda text: Steep()
    )
    value = found(regret_bound)
    assert value["violations"] > 0
    assert value["violations_of_pairs"] > value["violations"]
    assert value["tightest"] > 1


@pytest.mark.parametrize(
    ("check", "parameters"),
    [
        (propriety, {"loss": "hinge"}),
        (best_scorers, {"loss": "zero_one"}),
        (best_scorers, {"loss": "hinge", "risk": "push(p=2)"}),
        (best_scorers, {"points": 1}),
        (best_scorers, {"draws": 0}),
        (regret_bound, {"loss": "hinge"}),
        (regret_bound, {"points": 101}),
    ],
)
def test_bad_parameters(check, parameters):
    with pytest.raises(ValueError, match="expected"):
        found(check, **parameters)
