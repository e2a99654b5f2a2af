"""Weights as combinations of few sparse rows, and columns that are not related: both end alike."""

import gc
import weakref

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from rankexp.estimators import LinearRanker, ProportionalOdds
from rankexp.estimators.labels import best_threshold
from rankexp.losses import parse
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.path import pair_path
from rankexp.solvers.rows import CHECKED, as_rows
from rankexp.solvers.smooth import centring, certificate, descent, in_rows, limited, objective
from rankexp.solvers.smooth import path as points
from rankexp.solvers.smooth.inverse import Memory
from rankexp.solvers.smooth.path import ExampleRisk, signs, smooth_path

LAMS = [1e-1, 1e-5, 1e-3]


def sparse_rows(n=60, d=400, far=False):
    rng = np.random.default_rng(n + d)
    X = random_array((n, d), density=0.05, format="csr", rng=rng, data_sampler=rng.standard_normal)
    X.data += 3.0 if far else 0.0
    y = X @ rng.standard_normal(d) + rng.logistic(size=n) > 0.0
    return csr_array(X), y


def solve(what, X, y, **how):
    loss, risk, *free = what.split()
    if risk == "points":
        return smooth_path(X, y, parse(loss), LAMS, fit_intercept=bool(free), **how)
    return pair_path(X, PartialOrder.of_classes(y), parse(loss), LAMS, **how)


@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize(
    "what",
    [
        "logistic points b",
        "logistic points",
        "squared_hinge points b",
        "logistic pairs",
        "squared_hinge pairs",
    ],
)
def test_steps_in_the_rows_end_where_those_in_the_columns_do(what, far, monkeypatch):
    X, y = sparse_rows(far=far)
    used = []
    lifted = in_rows.InRows.lifted
    monkeypatch.setattr(in_rows.InRows, "lifted", lambda *args: (used.append(1), lifted(*args))[1])
    rows = solve(what, X, y)
    assert used
    used.clear()
    monkeypatch.setattr(in_rows, "FEWER", np.inf)
    columns, right = solve(what, X, y), solve(what, X.toarray(), y, tol=1e-11)
    assert not used
    for found in (rows, columns):
        assert found.converged.all() or far  # then rounding may forbid it
        assert (found.objective <= right.objective * (1.0 + found.gap + 1e-9)).all()
        assert (found.objective >= right.objective * (1.0 - 1e-9)).all()


