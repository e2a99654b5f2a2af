"""The pairwise hinge of ordered levels, with costs and groups, against all pairs written out."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.solvers.hinge import path as hinge
from rankexp.solvers.hinge.iterate import band_hessian
from rankexp.solvers.hinge.pairs import hinge_pairs
from rankexp.solvers.hinge.path import hinge_path
from rankexp.solvers.hinge.sweep import sweep
from rankexp.solvers.pairs.partial_order import PartialOrder

LAMS = 10.0 ** np.arange(0, -6, -1)


def two_classes(X, positive, lams, **options):
    return hinge_path(X, PartialOrder.of_classes(positive), lams, **options)


def random_order(rng, n, levels=4, groups=3, zero=0.3):
    """Random levels, one of them perhaps without a row, costs, some 0, and groups or none."""
    costs = np.triu(rng.uniform(0.2, 3.0, (levels, levels)), 1)
    costs[rng.random(costs.shape) < zero] = 0.0
    level = rng.integers(0, levels, n)
    if rng.random() < 0.3:
        level[level == 1] = 2
    level[:2], costs[0, levels - 1] = (0, levels - 1), 1.7
    group = rng.integers(0, groups, n)
    group[:2] = 0
    return PartialOrder.of(level, costs, group if groups > 1 else None)


def all_pairs(order):
    """Rows i, j and cost of every pair that counts."""
    y, g = order.level, order.group
    C = order.costs[y[None], y[:, None]] * (g[:, None] == g[None])
    i, j = np.nonzero(C)
    return i, j, C[i, j] / C.sum()


def primal(w, X, order, lam):
    i, j, c = all_pairs(order)
    return 0.5 * lam * w @ w + c @ np.maximum(0.0, 1.0 - (X[i] - X[j]) @ w)


def quadratic_program(X, order, lam):
    clarabel = pytest.importorskip("clarabel")
    from scipy import sparse

    i, j, c = all_pairs(order)
    M, d = i.size, X.shape[1]
    P = sparse.diags(np.r_[np.full(d, lam), np.zeros(M)], format="csc")
    D, eye = sparse.csc_matrix(X[i] - X[j]), sparse.eye(M)
    A = sparse.bmat([[-D, -eye], [sparse.csc_matrix((M, d)), -eye]], format="csc")
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-10
    cones = [clarabel.NonnegativeConeT(2 * M)]
    b = np.r_[-np.ones(M), np.zeros(M)]
    solver = clarabel.DefaultSolver(P, np.r_[np.zeros(d), c], A, b, cones, options)
    return primal(np.array(solver.solve().x[:d]), X, order, lam)


@settings(max_examples=60)
@given(
    st.integers(0, 10**6),
    st.sampled_from([0.01, 0.3, 0.9]),
    st.sampled_from([1, 4]),
    st.booleans(),
)
def test_sweep_equals_all_pairs(seed, h, groups, tied):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (30, 3)).astype(float) if tied else rng.standard_normal((30, 3))
    order, w = random_order(rng, 30, groups=groups), rng.standard_normal(3)
    pairs = hinge_pairs(X, order)
    swept = sweep(pairs, pairs.scores(w), h)
    i, j, c = all_pairs(order)
    D = X[i] - X[j]
    z = 1.0 - D @ w
    band, alpha = np.abs(z) < swept.h, np.clip((z + swept.h) / (2 * swept.h), 0.0, 1.0)
    assert swept.hinge == pytest.approx(c @ np.maximum(z, 0.0), rel=1e-10, abs=1e-13)
    assert swept.alpha == pytest.approx(c @ alpha, rel=1e-10, abs=1e-13)
    assert swept.band_size == pytest.approx((c @ band) * pairs.count, rel=1e-12, abs=1e-12)
    assert abs(swept.residual.sum()) < 1e-14
    settled = np.where(band, 0.0, alpha)
    assert swept.settled_alpha == pytest.approx(c @ settled, abs=1e-14)
    sums = [
        (swept.residual, alpha),
        (swept.midway, settled + 0.5 * band),
        (swept.settled, settled),
    ]
    for r, a in sums:
        np.testing.assert_allclose(r @ pairs.X, -(c * a) @ D, atol=1e-11)
    s = X @ w
    assert pairs.order.differences(pairs.scores(w)) == pytest.approx(
        ((s[i] - s[j]).min(), (s[i] - s[j]).max()), abs=1e-12
    )
    H = (D.T * (c * band)) @ D / (2 * swept.h)
    np.testing.assert_allclose(band_hessian(swept), H, atol=1e-10 * max(np.abs(H).max(), 1e-9))
    if band.any():
        whole = swept.laplacian() / (2 * swept.h * pairs.count)
        np.testing.assert_allclose(whole, H, atol=1e-10 * np.abs(H).max())


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_list_of_pairs(seed):
    rng = np.random.default_rng(seed)
    X, order = rng.standard_normal((30, 3)), random_order(rng, 30)
    pairs = hinge_pairs(X, order)
    s = pairs.scores(rng.standard_normal(3))
    swept = sweep(pairs, s, 0.3)
    i, j, _ = all_pairs(pairs.order)
    near = np.abs(1.0 - (s[i] - s[j])) < swept.h
    found = swept.listed(near.sum())
    assert {*zip(*map(np.ndarray.tolist, found), strict=True)} == {
        *zip(i[near].tolist(), j[near].tolist(), strict=True)
    }
    if near.any():
        assert swept.listed(near.sum() - 1) is None


@pytest.mark.parametrize("groups", [1, 5])
@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_certified_and_equal_to_the_quadratic_program(noise, groups):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((40, 4))
    order = random_order(rng, 40, groups=groups)
    f = X @ rng.standard_normal(4) + noise * rng.standard_normal(40)
    order = replace(order, level=np.searchsorted(np.quantile(f, [0.3, 0.6, 0.8]), f))
    path = hinge_path(X, order, LAMS)
    assert path.converged.all(), path.gap
    for k, lam in enumerate(LAMS):
        assert path.objective[k] == pytest.approx(primal(path.coef[:, k], X, order, lam), rel=1e-7)
        # The dual variables stand for nearly the same w, by strong convexity.
        apart = lam * path.coef[:, k] + path.slope[:, k] @ X
        assert apart @ apart <= 8.0 * lam * path.gap[k] * path.objective[k] + 1e-20
    for lam in (1e-1, 1e-3):
        wanted = quadratic_program(X, order, lam)
        k = int(np.flatnonzero(lam == LAMS)[0])
        assert path.objective[k] == pytest.approx(wanted, rel=1e-5)


def test_equals_linear_svc_on_weighted_pairs():
    from sklearn.svm import LinearSVC

    rng = np.random.default_rng(4)
    X = rng.standard_normal((60, 5))
    order = random_order(rng, 60, groups=1)
    f = X @ rng.standard_normal(5) + rng.standard_normal(60)
    order = replace(order, level=np.searchsorted(np.quantile(f, [0.3, 0.6, 0.8]), f))
    i, j, c = all_pairs(order)
    D, lam = X[i] - X[j], 0.03
    sign = np.where(np.arange(i.size) % 2, 1.0, -1.0)
    svc = LinearSVC(loss="hinge", C=1 / lam, fit_intercept=False, tol=1e-10, max_iter=10**7)
    svc.fit(D * sign[:, None], sign, sample_weight=c)
    path = hinge_path(X, order, [lam], tol=1e-10)
    reached = primal(svc.coef_[0], X, order, lam)
    assert path.objective[0] == pytest.approx(reached, rel=1e-5)
    np.testing.assert_allclose(X @ path.coef[:, 0], X @ svc.coef_[0], atol=2e-5)


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from([1e-1, 1e-3]), st.sampled_from([1, 4]))
def test_laws(seed, lam, groups):
    rng = np.random.default_rng(seed)
    X, tol = rng.standard_normal((40, 4)), 1e-9
    order = random_order(rng, 40, groups=groups)

    def fit(X, order):
        return hinge_path(X, order, [lam], tol=tol)

    result = fit(X, order)
    w = result.coef[:, 0]
    assert result.converged.all()
    near = 2.0 * np.sqrt(2.0 * tol * result.objective[0] / lam) + 1e-12
    K = order.costs.shape[0]
    reverse = replace(order, level=K - 1 - order.level, costs=order.costs[::-1, ::-1].T)
    assert np.linalg.norm(fit(X, reverse).coef[:, 0] + w) <= near
    shuffled = rng.permutation(40)
    assert np.linalg.norm(fit(X[shuffled], order.take(shuffled)).coef[:, 0] - w) <= near
    twice = np.repeat(np.arange(40), 2)
    assert np.linalg.norm(fit(X[twice], order.take(twice)).coef[:, 0] - w) <= near
    moved = X + 5.0 * rng.standard_normal((order.group.max() + 1, 4))[order.group]
    assert np.linalg.norm(fit(moved, order).coef[:, 0] - w) <= near
    scaled = replace(order, costs=7.0 * order.costs)
    assert np.linalg.norm(fit(X, scaled).coef[:, 0] - w) <= near


def test_two_levels_are_the_bipartite_problem_to_the_bit():
    rng = np.random.default_rng(6)
    X, level = rng.standard_normal((80, 4)), rng.integers(0, 2, 80)
    costs = np.array([[0.0, 5.0], [0.0, 0.0]])
    two = hinge_path(X, PartialOrder.of(level, costs), LAMS)
    assert np.array_equal(two.coef, two_classes(X, level == 1, LAMS).coef)
    wide = np.pad(costs, ((1, 1), (1, 1)), constant_values=1.0)
    four = hinge_path(X, PartialOrder.of(level + 1, np.triu(wide, 1)), LAMS)
    assert np.array_equal(two.coef, four.coef)


def test_a_group_a_copy_is_one_bipartite_problem():
    rng = np.random.default_rng(7)
    X, level = rng.standard_normal((80, 4)), rng.integers(0, 2, 80)
    order = PartialOrder.of(
        np.tile(level, 3), np.triu(np.ones((2, 2)), 1), np.repeat([5, 2, 9], 80)
    )
    alone = np.r_[np.zeros((7, 4)), np.tile(X, (3, 1))]
    order = PartialOrder.of(
        np.r_[np.zeros(7, int), order.level], order.costs, np.r_[np.arange(100, 107), order.group]
    )
    path = hinge_path(alone, order, LAMS)
    np.testing.assert_allclose(
        path.objective, two_classes(X, level == 1, LAMS).objective, rtol=2e-6
    )


@pytest.mark.parametrize("groups", [1, 2000])
def test_many_rows_are_certified_from_a_sample(groups, monkeypatch):
    rng = np.random.default_rng(8)
    monkeypatch.setattr(hinge, "MANY_ROWS", 4_000)
    monkeypatch.setattr(hinge, "SAMPLED_ROWS", 1_000)
    n = 6_000
    X = rng.standard_normal((n, 5))
    f = X @ rng.standard_normal(5) + rng.standard_normal(n)
    level = np.searchsorted(np.quantile(f, [0.5, 0.8, 0.95]), f)
    order = PartialOrder.of(level, np.triu(np.ones((4, 4)), 1), rng.integers(0, groups, n))
    path = hinge_path(X, order, [1e-2, 1e-5])
    assert path.converged.all(), path.gap
    if groups > 1:
        assert path.objective[1] == pytest.approx(
            primal(path.coef[:, 1], X, order, 1e-5), rel=1e-7
        )


def test_refuses_what_has_no_pairs():
    X = np.random.default_rng(9).standard_normal((6, 2))
    costs = np.triu(np.ones((3, 3)), 1)
    with pytest.raises(ValueError, match="there is none"):
        hinge_path(X, PartialOrder.of([0, 1, 2] * 2, costs, np.arange(6)), [1.0])
    with pytest.raises(ValueError, match="lam > 0"):
        hinge_path(X, PartialOrder.of([0, 1, 2] * 2, costs), [0.0])
    X[2, 1] = np.nan
    with pytest.raises(ValueError, match="NaN or infinite"):
        hinge_path(X, PartialOrder.of([0, 1, 2] * 2, costs), [1.0])


def test_weights_are_repeated_rows():
    rng = np.random.default_rng(10)
    X, order, times = rng.standard_normal((20, 3)), random_order(rng, 20), rng.integers(1, 4, 20)
    weighted = hinge_pairs(X, replace(order, weight=times))
    rows = np.repeat(np.arange(20), times)
    repeated = hinge_pairs(X[rows], order.take(rows))
    assert weighted.count == pytest.approx(repeated.count)
    np.testing.assert_allclose(weighted.mean_difference, repeated.mean_difference, atol=1e-14)
