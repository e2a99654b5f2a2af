"""LinearRanker and KernelRanker on labelled pairs: against a machine on the kernel of pairs."""

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from rankexp.estimators import KernelRanker, LinearRanker
from rankexp.losses import parse
from rankexp.solvers.pairs import pair_list

LOSSES = ["hinge", "logistic", "squared_hinge", "exponential", "asymmetric_a"]
BOTH = [LinearRanker, KernelRanker]


def make(n=30, m=120, seed=0):
    """Return rows, pairs, labels that no order agrees with, some 0, and weights, some 0."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    pairs = rng.integers(0, n, (m, 2))
    pairs[:, 1] += pairs[:, 0] == pairs[:, 1]
    pairs %= n
    f = X[:, 0] - X[:, 1]
    labels = np.sign(f[pairs[:, 0]] - f[pairs[:, 1]] + rng.normal(size=m)).astype(int)
    labels[:9] = 0
    return X, pairs, labels, rng.integers(0, 4, m)


def pair_machine(K, pairs, labels, weights, lam):
    """Return the objective and the scores of (10.9) by scikit-learn's machine on (10.10)."""
    kept = (labels != 0) & (weights > 0)
    (i, j), y, c = pairs[kept].T, labels[kept], weights[kept] / weights[kept].sum()
    A = K[i] - K[j]
    G = A[:, i] - A[:, j]
    # Without an intercept: both orders of each pair, then its optimum is 0.
    both = np.block([[G, -G], [-G, G]])
    svc = SVC(C=1 / lam, kernel="precomputed", tol=1e-9)
    svc.fit(both, np.r_[y, -y], sample_weight=np.r_[c, c] / 2)
    dual = np.zeros(2 * i.size)
    dual[svc.support_] = svc.dual_coef_[0]
    dual = dual[: i.size] - dual[i.size :]
    beta = np.bincount(i, dual, len(K)) - np.bincount(j, dual, len(K))
    s = K @ beta
    return lam / 2 * beta @ s + c @ np.maximum(0, 1 - y * (s[i] - s[j])), s


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("lam", [1e-1, 1e-3])
@pytest.mark.parametrize("ranker", BOTH)
def test_the_hinge_is_the_machine_on_the_kernel_of_pairs(ranker, lam, dense, monkeypatch):
    if not dense:
        monkeypatch.setattr(pair_list, "DENSE", 0)
    X, pairs, labels, weights = make()
    kernel = ranker is KernelRanker
    K = rbf_kernel(X, gamma=0.5) if kernel else X @ X.T
    best, wanted = pair_machine(K, pairs, labels, weights, lam)
    more = {"gamma": 0.5} if kernel else {"loss": "hinge"}
    model = ranker(lam=lam, tol=1e-9, **more).fit_pairs(X, pairs, labels, weights)
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    assert model.gap_ <= 1e-9
    s = model.predict(X)
    used = np.unique(pairs[(labels != 0) & (weights > 0)])
    np.testing.assert_allclose(
        (s - s[used].mean())[used], (wanted - wanted[used].mean())[used], atol=2e-3
    )


@pytest.mark.parametrize("loss", LOSSES[1:])
def test_smooth_losses_reach_the_minimum(loss):
    X, pairs, labels, weights = make()
    kept = (labels != 0) & (weights > 0)
    D = (X[pairs[:, 0]] - X[pairs[:, 1]])[kept] * labels[kept, None]
    c, of = weights[kept] / weights[kept].sum(), parse(loss)

    def objective(w):
        z = D @ w
        return 0.05 * w @ w + c @ (0.5 * (of.value(1.0, z) + of.value(-1.0, -z)))

    best = minimize(objective, np.zeros(3), tol=1e-12)
    model = LinearRanker(loss=loss, lam=0.1, tol=1e-10).fit_pairs(X, pairs, labels, weights)
    assert model.objective_ == pytest.approx(best.fun, rel=1e-8)
    np.testing.assert_allclose(model.coef_[0], best.x, atol=1e-4)
    kernel = KernelRanker(kernel="linear", loss=loss, lam=0.1, tol=1e-9)
    kernel.fit_pairs(X, pairs, labels, weights)
    assert kernel.objective_ == pytest.approx(best.fun, rel=1e-8)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("ranker", BOTH)
