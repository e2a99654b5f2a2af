"""The gap of the hinge of pairs is an upper bound, whatever the scales of the features.

References: the objective at the coefficients as a sum over all pairs in exact fractions; a value
near the optimum, from above, by a quadratic program on all pairs in scaled columns. The true gap
is at least what the two leave.
"""

import math
import os
import warnings
from fractions import Fraction

import numpy as np
import pytest

from rankexp.solvers.hinge.certificate import LONG_EPS, Certifier
from rankexp.solvers.hinge.pairs import ROWS_AT_ONCE, hinge_pairs, pull
from rankexp.solvers.hinge.path import STAGE_STEPS, hinge_path
from rankexp.solvers.pairs.partial_order import PartialOrder

PROBLEMS = int(os.environ.get("RANKEXP_CERTIFICATES", "12"))


def problem(seed):
    """Draw rows, an order and a penalty: hostile scales, means, levels, groups."""
    rng = np.random.default_rng([5, seed])
    n, d = int(rng.integers(6, 24)), int(rng.integers(1, 6))
    X = rng.standard_normal((n, d))
    f = X @ rng.standard_normal(d) + rng.choice([0.0, 0.3, 3.0]) * rng.standard_normal(n)
    kind = seed % 5
    if kind == 0:
        X[:, 0] *= 10.0 ** rng.uniform(3, 12)
    elif kind == 1:
        X *= 10.0 ** rng.uniform(-8, 8, d)
    elif kind == 2:
        X += 10.0 ** rng.uniform(6, 8, d)
    elif kind == 3:
        X[rng.integers(n), rng.integers(d)] = 10.0 ** rng.uniform(3, 15)
    else:
        X = np.round(X) * 10.0 ** rng.uniform(-150, 120)
    if seed % 3:
        order = PartialOrder.of_classes(f > np.median(f))
    else:
        K = int(rng.integers(2, 5))
        level = np.searchsorted(np.quantile(f, np.arange(1, K) / K), f)
        groups = rng.integers(0, 3, n) if seed % 2 else None
        costs = np.triu(rng.integers(1, 4, (K, K)).astype(float), 1)
        order = PartialOrder.of(level, costs, groups)
    return X, order, 10.0 ** rng.uniform(-9, 1)


def all_pairs(order):
    y, g = order.level, order.group
    C = order.costs[y[None], y[:, None]] * (g[:, None] == g[None])
    i, j = np.nonzero(C)
    return i, j, C[i, j]


def exact_objective(X, order, w, lam):
    """The objective in fractions."""
    i, j, c = all_pairs(order)
    w = [Fraction(float(v)) for v in w]
    s = [
        sum((Fraction(float(x)) * v for x, v in zip(row, w, strict=True)), Fraction(0))
        for row in X
    ]
    cost = [Fraction(float(v)) for v in c]
    pairs = zip(i.tolist(), j.tolist(), cost, strict=True)
    lost = sum((v * max(Fraction(0), 1 - s[a] + s[b]) for a, b, v in pairs), Fraction(0))
    return Fraction(float(lam)) / 2 * sum((v * v for v in w), Fraction(0)) + lost / sum(cost)


def near_optimum(X, order, lam):
    """The exact objective where a quadratic program on all pairs ends, or None where it fails."""
    clarabel = pytest.importorskip("clarabel")
    from scipy import sparse

    i, j, c = all_pairs(order)
    D = np.asarray(X[i].astype(np.longdouble) - X[j].astype(np.longdouble), dtype=float)
    scale = np.abs(D).max(axis=0)
    scale[scale == 0.0] = 1.0
    M, d = D.shape
    with np.errstate(all="ignore"):
        ridge = lam / scale / scale
    if not np.isfinite(ridge).all() or ridge.max() > 1e12:
        return None
    P = sparse.diags(np.r_[ridge, np.zeros(M)], format="csc")
    D, eye = sparse.csc_matrix(D / scale), sparse.eye(M)
    A = sparse.bmat([[-D, -eye], [sparse.csc_matrix((M, d)), -eye]], format="csc")
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-12
    q, b = np.r_[np.zeros(d), c / c.sum()], np.r_[-np.ones(M), np.zeros(M)]
    cones = [clarabel.NonnegativeConeT(2 * M)]
    v = np.array(clarabel.DefaultSolver(P, q, A, b, cones, options).solve().x[:d])
    if not np.isfinite(v).all():
        return None
    return exact_objective(X, order, v / scale, lam)


def check(seed):
    """Return what became of a problem: refused, warned or certified; raise where it is wrong."""
    X, order, lam = problem(seed)
    if not order.total > 0.0:
        return "no pairs"
    try:
        found = hinge_path(X, order, [lam])
    except FloatingPointError:
        return "refused"
    value = exact_objective(X, order, found.coef[:, 0], lam)
    gap = Fraction(float(found.gap[0]))
    assert 0 <= gap <= 1, seed
    if found.converged[0]:
        off = abs(Fraction(float(found.objective[0])) - value)
        assert off <= Fraction(1, 10**9) * value, (seed, float(off / value))
    best = near_optimum(X, order, lam)
    if best is not None and value > 0:
        assert gap >= (value - best) / value, (seed, float(gap), float((value - best) / value))
    return "certified" if found.converged[0] else "warned"


