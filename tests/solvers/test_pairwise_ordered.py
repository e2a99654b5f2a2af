"""Smooth risks of ordered levels, with costs and groups, against the list of all pairs."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.losses import Exponential, Hinge, Logistic, SquaredHinge
from rankexp.solvers.pairs import blocks as pairwise_blocks
from rankexp.solvers.pairs.pair_list import ListedRisk, PairList
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.path import pair_path, pair_risk
from rankexp.solvers.pairs.push_panels import push_risk
from rankexp.solvers.smooth import objective as objectives
from rankexp.solvers.smooth.path import smooth_path

LAMS = 10.0 ** -np.arange(5)
losses = pytest.mark.parametrize("loss", [Logistic(), Exponential(), SquaredHinge()], ids=repr)


def make(rng, n, groups, levels=4):
    """Rows, levels of a noisy linear function, one perhaps without a row, and costs, some 0."""
    X = rng.uniform(size=(n, 4))
    f = X @ rng.normal(size=4) + 0.3 * rng.normal(size=n)
    level = np.searchsorted(np.quantile(f, [0.4, 0.6, 0.8]), f)
    level[(level == 1) & (rng.random() < 0.3)] = 2
    costs = np.triu(rng.uniform(0.2, 3.0, (levels, levels)), 1)
    costs[rng.random(costs.shape) < 0.3] = 0.0
    costs[0, 3] = 1.0
    group = rng.integers(0, groups, n)
    group[[int(level.argmin()), int(level.argmax())]] = 0
    return X, PartialOrder.of(level, costs, group)


def all_pairs(order):
    y, g = order.level, order.group
    C = order.costs[y[None], y[:, None]] * (g[:, None] == g[None])
    i, j = np.nonzero(C)
    return i, j, C[i, j] / C.sum()


@losses
@settings(max_examples=30)
@given(
    seed=st.integers(0, 10_000),
    spread=st.sampled_from([0.1, 1.0, 5.0]),
    groups=st.sampled_from([1, 4, 20]),
    small=st.sampled_from([0, 6, 4096]),
    tied=st.booleans(),
)
def test_value_slope_and_hessian_are_those_of_all_pairs(loss, seed, spread, groups, small, tied):
    rng = np.random.default_rng(seed)
    X, order = make(rng, 40, groups)
    s = spread * rng.normal(size=40) + 3.0
    if tied:  # on a grid without the margin 1, where the squared hinge's curvature jumps
        s = 0.3 * np.round(s / 0.3)
    i, j, c = all_pairs(order)
    D, P = s[i] - s[j], X[i] - X[j]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairwise_blocks, "SMALL", small)
        patch.setattr(pairwise_blocks, "BLOCK_CELLS", 50)
        risk = pair_risk(loss, order)
        value, slope, hessian = risk.value(s), risk.slope(s), risk.hessian(X, s)
    assert value == pytest.approx(c @ loss.of_margin(D), rel=1e-9, abs=1e-14)
    e = c * loss.margin_derivative(D)
    wanted = np.bincount(i, e, 40) - np.bincount(j, e, 40)
    np.testing.assert_allclose(slope, wanted, rtol=1e-8, atol=1e-12 * max(1.0, value))
    H = (P.T * (c * loss.margin_curvature(D))) @ P
    np.testing.assert_allclose(hessian, H, rtol=1e-8, atol=1e-9 * np.abs(H).max())


@losses
@pytest.mark.parametrize("groups", [1, 6])
def test_the_path_is_that_of_a_fit_to_all_pairs(loss, groups):
    X, order = make(np.random.default_rng(0), 90, groups)
    path = pair_path(X, order, loss, LAMS)
    i, j, c = all_pairs(order)
    best = smooth_path(
        X[i] - X[j], np.ones(i.size), loss, LAMS, fit_intercept=False, sample_weight=c, tol=1e-11
    )
    assert path.converged.all()
    assert (path.objective <= best.objective * (1 + path.gap + 1e-10)).all()
    assert (path.objective >= best.objective * (1 - 1e-9)).all()
    np.testing.assert_array_equal(path.intercept, 0.0)


@losses
@settings(max_examples=10)
@given(seed=st.integers(0, 10_000), groups=st.sampled_from([1, 5]))
def test_reversing_levels_reverses_the_direction(loss, seed, groups):
    X, order = make(np.random.default_rng(seed), 50, groups)
    reverse = replace(order, level=3 - order.level, costs=order.costs[::-1, ::-1].T)
    one = pair_path(X, order, loss, [0.1, 1e-3], tol=1e-10)
    two = pair_path(X, reverse, loss, [0.1, 1e-3], tol=1e-10)
    np.testing.assert_allclose(one.coef, -two.coef, atol=1e-5)


@losses
def test_two_levels_are_the_bipartite_problem_to_the_bit(loss):
    rng = np.random.default_rng(1)
    X, level = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    order = PartialOrder.of(level, np.array([[0.0, 2.0], [0.0, 0.0]]))
    two = pair_path(X, order, loss, LAMS)
    np.testing.assert_array_equal(
        two.coef, pair_path(X, PartialOrder.of_classes(level), loss, LAMS).coef
    )


@losses
@pytest.mark.parametrize("groups", [1, 150])
def test_samples_give_a_hessian_good_enough(loss, groups, monkeypatch):
    X, order = make(np.random.default_rng(2), 1500, groups)
    whole = pair_path(X + 5.0, order, loss, LAMS[::2])
    monkeypatch.setattr(objectives, "SAMPLE_ABOVE", 1000)
    monkeypatch.setattr(objectives, "SAMPLE_ROWS", 300)
    monkeypatch.setattr(pairwise_blocks, "HESSIAN_PAIRS", 20_000)
    sampled = pair_path(X + 5.0, order, loss, LAMS[::2])
    assert sampled.converged.all()
    np.testing.assert_allclose(sampled.objective, whole.objective, rtol=2e-6)


def test_a_sample_makes_up_for_rare_levels_by_costs():
    level = np.repeat([0, 1, 2], [3000, 200, 20])
    order = PartialOrder.of(level, np.triu(np.ones((3, 3)), 1))
    rows, few = order.sample(300)
    assert np.bincount(few.level).tolist() == [100, 100, 20]
    np.testing.assert_array_equal(few.level, level[rows])
    assert few.total == pytest.approx(order.total)
    small = PartialOrder.of(level, order.costs, np.arange(3220) % 700)
    rows, few = small.sample(644)
    assert few.counts.shape[0] == pytest.approx(140, abs=40)
    assert few.total / small.total == pytest.approx(0.2, abs=0.06)


def test_what_cannot_be_solved_is_refused():
    X, order = make(np.random.default_rng(3), 40, 3)
    with pytest.raises(ValueError, match="smooth"):
        pair_path(X, order, Hinge(), [1.0])
    with pytest.raises(ValueError, match="there is none"):
        pair_path(X, replace(order, group=np.arange(40)), Logistic(), [1.0])


def test_a_subset_is_its_share_of_the_whole():
    rng = np.random.default_rng(3)
    order = PartialOrder.of(rng.integers(0, 3, 60), np.triu(np.ones((3, 3)), 1))
    X, s = rng.normal(size=(60, 2)), rng.normal(size=60)
    far = (rng.random(60) < 0.5) & (order.level != 1)  # in no pair with a loss
    s[far] = 1e3 * (order.level[far] - 1)
    rows = np.flatnonzero(~far)
    whole = pair_risk(SquaredHinge(), order)
    part, share = whole.subset(rows)
    H = share * part.hessian(X[rows], s[rows])
    np.testing.assert_allclose(H, whole.hessian(X, s), rtol=1e-10, atol=1e-12)


def test_a_subset_of_listed_pairs_is_those_within_it():
    rng = np.random.default_rng(5)
    upper, lower = rng.integers(0, 8, 40), 8 + rng.integers(0, 8, 40)
    pairs = PairList.of(upper, lower, rng.uniform(0.5, 2.0, 40), 16)
    s, rows = rng.normal(size=16), np.array([0, 1, 2, 3, 4, 9, 10, 11])
    part, share = ListedRisk(pairs, SquaredHinge()).subset(rows)
    inside = np.isin(pairs.upper, rows) & np.isin(pairs.lower, rows)
    assert 0 < inside.sum() < inside.size
    losses = np.maximum(1.0 - pairs.differences(s), 0.0) ** 2
    assert share * part.value(s[rows]) == pytest.approx((pairs.share * losses)[inside].sum())


@pytest.mark.parametrize("p", [1.0, 3.0])
def test_a_subset_of_the_push_is_its_share_of_the_whole(p):
    rng = np.random.default_rng(3)
    up, weight, s = np.arange(60) % 2 == 0, rng.uniform(0.5, 2.0, 60), rng.normal(size=60)
    far = rng.random(60) < 0.4  # in no pair with a loss
    s[far] = np.where(up[far], 1e3, -1e3)
    whole = push_risk(SquaredHinge(), up, p, weight)
    part, share = whole.subset(np.flatnonzero(~far))
    assert share < 0.9
    assert share * part.value(s[~far]) == pytest.approx(whole.value(s))
