"""The path solver of smooth losses, against references and its own certificate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from rankexp.losses import Exponential, Hinge, Logistic, SquaredHinge
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.path import pair_path
from rankexp.solvers.result import scores
from rankexp.solvers.smooth import certificate
from rankexp.solvers.smooth import objective as objectives
from rankexp.solvers.smooth import path as points
from rankexp.solvers.smooth.centring import prepare
from rankexp.solvers.smooth.inverse import Dense
from rankexp.solvers.smooth.path import smooth_path
from rankexp.solvers.smooth.steps import derivative_search

LAMS = 10.0 ** -np.arange(6)
SMOOTH = [Logistic(), Exponential(), SquaredHinge()]
smooth = pytest.mark.parametrize("loss", SMOOTH, ids=repr)


def make(kind, n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 12))
    if kind == "duplicates":
        X = np.repeat(X[: n // 4], 4, axis=0)
    if kind == "low rank":
        X = np.repeat((X[:, :4] < 0.5) * 1.0, 3, axis=1)
    if kind == "one-hot":
        X = np.hstack([np.eye(4)[rng.integers(4, size=n)] for _ in range(3)])
    if kind == "wide":
        X = rng.normal(size=(30, 80))
    if kind == "scales":
        X = X * 10.0 ** rng.uniform(-3, 3, size=12)
    if kind == "offset":
        X = X + 1e4
    f = X @ rng.normal(size=X.shape[1])
    y = f > np.quantile(f, 0.97 if kind == "imbalanced" else 0.4)
    if kind in ("noisy", "imbalanced", "scales", "offset"):
        y ^= rng.uniform(size=X.shape[0]) < 0.1
    return X, y


KINDS = ["noisy", "clean", "imbalanced", "duplicates", "low rank", "one-hot", "wide", "scales"]
KINDS += ["offset"]


def objective(X, y, loss, lam, w, b):
    return 0.5 * lam * w @ w + loss.value(np.where(y, 1.0, -1.0), X @ w + b).mean()


@smooth
@pytest.mark.parametrize("kind", KINDS)
def test_certified_on_every_kind_of_data(loss, kind):
    X, y = make(kind)
    path = smooth_path(X, y, loss, LAMS)
    assert path.converged.all()
    assert (path.gap <= 1e-6).all()
    best = smooth_path(X, y, loss, LAMS, tol=1e-11).objective
    assert (path.objective <= best * (1 + path.gap + 1e-11)).all()
    assert (path.objective >= best * (1 - 1e-10)).all()
    found = [
        objective(X, y, loss, lam, path.coef[:, i], path.intercept[i])
        for i, lam in enumerate(LAMS)
    ]
    np.testing.assert_allclose(path.objective, found, rtol=1e-7)


@pytest.mark.parametrize("kind", ["noisy", "clean", "imbalanced", "duplicates", "offset"])
def test_logistic_is_newton_cholesky(kind):
    X, y = make(kind)
    n = X.shape[0]
    for tol, close in ((1e-6, 1e-8), (1e-12, 1e-10)):
        path = smooth_path(X, y, Logistic(), LAMS, tol=tol)
        for i, lam in enumerate(LAMS):
            ref = LogisticRegression(
                C=1 / (n * lam), solver="newton-cholesky", tol=1e-13, max_iter=300
            ).fit(X - X.mean(axis=0), y)
            best = objective(
                X - X.mean(axis=0), y, Logistic(), lam, ref.coef_[0], ref.intercept_[0]
            )
            assert abs(path.objective[i] - best) <= close * best
            if tol < 1e-10:
                np.testing.assert_allclose(path.coef[:, i], ref.coef_[0], atol=1e-6)


@pytest.mark.parametrize("loss", [Exponential(), SquaredHinge()], ids=repr)
@pytest.mark.parametrize("kind", ["noisy", "clean", "imbalanced"])
def test_equals_a_trust_region_method(loss, kind):
    X, y = make(kind, n=150)
    sign, n = np.where(y, 1.0, -1.0), X.shape[0]
    A = np.column_stack((X, np.ones(n)))
    for lam in (1.0, 1e-2, 1e-4):
        L = lam * np.diag(np.r_[np.ones(X.shape[1]), 0.0])
        ref = minimize(
            lambda t, L=L: 0.5 * t @ L @ t + loss.value(sign, A @ t).mean(),
            np.zeros(A.shape[1]),
            jac=lambda t, L=L: L @ t + A.T @ loss.derivative(sign, A @ t) / n,
            hess=lambda t, L=L: L + (A.T * loss.curvature(sign, A @ t)) @ A / n,
            method="trust-exact",
            options={"gtol": 1e-11, "maxiter": 500},
        )
        path = smooth_path(X, y, loss, [lam])
        assert abs(path.objective[0] - ref.fun) <= 1e-8 * ref.fun


@smooth
def test_the_order_of_penalties_is_kept_and_columns_stand_alone(loss):
    X, y = make("noisy")
    mixed = LAMS[[3, 0, 5, 1, 3]]
    path = smooth_path(X, y, loss, mixed, tol=1e-10)
    np.testing.assert_array_equal(path.coef[:, 0], path.coef[:, 4])
    for i, lam in enumerate(mixed):
        alone = smooth_path(X, y, loss, [lam], tol=1e-10)
        np.testing.assert_allclose(path.coef[:, i], alone.coef[:, 0], atol=1e-4)
        assert path.objective[i] == pytest.approx(alone.objective[0], rel=1e-9)


@smooth
@settings(max_examples=20)
@given(seed=st.integers(0, 10_000))
def test_whole_weights_are_repetitions(loss, seed):
    X, y = make("noisy", n=60, seed=seed)
    times = np.random.default_rng(seed).integers(1, 4, size=60)
    weighted = smooth_path(X, y, loss, [0.01], sample_weight=times * 7.0, tol=1e-10)
    repeated = smooth_path(np.repeat(X, times, 0), np.repeat(y, times), loss, [0.01], tol=1e-10)
    np.testing.assert_allclose(weighted.coef, repeated.coef, atol=1e-5)
    assert weighted.objective[0] == pytest.approx(repeated.objective[0], rel=1e-9)


@smooth
@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), shift=st.floats(-5, 5))
def test_flips_and_shifts(loss, seed, shift):
    X, y = make("noisy", n=60, seed=seed)
    path = smooth_path(X, y, loss, [0.1, 1e-3], tol=1e-11)
    flipped = smooth_path(X + shift, ~y, loss, [0.1, 1e-3], tol=1e-11)
    np.testing.assert_allclose(flipped.coef, -path.coef, atol=1e-5)
    np.testing.assert_allclose(
        (X + shift) @ flipped.coef + flipped.intercept,
        -(X @ path.coef + path.intercept),
        atol=1e-5,
    )


@smooth
def test_without_an_intercept_rows_are_not_centred(loss):
    X, y = make("noisy")
    path = smooth_path(X + 1.0, y, loss, [1e-3], fit_intercept=False, tol=1e-10)
    sign, w = np.where(y, 1.0, -1.0), path.coef[:, 0]
    assert path.intercept[0] == 0.0
    g = 1e-3 * w + (X + 1.0).T @ loss.derivative(sign, (X + 1.0) @ w) / X.shape[0]
    assert np.abs(g).max() < 1e-6


def few_rows(monkeypatch):
    """Let a thousand rows be many, of which 300 are drawn."""
    monkeypatch.setattr(objectives, "SAMPLE_ABOVE", 1000)
    monkeypatch.setattr(points, "SAMPLE_ABOVE", 1000)
    monkeypatch.setattr(points, "FEW_ROWS", 300)
    monkeypatch.setattr(points, "A_COLUMN", 1)


@smooth
def test_many_rows_take_their_hessian_from_a_sample(loss, monkeypatch):
    X, y = make("noisy", n=3000)
    whole = smooth_path(X + 3.0, y, loss, LAMS)
    few_rows(monkeypatch)
    sampled = smooth_path(X + 3.0, y, loss, LAMS)
    assert sampled.converged.all()
    np.testing.assert_allclose(sampled.objective, whole.objective, rtol=2e-6)
    plain = smooth_path(X, y, loss, LAMS, fit_intercept=False, sample_weight=np.ones(3000))
    assert plain.converged.all()


@smooth
@pytest.mark.parametrize("scale", [1.0, 300.0, 1e4])
def test_columns_and_rows_that_no_sample_shows(loss, scale, monkeypatch):
    X, y = make("noisy", n=3000)
    X[:, 3] = np.arange(3000) == 7  # one row has it
    X[11] *= scale  # from the solution of others this row is far off
    whole = smooth_path(X, y, loss, LAMS)
    few_rows(monkeypatch)
    sampled = smooth_path(X, y, loss, LAMS)
    assert sampled.converged.all()
    np.testing.assert_allclose(sampled.objective, whole.objective, rtol=2e-6)


@pytest.mark.parametrize("at", [-1e9, -60.0, 40.0])
def test_an_intercept_far_from_its_optimum_is_not_certified(at):
    X, y = make("imbalanced")
    risk = points.ExampleRisk(Logistic(), points.signs(y), None, True)
    problem = prepare(X, risk)
    theta = np.append(np.zeros(12), at)
    there = problem.at(theta, 1.0)
    found = certificate.Solution(there, risk.value(there.s), 1e-9, 1)
    inverse = Dense(np.asfortranarray(np.eye(13)))  # as if losses curved
    ended = certificate.finish(problem, found, inverse, 1.0, 1e-6)
    best = smooth_path(X, y, Logistic(), [1.0]).objective[0]
    assert ended.objective * (1.0 - min(ended.gap, 1.0)) <= best


def test_a_hessian_taken_anew_is_of_all_rows_with_their_mean_off(monkeypatch):
    few_rows(monkeypatch)
    X, y = make("noisy", n=3000)
    risk = points.ExampleRisk(Logistic(), points.signs(y), None, True)
    problem = prepare(X + 0.1, risk)
    at = problem.at(np.linspace(-1.0, 1.0, 13), 0.1)
    assert problem.mean is not None
    exact = risk.hessian(X + 0.1 - problem.mean, at.s)
    np.testing.assert_allclose(problem.hessian(at, again=True), exact, rtol=1e-9, atol=1e-12)
    assert not np.allclose(problem.hessian(at, again=False), exact, rtol=1e-3)


@smooth
@pytest.mark.parametrize("seed", range(4))
def test_rows_far_away_that_no_sample_shows(loss, seed, monkeypatch):
    rng = np.random.default_rng(seed)
    X = rng.standard_t(1, (3000, 6))
    y = X[:, 0] + 3.0 * rng.standard_normal(3000) > 0.0
    whole = smooth_path(X, y, loss, [1.0, 0.1])
    few_rows(monkeypatch)
    sampled = smooth_path(X, y, loss, [1.0, 0.1])
    assert sampled.converged.all()
    np.testing.assert_allclose(sampled.objective, whole.objective, rtol=2e-6)


@smooth
def test_a_rare_class_is_in_the_sample(loss, monkeypatch):
    X = make("noisy", n=3000)[0]
    y = np.zeros(3000, dtype=bool)
    y[np.argsort(X @ np.arange(12))[-40::8]] = True
    whole = smooth_path(X, y, loss, LAMS, sample_weight=X[:, 0] + 0.1)
    few_rows(monkeypatch)
    sampled = smooth_path(X, y, loss, LAMS, sample_weight=X[:, 0] + 0.1)
    assert sampled.converged.all()
    np.testing.assert_allclose(sampled.objective, whole.objective, rtol=2e-6)


@smooth
def test_no_penalty(loss):
    X, y = make("noisy")
    path = smooth_path(X, y, loss, [0.0, 1e-9], tol=1e-10)
    assert path.converged[0]
    assert path.objective[0] <= path.objective[1]
    assert path.objective[0] == pytest.approx(path.objective[1], rel=1e-3)


@pytest.mark.parametrize("loss", [Logistic(), Exponential()], ids=repr)
def test_no_penalty_on_separable_data_is_not_called_converged(loss):
    X, y = make("clean")
    path = smooth_path(X, y, loss, [0.0])
    assert not path.converged[0]
    assert path.n_iter[0] < 200
    assert np.isfinite(path.coef).all()


@smooth
def test_separable_data_and_a_tiny_penalty(loss):
    X, y = make("clean")
    path = smooth_path(X, y, loss, [1e-10])
    assert path.converged[0]
    assert ((X @ path.coef[:, 0] + path.intercept[0] > 0) == y).all()


@smooth
def test_a_step_is_taken_at_any_penalty(loss):
    X, y = make("noisy")
    path = smooth_path(X, y, loss, [1e6])
    assert np.abs(path.coef).max() > 0
    assert path.gap[0] <= 1e-6


@smooth
def test_features_that_say_nothing(loss):
    path = smooth_path(np.ones((10, 3)), np.arange(10) < 3, loss, [1.0, 0.1])
    assert path.converged.all()
    np.testing.assert_allclose(path.coef, 0.0, atol=1e-12)
    np.testing.assert_allclose(path.intercept, loss.link(0.3), atol=1e-4)


def test_few_iterations_are_said_not_to_be_enough():
    X, y = make("clean")
    path = smooth_path(X, y, Logistic(), [1e-8], max_iter=2)
    assert path.n_iter[0] == 2
    assert not path.converged[0]
    assert path.gap[0] > 1e-6


def test_labels_in_any_form():
    X, y = make("noisy")
    first = smooth_path(X, y, Logistic(), [0.1]).coef
    for form in (np.where(y, 1, -1), y.astype(float), y.astype(int), y.tolist()):
        np.testing.assert_array_equal(smooth_path(X, form, Logistic(), [0.1]).coef, first)


@smooth
@pytest.mark.parametrize("lam", [1e15, 1e17, 1e200])
@pytest.mark.parametrize("scale", [1.0, 1e-10])
def test_an_intercept_leaves_scores_distinct(loss, lam, scale):
    X, y = make("imbalanced")
    path = smooth_path(X * scale, y, loss, [lam, 1e-3])
    s = scores(X * scale, path.coef, path.offset)
    assert (np.sign(s) == np.sign(path.intercept)).all(axis=0)[0]
    for column, plain in zip(s.T, (X * scale @ path.coef).T, strict=True):
        assert np.unique(column).size == 300
        np.testing.assert_array_equal(np.argsort(column), np.argsort(plain))
    if scale == 1.0:
        assert path.offset[1] == path.intercept[1]
    constant = smooth_path(np.ones((10, 2)), np.arange(10) < 3, loss, [1.0])
    assert constant.offset == pytest.approx(constant.intercept)


def huge(value, where):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X[:, 0] + 0.5 * rng.normal(size=40) > 0
    if where == "cell":
        X[3, 1] = value
    if where == "two cells":
        X[3:5, 1] = value, -value
    if where == "column":
        X[:, 1] *= value / 4.0
    return X, y


@smooth
@pytest.mark.parametrize("lam", [1e-300, 1e-3, 1e300])
@pytest.mark.parametrize("where", ["two cells", "column"])
@pytest.mark.parametrize("value", [-3.4e38, 1e120, 1e149, 5e-324, 1e-310])
def test_extreme_values_never_pass_for_solved(loss, value, where, lam):
    X, y = huge(value, where)
    for found in (
        smooth_path(X, y, loss, [lam]),
        pair_path(X, PartialOrder.of_classes(y), loss, [lam]),
    ):
        P, gap = found.objective[0], found.gap[0]
        assert gap >= 0.0
        assert found.converged[0] == (gap <= 1e-6)
        assert not found.converged[0] or 0.0 <= P <= loss.at_zero * (1.0 + 1e-9)


@smooth
@pytest.mark.parametrize("where", ["cell", "two cells", "column"])
@pytest.mark.parametrize("value", [1e152, 1e200, -1.7e308, 1.7e308])
def test_features_whose_squares_overflow_are_refused(loss, value, where):
    X, y = huge(value, where)
    for path in (
        lambda: smooth_path(X, y, loss, [0.1]),
        lambda: pair_path(X, PartialOrder.of_classes(y), loss, [0.1]),
    ):
        with pytest.raises(FloatingPointError, match=r"column 1 of X .*scale the features"):
            path()


def test_means_are_taken_off_many_rows_where_they_would_swallow_digits(monkeypatch):
    X, y = make("noisy", n=3000)
    few_rows(monkeypatch)
    near = smooth_path(X, y, Logistic(), LAMS)
    far = smooth_path(X + 2.0**20, y, Logistic(), LAMS)
    assert far.converged.all()
    np.testing.assert_allclose(far.objective, near.objective, rtol=1e-6)


def test_what_cannot_be_solved_is_refused():
    X, y = make("noisy")
    with pytest.raises(ValueError, match="smooth"):
        smooth_path(X, y, Hinge(), [1.0])
    for lams in ([-1.0], [np.nan], [], [[1.0]]):
        with pytest.raises(ValueError, match="penalties"):
            smooth_path(X, y, Logistic(), lams)


@settings(max_examples=50)
@given(at=st.floats(1e-6, 1e6), power=st.sampled_from([1.0, 3.0, 0.34]), cliff=st.booleans())
def test_the_line_search_finds_a_flat_place(at, power, cliff):
    def along(t):
        if cliff and t > 3 * at:
            return np.inf, t
        gap = t / at - 1.0
        return np.sign(gap) * abs(gap) ** power, t

    t, found = derivative_search(along, -1.0)
    assert found == t > 0
    assert abs(along(t)[0]) <= 0.5


def test_the_line_search_gives_up_where_nothing_goes_down():
    assert derivative_search(lambda t: (np.nan, t), -1.0) == (0.0, None)
