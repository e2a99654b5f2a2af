"""KernelRanker: against a support vector machine on pairs, LinearRanker, and Nyström features."""

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from rankexp import registry
from rankexp.estimators import KernelRanker, LinearRanker
from rankexp.metrics.level_counts import cost_matrix

cells = pytest.mark.parametrize(("loss", "risk"), KernelRanker.combinations())
COSTS = [[0, 1, 3], [0, 0, 2], [0, 0, 0]]


def make(n=60, levels=2, d=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, d))
    f = np.sin(3 * X[:, 0]) + X[:, -1] ** 2 + 0.3 * rng.normal(size=n)
    y = np.searchsorted(np.quantile(f, np.arange(1, levels) / levels), f)
    return X, y, rng.integers(0, 4, n)


def weighted_pairs(y, costs, groups):
    """Rows i, j of all pairs and their weights, of sum 1."""
    C = costs[y[None], y[:, None]] * (groups[:, None] == groups[None])
    i, j = np.nonzero(C)
    return i, j, C[i, j] / C.sum()


@pytest.mark.parametrize("lam", [1e-1, 1e-2])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "callable"])
@pytest.mark.parametrize("levels", [2, 3])
def test_equals_the_machine_on_the_kernel_of_pairs(levels, kernel, lam):
    X, y, groups = make(levels=levels)
    costs = cost_matrix(COSTS if levels == 3 else None, levels)
    if levels == 2:
        groups = np.zeros(60)
    i, j, c = weighted_pairs(y, costs, groups)
    K = (
        polynomial_kernel(X, gamma=2.0, degree=2, coef0=0.5)
        if kernel == "poly"
        else rbf_kernel(X, gamma=2.0)
    )
    # mohri2018, (10.10); every second pair turned round, as SVC wants two classes.
    sign = np.where(np.arange(i.size) % 2, 1.0, -1.0)
    A = K[i] - K[j]
    G = (A[:, i] - A[:, j]) * np.outer(sign, sign)
    svc = SVC(C=1 / lam, kernel="precomputed", tol=1e-8, cache_size=500)
    # Without an intercept: both orders of each pair, then its optimum is 0.
    svc.fit(np.block([[G, -G], [-G, G]]), np.r_[sign, -sign], sample_weight=np.r_[c, c] / 2)
    dual = np.zeros(2 * i.size)
    dual[svc.support_] = svc.dual_coef_[0]
    dual = (dual[: i.size] - dual[i.size :]) * sign
    beta = np.bincount(i, dual, 60) - np.bincount(j, dual, 60)
    wanted = K @ beta
    found = KernelRanker(
        kernel=rbf_kernel_two if kernel == "callable" else kernel,
        gamma=2.0,
        degree=2,
        coef0=0.5,
        lam=lam,
        risk="bipartite" if levels == 2 else "multipartite",
        costs=COSTS if levels == 3 else None,
        tol=1e-10,
    ).fit(X, y, groups=groups if levels == 3 else None)
    s = found.decision_function(X)
    np.testing.assert_allclose(s - s.mean(), wanted - wanted.mean(), atol=1e-4)
    best = lam / 2 * beta @ K @ beta + c @ np.maximum(0, 1 - wanted[i] + wanted[j])
    assert found.objective_ == pytest.approx(best, rel=1e-6)


def rbf_kernel_two(A, B):
    return rbf_kernel(A, B, gamma=2.0)


@cells
def test_the_linear_kernel_is_linear_ranker(loss, risk):
    X, y, groups = make(levels=2 if risk == "bipartite" else 3, d=3)
    groups = groups if risk == "multipartite" else None
    kernel = KernelRanker(kernel="linear", loss=loss, risk=risk, tol=1e-8).fit(X, y, groups=groups)
    linear = LinearRanker(loss=loss, risk=risk, lam=1e-2, tol=1e-9).fit(X, y, groups=groups)
    assert kernel.objective_ == pytest.approx(linear.objective_, rel=1e-7)
    assert kernel.support_.size == 3
    s, t = kernel.decision_function(X), linear.decision_function(X)
    np.testing.assert_allclose(s - s.mean(), t - t.mean(), atol=2e-3)


@cells
def test_what_fit_leaves_and_the_objective_is_that_of_the_expansion(loss, risk):
    X, y, groups = make(n=80, levels=2 if risk == "bipartite" else 3)
    groups = groups if risk == "multipartite" else np.zeros(80, dtype=int)
    found = KernelRanker(loss=loss, risk=risk, gamma=3.0, tol=1e-6)
    found.fit(X, y, groups=groups if risk == "multipartite" else None)
    assert is_classifier(found) == (risk == "bipartite")
    assert 0 <= found.gap_ <= 1e-6
    np.testing.assert_array_equal(found.support_vectors_, X[found.support_])
    beta = found.dual_coef_[0]
    s = rbf_kernel(X, found.support_vectors_, gamma=3.0) @ beta
    np.testing.assert_allclose(found.decision_function(X), s - found.threshold_, atol=1e-9)
    i, j, c = weighted_pairs(y, cost_matrix(None, int(y.max()) + 1), groups)
    norm = beta @ rbf_kernel(found.support_vectors_, gamma=3.0) @ beta
    own = registry.get("losses", loss)()

    def risk_of(D):
        return (own.value(1.0, D) + own.value(-1.0, -D)) / 2

    assert found.objective_ == pytest.approx(0.005 * norm + c @ risk_of(s[i] - s[j]), rel=1e-8)
    if risk == "bipartite":
        assert (found.predict(X) == y).mean() > 0.8
    else:
        np.testing.assert_array_equal(found.predict(X), found.decision_function(X))


