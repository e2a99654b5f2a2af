"""One sweep over the sorted scores against all pairs written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.solvers.hinge.iterate import band_hessian
from rankexp.solvers.hinge.pairs import hinge_pairs
from rankexp.solvers.hinge.sweep import SortedSweep, coarse, sweep
from rankexp.solvers.pairs.partial_order import PartialOrder


def brute(X, y, s, h):
    z = 1.0 - s[y][:, None] + s[~y][None]
    alpha = np.clip((z + h) / (2 * h), 0.0, 1.0)
    residual = np.empty(len(s))
    residual[y] = -alpha.sum(axis=1) / z.size
    residual[~y] = alpha.sum(axis=0) / z.size
    D = X[y][:, None] - X[~y][None]
    H = np.einsum("ij,ijk,ijl->kl", (np.abs(z) < h) / (2 * h * z.size), D, D)
    return residual, np.maximum(z, 0).mean(), alpha.mean(), (np.abs(z) < h).sum(), H


def sample(seed, distinct=False):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((30, 3)) if distinct else rng.integers(0, 3, (30, 3)).astype(float)
    y = rng.random(30) < rng.uniform(0.1, 0.9)
    y[:2] = [True, False]
    return X, y, rng.standard_normal(3)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.3, 0.9]))
def test_sweep_equals_all_pairs(seed, h):
    X, y, w = sample(seed)
    pairs = hinge_pairs(X, PartialOrder.of_classes(y))
    swept = sweep(pairs, pairs.scores(w), h)
    residual, hinge, alpha, band, H = brute(X, y, X @ w, swept.h)
    assert swept.hinge == pytest.approx(hinge, rel=1e-10, abs=1e-13)
    assert swept.alpha == pytest.approx(alpha, rel=1e-10, abs=1e-13)
    assert swept.band_size == band
    np.testing.assert_allclose(swept.residual @ pairs.X, residual @ X, atol=1e-11)
    assert abs(swept.residual.sum()) < 1e-14
    if band:
        np.testing.assert_allclose(band_hessian(swept), H, atol=1e-10 * np.abs(H).max())


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_list_of_pairs(seed):
    X, y, w = sample(seed, distinct=True)
    pairs = hinge_pairs(X, PartialOrder.of_classes(y))
    s = pairs.scores(w)
    swept = sweep(pairs, s, 0.3)
    z = 1.0 - s[:, None] + s[None]
    wanted = np.argwhere((np.abs(z) < swept.h) & y[:, None] & ~y[None])
    assert len(wanted) == swept.band_size
    assert swept.listed(len(wanted) - 1) is None
    if len(wanted):
        listed = swept.listed(len(wanted))
        assert listed is not None
        assert {*map(tuple, wanted.tolist())} == {
            *zip(*map(np.ndarray.tolist, listed), strict=True)
        }


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_alpha_of_the_grid_is_feasible_and_its_primal_close(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((4000, 3))
    y = rng.random(4000) < 0.4
    pairs = hinge_pairs(X, PartialOrder.of_classes(y))
    s = pairs.scores(rng.standard_normal(3))
    exact = sweep(pairs, s, 0.2)
    grid = coarse(pairs, s, 0.2)
    if isinstance(grid, SortedSweep):  # as many cells as would not pay
        return
    assert grid.hinge == pytest.approx(exact.hinge, rel=1e-6)
    assert grid.alpha == pytest.approx(exact.alpha, rel=1e-2)
    assert -grid.residual[y].sum() == pytest.approx(grid.alpha, rel=1e-12)
    assert grid.residual[~y].sum() == pytest.approx(grid.alpha, rel=1e-12)
    assert grid.residual[y].max() <= 0.0 and grid.residual[y].min() >= -1.0 / y.sum() - 1e-15
    assert isinstance(coarse(pairs, s, 1e-9), SortedSweep)


def test_midway_is_the_residual_at_one_half():
    X, y, w = sample(1, distinct=True)
    pairs = hinge_pairs(X, PartialOrder.of_classes(y))
    s = pairs.scores(w)
    swept = sweep(pairs, s, 0.3)
    z = 1.0 - s[y][:, None] + s[~y][None]
    alpha = np.where(np.abs(z) < swept.h, 0.5, z > 0.0)
    np.testing.assert_allclose(swept.midway[y], -alpha.sum(axis=1) / z.size, atol=1e-14)
    np.testing.assert_allclose(swept.midway[~y], alpha.sum(axis=0) / z.size, atol=1e-14)


def test_the_laplacian_of_many_columns():
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((700, 300)), rng.random(700) < 0.4
    pairs = hinge_pairs(X, PartialOrder.of_classes(y))
    s = pairs.scores(0.1 * rng.standard_normal(300))
    swept = sweep(pairs, s, 0.4)
    near = (np.abs(1.0 - s[y][:, None] + s[~y][None]) < swept.h).astype(float)
    cross = X[y].T @ near @ X[~y]
    H = (X[y].T * near.sum(1)) @ X[y] + (X[~y].T * near.sum(0)) @ X[~y] - cross - cross.T
    np.testing.assert_allclose(swept.laplacian(), H, atol=1e-10 * np.abs(H).max())


def test_duplicates_are_merged_by_label():
    X = np.array([[0.0, 1.0], [0.0, 1.0], [2.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    pairs = hinge_pairs(X, PartialOrder.of_classes([True, False, True, True, True]))
    assert sorted(pairs.weight[pairs.upper]) == [2, 2]
    assert pairs.weight[~pairs.upper].tolist() == [1]
    assert pairs.count == 4.0
