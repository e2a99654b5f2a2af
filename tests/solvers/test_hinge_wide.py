"""The pairwise hinge where rows are few for their columns, and classes come apart."""

import numpy as np
import pytest

from rankexp.solvers.hinge import iterate, newton, path
from rankexp.solvers.hinge.iterate import band_hessian
from rankexp.solvers.hinge.newton import _directions
from rankexp.solvers.hinge.pairs import hinge_pairs
from rankexp.solvers.hinge.path import hinge_path
from rankexp.solvers.hinge.sweep import sweep
from rankexp.solvers.pairs.partial_order import PartialOrder


def make(n, d, seed=0, levels=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    f = X @ rng.normal(size=d)
    level = np.searchsorted(np.quantile(f, np.arange(1, levels) / levels), f)
    costs = np.triu(np.ones((levels, levels)), 1)
    return X, PartialOrder.of(level, costs, None, rng.integers(1, 4, n).astype(float))


def differences(X, order):
    i, j = np.nonzero(order.costs.T[order.level[:, None], order.level] > 0.0)
    weight = order.weight[i] * order.weight[j]
    return X[i] - X[j], weight / weight.sum()


@pytest.mark.parametrize("levels", [2, 4])
def test_steps_by_scores_are_those_by_coefficients(levels):
    X, order = make(40, 60, 1, levels)
    pairs = hinge_pairs(X, order.whole())
    rng = np.random.default_rng(2)
    w = pairs.X.T @ rng.normal(size=40) / 60.0
    swept = sweep(pairs, pairs.scores(w), 0.3)
    g = pairs.X.T @ rng.normal(size=40)
    assert pairs.precision is not None
    for share in (1.0, 0.1):
        H = band_hessian(swept) / share + 0.01 * np.eye(pairs.X.shape[1])
        wanted = -np.linalg.solve(H, g)
        np.testing.assert_allclose(
            _directions(swept, 0.01)(share, g), wanted, rtol=1e-6, atol=1e-9
        )


def test_rows_that_span_too_little_have_no_such_steps():
    X, order = make(40, 60, 1)
    X[20:] = X[:20] + 1e-9 * X[20:]
    assert hinge_pairs(X, order.whole()).precision is None
    assert hinge_pairs(X[:, :30], order.whole()).precision is None


@pytest.mark.parametrize(("n", "d", "levels"), [(60, 80, 2), (80, 40, 2), (60, 60, 3)])
def test_a_separating_solution_serves_all_smaller_penalties(n, d, levels):
    X, order = make(n, d, 3, levels)
    lams = 10.0 ** -np.arange(8.0)
    path = hinge_path(X, order.whole(), lams)
    assert (path.gap <= 1e-6).all()
    D, share = differences(X, order)
    for k, lam in enumerate(lams):
        w, slope = path.coef[:, k], path.slope[:, k] @ X
        primal = 0.5 * lam * w @ w + share @ np.maximum(0.0, 1.0 - D @ w)
        assert path.objective[k] == pytest.approx(primal, rel=1e-9)
        alpha = 0.5 * np.abs(path.slope[:, k]).sum() if levels == 2 else None
        if alpha is not None:  # a mean over pairs: what either side of all pairs adds up to
            assert alpha - slope @ slope / (2.0 * lam) >= primal * (1.0 - 2e-6)
    alone = hinge_path(X, order.whole(), lams[-1:])
    assert alone.gap[0] <= 1e-6
    assert alone.objective[0] == pytest.approx(path.objective[-1], rel=3e-6)
    np.testing.assert_allclose(path.objective[-1] * 10.0, path.objective[-2], rtol=3e-6)


@pytest.mark.parametrize("d", [3, 60])
def test_usual_labels_need_no_hessian(d, monkeypatch):
    rng = np.random.default_rng(d)
    X = rng.standard_normal((500, d)) * 10.0 ** rng.uniform(-2, 2, d)
    s = X @ (rng.standard_normal(d) / X.std(axis=0)) / np.sqrt(d)
    order = PartialOrder.of_classes(s + rng.standard_normal(500) > 0.0)
    lams = [1.0, 0.1, 1e-2]
    with monkeypatch.context() as patched:
        patched.setattr(path, "PAIRS_A_COLUMN", np.inf)  # no steps from scales
        patched.setattr(path, "LARGE", np.inf)
        right = hinge_path(X, order, lams, tol=1e-8)
    monkeypatch.setattr(iterate, "band_hessian", None)
    found = hinge_path(X, order, lams)
    assert found.converged.all()
    assert right.converged.all()
    assert (found.objective * (1.0 - found.gap) <= right.objective).all()
    assert (found.objective >= right.objective * (1.0 - 2e-8)).all()


def test_where_pairs_are_few_hessians_are_taken(monkeypatch):
    rng = np.random.default_rng(0)
    X, level = rng.standard_normal((400, 40)), np.arange(400) % 2
    costs = np.triu(np.ones((2, 2)), 1)
    order = PartialOrder.of(level, costs, np.arange(400) // 4).whole()  # 400 pairs
    called = []
    tried = newton.quasi_newton
    monkeypatch.setattr(newton, "quasi_newton", lambda *a: called.append(len(a)) or tried(*a))
    assert hinge_path(X, order, [1e-3]).converged.all()
    assert called and max(called) == 6  # never without a Hessian