@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
def test_a_score_depends_on_its_row_alone(kernel):
    X, y, _ = make(n=150, d=5)
    X = np.r_[X, X[:40]]
    found = KernelRanker(kernel=kernel, gamma=1.0).fit(X, np.r_[y, 1 - y[:40]])
    s = found.decision_function(X)
    np.testing.assert_array_equal(s[150:], s[:40])
    rows = np.random.default_rng(1).integers(190, size=2500)
    np.testing.assert_array_equal(found.decision_function(X[rows]), s[rows])
    np.testing.assert_array_equal(found.decision_function(X[7:8]), s[7:8])


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared_hinge", "exponential"])
def test_a_cut_is_certified(loss):
    X, y, _ = make(n=300)
    exact = KernelRanker(gamma=5.0, loss=loss, lam=1e-3, tol=1e-8).fit(X, y)
    loose = KernelRanker(gamma=5.0, loss=loss, lam=1e-3, tol=1e-2).fit(X, y)
    assert loose.support_.size < exact.support_.size
    assert loose.objective_ <= exact.objective_ / (1 - loose.gap_)
    with pytest.warns(ConvergenceWarning, match="Nystroem"):
        few = KernelRanker(gamma=5.0, loss=loss, lam=1e-3, max_rank=10).fit(X, y)
    assert few.support_.size == 10
    assert few.gap_ > 1e-4
    assert few.objective_ * (1 - few.gap_) <= exact.objective_ <= few.objective_


def test_a_large_penalty_leaves_the_mean_difference():
    X, y, _ = make()
    found = KernelRanker(gamma=2.0, lam=1e8).fit(X, y)
    K = rbf_kernel(X, gamma=2.0)
    wanted = K @ np.where(y, 1 / y.sum(), -1 / (1 - y).sum()) / 1e8
    s = found.decision_function(X) + found.threshold_
    assert 0 <= found.gap_ <= 1e-4
    np.testing.assert_allclose(s, wanted, atol=0.2e-8)


@pytest.mark.parametrize("lam", [1e-3, 1e-4])
def test_few_positives_far_inside_of_a_wide_space_are_certified(lam):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 4))
    f = X[:, 0] + X[:, 1] * X[:, 0]
    found = KernelRanker(gamma=3.0, lam=lam).fit(X, f > np.quantile(f, 0.96))
    assert found.gap_ <= 1e-4


def test_many_rows_take_few_pivots():
    rng = np.random.default_rng(2)
    y = np.arange(6000) % 2
    X = (rng.normal(size=6000) + 2 * y - 1)[:, None]
    found = KernelRanker(gamma=10.0, lam=1e-2).fit(X, y)
    assert found.support_.size < 150
    assert found.gap_ <= 1e-4


def test_nystroem_features_come_near():
    X, y, _ = make(n=400)
    whole = KernelRanker(gamma=2.0, lam=1e-2).fit(X, y)
    features = Nystroem(gamma=2.0, n_components=60, random_state=0)
    some = make_pipeline(features, LinearRanker(loss="hinge", risk="bipartite", lam=1e-2)).fit(
        X, y
    )
    linear = some[-1]
    assert linear.objective_ == pytest.approx(whole.objective_, rel=5e-3)
    assert np.corrcoef(some.decision_function(X), whole.decision_function(X))[0, 1] > 0.999


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "rbff"}, "unknown kernel 'rbff'.*did you mean 'rbf'"),
        ({"gamma": 0.0}, "gamma must"),
        ({"degree": 0}, "degree must"),
        ({"coef0": -1.0}, "coef0 must"),
        ({"max_rank": 0}, "max_rank must"),
        ({"lam": 0.0}, "lam > 0"),
        ({"lam": 0.0, "loss": "logistic"}, "lam > 0"),
        (
            {"risk": "classification"},
            "does not train the classification risk; it trains bipartite, multipartite",
        ),
        ({"kernel": lambda A, B: -rbf_kernel(A, B)}, "K\\(x, x\\) >= 0"),
        ({"kernel": lambda A, B: np.abs(A @ B.T) - (A @ B.T) + 0.1}, "semidefinite"),
        ({"kernel": lambda A, B: 9 + A @ B.T + 0.1 * (A[:, :1] - B[:, 0])}, "symmetric"),
        ({"kernel": lambda A, B: (A @ B.T).sum(axis=1)}, "shape"),
        ({"kernel": lambda A, B: 1.0}, "shape"),
        ({"kernel": lambda A, B: B @ A.T}, "shape"),
    ],
)
def test_what_cannot_be(parameters, message):
    X, y, _ = make()
    with pytest.raises(ValueError, match=message):
        KernelRanker(**parameters).fit(X, y)


@pytest.mark.parametrize("scale", [1e-180, 1e180])
def test_a_width_out_of_range_is_asked_for(scale):
    X, y, _ = make()
    with pytest.raises(ValueError, match="scale the features, or set gamma"):
        KernelRanker().fit(scale * X, y)
