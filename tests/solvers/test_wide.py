"""Many columns: steps without a Hessian end where those with one do, and say how near."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array

from rankexp.losses import parse
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.path import pair_path
from rankexp.solvers.rows import by_parts, short
from rankexp.solvers.smooth import certificate, descent, limited, objective
from rankexp.solvers.smooth.inverse import Memory
from rankexp.solvers.smooth.path import ExampleRisk, signs, smooth_path

LAMS = [1e-1, 1e-3, 1e-5]
SHAPES = {"tall": (300, 120), "wide": (110, 400)}
KINDS = ("normal", "far", "near copies")


def rows(shape, kind):
    rng = np.random.default_rng(7)
    n, d = SHAPES[shape]
    X = rng.standard_normal((n, d))
    if kind == "far":
        X = 1e3 + X * 10.0 ** rng.integers(-2, 3, d)
    if kind == "near copies":
        X = X[:, :1] + 0.02 * X
    y = (X - X.mean(axis=0)) @ rng.standard_normal(d) / X.std() + rng.logistic(size=n) > 0
    return np.ascontiguousarray(X), y


def path(what, X, y, lams=LAMS, tol=1e-6, max_iter=500):
    loss, risk = what.split()
    if risk == "points":
        return smooth_path(X, y, parse(loss), lams, tol=tol, max_iter=max_iter)
    order = PartialOrder.of_classes(y)
    return pair_path(X, order, parse(loss), lams, tol=tol, max_iter=max_iter)


def smooth_risk(y):
    return ExampleRisk(parse("logistic"), signs(y), None, True)


@pytest.fixture
def cheap(monkeypatch):
    """Hessians from the start, as with few columns."""

    def use(yes):
        monkeypatch.setattr(descent, "patience", (lambda *_: 0) if yes else limited.patience)

    return use


@pytest.mark.parametrize("what", ["logistic points", "squared_hinge points", "logistic pairs"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_both_ways_end_within_their_gaps(what, kind, shape, cheap):
    X, y = rows(shape, kind)
    cheap(False)
    found = path(what, X, y)
    cheap(True)
    right = path(what, X, y, tol=1e-9)
    assert found.converged.all()
    above = found.objective / right.objective - 1.0
    assert (above <= found.gap + 1e-9).all()  # the gap is of the objective found
    assert (above >= -right.gap - 1e-9).all()


def test_the_objective_is_that_of_the_coefficients():
    X, y = rows("wide", "normal")
    found = path("logistic points", X, y)
    s = X @ found.coef + found.intercept
    risk = np.logaddexp(0.0, -np.where(y, 1.0, -1.0)[:, None] * s).mean(axis=0)
    ridge = 0.5 * np.array(LAMS) * (found.coef**2).sum(axis=0)
    np.testing.assert_allclose(found.objective, risk + ridge, rtol=1e-9)


def test_no_hessian_is_taken_of_independent_columns(monkeypatch):
    X, y = rows("tall", "normal")
    monkeypatch.setattr(descent.Path, "take_hessians", lambda *_: pytest.fail("a Hessian"))
    assert path("logistic points", X, y, [1.0, 0.1]).converged.all()


def test_what_is_remembered_tells_the_last_step():
    """The change of the gradient leads back to the step, and the inverse is symmetric."""
    X, y = rows("tall", "normal")
    found = descent.Path(X, smooth_risk(y), np.array([1.0]), 1e-9, 500)
    found.go(1.0)
    memory = found.problem.memory
    moved, changed, level = memory.steps[-1]
    assert level == memory.level
    np.testing.assert_allclose(
        memory.times(changed + np.append(moved[:-1], 0.0)), moved, atol=1e-9 * abs(moved).max()
    )
    memory.level *= 0.5  # where losses curve half as much, so does the risk along a step
    bent = 0.5 * changed + np.append(moved[:-1], 0.0)
    np.testing.assert_allclose(memory.times(bent), moved, atol=1e-9 * abs(moved).max())
    u, v = np.random.default_rng(1).standard_normal((2, moved.size))
    assert u @ memory.times(v) == pytest.approx(v @ memory.times(u), rel=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_hessians_are_taken_where_steps_do_not_do(shape, monkeypatch):
    X, y = rows(shape, "near copies")
    taken = []
    whole = descent.Path.take_hessians
    monkeypatch.setattr(
        descent.Path, "take_hessians", lambda path, lam: (taken.append(lam), whole(path, lam))
    )
    found = path("logistic points", X, y, [1e-1, 1e-6, 0.0][:2])
    assert len(taken) == 1
    assert found.converged.all()


def test_a_path_may_end_without_a_penalty(cheap):
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((400, 100)), rng.random(400) > 0.5
    found = path("logistic points", X, y, [0.1, 0.0])
    cheap(True)
    right = path("logistic points", X, y, [0.1, 0.0])
    np.testing.assert_allclose(found.objective, right.objective, rtol=2e-6)
    assert found.gap[1] <= 1e-6


def test_steps_are_counted_and_bounded():
    X, y = rows("tall", "normal")
    found = path("logistic points", X, y, [1e-5], max_iter=3)
    assert found.n_iter[0] <= 3
    assert not found.converged[0]
    assert found.gap[0] > 1e-6


@pytest.mark.slow
def test_a_sample_of_many_rows_begins():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60_000, 100))
    y = X[:, :5].sum(axis=1) + rng.logistic(size=60_000) > 0
    found = path("logistic points", X, y, [1e-2])
    signs = np.where(y, 1.0, -1.0)

    def objective(theta):
        z = signs * (X @ theta[:-1] + theta[-1])
        r = -signs / (1.0 + np.exp(z)) / y.size
        value = np.logaddexp(0.0, -z).mean() + 5e-3 * theta[:-1] @ theta[:-1]
        return value, np.append(r @ X + 1e-2 * theta[:-1], r.sum())

    best = minimize(objective, np.zeros(101), jac=True, method="L-BFGS-B", tol=1e-12)
    assert found.objective[0] <= best.fun * (1 + 1e-6)


@pytest.mark.parametrize("what", ["logistic points", "squared_hinge points", "logistic pairs"])
@pytest.mark.parametrize("shape", SHAPES)
def test_rough_steps_end_where_precise_ones_do(what, shape, monkeypatch):
    X, y = rows(shape, "normal")
    taken = []
    whole = objective.Objective.gradient
    monkeypatch.setattr(
        objective.Objective,
        "gradient",
        lambda at, *args: (taken.append(at.X.dtype), whole(at, *args))[1],
    )
    rough = path(what, X, y)
    assert {np.dtype(np.float32), np.dtype(np.float64)} == set(taken)
    assert (rough.objective / path(what, X, y, tol=1e-10).objective - 1.0 <= rough.gap).all()
    taken.clear()
    monkeypatch.setattr(limited, "SMALL", np.inf)
    precise = path(what, X, y)
    assert set(taken) == {np.dtype(np.float64)}
    np.testing.assert_allclose(rough.objective, precise.objective, rtol=2e-6)


@pytest.mark.parametrize("scale", [1e-30, 1e-14, 1e14, 1e30])
def test_any_unit_of_the_features_will_do(scale):
    X, y = rows("tall", "normal")
    plain = path("logistic points", X, y)
    found = path("logistic points", scale * X, y, np.array(LAMS) * scale**2)
    assert found.converged.all()
    np.testing.assert_allclose(found.objective, plain.objective, rtol=2e-6)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_small_tolerance_is_reached(shape):
    X, y = rows(shape, "normal")
    found = path("logistic points", X, y, tol=1e-11)
    assert (found.gap <= 1e-11).all()


@pytest.mark.parametrize("far", [0.0, 0.1, 50.0])
def test_scores_summed_in_parts_spare_twice_the_precision(far, monkeypatch):
    rng = np.random.default_rng(6)
    X, y = far + rng.standard_normal((300, 600)), rng.random(300) < 0.5
    plain = path("logistic points", X, y, [1.0])
    monkeypatch.setattr(certificate, "refine", lambda *_: pytest.fail("in twice the precision"))
    used = []
    monkeypatch.setattr(certificate, "by_parts", lambda *of: (used.append(1), by_parts(*of))[1])
    run = descent.Path(X, smooth_risk(y), np.array([1.0]), 1e-6, 500)
    run.run(1.0, 500)
    w = run.at.theta[: X.shape[1]]
    solved = certificate.Solution(run.at, run.value + 0.5 * w @ w, 1e-7, 1)
    errors = [certificate.rounding(run.problem, solved, False, terms) for terms in (0, 100)]
    assert errors[1].risk < 0.5 * errors[0].risk
    monkeypatch.setattr(certificate, "VALUE", 0.9 * errors[0].risk / solved.objective)
    found = path("logistic points", X, y, [1.0])
    assert used
    np.testing.assert_allclose(found.objective, plain.objective, rtol=1e-12)


def test_sums_in_parts_round_as_little_as_is_said():
    rng = np.random.default_rng(0)
    A, v = rng.standard_normal((20, 3000)), rng.standard_normal(3000)
    A[:, 1500:] = A[:, :1500]
    v[1500:] = -v[:1500]  # the sums are 0
    size = np.abs(A) @ np.abs(v)
    assert (np.abs(by_parts(A, v)) <= short(3000) * np.finfo(float).eps * size).all()
    assert short(3000) < 120


def test_the_penalty_of_what_is_remembered_changes():
    squares, rng = np.ones(6), np.random.default_rng(0)
    moved, changed = rng.standard_normal((2, 6))
    changed *= np.sign(moved @ changed)
    for scales in (True, False):
        memory = Memory(lambda: squares, 4, scales)
        for ridge in (0.5, 2.0):
            memory.penalise(np.full(6, ridge))
            if not memory.steps:
                memory.remember(moved, changed)
            np.testing.assert_allclose(memory.times(changed + ridge * moved), moved, rtol=1e-9)


@pytest.mark.parametrize("sparse", [False, True])
def test_the_mean_of_rows_that_are_not_centred_is_remembered(sparse):
    rng = np.random.default_rng(2)
    X, y = rng.random((300, 120)) * (rng.random((300, 120)) < 0.3), rng.random(300) < 0.6
    given = csr_array(X) if sparse else X
    risk = ExampleRisk(parse("logistic"), signs(y), None, False)
    run = descent.Path(given, risk, np.array([0.1]), 1e-6, 500)
    for lam in (0.1, 1e-2):
        run.go(lam)
    memory = run.problem.memory
    assert memory.fixed == 1
    np.testing.assert_allclose(memory.steps[0][0], X.mean(axis=0), rtol=1e-9)
    near = descent.Path(X - X.mean(axis=0), risk, np.array([0.1]), 1e-6, 500)
    assert near.problem.memory.fixed == 0
    found = smooth_path(given, y, parse("logistic"), [0.1, 1e-3], fit_intercept=False)
    right = smooth_path(X[:, :], y, parse("logistic"), [0.1, 1e-3], fit_intercept=False, tol=1e-10)
    assert (found.objective / right.objective - 1.0 <= found.gap + 1e-10).all()


@pytest.mark.parametrize("shape", [(600, 600), (200, 1000)])
def test_rows_far_from_0_take_no_more_steps_than_centred_ones(shape):
    rng = np.random.default_rng(0)
    X = rng.random(shape)
    y = (X - 0.5) @ rng.standard_normal(shape[1]) + rng.logistic(size=shape[0]) > 0

    def steps(X):
        run = descent.Path(
            X, ExampleRisk(parse("logistic"), signs(y), None, False), np.array([1e-3]), 1e-6, 500
        )
        run.go(1e-3)
        assert run.tries > 0  # no Hessian was needed
        return run.found[0].n_iter

    assert steps(X) <= 1.2 * steps(X - X.mean(axis=0))


def test_a_step_tells_of_the_curvature_beside_the_mean():
    rng = np.random.default_rng(3)
    H = np.diag([1e4, 1.0, 1.0, 1.0])  # along the mean losses curve far more
    memory = Memory(lambda: np.ones(4))
    mean = np.eye(4)[0]
    memory.remember(mean, H @ mean, always=True)
    moved = rng.standard_normal(4)
    memory.remember(moved, H @ moved)
    assert memory.curvature == pytest.approx(1.0)
    np.testing.assert_allclose(memory.times(H @ np.ones(4)), np.ones(4), rtol=1e-6)


@pytest.mark.parametrize("lams", [[1e-2, 1e-4], [1e-2, 0.0]])
def test_columns_without_entries_have_no_weight(lams):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((200, 60)) * (rng.random((200, 60)) < 0.2)
    X[:, rng.random(60) < 0.5] = 0.0
    y = X.sum(axis=1) + rng.logistic(size=200) > 0
    found = smooth_path(csr_array(X), y, parse("logistic"), lams, tol=1e-9)
    right = smooth_path(X, y, parse("logistic"), lams, tol=1e-9)
    assert (found.coef[~X.any(axis=0)] == 0.0).all()
    np.testing.assert_allclose(found.coef, right.coef, atol=1e-3)
    np.testing.assert_allclose(found.objective, right.objective, rtol=2e-9)
    none = smooth_path(csr_array((200, 60)), y, parse("logistic"), [0.1])
    assert not none.coef.any()
