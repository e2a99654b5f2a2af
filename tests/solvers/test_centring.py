"""Means and scales from some rows, and norms that are known: they guide steps, and no more."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankexp.losses import Logistic, SquaredHinge
from rankexp.solvers.rows import constant_columns
from rankexp.solvers.smooth import centring, limited, steps
from rankexp.solvers.smooth import objective as objectives
from rankexp.solvers.smooth import path as points
from rankexp.solvers.smooth.path import smooth_path

LAMS = [1.0, 0.1, 1e-2, 1e-4]


def some(monkeypatch):
    """Let means come from some 100 rows, and scales from 50."""
    for room in (objectives, centring):
        monkeypatch.setattr(room, "SOME", 50)
    monkeypatch.setattr(centring, "A_COLUMN", 1)


def make(kind, n=3000, d=100):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, d))
    if kind == "rare":
        X[:, :60] = rng.random((n, 60)) < 1e-3  # no column of zeros alone
        X[np.arange(60), np.arange(60)] = 1.0
    elif kind == "sorted":
        X = X[np.argsort(X[:, 0])]
    elif kind == "in turn":
        X += 4.0 * rng.standard_normal((9, d))[np.arange(n) % 9]
    elif kind == "constant":
        X[:, 7] = 1e3
    s = (X - X.mean(axis=0)) @ rng.standard_normal(d) / 10.0
    y = s + rng.logistic(size=n) > 0.0
    return X, y


@pytest.mark.parametrize("kind", ["plain", "rare", "sorted", "in turn", "constant"])
@pytest.mark.parametrize("loss", [Logistic(), SquaredHinge()], ids=repr)
def test_some_rows_guide_the_steps(kind, loss, monkeypatch):
    X, y = make(kind)
    whole = smooth_path(X, y, loss, LAMS)
    some(monkeypatch)
    assert centring.some_rows(X, 50).shape[0] < 100
    found = smooth_path(X, y, loss, LAMS)
    assert found.converged.all()
    np.testing.assert_allclose(found.objective, whole.objective, rtol=2e-6)
    assert (found.n_iter <= 3 * whole.n_iter + 10).all()
    assert kind != "constant" or not found.coef[7].any()


def test_columns_that_some_rows_do_not_show_have_their_own_scale(monkeypatch):
    X, y = make("rare")
    some(monkeypatch)
    X[:, 60] += 1e3  # far off, beside what varies
    risk = points.ExampleRisk(Logistic(), points.signs(y), None, True)
    problem = centring.prepare(X, risk, reduced=False)
    assert (centring.some_rows(X, 50)[:, :60] == 0.0).all(axis=0).any()
    right = ((X - problem.centre) ** 2).mean(axis=0)
    np.testing.assert_allclose(problem.squares[:60], right[:60], rtol=30.0)
    assert (problem.squares[:60] > 0.03 * right[:60]).all()
    np.testing.assert_allclose(problem.squares[60:100], right[60:], rtol=0.9)


@given(st.integers(0, 10**6), st.integers(1, 200), st.floats(-3.0, 14.0), st.booleans())
def test_mean_squares_are_those_of_the_rows_less_their_means(seed, n, power, whole):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6)) * 10.0 ** rng.uniform(-5, 5, 6)
    X[:, ::3] += 10.0**power
    X[:, 5] = 10.0**power / 3.0
    mean = X.mean(axis=0) if whole else X[0].copy()
    right = np.mean((X.astype(np.longdouble) - mean) ** 2, axis=0).astype(float)
    squares, eps = np.mean(X**2, axis=0), np.finfo(float).eps
    cancelled = right < 0.5 * objectives.CANCELLED * squares
    rounded = 4.0 * (n + 4.0) * eps * np.where(cancelled, right, squares + mean**2)
    found = objectives.spread(X, mean)
    assert (np.abs(found - right) <= rounded).all()
    np.testing.assert_allclose(objectives.spread(X, None), squares, rtol=1e-12)


def test_columns_are_constant_only_if_all_numbers_are_equal():
    X = np.random.default_rng(0).standard_normal((500, 4))
    X[:, 1] = 0.1
    X[:400, 2] = 0.1
    np.testing.assert_array_equal(constant_columns(X), [1])
    np.testing.assert_array_equal(constant_columns(X[:50]), [1, 2])


@pytest.mark.parametrize("shift", [0.0, 1.0, 1e3])
@pytest.mark.parametrize("many", [False, True])
def test_norms_that_are_known_change_nothing(shift, many, monkeypatch):
    if many:
        monkeypatch.setattr(points, "SAMPLE_ABOVE", 600)
        monkeypatch.setattr(points, "FEW_ROWS", 100)
    X, y = make("plain")
    X += shift
    how = {"norms": np.linalg.norm(X, axis=1)}
    before = how["norms"].copy()
    found, right = smooth_path(X, y, Logistic(), LAMS, **how), smooth_path(X, y, Logistic(), LAMS)
    np.testing.assert_array_equal(how["norms"], before)
    np.testing.assert_allclose(found.coef, right.coef, rtol=1e-9, atol=1e-12)
    assert found.converged.all()


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("offset", [0.2, 5.0])
def test_hessians_after_steps_know_where_the_rows_were_centred(many, offset, monkeypatch):
    some(monkeypatch)
    for name, value in {"PASSES": 1e9, "LEAST_STEPS": 2}.items():  # soon at their end
        monkeypatch.setattr(limited, name, value)
    if many:  # but not so many that steps begin on a sample
        monkeypatch.setattr(points, "SAMPLE_ABOVE", 1000)
        monkeypatch.setattr(points, "FEW_ROWS", 300)
        monkeypatch.setattr(points, "A_COLUMN", 1)
    X, y = make("in turn")
    X[:, 0] += np.linspace(-5.0, 5.0, 3000)
    X += offset
    lams = [1e4, 1e-2, 1e-3]
    found = smooth_path(X, y, Logistic(), lams)
    assert found.converged.all()
    z = np.where(y, 1.0, -1.0)[:, None] * (X @ found.coef + found.intercept)
    right = np.logaddexp(0.0, -z).mean(axis=0) + 0.5 * np.array(lams) * (found.coef**2).sum(axis=0)
    np.testing.assert_allclose(found.objective, right, rtol=1e-9)


def test_an_intercept_goes_no_farther_than_losses_curve():
    X, y = make("plain", d=5)
    y = np.arange(3000) < 3  # else no one step makes the derivative smaller
    risk = points.ExampleRisk(Logistic(), points.signs(y), None, True)
    problem = centring.prepare(X, risk)
    at = problem.at(np.array([500.0, -700.0, 100.0, 0.0, 0.0, 300.0]), 1e-8)
    size = abs(at.s).max()
    assert 0.0 < risk.bend(at.s) < 1e-2
    steps.polish(problem, at, 1e-8, 1e80, 1e-12)  # as if they hardly curved anywhere
    assert abs(at.theta[-1]) < 10.0 * size
