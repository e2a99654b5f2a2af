"""Sums of the logistic loss by panels of scores, against the sums over blocks of pairs."""

import numpy as np
import pytest
from numpy.polynomial.chebyshev import chebder, chebvander

from rankexp.losses import Logistic
from rankexp.losses.asymmetric import _Rest
from rankexp.solvers.pairs import blocks as pairwise_blocks
from rankexp.solvers.pairs import path as pairwise_panels
from rankexp.solvers.pairs.blocks import WindowPairs
from rankexp.solvers.pairs.convolution import DEGREES, WIDTH, ScorePanels
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.path import BlockPairs, pair_path, pair_risk

N = 1500
COSTS = np.array([[0.0, 1.0, 4.0], [0.0, 0.0, 0.5], [0.0, 0.0, 0.0]])


def make(groups=1, seed=0):
    rng = np.random.default_rng(seed)
    level = rng.choice(3, N, p=[0.5, 0.3, 0.2])
    order = PartialOrder.of(level, COSTS, rng.integers(0, groups, N))
    return rng.normal(size=(N, 4)), order, rng.normal(size=N)


@pytest.mark.parametrize("groups", [1, 5])
@pytest.mark.parametrize("spread", [0.0, 1e-3, 1.0, 8.0])
def test_sums_are_those_of_all_pairs(groups, spread, monkeypatch):
    _, order, s = make(groups)
    blocks, panels = BlockPairs(order, Logistic()), pair_risk(Logistic(), order)
    s = spread * s + 100.0
    value, slope = blocks.value(s), blocks.slope(s)
    monkeypatch.setattr(pairwise_panels, "DEAR", 1)
    monkeypatch.setattr(BlockPairs, "_blocks", None)  # not even asked
    assert panels.value(s) == pytest.approx(value, rel=1e-11)
    np.testing.assert_allclose(panels.slope(s), slope, atol=1e-11 * np.abs(slope).max())


@pytest.mark.parametrize("groups", [1, 5])
def test_the_hessian_is_near(groups):
    X, order, s = make(groups)
    exact = BlockPairs(order, Logistic()).hessian(X, 2.0 * s)
    near = pair_risk(Logistic(), order).hessian(X, 2.0 * s)
    np.testing.assert_allclose(near, exact, atol=0.01 * np.abs(exact).max())
    assert not np.array_equal(near, exact)
    assert np.linalg.eigvalsh(near).min() > 0.0


@pytest.mark.parametrize("far", [1e7, np.inf, np.nan])
def test_scores_far_apart_are_left_to_the_blocks(far):
    _, order, s = make()
    s[0] = far
    blocks, panels = BlockPairs(order, Logistic()), pair_risk(Logistic(), order)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(panels.value(s), blocks.value(s), rtol=1e-13)
        np.testing.assert_allclose(panels.slope(s), blocks.slope(s), rtol=1e-12, atol=1e-16)


@pytest.mark.parametrize("loss", [Logistic(), _Rest(paired=True), _Rest(paired=False)])
@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_pairs_that_are_near_and_counts_of_others_do(loss, groups, weighted, monkeypatch):
    rng = np.random.default_rng(groups)
    level, group = rng.integers(0, 3, 300), rng.integers(0, groups, 300)
    costs, w = np.triu(rng.uniform(0.5, 2.0, (3, 3)), 1), rng.uniform(0.5, 3.0, 300)
    order = PartialOrder.of(level, costs, group, w if weighted else None)
    blocks, windows = BlockPairs(order, loss), WindowPairs(order, loss)
    monkeypatch.setattr(pairwise_blocks, "BLOCK_CELLS", 500)
    for spread in (1.0, 30.0, 1e3):
        s = spread * rng.standard_cauchy(300)
        assert windows.value(s) == pytest.approx(blocks.value(s), rel=1e-12)
        np.testing.assert_allclose(windows.slope(s), blocks.slope(s), rtol=1e-11, atol=1e-15)
    near = sum(i.size * j.size for i, j, *_ in windows._windows(s))
    assert near < 0.7 * pair_risk(Logistic(), order).pairs
    s = np.where(level > 0, 60.0 * level, rng.uniform(size=300))  # all come apart
    assert windows.value(s) == blocks.value(s) < 1e-10
    np.testing.assert_array_equal(windows.slope(s), blocks.slope(s))


