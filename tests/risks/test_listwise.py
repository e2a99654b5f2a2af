"""The listwise risk against its definition, and an optimiser that knows no derivatives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import check_grad, minimize
from scipy.special import log_softmax, softmax

from rankexp.estimators import LinearRanker
from rankexp.losses import Logistic, ScaledLogistic
from rankexp.risks import Listwise
from rankexp.risks.listwise import ListRisk


def by_definition(s, y, groups):
    """Sum list by list, row by row."""
    lists = [groups == g for g in np.unique(groups)]
    return float(np.mean([-(softmax(y[own]) @ log_softmax(s[own])) for own in lists]))


def made(seed, n=40, d=3, levels=3, lists=6):
    rng = np.random.default_rng(seed)
    X, groups = rng.standard_normal((n, d)), rng.integers(lists, size=n)
    y = np.clip(np.rint(X[:, 0] + rng.standard_normal(n)), 0, levels - 1).astype(int)
    return X, y, groups


@given(st.integers(0, 10_000), st.integers(1, 5), st.sampled_from([0.1, 1.0, 300.0]))
def test_value_slope_and_hessian_are_those_of_the_definition(seed, lists, scale):
    X, y, groups = made(seed, n=12, lists=lists)
    groups = np.sort(groups)
    w = scale * np.random.default_rng(seed).standard_normal(3)
    risk = ListRisk(groups, y.astype(float), np.ones(y.size))
    s = X @ w
    assert risk.value(s) == pytest.approx(by_definition(s, y, groups), rel=1e-12)
    assert abs(risk.slope(s).sum()) < 1e-14  # a constant changes nothing
    step = 1e-5
    e = np.eye(12) * step
    moved = [by_definition(s + one, y, groups) - by_definition(s - one, y, groups) for one in e]
    np.testing.assert_allclose(risk.slope(s), np.array(moved) / (2 * step), atol=1e-7 * scale)
    slopes = [
        X.T @ (risk.slope(X @ (w + one)) - risk.slope(X @ (w - one))) for one in np.eye(3) * step
    ]
    np.testing.assert_allclose(risk.hessian(X, s), np.array(slopes) / (2 * step), atol=1e-6)


def test_its_path_is_least_by_an_optimiser_that_sees_values_alone():
    X, y, groups = made(4)
    lams = [1.0, 0.1, 0.01]
    found = LinearRanker(risk="listwise", tol=1e-10).path(X, y, lams, groups=groups)
    for k, lam in enumerate(lams):

        def objective(w, lam=lam):
            return lam / 2 * w @ w + by_definition(X @ w, y, groups)

        best = minimize(
            objective, np.zeros(3), method="Powell", options={"xtol": 1e-11, "ftol": 1e-14}
        )
        np.testing.assert_allclose(found.coef[:, k], best.x, atol=1e-4)
        assert objective(found.coef[:, k]) <= best.fun + 1e-10
        assert found.objective[k] == pytest.approx(objective(found.coef[:, k]), rel=1e-12)
    alone = LinearRanker(risk="listwise", tol=1e-10, lam=0.1).fit(X, y, groups=groups)
    np.testing.assert_allclose(alone.coef_[0], found.coef[:, 1], atol=1e-6)
    assert alone.intercept_ == 0.0


def test_on_two_rows_it_is_the_logistic_loss_of_their_difference():
    s, y = np.array([0.3, -1.1]), np.array([1.0, 0.0])
    up = float(softmax(y)[0])
    both = Logistic().of_margin(np.array([1.4, -1.4]))
    assert ListRisk(np.zeros(2, int), y, np.ones(2)).value(s) == pytest.approx(
        up * both[0] + (1 - up) * both[1]
    )


def test_queries_weigh_alike_and_the_order_of_rows_is_nothing():
    X, y, groups = made(7, lists=3)
    found = LinearRanker(risk="listwise", lam=0.1, tol=1e-10)
    first = found.fit(X, y, groups=groups).coef_.copy()
    twice = np.r_[np.arange(40), np.flatnonzero(groups == 0)]
    mixed = np.random.default_rng(0).permutation(40)
    np.testing.assert_allclose(found.fit(X[mixed], y[mixed], groups=groups[mixed]).coef_, first)
    again = np.r_[groups, np.full(twice.size - 40, 99)]  # the first query as a fourth one
    assert abs(found.fit(X[twice], y[twice], groups=again).coef_ - first).max() > 1e-3
    each = LinearRanker(risk="listwise", lam=0.1, tol=1e-10, queries="each")
    np.testing.assert_allclose(each.fit(X, y, groups=groups).coef_, first)
    one = LinearRanker(risk="listwise", lam=0.1, tol=1e-10).fit(X, y).coef_
    across = LinearRanker(risk="listwise", lam=0.1, tol=1e-10, queries="across")
    np.testing.assert_allclose(across.fit(X, y, groups=groups).coef_, one)
    assert abs(one - first).max() > 1e-3


def test_a_weight_is_a_number_of_copies():
    X, y, groups = made(9)
    weight = np.random.default_rng(9).integers(0, 4, 40)
    copies = np.repeat(np.arange(40), weight)
    one = LinearRanker(risk="listwise", lam=0.1, tol=1e-10)
    found = one.fit(X, y, groups=groups, sample_weight=weight).coef_.copy()
    objective = one.objective_
    again = one.fit(X[copies], y[copies], groups=groups[copies]).coef_
    np.testing.assert_allclose(found, again, atol=1e-6)
    assert objective == pytest.approx(one.objective_, rel=1e-9)


def test_separable_lists_have_a_least_point_without_a_penalty():
    X = np.array([[0.0], [1.0], [0.0], [2.0]])
    y, groups = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    found = LinearRanker(risk="listwise", lam=0.0).fit(X, y, groups=groups)
    w = np.linspace(0, 2, 501)
    values = [by_definition(X[:, 0] * one, y, groups) for one in w]
    assert found.coef_[0, 0] == pytest.approx(w[int(np.argmin(values))], abs=5e-3)


@pytest.mark.parametrize("lists", [1, 4_000])
def test_many_rows_are_solved_from_a_sample(monkeypatch, lists):
    monkeypatch.setattr("rankexp.solvers.smooth.objective.SAMPLE_ABOVE", 5_000)
    monkeypatch.setattr("rankexp.solvers.smooth.objective.SAMPLE_ROWS", 2_000)
    X, y, groups = made(3, n=20_000, lists=lists)
    found = LinearRanker(risk="listwise", lam=0.01, tol=1e-9).fit(X, y, groups=groups)
    order = np.argsort(groups, kind="stable")
    risk = ListRisk(groups[order], y[order].astype(float), np.ones(y.size))
    gradient = 0.01 * found.coef_[0] + X[order].T @ risk.slope(X[order] @ found.coef_[0])
    assert abs(gradient).max() < 1e-5
    rows, some = risk.sample(2_000)
    assert 1_900 <= rows.size <= 4_000
    assert some.begin.size == (1 if lists == 1 else np.unique(groups[order][rows]).size)


def test_what_it_does_not_take():
    X, y, groups = made(1)
    assert Listwise().accepts(ScaledLogistic(p=3)) is not None
    assert Listwise().accepts(ScaledLogistic(p=0)) is None  # which is the logistic loss
    with pytest.raises(ValueError, match="softmax of a list goes with the logistic loss only"):
        LinearRanker(risk="listwise", loss="hinge").fit(X, y)
    assert Listwise().accepts(Logistic()) is None
    with pytest.raises(ValueError, match="costs are of pairs"):
        LinearRanker(risk="listwise", costs=np.triu(np.ones((3, 3)), 1)).fit(X, y, groups)


def test_gradient_of_the_whole_objective():
    X, y, groups = made(11)
    order = np.argsort(groups, kind="stable")
    X, y, groups = X[order], y[order], groups[order]
    risk = ListRisk(groups, y.astype(float), np.ones(y.size))
    off = check_grad(
        lambda w: risk.value(X @ w), lambda w: X.T @ risk.slope(X @ w), np.array([0.3, -2.0, 1.0])
    )
    assert off < 1e-6
