"""The SVM with thresholds beside a quadratic program and scikit-learn's SVC."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from rankexp.estimators import OrdinalSVM
from rankexp.solvers.ordinal.threshold_hinge import threshold_hinge_path
from rankexp.solvers.ordinal.threshold_terms import Terms, balanced, thresholds

laws = settings(max_examples=40)
BOTH = pytest.mark.parametrize("every", [False, True], ids=["adjacent", "all"])


def make(n=60, d=3, K=4, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + np.arange(d)
    s = X @ rng.standard_normal(d) + noise * rng.logistic(size=n)
    y = np.searchsorted(np.quantile(s, 1 - 0.6 ** np.arange(1, K)), s)
    y[:K] = np.arange(K)
    return X, y


def losses(s, theta, y, every):
    """Return the mean over examples of the sums of hinge losses, as it is defined."""
    total = 0.0
    for score, level in zip(s.tolist(), y.tolist(), strict=True):
        for j, cut in enumerate(theta):
            if every or j in (level - 1, level):
                total += max(0.0, 1 - score + cut) if level > j else max(0.0, 1 + score - cut)
    return total / len(s)


def quadratic_program(X, y, lam, every):
    """Solve in (w, theta, losses) with clarabel; return the objective, w and theta."""
    clarabel = pytest.importorskip("clarabel")
    sparse = pytest.importorskip("scipy.sparse")
    (n, d), J = X.shape, int(y.max())
    terms = [
        (i, j) for i in range(n) for j in range(J) if every or j in (int(y[i]) - 1, int(y[i]))
    ]
    N = len(terms)
    P = sparse.diags(np.concatenate((np.full(d, lam), np.zeros(J + N)))).tocsc()
    q = np.concatenate((np.zeros(d + J), np.full(N, 1 / n)))
    rows, bound = [], []
    for k, (i, j) in enumerate(terms):
        sign, row = (1.0 if y[i] > j else -1.0), np.zeros(d + J + N)
        row[:d], row[d + j], row[d + J + k] = -sign * X[i], sign, -1.0
        rows.append(row)
        bound.append(-1.0)
    for k in range(N):
        rows.append(np.zeros(d + J + N))
        rows[-1][d + J + k] = -1.0
        bound.append(0.0)
    for j in range(J - 1):
        rows.append(np.zeros(d + J + N))
        rows[-1][d + j], rows[-1][d + j + 1] = 1.0, -1.0
        bound.append(0.0)
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-11
    A, cones = sparse.csc_matrix(np.array(rows)), [clarabel.NonnegativeConeT(len(rows))]
    found = clarabel.DefaultSolver(P, q, A, np.array(bound), cones, options).solve()
    x = np.array(found.x)
    return found.obj_val, x[:d], x[d : d + J]


@BOTH
@pytest.mark.parametrize("lam", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_equals_the_quadratic_program(every, lam, noise):
    X, y = make(noise=noise)
    objective, w, _ = quadratic_program(X, y, lam, every)
    model = OrdinalSVM(constraints="all" if every else "adjacent", lam=lam, tol=1e-9).fit(X, y)
    assert model.objective_ == pytest.approx(objective, rel=1e-7)
    np.testing.assert_allclose(model.coef_[0], w, atol=1e-5 * (1 + np.abs(w).max()))
    s, theta = model.decision_function(X), model.thresholds_
    assert (np.diff(theta) >= 0).all()
    value = losses(s, theta, y, every) + 0.5 * lam * model.coef_[0] @ model.coef_[0]
    assert value == pytest.approx(objective, rel=1e-7)


@BOTH
def test_two_levels_are_the_standard_machine(every):
    X, y = make(n=200, K=2)
    lam = 1e-2
    other = SVC(kernel="linear", C=1 / (lam * len(y)), tol=1e-9).fit(X, y)
    model = OrdinalSVM(constraints="all" if every else "adjacent", lam=lam, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(model.coef_, other.coef_, atol=1e-4)
    np.testing.assert_allclose(model.thresholds_, -other.intercept_, atol=1e-4)


@BOTH
@given(
    values=st.lists(st.integers(-6, 6), min_size=5, max_size=16),
    scale=st.sampled_from([0.1, 0.5, 2.0]),
    K=st.integers(2, 5),
    seed=st.integers(0, 99),
)
@laws
def test_thresholds_are_the_best_for_any_scores(every, values, scale, K, seed):
    s = np.array(values) * scale
    y = np.random.default_rng(seed).permutation(np.arange(len(s)) % K)
    theta = thresholds(s, y, every)
    assert (np.diff(theta) >= 0).all()
    here = losses(s, theta, y, every)
    for j in range(K - 1):  # convex: no direction between neighbouring orders goes down
        for k in range(j + 1, K):
            for move in (-1e-6, 1e-6, -0.3, 0.3):
                other = theta.copy()
                other[j:k] += move
                if (np.diff(other) >= 0).all():
                    assert losses(s, other, y, every) >= here - 1e-12


@BOTH
@given(K=st.integers(2, 5), seed=st.integers(0, 10**6))
@laws
def test_any_alpha_is_made_feasible(every, K, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(3 * K) % K
    terms = Terms(rng.standard_normal((3 * K, 2)), y, every)
    alpha = rng.random(terms.sign.size)
    feasible = balanced(terms, alpha)
    assert ((feasible >= 0) & (feasible <= alpha)).all()
    balance = terms.by_threshold(terms.sign * feasible)
    if every:
        np.testing.assert_allclose(balance, 0, atol=1e-12)
    else:
        from_one_on = balance[::-1].cumsum()
        assert (from_one_on >= -1e-12).all()
        assert from_one_on[-1] == pytest.approx(0, abs=1e-12)


@BOTH
@pytest.mark.parametrize(
    "kind", ["duplicates", "one-hot", "constant", "wide", "equal", "scaled", "separable"]
)
def test_hard_data_are_certified(every, kind):
    X, y = make(n=120, d=4)
    rng = np.random.default_rng(1)
    if kind == "duplicates":
        X, y = np.repeat(X[:30], 4, axis=0), np.repeat(y[:30], 4)
    elif kind == "one-hot":
        X = np.eye(5)[rng.integers(0, 5, 120)]
    elif kind == "constant":
        X[:, 1:3] = 7.0, -2.0
    elif kind == "wide":
        X = rng.standard_normal((120, 400))
    elif kind == "equal":
        X = np.ones((120, 2))
    elif kind == "scaled":
        X = X * [1e-3, 1, 1e3, 1] + [0, 0, 1e5, 0]
    else:
        X, y = np.linspace(-3, 3, 120)[:, None], np.arange(120) // 30
    path = threshold_hinge_path(X, y, [1.0, 1e-3, 1e-6], every=every, max_iter=200)
    assert path.gap.max() <= 1e-6
    assert np.isfinite(path.coef).all()
    if kind == "constant":
        assert not path.coef[1:3].any()


def test_goes_on_where_the_plain_corrector_goes_in_circles():
    X = np.array(
        [
            [2, 1, 1, 1, 1],
            [0, 0, 1, -1, 2],
            [-2, 3, 0, -1, 1],
            [0, 0, 2, 1, 0],
            [0, 0, 0, -1, 1],
            [0, -1, 0, -2, 0],
        ],
        dtype=np.float64,
    )
    path = threshold_hinge_path(X, np.array([0, 1, 0, 1, 1, 1]), [9.557e-5], every=True)
    assert path.converged.all()


def test_levels_that_overlap_get_one_threshold():
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [0.0]])
    y = np.array([0, 0, 0, 2, 2, 2, 1])
    X[6] = 9.0  # the only example of the middle level is above all of the top
    model = OrdinalSVM(lam=1e-3).fit(X, y)
    assert model.thresholds_[0] == model.thresholds_[1]
    assert model.gap_ <= 1e-6


def test_path_is_as_the_fits_and_in_the_order_given():
    X, y = make()
    lams = [1e-4, 1.0, 1e-2]
    path = OrdinalSVM(tol=1e-10).path(X, y, lams)
    for j, lam in enumerate(lams):
        one = OrdinalSVM(lam=lam, tol=1e-10).fit(X, y)
        np.testing.assert_allclose(path.coef[:, j], one.coef_[0], atol=1e-8)
        assert path.objective[j] == pytest.approx(one.objective_, rel=1e-9)
    assert not path.intercept.any()


def test_a_level_without_an_example_changes_nothing():
    X, y = make(K=3)
    for constraints in ("adjacent", "all"):
        known = OrdinalSVM(constraints=constraints).fit(X, y)
        model = OrdinalSVM(constraints=constraints, levels=[-1, 0, 0.5, 1, 2, 3]).fit(X, y)
        low, high = known.thresholds_
        assert model.thresholds_.tolist() == [-np.inf, low, low, high, np.inf]
        assert (model.coef_ == known.coef_).all()
        assert (model.predict_level(X) == known.predict_level(X)).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"constraints": "alle"}, r"did you mean 'all'\?"),
        ({"constraints": None}, "known: adjacent, all"),
        ({"lam": 0}, "needs lam > 0"),
        ({"lam": -1.0}, "finite number >= 0"),
        ({"lam": np.nan}, "finite number"),
        ({"tol": 0}, "tol must"),
        ({"max_iter": 0}, "max_iter must"),
    ],
)
def test_impossible_parameters(parameters, message):
    X, y = make()
    with pytest.raises(ValueError, match=message):
        OrdinalSVM(**parameters).fit(X, y)
    with pytest.raises(ValueError, match=message):
        OrdinalSVM(**parameters).path(X, y, [parameters.get("lam", 1.0)])


def test_says_where_it_did_not_converge():
    X, y = make()
    with pytest.warns(
        ConvergenceWarning, match=r"OrdinalSVM did not converge at lam=0.01.*after 2"
    ):
        model = OrdinalSVM(max_iter=2).fit(X, y)
    assert np.isfinite(model.coef_).all()
    with pytest.warns(ConvergenceWarning) as said:
        OrdinalSVM(max_iter=2).path(X, y, [1e-4, 1.0, 1e-2])
    named = [str(one.message).split("lam=")[1].split(":")[0] for one in said]
    assert named == ["0.0001", "1", "0.01"]


def test_a_tolerance_below_rounding_does_no_harm():
    X, y = make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = OrdinalSVM(tol=1e-300, max_iter=500).fit(X, y)
    assert model.gap_ <= 1e-12
