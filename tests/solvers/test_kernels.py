"""The pivoted Cholesky factor of a Gram matrix."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hostile import exact_ridge, exact_scores, hostile
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from rankexp.estimators import KernelRanker, LinearRanker
from rankexp.solvers.kernels import Factor, diagonal, gaussian, linear, polynomial

KERNELS = {
    "gaussian, smooth": gaussian(0.3),
    "gaussian, narrow": gaussian(50.0),
    "polynomial": polynomial(0.5, 3, 1.0),
    "linear": linear,
}
kernels = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)


@kernels
@settings(max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from([1e-2, 1e-6, 1e-12]), st.sampled_from([1, 3]))
def test_what_is_left_is_bounded(kernel, seed, goal, d):
    rng = np.random.default_rng(seed)
    X, weight = rng.normal(size=(150, d)), rng.random(150) / 75
    factor = Factor(kernel, X)
    factor.grow(weight, 1e3 * goal, 150)
    factor.grow(weight, goal, 150)  # goes on from where it was
    K = kernel(X, X)
    E = K - factor.L @ factor.L.T
    scale = np.diagonal(K).max()
    assert factor.bound(weight) <= goal or factor.left.max() <= factor.floor
    np.testing.assert_allclose(factor.left, np.diagonal(E), atol=1e-11 * scale)
    assert np.linalg.eigvalsh(E).min() >= -1e-11 * scale
    for r in (weight, weight * rng.choice([-1.0, 1.0], 150)):
        assert r @ E @ r <= factor.bound(weight) * (1 + 1e-9) + 1e-11 * scale
        assert factor.lost(r, np.inf) == pytest.approx(factor.bound(weight))
        assert factor.lost(r, 0.0) == pytest.approx(r @ E @ r, rel=1e-6, abs=1e-11 * scale)
    assert np.unique(factor.pivots).size == factor.pivots.size
    w = rng.normal(size=factor.pivots.size)
    b = factor.expand(w)
    P = factor.pivots
    np.testing.assert_allclose(K[P][:, P] @ b, factor.L[P] @ w, atol=1e-6 * scale)
    assert b @ K[P][:, P] @ b == pytest.approx(w @ w, rel=1e-4)


@kernels
def test_the_diagonal(kernel):
    X = np.random.default_rng(0).normal(size=(150, 3))
    np.testing.assert_allclose(diagonal(kernel, X), np.diagonal(kernel(X, X)), rtol=1e-14)


def test_rank_is_found_and_kept_to():
    X = np.random.default_rng(1).normal(size=(400, 5))
    factor = Factor(linear, X)
    factor.grow(np.ones(400), 0.0, 400)
    assert factor.pivots.size == 5
    narrow = Factor(gaussian(50.0), X)
    narrow.grow(np.ones(400), 0.0, 100)
    assert narrow.pivots.size == 100
    narrow.grow(np.ones(400), 0.0, 400)
    assert narrow.pivots.size == 400


def test_refuses_what_is_no_kernel():
    X = np.random.default_rng(2).normal(size=(50, 2))
    with pytest.raises(ValueError, match=r"K\(x, x\) >= 0"):
        Factor(lambda A, B: -linear(A, B), X)
    with pytest.raises(ValueError, match="0 on every row"):
        Factor(linear, np.zeros((5, 2)))
    with pytest.raises(ValueError, match="finite"):
        Factor(lambda A, B: np.full((len(A), len(B)), np.nan), X)
    with pytest.raises(ValueError, match="semidefinite"):
        Factor(lambda A, B: np.tanh(2 * linear(A, B) - 0.1) + 0.11, X).grow(np.ones(50), 0.0, 50)


def exact_logistic(model, X, y):
    """Return the objective of a linear kernel's scores, in extended precision."""
    pairs = list(zip(model.dual_coef_[0], model.support_vectors_, strict=True))
    w = [
        sum(Fraction(float(b)) * Fraction(float(v[j])) for b, v in pairs)
        for j in range(X.shape[1])
    ]
    s = exact_scores(X, w)
    D = s[y > 0][:, None] - s[y == 0]
    losses = np.maximum(-D, 0) + np.log1p(np.exp(-np.abs(D)))
    return losses.mean() + exact_ridge(w, model.lam)


def test_on_bad_scales_the_gap_is_an_upper_bound_and_the_objective_right_or_warned():
    """30 problems: huge features, 16 decades of scales, large means, one cell up to 3e38."""
    silent = 0
    for seed in range(30):
        kind, X, y = hostile(seed, K=2)
        rng = np.random.default_rng(seed)
        lam, tol = 10.0 ** rng.uniform(-4, 1), 10.0 ** rng.uniform(-8, -3)
        model = KernelRanker(kernel="linear", gamma=1.0, loss="logistic", lam=lam, tol=tol)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, y)
            least = LinearRanker(loss="logistic", risk="bipartite", lam=lam, tol=1e-12).fit(X, y)
        value = exact_logistic(model, X, y)
        gap = (value - least.objective_ * (1 - least.gap_)) / value
        assert model.gap_ >= gap - least.gap_ - 1e-9, (seed, kind)
        if not any(
            "KernelRanker" in str(w.message) or "rounding changes" in str(w.message)
            for w in caught
        ):
            silent += model.gap_ <= tol
            if model.gap_ <= tol:
                assert abs(value - model.objective_) <= 1e-9 * value, (seed, kind)
    assert silent >= 3


@pytest.mark.parametrize("lam", [1e-300, 5e-324])
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_a_tiny_penalty_ends_with_an_honest_gap(lam, loss):
    X, y = hostile(1, K=2)[1:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KernelRanker(loss=loss, lam=lam).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert model.gap_ >= 0.0


def test_values_out_of_range_are_refused_with_their_column():
    X, y = hostile(1, K=2)[1:]
    X[3, -1] = 1e200
    with pytest.raises(ValueError, match=rf"column {X.shape[1] - 1} .* scale the features"):
        KernelRanker().fit(X, y)


def test_a_penalty_too_small_for_the_hinge_is_named():
    X, y = hostile(1, K=2)[1:]
    with pytest.raises(FloatingPointError, match=r"lam=1e-300 is too small.*raise lam"):
        KernelRanker(lam=1e-300).fit(X, y)