def test_gaps_are_upper_bounds_and_objectives_are_right():
    counts = {}
    for seed in range(PROBLEMS):
        kind = check(seed)
        counts[kind] = counts.get(kind, 0) + 1
    print(counts)
    assert counts.get("certified", 0) > 0  # else nothing was tried


CELLS = [-3.4e38, 1e160, 1.7e308]


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("whole", [False, True])
def test_huge_values_end_in_an_honest_answer_or_a_refusal(cell, whole):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    y = X @ rng.standard_normal(4) + rng.standard_normal(60) > 0.0
    X[0 if not whole else slice(None), 2] *= cell if abs(cell) < 1e300 else cell / 4.0
    if not np.isfinite(X).all():
        X = np.clip(X, -1.7e308, 1.7e308)
    order = PartialOrder.of_classes(y)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = hinge_path(X, order, [1.0, 1e-3])
    except FloatingPointError as error:
        assert "column 2" in str(error)
        assert abs(cell) > 1e130
        return
    for k, lam in enumerate([1.0, 1e-3]):
        value = exact_objective(X, order, found.coef[:, k], lam)
        assert 0.0 <= found.gap[k] <= 1.0
        if found.converged[k]:
            assert found.objective[k] == pytest.approx(float(value), rel=1e-9)


def test_tiny_penalties_and_features():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((40, 3))
    order = PartialOrder.of_classes(X[:, 0] > 0.0)  # separable
    with pytest.raises(FloatingPointError, match="lam=4"):
        hinge_path(X, order, [5e-324])
    tiny = hinge_path(1e-300 * X, order, [1e-3])
    assert tiny.converged[0] and tiny.objective[0] == pytest.approx(1.0, rel=1e-12)
    lam = 1e-250
    found = hinge_path(1e-125 * X, order, [lam])
    usual = hinge_path(X, order, [1.0])
    assert found.converged[0]
    assert found.objective[0] == pytest.approx(usual.objective[0], rel=2e-6)


def test_sizes_that_no_stage_solves_end_soon():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((200, 20))
    y = X @ rng.standard_normal(20) + rng.standard_normal(200) > 0.0
    X[3, 2] = 1e120
    found = hinge_path(X, PartialOrder.of_classes(y), [1e-3])
    assert not found.converged[0]
    assert found.n_iter[0] <= 6 * STAGE_STEPS  # 1,500 if each stage within another took all steps


def test_gradients_are_summed_in_parts():
    rng = np.random.default_rng(3)
    n = 3 * ROWS_AT_ONCE + 5
    X, r, centre = rng.standard_normal((n, 2)), rng.standard_normal(n), np.array([1.0, -2.0])
    bound = 1e-16 * (ROWS_AT_ONCE + 4) * (np.abs(r) @ (np.abs(X) + np.abs(centre)))
    for shift in (np.zeros(2), centre):
        exact = [math.fsum(r * (column - c)) for column, c in zip(X.T, shift, strict=True)]
        assert (np.abs(pull(X, r, shift) - exact) <= bound).all()
    np.testing.assert_array_equal(pull(X, r), pull(X, r, np.zeros(2)))


@pytest.mark.parametrize("far", [0.0, 1e6, 1e12])
def test_precise_scores_are_as_near_as_their_sizes_say(far):
    rng = np.random.default_rng(4)
    X = far + rng.standard_normal((30, 3))
    X[0] = 0.0  # what is taken off all rows is as far from them as can be
    pairs = hinge_pairs(X, PartialOrder.of_classes(np.arange(30) % 2 == 0))
    w = rng.standard_normal(3)
    s, sizes = Certifier(pairs, X, 1e-6)._precise_scores(w)
    weights = [Fraction(v) for v in w]
    for row, score, size in zip(X, s, sizes, strict=True):
        exact = sum(Fraction(x) * v for x, v in zip(row, weights, strict=True))
        high = Fraction(float(score)) + Fraction(float(score - np.longdouble(float(score))))
        assert abs(high - exact) <= Fraction(float(3 * LONG_EPS * size))
        assert size == pytest.approx(np.abs(row) @ np.abs(w), rel=1e-12)


OVERFLOWING = [444, 674, 1139, 1329, 1344, 1554, 1989]
"""Problems whose scores left the range of numbers: an OverflowError of no use to anyone."""


@pytest.mark.parametrize("seed", OVERFLOWING)
def test_scores_beyond_the_range_of_numbers_are_refused_or_warned_of(seed):
    assert check(seed) in {"refused", "warned"}
