"""What the pairwise hinge does before any Hessian: along the scores, from columns, and bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array, csr_array

from rankexp.estimators import LinearRanker
from rankexp.estimators.labels import best_threshold
from rankexp.solvers.hinge import iterate, newton, path, sparse
from rankexp.solvers.hinge.iterate import (
    AROUND,
    Best,
    HingeIterate,
    along,
    as_if_normal,
    exact_hinge,
    longer,
)
from rankexp.solvers.hinge.newton import Updated, _inverse_of_normal
from rankexp.solvers.hinge.pairs import hinge_pairs
from rankexp.solvers.hinge.path import _Path, hinge_path
from rankexp.solvers.hinge.sweep import sweep
from rankexp.solvers.pairs.normal import NormalPairs
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.rows import norms_of
from rankexp.solvers.smooth.objective import spread

SEEDS = st.integers(0, 10**6)


def random_order(rng, n, groups):
    costs = np.triu(rng.uniform(0.2, 3.0, (3, 3)), 1)
    level, group = rng.integers(0, 3, n), rng.integers(0, groups, n)
    level[:2], group[:2] = (0, 2), 0
    return PartialOrder.of(level, costs, group, rng.integers(1, 4, n).astype(float)).whole()


def all_pairs(order):
    """Rows i, j and share of every pair that counts."""
    y, g, m = order.level, order.group, order.weight
    C = order.costs[y[None], y[:, None]] * (g[:, None] == g[None]) * m[:, None] * m[None]
    i, j = np.nonzero(C)
    return i, j, C[i, j] / C.sum()


@settings(max_examples=60)
@given(SEEDS, st.sampled_from([1, 4]), st.booleans(), st.floats(-4.0, 1.0))
def test_along_scores_the_objective_falls_and_its_curve_is_told(seed, groups, tied, power):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (30, 3)).astype(float) if tied else rng.standard_normal((30, 3))
    order, ridge = random_order(rng, 30, groups), 10.0**power
    pairs = hinge_pairs(X, order)
    s = pairs.scores(rng.standard_normal(3)) * 10.0 ** rng.uniform(-2.0, 0.0)
    t, value, bend = along(pairs, s, ridge, 0.05)
    i, j, c = all_pairs(pairs.order)
    D = s[i] - s[j]

    def hinge(t):
        return c @ np.maximum(1.0 - t * D, 0.0)

    def slope(t):
        return -(c * (1.0 - t * D > 1e-9)) @ D

    assert value == pytest.approx(hinge(t), rel=1e-9, abs=1e-9)
    assert exact_hinge(pairs, s)[0] == pytest.approx(hinge(1.0), rel=1e-10, abs=1e-13)
    assert hinge(t) + 0.5 * ridge * t * t <= (hinge(1.0) + 0.5 * ridge) * (1.0 + 1e-9)
    assert t == 1.0 or slope(1.0) + ridge < 0.0
    if not tied:
        wanted = c @ (np.abs(1.0 - t * D) < AROUND) / (2.0 * AROUND)
        assert bend == pytest.approx(wanted, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("ridge", [1e-5, 1e-3, 1e-2])
def test_of_normal_scores_the_length_needs_no_evaluation(ridge):
    rng = np.random.default_rng(5)
    y = np.arange(20_000) % 2 == 1
    pairs = hinge_pairs((rng.standard_normal(20_000) + y)[:, None], PartialOrder.of_classes(y))
    u, most = pairs.together
    s, mean = u / most, float(pairs.mean_difference[0]) ** 2 / most
    t, value, bend = as_if_normal(mean, float(np.mean(s * s)), ridge)
    hinge, slope, curve = longer(pairs, s, AROUND)[1](t)
    assert t > 1.0
    assert value == pytest.approx(hinge, rel=0.02)
    assert bend == pytest.approx(curve, rel=0.05)
    assert abs(slope + t * ridge) < 0.03 * mean


@pytest.mark.parametrize("tails", ["normal", "cauchy", "apart"])
@pytest.mark.parametrize("wrong", [1.0, 30.0, 1e-3, np.nan, np.inf])
def test_where_the_slope_denies_a_length_it_is_looked_for(tails, wrong, monkeypatch):
    rng = np.random.default_rng(6)
    X = rng.standard_cauchy((2000, 3)) if tails == "cauchy" else rng.standard_normal((2000, 3))
    s = X @ [1.0, -2.0, 0.5]
    order = PartialOrder.of_classes(s + (tails != "apart") * rng.standard_normal(2000) > 0.0)
    right, asked = hinge_path(X, order, [1e-3]), []

    def length(*given):
        t, hinge, bend = as_if_normal(*given)
        return wrong * t, hinge, bend

    monkeypatch.setattr(iterate, "as_if_normal", length)
    monkeypatch.setattr(iterate, "along", lambda *given: asked.append(1) or along(*given))
    found = hinge_path(X, order, [1e-3])
    assert found.converged.all()
    np.testing.assert_allclose(found.objective, right.objective, rtol=2e-6)
    assert asked or np.isinf(wrong) or wrong >= 1.0
    assert wrong != 1.0 or bool(asked) == (tails == "cauchy")


def test_columns_tell_the_curvature_of_normal_differences():
    rng = np.random.default_rng(0)
    n, d, lam = 6000, 4, 1e-3
    X = rng.standard_normal((n, d)) * [0.1, 1.0, 3.0, 1.0]
    y = np.arange(n) % 2 == 1
    X[y] += [0.05, 1.0, 0.5, 0.0]
    pairs = hinge_pairs(X, PartialOrder.of_classes(y))
    for w in (pairs.mean_difference, np.array([2.0, 0.4, -0.2, 0.7])):
        at = HingeIterate.at(lam, w, s := pairs.scores(w), sweep(pairs, s, 0.02))
        squares = np.mean(pairs.X**2, axis=0)
        known = Updated(_inverse_of_normal(at, squares, lam))
        found = np.column_stack([known.times(g) for g in np.eye(d)])
        H = at.sweep.laplacian() / (2.0 * at.sweep.h * pairs.count) + lam * np.eye(d)
        ratios = np.linalg.eigvals(found @ H).real
        assert ratios.min() > 0.8
        assert ratios.max() < 1.25


@settings(max_examples=60)
@given(SEEDS, st.integers(2, 40), st.integers(1, 6), st.floats(-3.0, 12.0))
def test_the_bound_of_squares_is_one(seed, n, d, power):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + 10.0**power * rng.standard_normal(d)
    level = np.arange(n) % 2
    pairs = hinge_pairs(X, PartialOrder.of_classes(level), 0, float(np.vdot(X, X)))
    assert np.sum(pairs.given.astype(np.longdouble) ** 2) <= pairs.square
    assert pairs.square <= np.vdot(X, X) * (1.0 + 1e-12)


@pytest.mark.parametrize("copies", [1, 2])
def test_norms_show_equal_rows(copies):
    rng = np.random.default_rng(1)
    X = np.repeat(rng.standard_normal((300, 7)), copies, axis=0)
    level = rng.permutation(300).repeat(copies) % 2
    order = PartialOrder.of_classes(level)
    found = hinge_pairs(X, order, norms=norms_of(X))
    np.testing.assert_array_equal(found.rows, hinge_pairs(X, order).rows)
    assert found.rows.size == 300


@pytest.mark.parametrize("kind", ["plain", "tied", "far"])
@pytest.mark.parametrize("weights", [None, {0: 1.0, 1: 3.0}])
def test_the_threshold_is_that_of_exact_scores(kind, weights):
    rng = np.random.default_rng(2)
    for n, lam in ((40, 1e-2), (400, 0.1), (400, 100.0)):
        X = rng.standard_normal((n, 3)) if kind != "tied" else 1.0 * rng.integers(0, 3, (n, 3))
        X += 1e6 * (kind == "far")
        y = (X @ [1.0, -1.0, 0.5] + rng.standard_normal(n) > X.mean() / 2.0).astype(int)
        ranker = LinearRanker(loss="hinge", risk="bipartite", lam=lam).fit(X, y)
        s = ranker.decision_function(X) + ranker.threshold_
        exact = X @ ranker.coef_[0]
        np.testing.assert_allclose(s, exact, rtol=1e-9, atol=1e-9)
        assert ranker.threshold_ == best_threshold(ranker._scores(X), y > 0)


def test_an_objective_after_few_steps_is_certified():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((2000, 20))
    order = PartialOrder.of_classes(X @ rng.standard_normal(20) + rng.standard_normal(2000) > 0.0)
    best = hinge_path(X, order, [1e-2], tol=1e-9).objective[0]
    for most in range(1, 5):
        found = hinge_path(X, order, [1e-2], max_iter=most)
        assert found.objective[0] * (1.0 - found.gap[0]) <= best <= found.objective[0] * (1 + 1e-9)


@pytest.mark.parametrize("written", [0, 10])
@pytest.mark.parametrize("scale", [np.inf, -np.inf, -1.0, 0.0, 1e9, 1e-9])
def test_a_guess_of_the_hessian_that_is_none_does_no_harm(scale, written, monkeypatch):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((1000, 10))
    order = PartialOrder.of_classes(X @ rng.standard_normal(10) + rng.standard_normal(1000) > 0.0)
    right = hinge_path(X, order, [0.1, 1e-3])
    wrong = np.full((10, 10), scale) if np.isinf(scale) else scale * np.eye(10)
    monkeypatch.setattr(NormalPairs, "written", lambda *_: wrong.copy(order="F"))
    monkeypatch.setattr(NormalPairs, "product", lambda *_: lambda g: scale * g)
    monkeypatch.setattr(newton, "WRITTEN", written)
    found = hinge_path(X, order, [0.1, 1e-3])
    assert found.converged.all()
    np.testing.assert_allclose(found.objective, right.objective, rtol=2e-6)


def test_steps_change_a_matrix_and_a_product_alike(monkeypatch):
    rng = np.random.default_rng(7)
    a, A = rng.uniform(0.5, 2.0, 6), rng.standard_normal((6, 6))
    H = A @ A.T + np.eye(6)
    both = [Updated(known, 9) for known in (np.asfortranarray(np.diag(a)), lambda g: a * g)]
    for k in range(9):
        moved, g = rng.standard_normal((2, 6))
        change = H @ moved * (-1.0 if k == 4 else 1.0)  # a direction that curves down is left out
        for known in both:
            known.learn(moved, change, k == 0)
        np.testing.assert_allclose(both[0].times(g), both[1].times(g), rtol=1e-9)
        if k != 4:
            np.testing.assert_allclose(both[1].times(change), moved, rtol=1e-9)


def test_of_steps_the_last_ones_are_kept():
    rng = np.random.default_rng(12)
    a, A = rng.uniform(0.5, 2.0, 6), rng.standard_normal((6, 6))
    H, known = A @ A.T + np.eye(6), [Updated(lambda g: a * g, most) for most in (2, 9)]
    for k, moved in enumerate(rng.standard_normal((5, 6))):
        known[0].learn(moved, H @ moved, False)
        if k > 2:
            known[1].learn(moved, H @ moved, False)
    g = rng.standard_normal(6)
    np.testing.assert_array_equal(known[0].times(g), known[1].times(g))
    B = np.column_stack([known[0].times(g) for g in np.eye(6)])
    np.testing.assert_allclose(B, B.T, rtol=1e-12)
    assert np.linalg.eigvalsh(B).min() > 0.0


def test_objectives_do_not_depend_on_how_the_hessian_is_kept(monkeypatch):
    rng = np.random.default_rng(8)
    X = rng.standard_normal((3000, 30))
    order = PartialOrder.of_classes(X @ rng.standard_normal(30) + rng.standard_normal(3000) > 0.0)
    right = hinge_path(X, order, [0.1, 1e-3])
    monkeypatch.setattr(newton, "WRITTEN", 0)
    found = hinge_path(X, order, [0.1, 1e-3])
    np.testing.assert_array_equal(found.n_iter, right.n_iter)
    np.testing.assert_allclose(found.coef, right.coef, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("off", [0.0, 1e-6, np.nan])
def test_scores_that_are_not_those_of_w_are_measured_anew(off, monkeypatch):
    rng = np.random.default_rng(9)
    X = rng.standard_normal((500, 3))
    pairs = hinge_pairs(X, PartialOrder.of_classes(X[:, 0] + rng.standard_normal(500) > 0.0))
    w = np.array([1.0, 0.3, -0.2])
    right, asked = exact_hinge(pairs, pairs.scores(w))[0], []
    monkeypatch.setattr(
        iterate, "exact_hinge", lambda *given: asked.append(1) or exact_hinge(*given)
    )
    s = pairs.scores(w)
    best, solver = Best(), _Path(pairs, 1e-6, 500)
    best.update(HingeIterate.at(0.1, w, s, sweep(pairs, s, 0.02)))
    best.s = s + off * rng.standard_normal(500)
    best.primal *= 1.0 + off if off > 0.0 else 1.0
    solver._measure(0.1, best)
    assert bool(asked) == (off != 0.0)
    assert best.measured[0] == pytest.approx(right, rel=1e-13)
    assert best.primal == pytest.approx(right + 0.05 * w @ w, rel=1e-13)


@pytest.mark.parametrize(
    ("kind", "n", "copied"),
    [
        ("uniform", 3000, False),
        ("normal", 3000, False),
        ("a constant", 3000, False),
        ("one far", 3000, True),
        ("one far", 30_000, False),
        ("one very far", 30_000, True),
        ("as wide", 20, True),
    ],
)
def test_rows_are_centred_in_a_copy_where_a_column_lies_far_from_0(kind, n, copied):
    rng = np.random.default_rng(10)
    X = rng.random((n, 20)) if kind == "uniform" else rng.standard_normal((n, 20))
    if kind == "a constant":
        X[:, 3] = 0.1
    if "far" in kind:
        X[:, 3] += 1e4 if "very" in kind else 10.0
    pairs = hinge_pairs(X, PartialOrder.of_classes(np.arange(n) % 2))
    assert pairs.centred == copied
    assert np.shares_memory(pairs.X, X) != copied
    centred = pairs.X - pairs.centre
    np.testing.assert_allclose(centred, X - X.mean(axis=0), atol=1e-12 * np.abs(X).max())


def few_entries(n, d, density, seed=11):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < density)
    order = PartialOrder.of_classes(X @ rng.standard_normal(d) + rng.standard_normal(n) > 0.0)
    return X, order


def test_sparse_rows_take_first_steps_as_dense_ones_do(monkeypatch):
    X, order = few_entries(800, 30, 0.3)
    right = hinge_path(X, order, [0.1, 0.03, 0.01])
    monkeypatch.setattr(sparse, "narrowing", None)  # none is needed after them
    monkeypatch.setattr(sparse, "prepare", None)
    for rows in (csr_array(X), csc_array(X)):
        found = hinge_path(rows, order, [0.1, 0.03, 0.01])
        assert found.converged.all()
        np.testing.assert_allclose(found.objective, right.objective, rtol=2e-6)


@pytest.mark.parametrize("density", [0.05, 0.2])
def test_what_is_kept_of_steps_takes_no_more_room_than_sparse_rows(density, monkeypatch):
    X, order = few_entries(300, 20, density)
    most, taken = max(X.astype(bool).sum() // 40, 2), []
    from_columns = newton.from_columns

    def seen(*given):
        taken.append(given[-1])
        return from_columns(*given)

    monkeypatch.setattr(newton, "from_columns", seen)
    assert hinge_path(csr_array(X), order, [0.05]).converged.all()
    assert taken == [most]


@pytest.mark.parametrize(("n", "width"), [(9, 12), (100, 400), (500, 12)])
@pytest.mark.parametrize("lams", [[100.0], [100.0, 0.01], [0.01]])
def test_columns_without_entries_have_no_weight(n, width, lams, monkeypatch):
    X, order = few_entries(n, 12, 0.3)
    wide = np.zeros((n, 400))
    wide[:, 33:393:30] = X
    widths, plain = [], path._solve
    monkeypatch.setattr(path, "_solve", lambda *x: widths.append(x[0].shape[1]) or plain(*x))
    found, right = hinge_path(csr_array(wide), order, lams), hinge_path(X, order, lams)
    assert found.coef.shape == (400, len(lams))
    assert not np.delete(found.coef, np.arange(33, 393, 30), axis=0).any()
    np.testing.assert_allclose(found.objective, right.objective, rtol=2e-6)
    # With the largest penalty the solution is known, and where columns would become fewer than
    # rows, there would be no steps in the rows.
    assert widths == [width if lams[-1] < 1.0 else 400, 12]


def test_where_first_steps_of_sparse_rows_do_not_suffice_others_follow(monkeypatch):
    X, order = few_entries(800, 30, 0.3)
    right = hinge_path(X, order, [0.1, 0.01])
    assert hinge_path(csr_array(X), order, [0.01]).rough is not None
    monkeypatch.setattr(newton, "TRIED", 2)
    assert hinge_path(csr_array(X), order, [0.01]).rough is None  # scores are not those of w
    found = hinge_path(csr_array(X), order, [0.1, 0.01])
    assert found.converged.all()
    np.testing.assert_allclose(found.objective, right.objective, rtol=2e-6)


def test_columns_of_sparse_rows_have_the_scales_of_dense_ones():
    X = few_entries(200, 9, 0.3)[0] + np.arange(9) % 2
    for about in (None, X.mean(axis=0)):
        found = spread(csr_array(X), about)
        np.testing.assert_allclose(found, spread(X, about), rtol=1e-9)
    pairs = hinge_pairs(csr_array(X), PartialOrder.of_classes(np.arange(200) % 2))
    np.testing.assert_allclose(pairs.squares(), X.var(axis=0), rtol=1e-9)