def test_all_pairs_of_two_classes_are_the_bipartite_risk(ranker, loss):
    X = np.random.default_rng(1).normal(size=(24, 3))
    X[5] = X[4]
    y = np.arange(24) % 2
    pairs = np.array([(i, j) for i in range(24) for j in range(i) if y[i] != y[j]])
    model = ranker(loss=loss, risk="bipartite", lam=1e-2, tol=1e-8)
    listed = ranker(loss=loss, lam=1e-2, tol=1e-8)
    listed.fit_pairs(X, pairs, y[pairs[:, 0]] - y[pairs[:, 1]])
    assert listed.objective_ == pytest.approx(model.fit(X, y).objective_, rel=1e-7)
    s, t = model.decision_function(X), listed.decision_function(X)
    np.testing.assert_allclose(s - s.mean(), t - t.mean(), atol=1e-2)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize("ranker", BOTH)
def test_weights_are_copies_and_labels_of_0_and_turned_pairs_say_nothing_new(ranker, loss):
    X, pairs, labels, weights = make()
    made = ranker(loss=loss, lam=1e-2, tol=1e-8)
    s = made.fit_pairs(X, pairs, labels, weights).predict(X)
    copies = np.repeat(np.arange(len(pairs)), weights)
    turned = pairs.copy()
    turned[::2] = turned[::2, ::-1]
    signs = np.where(np.arange(len(pairs)) % 2, 1, -1)
    t = made.fit_pairs(X, turned[copies], (signs * labels)[copies]).predict(X)
    np.testing.assert_allclose(s, t, atol=1e-4)
    u = made.fit_pairs(X, pairs, labels, weights * 1e-200).predict(X)
    np.testing.assert_allclose(s, u, atol=1e-6)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_many_rows_start_from_a_sample_of_the_pairs(loss):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 3))
    pairs = np.column_stack((np.arange(30_000), np.arange(30_000, 60_000)))
    labels = np.where(X[pairs[:, 0], 0] + rng.normal(size=30_000) > X[pairs[:, 1], 0], 1, -1)
    model = LinearRanker(loss=loss, lam=1e-3).fit_pairs(X, pairs, labels)
    D = labels[:, None] * (X[pairs[:, 0]] - X[pairs[:, 1]])
    each = parse(loss).derivative(1.0, D @ model.coef_[0])
    slope = 1e-3 * model.coef_[0] + (D * each[:, None]).mean(axis=0)
    assert slope @ slope / 2e-3 <= 1e-5 * model.objective_
    assert model.gap_ <= 1e-6


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("ranker", BOTH)
def test_few_rows_and_rows_that_are_all_alike(ranker, loss):
    one = ranker(loss=loss, lam=0.1).fit_pairs([[0.0], [1.0]], [[0, 1]], [-1])
    assert one.predict([[1.0]]) > one.predict([[0.0]])
    alike = (
        ranker(loss=loss, lam=0.1, gamma=1.0)
        if ranker is KernelRanker
        else ranker(loss=loss, lam=0.1)
    )
    alike.fit_pairs(np.ones((4, 2)), [[0, 1], [2, 3]], [1, 1])
    assert alike.objective_ == pytest.approx(
        float(
            parse(loss).value(1.0, np.zeros(1))[0] / 2
            + parse(loss).value(-1.0, np.zeros(1))[0] / 2
        )
    )
    assert len(set(alike.predict(np.ones((3, 2))))) == 1
    X, pairs, labels, _ = make(n=12, m=20)
    wide = np.hstack([X] * 9)  # more columns than pairs
    model = ranker(loss=loss, lam=0.1, tol=1e-8).fit_pairs(wide, pairs, labels)
    assert model.gap_ <= 1e-8


