"""Where descents over pairs begin: what normal differences would be like, which saves Hessians."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.sparse import csr_array
from scipy.stats import norm

from rankexp.losses import Exponential, Logistic, SquaredHinge
from rankexp.solvers.pairs.normal import NormalLoss
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.path import pair_path, pair_risk
from rankexp.solvers.pairs.squared_hinge import SquaredHingePairs
from rankexp.solvers.smooth.descent import Path

LOSSES = [Logistic(), SquaredHinge(), Exponential()]
MEAN, VARIANCES, LAM = np.array([0.4, -0.2, 0.1]), np.array([1.0, 0.25, 2.0]), 0.05


def objective(loss, w):
    mean, deviation = float(w @ MEAN), float(np.sqrt(VARIANCES @ w**2))
    density = norm(mean, deviation).pdf
    edges = mean - 8.0 * deviation, mean + 8.0 * deviation

    def one(u):
        return float(loss.of_margin(np.array([u]))[0]) * density(u)

    kink = [1.0] if edges[0] < 1.0 < edges[1] else None
    return 0.5 * LAM * w @ w + quad(one, *edges, points=kink, epsabs=1e-13, epsrel=1e-12)[0]


def slopes(loss, w, step=1e-3):
    moves = step * np.eye(3)
    return np.array([objective(loss, w + m) - objective(loss, w - m) for m in moves]) / (2 * step)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_solution_and_the_hessian_are_those_of_an_integral(loss):
    pairs = NormalLoss(MEAN, VARIANCES, loss)
    w = pairs.solution(LAM)
    assert np.abs(slopes(loss, w)).max() < 0.02 * np.abs(MEAN).max()
    H = np.array([slopes(loss, w + m) - slopes(loss, w - m) for m in 0.01 * np.eye(3)]) / 0.02
    B = pairs.inverse_at(w, LAM)
    assert B.flags.f_contiguous
    np.testing.assert_allclose(B, np.linalg.inv(H), atol=0.05 * np.abs(B).max())


def make(n=3000, d=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-1, 1, d) + 3.0
    s = (X - 3.0) / X.std(axis=0) @ rng.standard_normal(d)
    return X, PartialOrder.of_classes(s + 4.0 * rng.standard_normal(n) > 0.0)


@pytest.mark.parametrize("loss", LOSSES)
def test_columns_that_are_not_related_need_no_hessian(loss, monkeypatch):
    X, order = make()
    lams = [1e-1, 1e-3]
    with monkeypatch.context() as patched:
        patched.setattr(Path, "guess", staticmethod(lambda X, risk: None))
        right = pair_path(X, order, loss, lams, tol=1e-9)
    monkeypatch.setattr(type(pair_risk(loss, order)), "hessian", None)
    found = pair_path(X, order, loss, lams)
    assert found.converged.all()
    assert right.converged.all()
    assert (found.objective * (1.0 - found.gap) <= right.objective).all()
    assert (found.objective >= right.objective * (1.0 - 1e-9)).all()


def test_the_mean_is_that_of_all_differences():
    rng = np.random.default_rng(5)
    level, group, w = rng.integers(0, 3, 80), rng.integers(0, 4, 80), rng.uniform(0.5, 2.0, 80)
    costs, X = np.triu(rng.uniform(0.5, 2.0, (3, 3)), 1), rng.standard_normal((80, 5))
    for each in (False, True):
        order = PartialOrder.of(level, costs, group, w, each)
        share = np.ones(4) if order.share is None else order.share
        c = costs.T[level[:, None], level] * (group[:, None] == group) * share[group]
        c = c * w[:, None] * w / np.sum(c * w[:, None] * w)
        wanted = np.einsum("ij,ijk->k", c, X[:, None] - X)
        np.testing.assert_allclose(pair_risk(Logistic(), order).guess(X).mean, wanted, atol=1e-13)


def test_others_are_not_guessed():
    X, order = make()
    risk = pair_risk(Logistic(), order)
    assert Path.guess(X, risk) is not None
    assert Path.guess(csr_array(X), risk) is None
    for n, guessed in ((1200, False), (1300, True)):  # from 50,000 entries on Hessians are dear
        few, some = make(n)
        assert (Path.guess(few, pair_risk(Logistic(), some)) is not None) == guessed
    assert Path.guess(X + 5.0 * X[:, :1], risk) is None  # related
    assert Path.guess(np.sinh(2.0 * (X - 3.0) / X.std(axis=0)), risk) is None  # far rows


@pytest.mark.parametrize("scale", [np.inf, -np.inf, -1.0, 0.0, 1e9, 1e300])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_guess_of_the_hessian_that_is_none_does_no_harm(scale, loss, monkeypatch):
    X, order = make()
    right = pair_path(X, order, loss, [0.1])
    wrong = np.asfortranarray(np.full((40, 40), scale) if abs(scale) > 1e9 else scale * np.eye(40))
    monkeypatch.setattr(NormalLoss, "inverse_at", lambda *_: wrong.copy(order="F"))
    found = pair_path(X, order, loss, [0.1])
    assert found.converged.all()
    assert found.objective[0] == pytest.approx(right.objective[0], rel=2e-6)


@pytest.mark.parametrize("w", [1e3, -1e3, np.nan, np.inf])
def test_a_guess_that_is_none_does_no_harm(w, monkeypatch):
    X, order = make(n=9000)
    right = pair_path(X, order, SquaredHinge(), [0.1])
    monkeypatch.setattr(NormalLoss, "solution", lambda self, lam: np.full(40, w))
    found = pair_path(X, order, SquaredHinge(), [0.1])
    assert found.converged.all()
    assert found.objective[0] == pytest.approx(right.objective[0], rel=2e-6)


def test_where_steps_are_slow_a_sample_gives_the_hessian(monkeypatch):
    X, order = make(n=9000)
    right = pair_path(X, order, SquaredHinge(), [1e-3])
    monkeypatch.setattr(NormalLoss, "inverse_at", lambda *_: np.asfortranarray(0.1 * np.eye(40)))
    rows, hessian = [], SquaredHingePairs.hessian
    note = lambda risk, X, s: rows.append(len(X)) or hessian(risk, X, s)  # noqa: E731
    monkeypatch.setattr(SquaredHingePairs, "hessian", note)
    found = pair_path(X, order, SquaredHinge(), [1e-3])
    assert found.converged.all()
    assert rows
    assert max(rows) < 5000
    assert found.objective[0] == pytest.approx(right.objective[0], rel=2e-6)
