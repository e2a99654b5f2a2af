"""Smooth pair risks, against the explicit list of all pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from rankexp.losses import Exponential, Hinge, Logistic, SquaredHinge
from rankexp.losses.loss import Loss
from rankexp.solvers.pairs import blocks as pairwise_blocks
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.path import pair_path, pair_risk
from rankexp.solvers.pairs.squared_hinge import SquaredHingePairs, ranked
from rankexp.solvers.smooth import objective as objectives
from rankexp.solvers.smooth.path import smooth_path

LAMS = 10.0 ** -np.arange(6)
two = PartialOrder.of_classes
losses = pytest.mark.parametrize("loss", [Logistic(), Exponential(), SquaredHinge()], ids=repr)


def make(n=80, d=6, seed=0, noise=0.1, grid=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, d))
    if grid:
        X = np.round(X * grid) / grid
    f = X @ rng.normal(size=d)
    y = (f > np.quantile(f, 0.6)) ^ (rng.uniform(size=n) < noise)
    y[:2] = True, False
    return X, y


def pairs(X, y):
    return (X[y][:, None, :] - X[~y][None]).reshape(-1, X.shape[1])


@losses
@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), spread=st.sampled_from([0.1, 1.0, 5.0]), tied=st.booleans())
def test_value_slope_and_hessian_are_those_of_all_pairs(loss, seed, spread, tied):
    X, y = make(n=30, d=4, seed=seed)
    s = spread * np.random.default_rng(seed).normal(size=30) + 3.0
    if tied:  # on a grid without the margin 1, where the squared hinge's curvature jumps
        s = 0.3 * np.round(s / 0.3)
    D, P = (s[y][:, None] - s[~y]).ravel(), pairs(X, y)
    risk = pair_risk(loss, two(y))
    assert risk.value(s) == pytest.approx(loss.of_margin(D).mean(), rel=1e-10, abs=1e-14)
    g = P.T @ loss.margin_derivative(D) / D.size
    np.testing.assert_allclose(X.T @ risk.slope(s), g, rtol=1e-9, atol=1e-10)
    H = (P.T * loss.margin_curvature(D)) @ P / D.size
    np.testing.assert_allclose(risk.hessian(X, s), H, rtol=1e-8, atol=1e-9 * np.abs(H).max())


@losses
@pytest.mark.parametrize("case", [{}, {"noise": 0.0}, {"grid": 2}, {"grid": 1, "noise": 0.0}])
def test_the_path_is_that_of_a_fit_to_all_pairs(loss, case):
    X, y = make(**case)
    path = pair_path(X, two(y), loss, LAMS)
    P = pairs(X, y)
    best = smooth_path(P, np.ones(len(P)), loss, LAMS, fit_intercept=False, tol=1e-11).objective
    assert path.converged.all()
    assert (path.objective <= best * (1 + path.gap + 1e-10)).all()
    assert (path.objective >= best * (1 - 1e-9)).all()
    np.testing.assert_array_equal(path.intercept, 0.0)


@losses
def test_samples_give_a_hessian_good_enough(loss, monkeypatch):
    X, y = make(n=1500)
    whole = pair_path(X + 5.0, two(y), loss, LAMS[::2])
    monkeypatch.setattr(objectives, "SAMPLE_ABOVE", 1000)
    monkeypatch.setattr(objectives, "SAMPLE_ROWS", 300)
    monkeypatch.setattr(pairwise_blocks, "HESSIAN_PAIRS", 2000)
    sampled = pair_path(X + 5.0, two(y), loss, LAMS[::2])
    assert sampled.converged.all()
    np.testing.assert_allclose(sampled.objective, whole.objective, rtol=2e-6)


@losses
def test_a_rare_class_is_in_the_sample(loss, monkeypatch):
    X, y = make(n=1500)
    y[np.flatnonzero(y)[5:]] = False
    whole = pair_path(X, two(y), loss, LAMS)
    monkeypatch.setattr(objectives, "SAMPLE_ABOVE", 1000)
    monkeypatch.setattr(objectives, "SAMPLE_ROWS", 300)
    sampled = pair_path(X, two(y), loss, LAMS)
    assert sampled.converged.all()
    np.testing.assert_allclose(sampled.objective, whole.objective, rtol=2e-6)


@losses
@settings(max_examples=15)
@given(seed=st.integers(0, 10_000))
def test_flipping_labels_flips_the_direction(loss, seed):
    X, y = make(seed=seed)
    path = pair_path(X, two(y), loss, [0.1, 1e-3], tol=1e-10)
    flipped = pair_path(X, two(~y), loss, [0.1, 1e-3], tol=1e-10)
    np.testing.assert_allclose(flipped.coef, -path.coef, atol=1e-5)


@losses
def test_a_large_penalty_leaves_the_difference_of_means(loss):
    X, y = make()
    w = pair_path(X, two(y), loss, [1e6], tol=1e-10).coef[:, 0]
    means = X[y].mean(axis=0) - X[~y].mean(axis=0)
    assert w @ means == pytest.approx(np.linalg.norm(w) * np.linalg.norm(means), rel=1e-8)


def test_unpenalised_exponential_losses_agree_on_points_and_on_pairs():
    X, y = make(n=200)
    points = smooth_path(X, y, Exponential(), [0.0], tol=1e-13).coef
    np.testing.assert_allclose(
        pair_path(X, two(y), Exponential(), [0.0], tol=1e-13).coef, points, atol=1e-6
    )


def test_overflowing_scores_give_infinity_not_nan():
    y = np.array([True, False, True])
    with np.errstate(over="ignore"):
        assert pair_risk(Exponential(), two(y)).value(np.array([-800.0, 800.0, 0.0])) == np.inf


class Lopsided(Loss):
    """Exponential for positives, logistic for negatives: ``l(1, v)`` isn't ``l(-1, -v)``."""

    def value(self, y, v):
        return np.where(y > 0, np.exp(-v), np.logaddexp(0.0, v))

    def derivative(self, y, v):
        return np.where(y > 0, -np.exp(-v), 1.0 / (1.0 + np.exp(-v)))

    def curvature(self, y, v):
        return np.where(y > 0, np.exp(-v), 0.25 / np.cosh(0.5 * v) ** 2)