@pytest.mark.parametrize("intercept", [True, False])
def test_products_in_the_rows_are_those_of_the_weights(intercept):
    X, y = sparse_rows()
    risk = ExampleRisk(parse("logistic"), signs(y), None, intercept)
    wide = centring.prepare(X, risk)
    few = in_rows.in_rows(wide)
    rng, n = np.random.default_rng(0), X.shape[0]
    u, v = (few.pull(rng.standard_normal(n)) for _ in range(2))
    (uw, ub), (vw, vb) = ((p[:400], p[400:]) for p in (few.lifted(u), few.lifted(v)))
    centred = X.toarray() - (X.toarray().mean(axis=0) if intercept else 0.0)
    np.testing.assert_allclose(uw, u[:n] @ centred, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(few.product(u), centred @ uw + ub.sum(), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(few.of_weights(u, v), uw @ vw, rtol=1e-9)
    np.testing.assert_allclose(few.inner(u, v), uw @ vw + ub @ vb, rtol=1e-9)
    moved = u.copy()
    moved[n : 2 * n] = 0.0  # scores are worked out anew, whatever they were
    np.testing.assert_allclose(few.at(moved, 0.1).s, few.product(u), rtol=1e-9, atol=1e-12)
    assert in_rows.in_rows(wide) is few
    assert in_rows.in_rows(centring.prepare(X[:, :100], risk)) is None


def test_the_mean_of_rows_is_remembered_in_the_rows():
    X, y = sparse_rows(150, far=True)
    risk = ExampleRisk(parse("logistic"), signs(y), None, False)
    run = descent.Path(X, risk, np.array([0.1]), 1e-6, 500)
    memory = in_rows.in_rows(run.problem).memory
    assert memory.fixed == 1
    np.testing.assert_allclose(memory.steps[0][0][150:], X @ X.mean(axis=0), rtol=1e-9)
    bend = 0.25 * float(np.sum(X.mean(axis=0) ** 2))  # of the losses, along the mean
    for lams, fixed in (([2.0 * bend], 0), ([2.0 * bend, 0.5 * bend], 1)):
        run = descent.Path(X, risk, np.array(lams), 1e-6, 500)  # the least penalty counts
        assert in_rows.in_rows(run.problem).memory.fixed == fixed


def unrelated_rows(n=2500, d=45, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-3, 4, d) + rng.standard_normal(d)
    return X, (X - X.mean(axis=0)) @ (rng.standard_normal(d) / X.std(axis=0)) > rng.logistic(
        size=n
    )


def test_which_columns_are_related():
    X, y = unrelated_rows()
    risk = ExampleRisk(parse("logistic"), signs(y), None, True)
    assert limited.unrelated(X, risk)
    assert limited.unrelated(np.where(np.arange(45) < 3, 1.0, X), risk)  # some are constant
    for other in (X[:1500], X[:, :30], csr_array(X), np.cumsum(X / X.std(axis=0), axis=1)):
        assert not limited.unrelated(other, risk)
    assert not limited.unrelated(np.repeat(X[:, :9], 5, axis=1), risk)
    risk.quick = False  # as those of pairs, whose slopes take long
    assert not limited.unrelated(X, risk)


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "exponential"])
def test_unrelated_columns_end_where_a_hessian_does(loss, free, monkeypatch):
    X, y = unrelated_rows()
    how = {"fit_intercept": free, "sample_weight": np.random.default_rng(1).random(y.size)}
    with monkeypatch.context() as rough:  # bounds of rounding by column are sharp enough
        rough.setattr(certificate, "refine", None)
        found = smooth_path(X, y, parse(loss), LAMS, **how)
    monkeypatch.setattr(descent, "unrelated", lambda *_: False)
    right = smooth_path(X, y, parse(loss), LAMS, tol=1e-11, **how)
    assert found.converged.all()
    assert not np.array_equal(found.coef, right.coef)
    assert (found.objective <= right.objective * (1.0 + found.gap + 1e-9)).all()
    assert (found.objective >= right.objective * (1.0 - 1e-9)).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_proportional_odds_of_two_levels_are_logistic_regression(weighted):
    X, y = unrelated_rows(300, 6)
    X /= X.std(axis=0)
    weight = np.random.default_rng(1).random(300) if weighted else None
    odds = ProportionalOdds(lam=0.01, tol=1e-13).fit(X, y, sample_weight=weight)
    ranker = LinearRanker(lam=0.01, tol=1e-13).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(odds.coef_.ravel(), ranker.coef_.ravel(), atol=1e-5)
    np.testing.assert_allclose(odds.thresholds_, -ranker.intercept_, atol=1e-5)
    np.testing.assert_allclose(odds.objective_, ranker.objective_, rtol=1e-11)


