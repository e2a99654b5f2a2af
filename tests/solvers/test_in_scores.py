"""The hinge of pairs of wide sparse rows: few products, steps that go down, easier penalties."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from rankexp.estimators import OrdinalSVM
from rankexp.estimators.parameters import warn_unconverged
from rankexp.solvers.hinge import sparse
from rankexp.solvers.hinge.iterate import HingeIterate
from rankexp.solvers.hinge.pairs import hinge_pairs
from rankexp.solvers.hinge.path import hinge_path
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.result import PathResult
from rankexp.solvers.smooth import in_scores, steps
from rankexp.solvers.smooth.centring import prepare
from rankexp.solvers.smooth.in_rows import InRows
from rankexp.solvers.smooth.inverse import Memory


def wide_rows(n=150, d=600, K=2, seed=0, groups=1, weights=False):
    """Return sparse rows, more columns than rows, and an order of K levels."""
    rng = np.random.default_rng(seed)
    X = random_array((n, d), density=0.03, format="csr", rng=rng, data_sampler=rng.standard_normal)
    s = X @ rng.standard_normal(d) + rng.standard_normal(n)
    level = np.digitize(s, np.quantile(s, np.linspace(0, 1, K + 1)[1:-1]))
    group = rng.integers(0, groups, n)
    weight = rng.integers(1, 4, n).astype(float) if weights else None
    return csr_array(X), PartialOrder.of(level, np.triu(np.ones((K, K)), 1), group, weight).whole()


def rounded(half=0.1, **how):
    """Return the rounded risk, its problem in the rows, and a point."""
    X, order = wide_rows(**how)
    risk = sparse.RoundedPairs(hinge_pairs(X, order))
    risk.half = half
    wide = prepare(risk.pairs.X, risk)
    problem = InRows(wide)
    problem.sharp = 0.0
    a = np.random.default_rng(1).standard_normal(X.shape[0]) / 30.0
    theta = problem.pull(a)
    return wide, problem, risk, problem.at(theta, 0.01)


CASES = [{}, {"K": 3}, {"K": 3, "groups": 4}, {"weights": True, "groups": 2}]


@pytest.mark.parametrize("how", CASES)
def test_stiffness_is_the_curvature_of_each_score(how):
    _, _, risk, at = rounded(**how)
    n = at.s.size
    L = np.column_stack([risk.curved(at.s, at.r, one) for one in np.eye(n)])
    np.testing.assert_allclose(risk.stiffness(at.s), L.diagonal(), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(L, L.T, atol=1e-12 * L.max())
    assert np.abs(L.sum(axis=1)).max() <= 1e-12 * L.max()
    assert (L.diagonal() > 0.0).any()


@pytest.mark.parametrize("how", CASES)
@pytest.mark.parametrize("lam", [1e-1, 1e-4])
def test_a_direction_in_the_scores_is_that_of_newton(lam, how):
    wide, problem, risk, at = rounded(**how)
    n, X = problem.n, wide.X.toarray() - wide.mean
    L = np.column_stack([risk.curved(at.s, at.r, one) for one in np.eye(n)])
    H = X.T @ L @ X + lam * np.eye(X.shape[1])
    g = problem.gradient(at.r, at.theta, lam)
    memory = Memory(lambda: np.ones(2 * n), 0)
    problem.sharp = 1.0
    q = in_scores.InScores(problem, at, lam, memory, 1e-10 * problem.length(g)).times(g)
    right = np.linalg.solve(H, X.T @ g[:n])
    found = X.T @ q[:n]
    np.testing.assert_allclose(found, right, atol=1e-7 * np.abs(right).max())
    np.testing.assert_allclose(q[n:], X @ found, atol=1e-7 * np.abs(q[n:]).max())


def test_the_rest_of_a_direction_is_measured_and_not_estimated():
    wide, problem, risk, at = rounded()
    lam, n = 1e-3, problem.n
    X = wide.X.toarray() - wide.mean
    problem.norms = 1e-3 * problem.norms  # as if rows were much shorter than they are
    g = problem.gradient(at.r, at.theta, lam)
    for share in (1e-2, 1e-5):
        goal, problem.sharp = share * problem.length(g), 1.0
        memory = Memory(lambda: np.ones(2 * n), 0)
        q = in_scores.InScores(problem, at, lam, memory, goal).times(g)
        w = X.T @ q[:n]
        left = X.T @ (g[:n] - risk.curved(at.s, at.r, X @ w)) - lam * w
        assert np.linalg.norm(left) <= 1.001 * goal


@pytest.mark.parametrize("how", CASES)
def test_sparse_rows_end_where_dense_ones_do_at_any_penalty(how):
    X, order = wide_rows(**how)
    lams = [1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5]
    found = hinge_path(X, order, lams)
    dense = hinge_path(X.toarray(), order, lams)
    assert found.converged.all()
    assert dense.converged.all()
    both = found.gap + dense.gap + 1e-9
    assert (np.abs(found.objective - dense.objective) <= both * dense.objective).all()


@pytest.mark.parametrize("how", CASES)
def test_a_penalty_with_all_pairs_in_the_loss_takes_no_step(how):
    X, order = wide_rows(**how)
    least = hinge_pairs(X, order).together[1]
    lams = [3.0 * least, least * (1.0 + 1e-12), 0.9 * least]
    found, dense = hinge_path(X, order, lams), hinge_path(X.toarray(), order, lams)
    assert found.n_iter[:2].tolist() == [0, 0]
    assert found.n_iter[2] > 0
    assert found.converged.all()
    assert found.gap[:2].max() < 1e-10
    np.testing.assert_allclose(found.objective, dense.objective, rtol=2e-6)
    np.testing.assert_allclose(found.objective[:2], dense.objective[:2], rtol=1e-12)


@pytest.mark.parametrize("lam", [1e-1, 1e-3])
def test_a_point_is_judged_without_products_as_with_them(lam):
    wide, problem, risk, at = rounded()
    at = problem.at(at.theta, lam)
    primal, gap = risk.judge(problem, at, lam)
    w = problem.lifted(at.theta)
    right = HingeIterate.at(lam, w, at.s, risk.prepared(at.s))
    assert primal == pytest.approx(right.primal, rel=1e-12)
    assert gap == pytest.approx((right.primal - right.dual) / right.primal, rel=1e-9)
    assert wide is not None


@pytest.mark.parametrize("d", [100, 400])
def test_the_next_penalty_begins_where_the_last_one_ended(d, monkeypatch):
    X, order = wide_rows(n=200, d=d)
    lams = [1e-2, 1e-2 / 1.05]
    alone = hinge_path(X, order, lams[1:])
    begun, narrowing = [], sparse.narrowing
    monkeypatch.setattr(
        sparse, "narrowing", lambda *at: (begun.append(at[2].any()), narrowing(*at))[1]
    )
    both = hinge_path(X, order, lams)
    assert begun == [False, True]
    assert both.converged.all()
    assert both.objective[1] == pytest.approx(alone.objective[0], rel=2e-6)


def test_far_fewer_products_where_classes_come_apart(monkeypatch):
    # Conjugate gradients in the weights alone take 5,959.
    X, order = wide_rows(n=300, d=1500)
    products, pull = [], InRows.pulled
    monkeypatch.setattr(
        InRows, "pulled", lambda self, *at: (products.append(1), pull(self, *at))[1]
    )
    assert all(hinge_path(X, order, [lam]).converged.all() for lam in (1e-2, 1e-3, 1e-4))
    assert len(products) < 4500  # 3,036 here


@pytest.mark.parametrize("K", [2, 3])
def test_smaller_penalties_have_the_solution_of_a_larger_one(K, monkeypatch):
    X, order = wide_rows(n=60, d=600, K=K)
    asked, narrowing = [], sparse.narrowing
    monkeypatch.setattr(sparse, "narrowing", lambda *at: (asked.append(at[3]), narrowing(*at))[1])
    one = hinge_path(X, order, [1e-5])
    assert asked[0] == 1e-5
    assert asked[1] > 1e-4
    assert one.converged.all()
    asked.clear()
    path = hinge_path(X, order, [1e-3, 1e-4, 1e-5])
    assert len(asked) == 2  # at 1e-3, and what is easier; then never again
    assert path.converged.all()
    monkeypatch.setattr(sparse, "EASY", 0.0)
    asked.clear()
    plain = hinge_path(X, order, [1e-5])
    assert asked == [1e-5]
    assert one.objective[0] == pytest.approx(plain.objective[0], rel=one.gap[0] + plain.gap[0])
    assert path.objective[2] == pytest.approx(plain.objective[0], rel=path.gap[2] + plain.gap[0])


@pytest.mark.parametrize("seed", range(4))
def test_small_objectives_are_known_to_nine_digits(seed):
    X, order = wide_rows(n=60, d=600, seed=seed)
    for lam in (1e-4, 1e-5, 2e-6):
        found = hinge_path(X, order, [lam])
        w = found.coef[:, 0].astype(np.longdouble)
        s = X.toarray().astype(np.longdouble) @ w
        z = 1.0 - s[order.level == 1][:, None] + s[order.level == 0]
        right = np.maximum(z, 0.0).mean() + 0.5 * lam * (w @ w)
        assert found.converged[0]
        assert found.objective[0] == pytest.approx(float(right), rel=1e-9)


@pytest.mark.parametrize("further", [0.1, 1e-9])
def test_a_solution_that_parts_not_all_pairs_is_solved_on_from(further, monkeypatch):
    X, order = wide_rows()
    monkeypatch.setattr(sparse, "FURTHER", further)
    monkeypatch.setattr(sparse, "USUAL", 5.0)  # far too large: some pairs are in the loss
    asked, narrowing = [], sparse.narrowing
    monkeypatch.setattr(sparse, "narrowing", lambda *at: (asked.append(at[3]), narrowing(*at))[1])
    lam = 1e-4
    found = hinge_path(X, order, [lam])
    assert len(asked) > 2
    assert asked[1:] == sorted(asked[1:], reverse=True)
    assert asked[-1] > lam if further == 0.1 else asked[2:] == [lam]
    assert found.converged.all()
    right = hinge_path(X.toarray(), order, [lam])
    assert found.objective[0] == pytest.approx(
        right.objective[0], rel=found.gap[0] + right.gap[0] + 1e-9
    )


def test_a_longer_solution_that_is_worse_is_not_taken(monkeypatch):
    X, order = wide_rows(n=80, d=800)

    def scaled(self, *_):
        return sparse.Best(1e9, 0.0, 1e6 * self.w, 1e6 * self.s, self.residual, self.alpha)

    monkeypatch.setattr(sparse.Best, "scaled", scaled)
    assert hinge_path(X, order, [1e-5], max_iter=6).objective[0] < 1.0


def test_where_steps_run_out_there_is_a_point():
    X, order = wide_rows()
    for lam in (1e-3, 1e-6):
        for most in (1, 2, 5, 12):
            found = hinge_path(X, order, [lam], max_iter=most)
            assert np.isfinite(found.objective).all()
            assert found.objective[0] <= 1.5  # w = 0 has 1


def test_a_step_between_kinks_goes_down():
    def along(t):  # falls to 0.1, then rises slowly: at 1 the derivative is small
        return (-1.0 if t < 0.1 else 0.4), t

    assert steps.derivative_search(along, -1.0) == (1.0, 1.0)
    t, _ = steps.derivative_search(along, -1.0, kinked=True)
    assert 0.05 < t < 0.1


def test_a_search_along_a_way_that_does_not_go_down_goes_nowhere():
    for start in (0.0, 1e-9, np.nan):
        assert steps.derivative_search(lambda t: (0.0, t), start) == (0.0, None)


def test_steps_that_go_to_and_fro_turn_to_rough_directions_again():
    wide, problem, _, at = rounded()
    problem.memory = Memory(lambda: np.ones(2 * problem.n), 0)
    run = in_scores.RoundedDescent(problem, at, 1e-3, 1e-3)
    run.n_iter, seen = 2, []
    for _ in range(7):
        run.before = 0.0  # each step is slow
        run.refresh()
        seen.append(problem.sharp)
    assert seen[0] == in_scores.SHARPER
    assert seen[1] < seen[0]
    assert 0.0 in seen
    assert min(x for x in seen if x) >= in_scores.SHARPEST
    assert wide is not None


def test_rows_more_than_columns_stay_in_the_weights(monkeypatch):
    class Unused(sparse.InRows):
        def __init__(self, wide):
            raise AssertionError("the weights are fewer")

    monkeypatch.setattr(sparse, "InRows", Unused)
    X, order = wide_rows(n=80, d=60)
    assert hinge_path(X, order, [1e-2, 1e-5]).converged.all()


def test_rounding_in_the_rows_is_told_by_what_cancels_in_the_weights():
    wide, problem, risk, at = rounded()
    risk.easier = 1.0
    noise = np.finfo(float).eps * problem.radius * np.abs(at.theta[: problem.n]) @ problem.norms
    for half, leaves in ((150.0 * noise, False), (50.0 * noise, True)):
        risk.half, risk._last = half, None
        assert risk.leaves(problem, at, 0.01) == leaves
    assert not risk.leaves(wide, wide.at(problem.lifted(at.theta), 0.01), 0.01)


@pytest.mark.parametrize("lam", [1e-1, 1e-3])
def test_where_rounding_in_the_rows_fills_the_band_steps_go_on_in_the_weights(lam, monkeypatch):
    X, order = wide_rows()
    right = hinge_path(X, order, [lam])
    monkeypatch.setattr(sparse, "ROUGH", 0.0)
    monkeypatch.setattr(sparse, "EASY", 0.0)
    ways, narrowing = [], sparse.narrowing
    monkeypatch.setattr(sparse, "narrowing", lambda *at: (ways.append(at[0]), narrowing(*at))[1])
    found = hinge_path(X, order, [lam])
    assert [isinstance(way, InRows) for way in ways] == [True, False]
    assert found.converged.all()
    assert found.objective[0] == pytest.approx(right.objective[0], rel=2e-6)


def test_a_column_far_larger_than_the_others():
    X, order = wide_rows(n=80, d=300)
    column = 1e3 * np.random.default_rng(0).random((80, 1))
    X = csr_array(np.hstack([X.toarray(), column]))
    found, dense = hinge_path(X, order, [1e-4]), hinge_path(X.toarray(), order, [1e-4])
    assert found.gap[0] <= 1e-6
    assert found.objective[0] == pytest.approx(dense.objective[0], rel=1e-5)


def test_a_tiny_penalty_of_rows_in_both_classes():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.standard_normal((12, 30)), 2, axis=0)  # so that none come apart
    X[::5] += 0.1
    order = PartialOrder.of_classes(np.arange(24) % 2 == 0).whole()
    lams = [1e-12, 1e-10, 1e-8]
    found, dense = hinge_path(csr_array(X), order, lams), hinge_path(X, order, lams)
    assert (found.gap <= 1e-6).all()
    assert (found.objective > 0.1).all()
    np.testing.assert_allclose(found.objective, dense.objective, rtol=3e-6)


@pytest.mark.parametrize("seed", [48, 106, 154, 635])
def test_a_point_worse_than_0_is_not_returned(seed):
    rng = np.random.default_rng(seed)
    n, d, far = int(rng.integers(4, 14)), int(rng.integers(1, 12)), rng.choice([4, 6, 8, 10])
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-far, far, size=(n, d))
    order = PartialOrder.of_classes(np.arange(n) % 2 == 1).whole()
    found = hinge_path(csr_array(X), order, [1e-8], max_iter=30)
    assert found.objective[0] <= 1.0 + 1e-9


def test_terms_of_ordinal_regression_stay_in_the_weights(monkeypatch):
    monkeypatch.delattr(in_scores.InScores, "_scaled")
    X, order = wide_rows(K=3)
    assert OrdinalSVM(lam=1e-5).fit(X, order.level).gap_ <= 1e-6


def test_an_objective_with_too_few_digits_is_not_said_to_have_a_large_gap():
    one = np.ones(1)
    found = PathResult(one[:, None], one, one, 1e-8 * one, np.array([3]), np.array([False]))
    with pytest.warns(UserWarning, match="rounding leaves too few digits of the objective; raise"):
        warn_unconverged("hinge", found, one, 1e-6)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        warn_unconverged("hinge", found, one, 1e-9)
    assert "relative gap 1.0e-08 > tol 1e-09" in str(said[0].message)