def test_more_panels_than_pairs_are_worth_are_left_to_the_blocks(monkeypatch):
    _, order, s = make()
    s *= 0.1 * panels_worth(order) * WIDTH / (s.max() - s.min())
    assert np.isfinite(pair_risk(Logistic(), order).value(20.0 * s))
    monkeypatch.setattr(pairwise_panels, "ScorePanels", None)
    assert np.isfinite(pair_risk(Logistic(), order).value(20.0 * s))
    with pytest.raises(TypeError):
        pair_risk(Logistic(), order).value(s)


def panels_worth(order):
    return pair_risk(Logistic(), order).pairs / (pairwise_panels.DEAR * order.counts.size)


def test_scores_that_were_far_apart_once_cost_nothing_later(monkeypatch):
    _, order, s = make()
    for dear in ("DEAR", "DEARER"):
        monkeypatch.setattr(pairwise_panels, dear, 0)
    panels = pair_risk(Logistic(), order)
    right = panels.value(s), panels.slope(s)
    first = panels.of_slope.length
    panels.value(300.0 * s), panels.slope(300.0 * s)
    assert panels.of_slope.length > 100 * first
    assert panels.value(s) == pytest.approx(right[0], rel=1e-11)
    np.testing.assert_allclose(panels.slope(s), right[1], atol=1e-11 * np.abs(right[1]).max())
    assert panels.of_slope.length == first == panels.of_loss.length
    for doublings in (5, 6, 9):  # those for all threads stay as they are
        kernel = pairwise_panels.shared(Logistic().margin_derivative, doublings)
        made = kernel.length
        for count in (2 ** (doublings - 1) + 1 if doublings > 5 else 1, 2**doublings):
            kernel.transform(np.zeros((count, DEGREES, 1)))
            assert kernel.length == made


def test_many_small_groups_are_left_to_the_blocks(monkeypatch):
    _, order, s = make(groups=500)
    monkeypatch.setattr(pairwise_panels, "ScorePanels", None)
    assert np.isfinite(pair_risk(Logistic(), order).slope(s)).all()


def test_a_path_of_many_pairs_is_certified():
    X, _, s = make()
    positive = X @ np.ones(4) + 2.0 * s > 0.5
    lams = 10.0 ** -np.arange(5.0)
    found = pair_path(X, PartialOrder.of_classes(positive), Logistic(), lams)
    D = (X[positive][:, None] - X[~positive][None]).reshape(-1, 4)
    for lam, w, P, gap in zip(lams, found.coef.T, found.objective, found.gap, strict=True):
        exact = np.logaddexp(0.0, -(D @ w)).mean() + 0.5 * lam * w @ w
        assert pytest.approx(exact, rel=1e-11) == P
        g = -(D / (1.0 + np.exp(D @ w))[:, None]).mean(axis=0) + lam * w
        assert g @ g / (2.0 * lam) <= 1.01 * gap * P + 1e-12
    assert found.converged.all()


@pytest.mark.parametrize("weighted", [False, True])
def test_compiled_sums_are_those_of_polynomials(weighted):
    rng = np.random.default_rng(0)
    s, cell = 3.0 * rng.normal(size=N), rng.integers(0, 6, N)
    weight = rng.uniform(0.1, 3.0, N) if weighted else np.ones(N)
    panels = ScorePanels(s, weight=weight if weighted else None)
    T, at = chebvander(panels.t, DEGREES - 1), (panels.panel, slice(None), cell)
    for rows in (np.arange(N), np.flatnonzero(s > 0.5)):
        wanted = np.zeros((panels.count, DEGREES, 6))
        into = panels.panel[rows], slice(None), cell[rows]
        np.add.at(wanted, into, (weight[:, None] * T)[rows])
        np.testing.assert_allclose(panels.moments(cell, 6, rows), wanted, rtol=1e-12, atol=1e-12)
    field = rng.normal(size=wanted.shape)
    slope = chebder(field, axis=1) * 2.0 / WIDTH
    value, rise = panels.steps(field, cell)
    np.testing.assert_allclose(panels.values(field, cell), (field[at] * T).sum(axis=1), atol=1e-13)
    np.testing.assert_allclose(value, (field[at] * T).sum(axis=1), atol=1e-12)
    np.testing.assert_allclose(rise, (slope[at] * T[:, :-1]).sum(axis=1), atol=1e-10)
