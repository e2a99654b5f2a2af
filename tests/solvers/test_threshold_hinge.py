"""What the interior point method with thresholds reports, and its certificate."""

import numpy as np
import pytest
from hostile import exact_differences, exact_ridge, exact_scores, hostile
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.solvers.ordinal import threshold_hinge
from rankexp.solvers.ordinal.bounds import PrimalDualBounds
from rankexp.solvers.ordinal.interior_point import _factor
from rankexp.solvers.ordinal.threshold_hinge import threshold_hinge_path
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
@settings(max_examples=30)
def test_any_point_and_multipliers_enclose_the_minimum(every, seed, lam):
    X, y = make(seed=seed)
    least = threshold_hinge_path(X, y, [lam], every=every, tol=1e-9).objective[0]
    terms, rng = Terms(X, y, every), np.random.default_rng(seed)
    best = PrimalDualBounds(terms, np.ones(3), lam, 1e-9)
    for _ in range(5):
        before = best.primal, best.dual
        w = rng.standard_normal(3) * 10 ** rng.uniform(-3, 0)
        best.see(w, rng.random(terms.sign.size))
        assert best.dual <= least * (1 + 1e-9)
        assert best.primal >= least * (1 - 1e-9)
        assert best.primal <= before[0]
        assert best.dual >= before[1]
        assert best.objective == pytest.approx(objective(X, y, best.w, lam, every), rel=1e-12)


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
        def __init__(self, X, codes, every, weight):
            widths.append(X.shape[1])
            super().__init__(X, codes, every, weight)

    monkeypatch.setattr(threshold_hinge, "Terms", Seen)
    wide = threshold_hinge_path(X, y, [1e-2], tol=1e-9)
    assert widths == [60, 20]
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
    upper = _factor(np.diag([1.0, -1e-6]), np.empty(0))
    assert np.isfinite(upper).all()
    assert _factor(np.diag([-1.0, np.inf]), np.empty(0)) is None


def exact_objective(X, y, w, lam, every):
    """Return the objective of w with its best thresholds, in extended precision."""
    s, pools = exact_scores(X, w), []
    for k in range(y.max()):
        below, above = (y <= k, y > k) if every else (y == k, y == k + 1)
        members, below, above = 1, s[below], s[above]
        while True:
            keys = np.sort(np.concatenate((below + 1, above - 1)))
            theta = (keys[below.size - 1] + keys[below.size]) / 2
            if every or not pools or pools[-1][0] <= theta:
                break
            _, more, lower, higher = pools.pop()  # out of order: the two have one threshold
            members, below, above = (
                members + more,
                np.concatenate((lower, below)),
                np.concatenate((higher, above)),
            )
        pools.append((theta, members, below, above))
    losses = [
        np.maximum(0, 1 + below - theta).sum() + np.maximum(0, 1 - above + theta).sum()
        for theta, _, below, above in pools
    ]
    return sum(losses) / len(y) + exact_ridge(w, lam)


def objective_at(X, y, w, theta, lam, every):
    """Return the objective of w and thresholds, in extended precision."""
    apart, at = exact_differences(X, w, theta), np.arange(y.max())
    counts = every | (y[:, None] == at) | (y[:, None] == at + 1)
    lost = np.maximum(0, 1 - np.where(y[:, None] > at, apart, -apart))
    return (counts * lost).sum() / len(y) + exact_ridge(w, lam)


def test_on_bad_scales_the_gap_is_an_upper_bound_and_the_objective_right():
    """60 problems: huge features, 16 decades of scales, large means, one cell up to 3e38."""
    converged = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        kind, X, y = hostile(seed, K=2 + seed % 3)
        lam, every, tol = (
            10.0 ** rng.uniform(-8, 1),
            bool(seed // 2 % 2),
            10.0 ** rng.uniform(-10, -3),
        )
        found, best = (
            threshold_hinge_path(X, y, [lam], every=every, tol=goal, max_iter=400)
            for goal in (tol, 1e-300)
        )
        w, theta = found.coef[:, 0], found.thresholds[:, 0]
        value = objective_at(X, y, w, theta, lam, every)
        least = min(value, exact_objective(X, y, best.coef[:, 0], lam, every))
        assert (value - least) / value <= found.gap[0], (seed, kind)
        if found.converged[0]:
            assert abs(value - found.objective[0]) <= 1e-9 * value, (seed, kind)
        assert best.gap[0] - best.lost[0] <= max(found.gap[0], tol)
        converged += found.converged[0]
    assert converged >= 40  # the others have warned
