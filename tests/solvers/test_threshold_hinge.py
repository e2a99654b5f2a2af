"""What the interior point method with thresholds reports, and its certificate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.solvers.hinge.point import Best
from rankexp.solvers.ordinal import threshold_hinge
from rankexp.solvers.ordinal.threshold_hinge import _factor, see, threshold_hinge_path
from rankexp.solvers.ordinal.threshold_terms import Terms, thresholds

BOTH = pytest.mark.parametrize("every", [False, True], ids=["adjacent", "all"])


def make(n=40, d=3, K=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.arange(n) % K


def objective(X, y, w, lam, every):
    """Return the objective of w with its best thresholds, as it is defined."""
    s = X @ w
    theta, at = thresholds(s, y, every), np.arange(y.max())
    margins = np.where(y[:, None] > at, s[:, None] - theta, theta - s[:, None])
    counts = every | (y[:, None] == at) | (y[:, None] == at + 1)
    return (counts * np.maximum(1 - margins, 0)).sum() / len(y) + 0.5 * lam * w @ w


@BOTH
@given(seed=st.integers(0, 10**6), lam=st.sampled_from([1e-3, 0.1, 10.0]))
@settings(max_examples=30, deadline=None)
def test_any_point_and_multipliers_enclose_the_minimum(every, seed, lam):
    X, y = make(seed=seed)
    least = threshold_hinge_path(X, y, [lam], every=every, tol=1e-9).objective[0]
    terms, rng, best = Terms(X, y, every), np.random.default_rng(seed), Best()
    for _ in range(5):
        before = best.primal, best.dual
        w = rng.standard_normal(3) * 10 ** rng.uniform(-3, 0)
        see(best, terms, w, rng.random(terms.sign.size), lam)
        assert best.dual <= least * (1 + 1e-9)
        assert best.primal >= least * (1 - 1e-9)
        assert best.primal <= before[0]
        assert best.dual >= before[1]
        assert best.primal == pytest.approx(objective(X, y, best.w, lam, every), rel=1e-12)


@BOTH
@pytest.mark.parametrize("shape", [(40, 3), (20, 60)], ids=["tall", "wide"])
def test_the_objective_is_that_of_the_coefficients(every, shape):
    X, y = make(*shape)
    path = threshold_hinge_path(X, y, [1e-2, 1e-4], every=every, tol=1e-8)
    assert path.gap.max() <= 1e-8
    for j, lam in enumerate((1e-2, 1e-4)):
        value = objective(X, y, path.coef[:, j], lam, every)
        assert path.objective[j] == pytest.approx(value, rel=1e-12)


def test_more_features_than_rows_are_solved_in_the_span_of_the_rows(monkeypatch):
    X, y = make(20, 60)
    widths = []

    class Seen(Terms):
        def __init__(self, X, codes, every):
            widths.append(X.shape[1])
            super().__init__(X, codes, every)

    monkeypatch.setattr(threshold_hinge, "Terms", Seen)
    wide = threshold_hinge_path(X, y, [1e-2], tol=1e-9)
    assert widths == [20]
    turned = np.linalg.qr(np.random.default_rng(1).standard_normal((60, 60)))[0]
    other = threshold_hinge_path(X @ turned, y, [1e-2], tol=1e-9)
    np.testing.assert_allclose(turned @ other.coef, wide.coef, atol=1e-5)


@BOTH
def test_a_threshold_is_in_the_middle_of_where_it_may_be(every):
    s, y = np.array([0.0, 1.0, 7.0, 8.0, 30.0]), np.array([0, 0, 1, 1, 2])
    assert thresholds(s, y, every).tolist() == [4.0, 19.0]


@BOTH
def test_goes_on_to_rounding_and_stops_there(every):
    X, y = make(60)
    for lam in (1e-2, 1.0):
        path = threshold_hinge_path(X, y, [lam], every=every, tol=1e-300, max_iter=500)
        assert path.gap[0] <= 1e-12
        assert path.n_iter[0] < 500
        assert np.isfinite(path.coef).all()


@BOTH
def test_has_converged_where_the_gap_is_within_tol(every):
    X, y = make()
    for max_iter in range(1, 20):
        path = threshold_hinge_path(X, y, [1.0, 1e-3], every=every, tol=1e-4, max_iter=max_iter)
        assert (path.converged == (path.gap <= 1e-4)).all()
    assert path.converged.all()


def test_an_indefinite_matrix_gets_a_ridge_that_is_large_enough():
    upper = _factor(np.diag([1.0, -1e-6]), 0.0, 0)
    assert np.isfinite(upper).all()
    assert _factor(np.diag([-1.0, np.inf]), 0.0, 0) is None
