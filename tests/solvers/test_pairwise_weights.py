"""Weights of rows in the risks of pairs: a pair counts the product of two."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from rankexp.estimators import LinearRanker
from rankexp.losses import Logistic
from rankexp.losses import parse as loss_of
from rankexp.risks import Task
from rankexp.risks import parse as risk_of
from rankexp.solvers.pairs.partial_order import MOST_UNITS, PartialOrder
from rankexp.solvers.pairs.path import BlockPairs, pair_risk

COSTS = np.array([[0.0, 1.0, 3.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
SMOOTH = ("exponential", "logistic", "squared_hinge")
LAMS = [1.0, 0.1, 0.01]
RISKS = {2: "bipartite", 3: "multipartite"}


def make(n, levels, seed, groups=1):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 3)), 1)
    y = np.digitize(X[:, 0] + rng.normal(size=n), [0.3] if levels == 2 else [-0.5, 0.7])
    y[:levels] = range(levels)
    group = np.r_[np.zeros(levels, int), rng.integers(0, groups, n - levels)]
    return X, y, group if groups > 1 else None, rng


def listed(y, groups, weight, levels):
    """Return upper rows, lower rows and shares of all pairs."""
    same = True if groups is None else groups[:, None] == groups
    i, j = np.nonzero((y[:, None] > y) & same)
    share = weight[i] * weight[j] * (COSTS[y[j], y[i]] if levels == 3 else 1.0)
    return i, j, share / share.sum()


def ranker(loss, levels, **more):
    costs = COSTS if levels == 3 else None
    return LinearRanker(loss=loss, risk=RISKS[levels], costs=costs, **more)


def task(loss, levels, X, y, groups, weight):
    costs = COSTS if levels == 3 else None
    given = {"sample_weight": weight, "groups": groups, "costs": costs, "levels": levels}
    return Task(X, y, loss_of(loss), risk_of(RISKS[levels]), np.array(LAMS), **given)


@settings(max_examples=40)
@given(
    times=st.lists(st.integers(0, 4), min_size=30, max_size=30),
    loss=st.sampled_from((*SMOOTH, "hinge")),
    levels=st.sampled_from([2, 3]),
    groups=st.sampled_from([1, 3]),
    unit=st.sampled_from([1.0, 0.01, 1e-300, 1e300]),
)
def test_a_weight_is_so_many_copies(times, loss, levels, groups, unit):
    X, y, group, _ = make(30, levels, seed=sum(times), groups=groups)
    times = np.array(times)
    times[:levels] = 1  # in one group
    model = ranker(loss, levels, tol=1e-9)
    weighted = model.path(X, y, LAMS, groups=group, sample_weight=unit * times)
    again = None if group is None else group.repeat(times)
    copied = model.path(X.repeat(times, axis=0), y.repeat(times), LAMS, groups=again)
    assert weighted.converged.all()
    np.testing.assert_allclose(weighted.objective, copied.objective, rtol=1e-8)
    np.testing.assert_allclose(weighted.coef, copied.coef, atol=1e-3)


@pytest.mark.parametrize("n", [12, 60, 400])
@pytest.mark.parametrize("levels", [2, 3])
@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("loss", SMOOTH)
def test_sums_are_those_of_all_weighted_pairs(n, levels, groups, loss):
    X, y, group, rng = make(n, levels, seed=n, groups=groups)
    weight = rng.lognormal(sigma=3.0, size=n)
    order = task(loss, levels, X, y, group, weight).order
    i, j, share = listed(y, group, weight, levels)
    w = rng.normal(size=3)
    s, D, of = X @ w, X[i] - X[j], loss_of(loss)
    z = s[i] - s[j]
    each = share * of.margin_derivative(z)
    slope = np.bincount(i, each, n) - np.bincount(j, each, n)
    hessian = (D.T * (share * of.margin_curvature(z))) @ D
    for risk in (pair_risk(of, order), BlockPairs(order, of)):
        assert risk.value(s) == pytest.approx(share @ of.of_margin(z), rel=1e-9)
        np.testing.assert_allclose(risk.slope(s), slope, atol=1e-9 * np.abs(slope).max())
        near = 1e-9 if type(risk) is BlockPairs or loss != "logistic" else 0.05  # on panels
        np.testing.assert_allclose(risk.hessian(X, s), hessian, atol=near * np.abs(hessian).max())


@pytest.mark.parametrize("levels", [2, 3])
@pytest.mark.parametrize("loss", [*SMOOTH, "hinge"])
def test_the_gap_is_never_below_the_truth(loss, levels):
    for seed in range(3):
        X, y, group, rng = make(40, levels, seed, groups=1 + 2 * (seed == 2))
        weight = rng.choice([0.05, 0.5, 1.25, 8.0], 40)
        i, j, share = listed(y, group, weight, levels)
        D, of, lam = X[i] - X[j], loss_of(loss), 0.02

        def objective(w, D=D, share=share, of=of, lam=lam):
            return lam / 2 * (w @ w) + share @ of.of_margin(D @ w)

        best = ranker(loss, levels, lam=lam, tol=1e-10)
        best = best.fit(X, y, groups=group, sample_weight=weight)
        least = objective(best.coef_[0])
        for _ in range(3):  # no other way finds less
            start = best.coef_[0] + 0.1 * rng.normal(size=3)
            found = minimize(objective, start, method="Nelder-Mead", options={"xatol": 1e-9})
            assert found.fun >= least * (1.0 - 1e-9)
        for tol in (1e-1, 1e-4):
            model = ranker(loss, levels, lam=lam, tol=tol)
            model.fit(X, y, groups=group, sample_weight=weight)
            here = objective(model.coef_[0])
            assert model.objective_ == pytest.approx(here, rel=1e-9)
            assert model.gap_ <= tol
            assert model.gap_ >= (here - least) / here - 1e-9


@pytest.mark.parametrize(
    ("weight", "units"),
    [
        ([0.5, 1.25, 2.0, 0.75], [2, 5, 8, 3]),
        ([0.1, 0.3, 0.7, 0.1], [1, 3, 7, 1]),
        ([1.0 / 3.0, 2.0 / 3.0, 1.0, 0.5], [2, 4, 6, 3]),
        ([1.500001, 2.0, 1.0, 1.0], [1500001, 2000000, 1000000, 1000000]),
        ([1.0, 1.0, 1.0, MOST_UNITS - 4.0], [1, 1, 1, MOST_UNITS - 4]),
        ([0.3, 0.3, 0.3, 0.3], [1, 1, 1, 1]),
    ],
)
@pytest.mark.parametrize("scale", [1.0, 2.0**-40, 2.0**500])
def test_whole_multiples_of_a_unit_are_found(weight, units, scale):
    order = PartialOrder.of_classes([0, 1, 0, 1], scale * np.array(weight))
    assert order.whole().weight.tolist() == units


@pytest.mark.parametrize(
    "weight",
    [
        [np.pi, 1.0, 1.0, np.e],
        [1e-10, 1.0, 1.0, 1.0],
        [1.0, 1.0, 1.0, float(MOST_UNITS)],
        [1.0, 1.0, 1.0, 1.0 + 1e-12],
        [1e-320, 1.0, 1.0, 0.5],
    ],
)
def test_what_has_no_unit_is_refused_by_the_hinge_alone(weight):
    X, y = np.arange(4.0)[:, None], [0, 1, 0, 1]
    with pytest.raises(ValueError, match=r"whole multiples of one unit.*round the weights"):
        ranker("hinge", 2).fit(X, y, sample_weight=weight)
    ranker("logistic", 2).fit(X, y, sample_weight=weight)


def test_rows_of_weight_0_are_left_out_with_their_groups():
    X, y, group, rng = make(60, 3, 0, groups=4)
    kept = np.r_[np.ones(3, bool), rng.random(57) < 0.7]
    names = np.array(list("abcd"))[group]
    for loss in ("logistic", "hinge"):
        model = ranker(loss, 3, lam=0.1)
        found = model.fit(X, y, groups=names, sample_weight=kept * 2.5).coef_
        few = model.fit(X[kept], y[kept], groups=names[kept]).coef_
        np.testing.assert_array_equal(found, few)
    with pytest.raises(ValueError, match="must be > 0"):
        PartialOrder.of_classes([0, 1, 1], np.array([1.0, 0.0, 2.0]))


def test_many_weighted_rows_start_from_a_sample():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(55_000, 2))
    y = (X[:, 0] + rng.logistic(size=55_000) > 0).astype(int) + (X[:, 1] > 1)
    weight = rng.integers(1, 3, 55_000)
    for loss in ("logistic", "squared_hinge", "hinge"):
        model = LinearRanker(loss=loss, risk="multipartite", lam=0.1, tol=1e-7)
        found = model.fit(X, y, sample_weight=weight).objective_
        copied = model.fit(X.repeat(weight, axis=0), y.repeat(weight)).objective_
        assert found == pytest.approx(copied, rel=1e-6)


def test_panels_take_weights_of_any_size():
    X, y, _, rng = make(3000, 2, 0)
    weight = rng.lognormal(sigma=5.0, size=3000)
    order = task("logistic", 2, X, y, None, weight).order
    s = X @ rng.normal(size=3)
    one, other = pair_risk(Logistic(), order), BlockPairs(order, Logistic())
    assert one.value(s) == pytest.approx(other.value(s), rel=1e-11)
    slope = other.slope(s)
    np.testing.assert_allclose(one.slope(s), slope, atol=1e-11 * np.abs(slope).max())