def test_columns_of_different_sizes_are_left_to_steps_in_the_columns(monkeypatch):
    X, y = sparse_rows(50, 1000)
    X.data *= 10.0 ** np.random.default_rng(1).uniform(-8, 8, 1000)[X.indices]
    found = smooth_path(X, y, parse("logistic"), [1e-4])
    monkeypatch.setattr(in_rows, "FEWER", np.inf)
    right = smooth_path(X, y, parse("logistic"), [1e-4])
    assert found.converged.all()
    np.testing.assert_array_equal(found.coef, right.coef)  # both began at 0
    assert found.n_iter[0] > right.n_iter[0]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_steps_that_led_nowhere_are_not_worth_a_hessian(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    X = rng.standard_t(2, (3000, 45))
    y = X @ rng.standard_normal(45) + rng.standard_normal(3000) > 0
    how = {"sample_weight": np.where(y, 1e-12, 1.0), "tol": 1e-3}
    found = smooth_path(X, y, parse("squared_hinge"), [1e-6], **how)
    assert limited.unrelated(X, ExampleRisk(parse("squared_hinge"), signs(y), None, True))
    monkeypatch.setattr(descent, "unrelated", lambda *_: False)
    right = smooth_path(X, y, parse("squared_hinge"), [1e-6], **how)
    assert found.converged.all() and right.converged.all()
    assert (found.objective / right.objective - 1.0 <= found.gap).all()


def test_what_is_remembered_is_the_whole_step(monkeypatch):
    steps, remember = [], Memory.remember

    def note(self, moved, changed, always=False):
        steps.append((moved[-1], changed[-1]))
        remember(self, moved, changed, always)

    monkeypatch.setattr(Memory, "remember", note)
    monkeypatch.setattr(limited, "SOON", np.inf)  # the intercept settles in each step
    monkeypatch.setattr(limited, "HASTE", 1e-6)
    monkeypatch.setattr(limited, "WORTH", np.inf)  # nothing is rounded to single precision
    X, y = unrelated_rows()
    smooth_path(X, y, parse("squared"), [1e-3])
    moved, changed = np.array(steps).T
    curvature = parse("squared").curvature(np.ones(1), np.zeros(1))[0]  # the same everywhere
    np.testing.assert_allclose(changed, curvature * moved, rtol=1e-6, atol=1e-12)


def test_what_is_known_of_a_point_is_right(monkeypatch):
    X, y = sparse_rows()
    risk = ExampleRisk(parse("logistic"), signs(y), None, True)
    run = descent.Path(X, risk, np.array([0.1]), 1e-6, 500)
    run.go(0.1)
    assert run.problem.memory.level == pytest.approx(risk.bend(run.at.s), rel=1e-2)
    monkeypatch.setattr(points, "SAMPLE_ABOVE", 1000)
    monkeypatch.setattr(points, "FEW_ROWS", 300)
    monkeypatch.setattr(points, "A_COLUMN", 1)
    X, y = unrelated_rows(2000, 8)
    risk = ExampleRisk(parse("logistic"), signs(y), None, True)
    run = descent.Path(X, risk, np.array([0.1]), 1e-6, 500)
    assert run.problem.sampled and run.value == risk.value(run.at.s) < risk.value(0.0 * run.at.s)


def test_losses_that_stay_straight_have_no_scale():
    risk = ExampleRisk(parse("logistic"), signs(np.ones(3, dtype=bool)), None, True)
    s = np.full(3, 500.0)
    g_b = float(risk.slope(s).sum())
    assert 0.0 < g_b**2 < 1e-300 or g_b**2 == 0.0
    assert certificate._far_enough(risk, s, g_b, 1.0) == np.inf


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_one_class_has_no_minimum_to_be_near(loss):
    X = np.random.default_rng(0).standard_normal((300, 40))
    for rows in (X[:, :5], csr_array(np.eye(5, 100))):
        found = smooth_path(rows, np.ones(rows.shape[0], dtype=bool), parse(loss), [0.1])
        assert found.objective[0] == 0.0 or not found.converged[0]  # 0 is never reached


@pytest.mark.parametrize("weights", [(1.0, 1.0), (0.5, 2.0)])
def test_a_threshold_makes_the_least_errors_of_all(weights):
    rng = np.random.default_rng(2)
    for n in rng.integers(1, 9, 300):
        s, positive = rng.integers(-2, 3, n) / 2.0, rng.random(n) < 0.5
        s[rng.random(n) < 0.1] = -np.inf

        def errors(t, s=s, positive=positive):
            return weights[0] * (s > t)[~positive].sum() + weights[1] * (s <= t)[positive].sum()

        everywhere = [errors(t) for t in (*np.unique(s), -1e9)]
        assert errors(best_threshold(s, positive, weights)) == min(everywhere)


def test_what_holds_the_rows_is_freed_at_once(monkeypatch):
    made, begin = [], objective.Objective.__init__

    def count(self, *args, **kwargs):
        begin(self, *args, **kwargs)
        made.append(weakref.ref(self))

    monkeypatch.setattr(objective.Objective, "__init__", count)
    rng = np.random.default_rng(0)
    dense = [rng.standard_normal(shape) for shape in ((300, 120), (60, 200), (2000, 45), (90, 9))]
    gc.disable()
    try:
        for X in (*dense, sparse_rows(50)[0], sparse_rows(500)[0]):
            smooth_path(X, rng.random(X.shape[0]) < 0.5, parse("logistic"), [0.1, 1e-6, 0.0])
        assert len(made) > 6 and not any(one() for one in made)
    finally:
        gc.enable()


def test_rows_made_here_are_not_made_again_and_those_of_a_caller_are_looked_at_each_time():
    given = csr_array(np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 4.0]]))
    first = as_rows(given)
    assert as_rows(first) is first and first is not given
    given.indices[:2] = 1, 1  # by its owner, between two fits
    again = as_rows(given)
    np.testing.assert_array_equal(again.toarray(), [[0.0, 3.0, 0.0], [0.0, 3.0, 4.0]])
    assert again.has_canonical_format and again.nnz == 3
    assert getattr(first, CHECKED) and not hasattr(given, CHECKED)
