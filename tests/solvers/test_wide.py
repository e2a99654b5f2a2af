"""Many columns: steps without a Hessian end where those with one do, and say how near."""

import numpy as np
import pytest
from scipy.optimize import minimize

from rankexp.losses import parse
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.path import pair_path
from rankexp.solvers.smooth import descent, limited
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
        monkeypatch.setattr(descent, "patience", (lambda X: 0) if yes else limited.patience)

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
    found = descent.Path(X, smooth_risk(y), 1.0, 1e-9, 500)
    found.go(1.0)
    memory = found.problem.memory
    moved, changed = memory.steps[-1]
    np.testing.assert_allclose(
        memory.times(changed + np.append(moved[:-1], 0.0)), moved, atol=1e-9 * abs(moved).max()
    )
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
