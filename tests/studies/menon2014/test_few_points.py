"""Statements of menon2014 on few points: oracles by simulation, and cases that must fail."""

import numpy as np
import pytest
from scipy.integrate import quad

from rankexp.losses import Logistic
from rankexp.studies.menon2014.checks import few_points
from rankexp.studies.menon2014.checks.few_points import (
    _ptop,
    _roc,
    ptop_regret,
    rankings_of_points,
    reversed_link,
    signs_of_scores,
    strict_utility,
    weak_orders,
)
from rankexp.studies.menon2014.checks.shapes import gaps_in_weights, products_of_scores


def found(check, seed=3, **given):
    return {row["quantity"]: row["value"] for row in check(np.random.default_rng(seed), **given)}


class Shifted(Logistic):
    """log(1 + exp(-y (v - 1))): strictly proper composite, but its link is 1 at probability ½."""

    def value(self, y, v):
        return super().value(y, np.asarray(v) - 1.0)

    def derivative(self, y, v):
        return super().derivative(y, np.asarray(v) - 1.0)


def test_best_scores_have_the_signs_of_the_best_classes(monkeypatch):
    for loss in ("logistic", "p_classification(p=4)", "squared_hinge"):
        assert found(signs_of_scores, loss=loss) == {"wrong signs": 0.0, "0/1 regret": 0.0}
    monkeypatch.setattr(few_points, "proper_loss", lambda text: Shifted())
    values = found(signs_of_scores)
    assert values["wrong signs"] > 0.2
    assert values["0/1 regret"] > 0.1


@pytest.mark.parametrize(("points", "count"), [(2, 3), (3, 13), (4, 75), (5, 541)])
def test_weak_orders(points, count):
    orders = weak_orders(points)
    assert len(orders) == count == len(np.unique(orders, axis=0))


def test_best_rankings_follow_eta(monkeypatch):
    assert found(rankings_of_points, draws=20)["best orders apart"] == 0
    assert found(rankings_of_points, draws=20)["above the curve"] < 1e-12
    least = few_points.ranking_risk
    monkeypatch.setattr(few_points, "ranking_risk", lambda s, W: least(-s, W))
    assert found(rankings_of_points, draws=5)["best orders apart"] > 0


def test_a_falling_link_reverses():
    values = found(reversed_link)
    assert values["additivity"] < 1e-12
    assert values["from_link"] < 1e-6
    assert values["rank_regret"] > 0.01
    assert values["reversed"] == 1.0


def test_utilities():
    values = found(strict_utility)
    assert max(values.pop("utility"), values.pop("product rule")) < 1e-12
    assert values["product rule, scaled sigmoid"] < 1e-12
    assert values["product rule, normal"] > 0.001


@pytest.mark.parametrize("n", [1, 3, 10])
def test_the_expected_ptop_is_that_of_samples(n):
    rng = np.random.default_rng(n)
    P, Q = rng.dirichlet(np.ones(4), size=2)
    s = np.array([0.0, 1.0, 1.0, 2.0])
    noise = 0.5 * rng.random((4000, n + 50))
    y = np.hstack([rng.choice(4, p=Q, size=(4000, n)), rng.choice(4, p=P, size=(4000, 50))])
    scores = s[y] + noise
    shares = (scores[:, n:] > scores[:, :n].max(axis=1)[:, None]).mean(axis=1)
    value = _ptop(*_roc(s, P, Q), n)
    assert abs(shares.mean() - value) < 4 * shares.std() / np.sqrt(4000)
    false, true = _roc(s, P, Q)
    area = quad(lambda f: n * (1 - f) ** (n - 1) * np.interp(f, false, true), 0, 1, limit=200)[0]
    assert value == pytest.approx(area, abs=1e-6)


@pytest.mark.parametrize("n", [1, 10])
def test_ptop_is_bounded_by_the_auc(n):
    values = found(ptop_regret, negatives=n, draws=30)
    assert values["violations"] == 0
    assert values["better than eta"] < 1e-12
    assert 0.9 < values["largest share of the bound"] <= 1 + 1e-9


def test_a_weight_with_a_gap_is_not_convex():
    assert found(gaps_in_weights, gap="none")["weight left"] > 0.5
    for gap in ("below", "inside", "above"):
        assert found(gaps_in_weights, gap=gap)["weight left"] < 1e-9


def test_the_exponential_loss_is_a_product():
    for loss in ("exponential", "p_classification(p=2)"):
        assert found(products_of_scores, loss=loss)["second share"] < 1e-14
    for loss in ("logistic", "squared", "asymmetric_a"):
        assert found(products_of_scores, loss=loss)["second share"] > 0.01


@pytest.mark.parametrize(
    ("check", "given"),
    [
        (rankings_of_points, {"points": 7}),
        (ptop_regret, {"negatives": 0}),
        (gaps_in_weights, {"gap": "left"}),
        (signs_of_scores, {"loss": "hinge"}),
    ],
)
def test_bad_parameters(check, given):
    with pytest.raises(ValueError, match="expected"):
        found(check, **given)