@pytest.mark.parametrize("ranker", BOTH)
def test_a_later_fit_forgets_the_first(ranker):
    X, pairs, labels, _ = make()
    model = ranker(risk="bipartite").fit(X, X[:, 0] > 0)
    assert model.fit_pairs(X, pairs, labels).predict(X).dtype == np.float64
    assert not hasattr(model, "classes_")
    assert model.threshold_ == 0.0
    assert set(model.fit(X, X[:, 0] > 0).predict(X)) == {True, False}


@pytest.mark.parametrize("ranker", BOTH)
@pytest.mark.parametrize(
    ("parameters", "change", "message"),
    [
        ({}, {"pairs": np.empty((0, 2), int), "labels": []}, "no pair to rank"),
        ({}, {"labels": [2]}, "labels must be -1, 0 or 1"),
        ({}, {"labels": [0]}, "no pair to rank"),
        ({}, {"pairs": [[0, 4]]}, r"rows of X, 0 \.\. 3"),
        ({}, {"X": np.full((4, 2), np.nan)}, "NaN"),
        ({"levels": [0, 1]}, {}, "levels is for labels of rows"),
        ({"costs": np.ones((2, 2))}, {}, "costs is for"),
        ({"queries": "each"}, {}, "weigh pairs"),
        ({"loss": "zero_one"}, {}, "(?s)zero_one.*it is not convex"),
        ({"loss": "hinge", "lam": 0.0}, {}, "lam > 0"),
    ],
)
def test_what_is_wrong_is_said(ranker, parameters, change, message):
    given = {"X": np.eye(4)[:, :2], "pairs": [[0, 1]], "labels": [1], **change}
    with pytest.raises(ValueError, match=message):
        ranker(**parameters).fit_pairs(**given)


@pytest.mark.parametrize("size", [1e20, 1e100, 1e160, 1e300, 1.7e308, 1e-20, 1e-160, 5e-324])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize("ranker", BOTH)
def test_features_of_any_size_give_finite_scores_or_an_error(ranker, loss, size):
    X, pairs, labels, _ = make()
    for where in (7, slice(None)):
        Y = X.copy()
        Y[where, 1] = size * np.sign(Y[where, 1])
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                model = ranker(loss=loss, lam=0.1).fit_pairs(Y, pairs, labels)
            except (ValueError, FloatingPointError) as error:
                assert size >= 1e100
                assert "scale" in str(error) or "divide the column" in str(error)
                continue
        assert np.isfinite(model.predict(Y)).all()
        told = any(w.category is ConvergenceWarning for w in said)
        assert model.gap_ <= model.tol or told


@pytest.mark.parametrize("ranker", BOTH)
def test_small_penalties_and_columns_of_unlike_sizes_are_solved(ranker, monkeypatch):
    rng = np.random.default_rng(5)
    for draw in range(40):
        n, d, m = (int(rng.integers(2, most)) for most in (60, 12, 300))
        X = rng.normal(size=(n, d))
        if draw % 3:
            X = np.round(X) if draw % 3 == 1 else X * 10.0 ** rng.integers(-6, 7, d)
        pairs = rng.integers(0, n, (m, 2))
        z = X[pairs[:, 0], 0] - X[pairs[:, 1], 0] + rng.choice([0.0, 2.0]) * rng.normal(size=m)
        labels = np.where(z > 0, 1, -1) * (pairs[:, 0] != pairs[:, 1])
        monkeypatch.setattr(pair_list, "DENSE", 0 if draw % 2 else 2**23)
        lam = 10.0 ** rng.uniform(-8, 2)
        more = {"gamma": 0.5} if ranker is KernelRanker else {}
        model = ranker(loss="hinge", lam=lam, **more)
        model.fit_pairs(X, pairs, labels, np.exp(3 * rng.normal(size=m)))
        assert model.gap_ <= model.tol


@pytest.mark.parametrize("ranker", BOTH)
def test_what_is_not_reached_is_said_where_it_was_asked_for(ranker):
    X, pairs, labels, _ = make()
    with pytest.warns(ConvergenceWarning, match="of listed pairs did not converge") as said:
        ranker(loss="hinge", lam=1e-4, max_iter=1).fit_pairs(X, pairs, labels)
    assert said[0].filename == __file__
