"""The pairwise hinge: certificates on every kind of data, a quadratic program, laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.solvers.hinge.path import hinge_path
from rankexp.solvers.pairs.partial_order import PartialOrder

LAMS = 10.0 ** np.arange(0, -6, -1)


def two_classes(X, positive, lams, **options):
    return hinge_path(X, PartialOrder.of_classes(positive), lams, **options)


def labels(X, rng, noise=0.0, p=0.5, w=None):
    w = rng.standard_normal(X.shape[1]) if w is None else w
    s = X @ w + 1e-9 * rng.standard_normal(len(X))
    return (s > np.quantile(s, 1 - p)) ^ (rng.random(len(X)) < noise)


def noisy(rng, n):
    X = rng.uniform(-1, 1, (n, 12))
    return X, labels(X, rng, 0.15)


def noise_free(rng, n):
    X = rng.uniform(-1, 1, (n, 12))
    return X, labels(X, rng)


def rare(rng, n):
    X = rng.uniform(-1, 1, (n, 12))
    return X, labels(X, rng, 0.0, 0.99 if n > 100 else 0.9)


def duplicated(rng, n):
    X = rng.uniform(-1, 1, (n // 4, 12))
    y = labels(X, rng, 0.05)
    return np.repeat(X, 4, axis=0), np.repeat(y, 4)


def contradictory(rng, n):
    X = rng.integers(0, 3, (n, 3)).astype(float)
    return X, labels(X, rng, 0.2)


def tied(rng, n):
    X = (rng.random((n, 20)) < 0.5).astype(float)
    return X, labels(X, rng, 0.0, w=rng.choice([-1.0, 1.0], 20))


def low_rank(rng, n):
    X = np.tile((rng.random((n, 5)) < 0.5).astype(float), 4)
    return X, labels(X, rng, 0.02)


def one_hot(rng, n):
    X = np.hstack([np.eye(5)[rng.integers(0, 5, n)] for _ in range(4)])
    return X, labels(X, rng, 0.02)


def nearly_separable(rng, n):
    X = rng.standard_normal((n, 8))
    y = labels(X, rng)
    X[:, 0] += 3.0 * y
    y[0] = ~y[0]
    return X, y


def badly_scaled(rng, n):
    X, y = noisy(rng, n)
    return X * 10.0 ** rng.uniform(-4, 5, X.shape[1]) + 1e4, y


def wide(rng, n):
    X = rng.standard_normal((n, 2 * n))
    return X, labels(X, rng, 0.1)


DATA = [
    noisy,
    noise_free,
    rare,
    duplicated,
    contradictory,
    tied,
    low_rank,
    one_hot,
    nearly_separable,
    badly_scaled,
]


def differences(X, y):
    return (X[y][:, None] - X[~y][None]).reshape(-1, X.shape[1])


def primal(w, D, lam):
    return 0.5 * lam * w @ w + np.maximum(0.0, 1.0 - D @ w).mean()


def quadratic_program(X, y, lam):
    """The optimal value, all pairs written out, by clarabel."""
    clarabel = pytest.importorskip("clarabel")
    from scipy import sparse

    D = differences(X, y)
    scale = np.abs(D).max(axis=0)  # the same problem in other units
    scale[scale == 0.0] = 1.0
    M, d = D.shape
    P = sparse.diags(np.r_[lam / scale**2, np.zeros(M)], format="csc")
    q = np.r_[np.zeros(d), np.full(M, 1.0 / M)]
    A = sparse.vstack(
        [
            sparse.hstack([-sparse.csc_matrix(D / scale), -sparse.eye(M)]),
            sparse.hstack([sparse.csc_matrix((M, d)), -sparse.eye(M)]),
        ],
        format="csc",
    )
    b = np.r_[-np.ones(M), np.zeros(M)]
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-10
    solver = clarabel.DefaultSolver(P, q, A, b, [clarabel.NonnegativeConeT(2 * M)], options)
    w = np.array(solver.solve().x[:d]) / scale
    return primal(w, D, lam)


@pytest.mark.parametrize("make", [*DATA, wide])
def test_certified_on_all_kinds_of_data(make):
    X, y = make(np.random.default_rng(0), 60 if make is wide else 400)
    lams = np.r_[1000.0, LAMS]
    result = two_classes(X, y, lams)
    assert result.converged.all(), result.gap
    assert (result.gap >= 0.0).all() and (result.gap <= 1e-6).all()
    D = differences(X, y)
    for k, lam in enumerate(lams):
        assert result.objective[k] == pytest.approx(primal(result.coef[:, k], D, lam), rel=1e-7)
        dual = -result.slope[y, k].sum() - np.sum((result.slope[:, k] @ X) ** 2) / (2.0 * lam)
        gap = (result.objective[k] - dual) / result.objective[k]
        assert gap == pytest.approx(
            result.gap[k], rel=1e-4, abs=1e-6 if make is badly_scaled else 1e-9
        )
    assert not result.intercept.any()


@pytest.mark.parametrize("make", DATA)
@pytest.mark.parametrize("lam", [1.0, 1e-2, 1e-4])
def test_equals_the_quadratic_program_on_all_pairs(make, lam):
    X, y = make(np.random.default_rng(1), 48)
    reached = two_classes(X, y, [lam]).objective[0]
    wanted = quadratic_program(X, y, lam)
    assert reached <= wanted * (1 + 1e-5)
    assert reached >= wanted * (1 - 1e-5)


def test_equals_linear_svc_on_all_pairs():
    from sklearn.svm import LinearSVC

    X, y = noisy(np.random.default_rng(2), 50)
    D, lam = differences(X, y), 0.01
    sign = np.where(np.arange(len(D)) % 2, 1.0, -1.0)
    svc = LinearSVC(
        loss="hinge", C=1 / (lam * len(D)), fit_intercept=False, tol=1e-8, max_iter=1_000_000
    )
    svc.fit(D * sign[:, None], sign)
    result = two_classes(X, y, [lam])
    assert result.objective[0] == pytest.approx(primal(svc.coef_[0], D, lam), rel=1e-5)
    np.testing.assert_allclose(result.coef[:, 0], svc.coef_[0], atol=0.02)


def test_the_mean_difference_where_all_pairs_are_in_the_margin():
    X, y = noisy(np.random.default_rng(3), 100)
    difference = X[y].mean(axis=0) - X[~y].mean(axis=0)
    spread = (differences(X, y) @ difference).max()
    result = two_classes(X, y, [spread * 1.0001, spread * 10, spread * 0.99])
    np.testing.assert_allclose(result.coef[:, 0], difference / (spread * 1.0001), rtol=1e-12)
    np.testing.assert_allclose(result.coef[:, 1], difference / (spread * 10), rtol=1e-12)
    assert (result.gap[:2] <= 1e-12).all()
    assert result.gap[2] <= 1e-6


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.2]), st.sampled_from([1e-1, 1e-3]))
def test_laws(seed, noise, lam):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, 4))
    y = labels(X, rng, noise)
    y[:2] = [True, False]
    tol = 1e-9

    def fit(X, y):
        return two_classes(X, y, [lam], tol=tol)

    result = fit(X, y)
    w = result.coef[:, 0]
    # Strong convexity: lam/2 |w - w*|² <= P - P*, for both.
    near = 2.0 * np.sqrt(2.0 * tol * result.objective[0] / lam) + 1e-12
    assert np.linalg.norm(fit(X, ~y).coef[:, 0] + w) <= near
    order = rng.permutation(40)
    assert np.linalg.norm(fit(X[order], y[order]).coef[:, 0] - w) <= near
    assert np.linalg.norm(fit(np.tile(X, (3, 1)), np.tile(y, 3)).coef[:, 0] - w) <= near
    assert np.linalg.norm(fit(X + 5.0, y).coef[:, 0] - w) <= near
    turn = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    assert np.linalg.norm(turn @ fit(X @ turn, y).coef[:, 0] - w) <= near


def test_the_same_bits_again():
    X, y = nearly_separable(np.random.default_rng(5), 200)
    one = two_classes(X, y, LAMS)
    two = two_classes(X.copy(), y.copy(), LAMS)
    assert np.array_equal(one.coef, two.coef) and np.array_equal(one.gap, two.gap)


def test_penalties_in_any_order():
    X, y = noisy(np.random.default_rng(6), 100)
    down, up = two_classes(X, y, LAMS), two_classes(X, y, LAMS[::-1])
    assert np.array_equal(down.coef, up.coef[:, ::-1])


def test_many_rows_are_certified_from_a_sample():
    rng = np.random.default_rng(7)
    X = rng.standard_normal((45_000, 5))
    y = labels(X, rng, 0.1)
    result = two_classes(X, y, [1e-2, 1e-5])
    assert result.converged.all(), result.gap
    w = result.coef[:, 1]
    s, t = np.sort(X[y] @ w), np.sort(X[~y] @ w)
    prefix = np.r_[0.0, np.cumsum(t[::-1])]
    inside = len(t) - np.searchsorted(t, s - 1.0)
    hinge = (inside * (1.0 - s) + prefix[inside]).sum() / (len(s) * len(t))
    assert result.objective[1] == pytest.approx(hinge + 0.5e-5 * w @ w, rel=1e-8)


def test_many_tied_rows_are_certified():
    rng = np.random.default_rng(8)
    X = np.c_[(rng.random((45_000, 4)) < 0.5).astype(float), rng.integers(0, 3, (45_000, 9))]
    y = labels(X, rng, 0.0, w=rng.choice([-1.0, 1.0], 13))
    result = two_classes(X, y, [1e-1, 1e-3])
    assert result.converged.all(), result.gap


def test_smallest_data():
    result = two_classes(np.array([[1.0], [0.0]]), np.array([True, False]), [4.0, 0.25, 1e-6])
    # One pair at distance 1: w = min(1, 1 / lam).
    np.testing.assert_allclose(result.coef[0], [0.25, 1.0, 1.0], rtol=1e-5)
    same = two_classes(np.ones((4, 3)), np.array([True, False, True, False]), [1.0, 1e-3])
    np.testing.assert_allclose(same.coef, 0.0, atol=1e-12)
    np.testing.assert_allclose(same.objective, 1.0)


def test_says_when_it_did_not_converge():
    X, y = noise_free(np.random.default_rng(9), 300)
    result = two_classes(X, y, [1e-5], tol=1e-15, max_iter=1)
    assert not result.converged[0] and result.gap[0] > 1e-15


def test_refuses_what_it_cannot_solve():
    X, y = noisy(np.random.default_rng(10), 20)
    with pytest.raises(ValueError, match="different levels"):
        two_classes(X, np.ones(20, dtype=bool), [1.0])
    with pytest.raises(ValueError, match="lam > 0"):
        two_classes(X, y, [1.0, 0.0])
    with pytest.raises(ValueError, match="shapes"):
        two_classes(X, y[:-1], [1.0])
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        two_classes(X, y, [1.0])