@pytest.mark.parametrize("analytic", [False, True])
def test_any_smooth_loss_trains_on_pairs_by_half_the_sum_of_its_partial_losses(analytic):
    loss, (X, y) = Lopsided(), make(n=60)
    loss.analytic = analytic
    D = pairs(X, y)

    def objective(w):
        z = D @ w
        return (0.5 * (np.exp(-z) + np.logaddexp(0.0, -z))).mean() + 0.005 * w @ w

    path = pair_path(X, two(y), loss, [1e-2], tol=1e-10)
    assert path.converged[0]
    assert path.objective[0] == pytest.approx(objective(path.coef[:, 0]), rel=1e-9)
    best = minimize(objective, np.zeros(X.shape[1]), method="BFGS", options={"gtol": 1e-9}).fun
    assert path.objective[0] <= best * (1.0 + 1e-9)


@pytest.mark.parametrize("far", [1e6, 1e9])
def test_the_squared_hinge_is_right_beside_rows_far_away(far):
    rng = np.random.default_rng(0)
    y, s = rng.random(50) < 0.5, rng.normal(size=50)
    y[:2] = True, False
    s[:2] = far, -far  # on their right sides, in no pair with a loss
    D = s[y][:, None] - s[~y]
    risk = pair_risk(SquaredHinge(), two(y))
    assert risk.value(s) == pytest.approx(SquaredHinge().of_margin(D).mean(), rel=1e-13)
    wanted = SquaredHinge().margin_derivative(D).sum(axis=1) / D.size
    np.testing.assert_allclose(risk.slope(s)[y], wanted, rtol=1e-12, atol=1e-18)


def test_what_cannot_be_solved_is_refused():
    X, y = make()
    with pytest.raises(ValueError, match="there is none"):
        pair_path(X, two(np.ones(80)), Logistic(), [1.0])
    with pytest.raises(ValueError, match="smooth"):
        pair_path(X, two(y), Hinge(), [1.0])


@pytest.mark.parametrize("spread", [0.0, 1e-12, 1.0, 1e12])
def test_scores_are_ranked_whatever_their_spread(spread):
    s = np.random.default_rng(0).normal(size=999)
    s[:3] = spread, -spread, 0.0
    s[100:200] = 1.0 + spread * 1e-16 * s[100:200]
    np.testing.assert_array_equal(s[ranked(s)], np.sort(s))
    np.testing.assert_array_equal(np.sort(ranked(s)), np.arange(999))


@pytest.mark.parametrize("lam", [1.0, 1e-6])
def test_a_sample_that_lacks_columns_does_no_harm(lam):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 16))
    X[:, 8:] *= rng.random((20_000, 8)) < 1e-3  # rare: the sample has two rows of each
    y = X @ rng.normal(size=16) + 0.3 * rng.normal(size=20_000) > 0.0
    path = pair_path(X, two(y), SquaredHinge(), [lam])
    exact = pair_path(X, two(y), SquaredHinge(), [lam], tol=1e-11)
    assert path.converged[0]
    assert exact.objective[0] <= path.objective[0] <= exact.objective[0] * (1.0 + 1e-6)
    assert path.n_iter[0] < 20  # hundreds, were the sample trusted to the end


@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize(("levels", "groups"), [(5, 1), (9, 3), (40, 1)])
def test_the_squared_hinge_of_many_levels_is_that_of_all_pairs(
    levels: int, groups: int, uniform: bool
) -> None:
    rng = np.random.default_rng(levels)
    y, g = rng.integers(0, levels, 60), rng.integers(0, groups, 60)
    costs = np.triu(np.ones((levels, levels)) if uniform else rng.random((levels, levels)), 1)
    X, s = rng.normal(size=(60, 3)), 2.0 * rng.normal(size=60)
    order = PartialOrder.of(y, costs, g, rng.integers(1, 4, 60).astype(float))
    risk = SquaredHingePairs(order, SquaredHinge())
    i, j = np.nonzero((y[:, None] > y) & (g[:, None] == g) & (s[:, None] - s < 1.0))
    cost = order.costs[y[j], y[i]] * order.weight[i] * order.weight[j] * risk.scale
    short, D = 1.0 - (s[i] - s[j]), X[i] - X[j]
    slope = np.bincount(j, 2.0 * cost * short, 60) - np.bincount(i, 2.0 * cost * short, 60)
    bend = np.bincount(j, 2.0 * cost, 60) + np.bincount(i, 2.0 * cost, 60)
    assert risk.value(s) == pytest.approx((cost * short**2).sum(), rel=1e-12)
    np.testing.assert_allclose(risk.slope(s), slope, rtol=0.0, atol=1e-12 * np.abs(slope).max())
    np.testing.assert_allclose(risk.steps(s)[1], bend, rtol=1e-12)
    np.testing.assert_allclose(
        risk.hessian(X, s), (D.T * (2.0 * cost)) @ D, rtol=1e-11, atol=1e-13
    )
