"""Losses × risks of menon2014 against brute force, the push, the SVM, and known equivalences."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import SVC

from rankexp.estimators import KernelRanker, LinearRanker
from rankexp.losses import parse as loss_of
from rankexp.risks import parse as risk_of
from rankexp.risks import table
from rankexp.solvers.pairs.pair_risk import SquaredPairs
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.path import BlockPairs, pair_risk
from rankexp.solvers.pairs.push_panels import PanelPush, PushPairs, push_risk

ALL = sorted(
    cell for cell, reason in table().items() if reason is None and cell[1] != "listwise"
)  # which is of whole queries: test_listwise.py
PUSHED = [
    *("exponential", "logistic", "scaled_logistic(p=2)", "asymmetric_a", "asymmetric_b"),
    *("squared", "squared_hinge"),
]


def make(n=30, d=2, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = (X[:, 0] + noise * rng.standard_normal(n) > 0.3).astype(int)
    return X, y, rng.uniform(0.3, 2.0, n)


def objective(loss, risk, X, y, lam, weight=None):
    """Return the objective of (w, b) as the papers define it, with weights of rows."""
    u = np.ones(len(y)) if weight is None else weight
    pairs = np.outer(u[y == 1], u[y == 0]) / (u[y == 1].sum() * u[y == 0].sum())

    def of(theta):
        s = X @ theta[:-1] + theta[-1]
        D = np.subtract.outer(s[y == 1], s[y == 0])
        if risk == "classification":
            mean = u @ loss.value(2.0 * y - 1.0, s) / u.sum()
        elif risk.startswith("push"):
            up, down = u[y == 1], u[y == 0]
            mean = (up @ loss.value(1.0, D) / up.sum()) ** risk_of(risk).p @ down / down.sum()
        else:
            mean = (pairs * 0.5 * (loss.value(1.0, D) + loss.value(-1.0, -D))).sum()
        return mean + lam / 2 * theta[:-1] @ theta[:-1]

    return of


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("text", "risk"), [cell for cell in ALL if cell[0] != "hinge"])
def test_every_loss_and_risk_is_as_by_brute_force(text, risk, weighted):
    X, y, weight = make()
    weight = weight if weighted else None
    of = objective(loss_of(text), risk, X, y, 0.05, weight)
    found = LinearRanker(loss=text, risk=risk, lam=0.05, tol=1e-10).fit(X, y, sample_weight=weight)
    assert found.gap_ <= 1e-10
    assert found.objective_ == pytest.approx(of(np.r_[found.coef_[0], found.intercept_]), rel=1e-9)
    least = minimize(
        of, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-13}
    )
    assert found.objective_ == pytest.approx(least.fun, rel=1e-7)


# ---- The hinge over examples: the linear SVM ------------------------------------------------


def exact(X, y, lam, weight):
    """Return the optimum of the SVM's quadratic program in (w, b, slack)."""
    n, d = X.shape
    sign, share = 2.0 * y - 1.0, weight / weight.sum()
    H = np.r_[np.full(d, lam), np.zeros(n + 1)]
    A = np.c_[sign[:, None] * X, sign, np.eye(n)]
    found = minimize(
        lambda z: z @ (H * z) / 2 + share @ z[d + 1 :],
        np.r_[np.zeros(d + 1), np.ones(n)],
        jac=lambda z: H * z + np.r_[np.zeros(d + 1), share],
        method="SLSQP",
        bounds=[(None, None)] * (d + 1) + [(0, None)] * n,
        constraints={"type": "ineq", "fun": lambda z: A @ z - 1.0, "jac": lambda z: A},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert found.success
    return found.fun


@pytest.mark.parametrize("lam", [1.0, 0.05, 1e-3])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_hinge_over_examples_is_the_support_vector_machine(lam, weighted):
    X, y, weight = make(n=40, d=3)
    u = weight if weighted else np.ones(40)
    given = weight if weighted else None
    found = LinearRanker(loss="hinge", lam=lam, tol=1e-9).fit(X, y, sample_weight=given)
    of = objective(loss_of("hinge"), "classification", X, y, lam, u)
    assert found.gap_ <= 1e-9
    assert found.objective_ == pytest.approx(
        of(np.r_[found.coef_[0], found.intercept_]), rel=1e-11
    )
    assert found.objective_ == pytest.approx(exact(X, y, lam, u), rel=1e-7)
    theirs = SVC(kernel="linear", C=1 / (lam * u.sum()), tol=1e-9).fit(X, y, sample_weight=u)
    there = of(np.r_[theirs.coef_[0], theirs.intercept_])
    assert found.objective_ <= there * (1 + 1e-9)
    assert found.objective_ == pytest.approx(there, rel=1e-5)
    np.testing.assert_allclose(found.coef_, theirs.coef_, atol=1e-4)


def test_a_weight_in_the_hinge_over_examples_is_so_many_copies():
    X, y, _ = make(n=40, d=3)
    times = np.random.default_rng(1).integers(0, 4, 40)
    ranker = LinearRanker(loss="hinge", lam=0.01, class_weight={0: 1.0, 1: 2.5})
    copies = ranker.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    there = copies.coef_, copies.intercept_, copies.objective_
    weighted = ranker.fit(X, y, sample_weight=0.1 * times)
    np.testing.assert_allclose(weighted.coef_, there[0], rtol=1e-9)
    np.testing.assert_allclose(weighted.intercept_, there[1], rtol=1e-9)
    assert weighted.objective_ == pytest.approx(there[2], rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_hinge_over_examples_without_an_intercept(weighted):
    X, y, weight = make(n=40, d=3)
    given = weight if weighted else None
    found = LinearRanker(loss="hinge", lam=0.05, fit_intercept=False, tol=1e-9).fit(
        X + 0.3, y, sample_weight=given
    )
    of = objective(loss_of("hinge"), "classification", X + 0.3, y, 0.05, given)
    assert found.intercept_[0] == 0.0
    assert found.objective_ == pytest.approx(of(np.r_[found.coef_[0], 0.0]), rel=1e-11)
    rng = np.random.default_rng(2)
    near = [of(np.r_[found.coef_[0] + 0.01 * rng.standard_normal(3), 0.0]) for _ in range(200)]
    assert min(near) >= found.objective_ * (1 - 1e-9)


def test_the_path_of_the_hinge_is_in_the_order_of_its_penalties():
    X, y, _ = make(n=60, d=3)
    lams = [0.01, 1.0, 0.1]
    path = LinearRanker(loss="hinge", tol=1e-9).path(X, y, lams)
    for k, lam in enumerate(lams):
        one = LinearRanker(loss="hinge", lam=lam, tol=1e-9).fit(X, y)
        assert path.objective[k] == pytest.approx(one.objective_, rel=1e-9)
        assert path.intercept[k] == pytest.approx(one.intercept_[0], abs=1e-4)
    with pytest.raises(ValueError, match="lam > 0"):
        LinearRanker(loss="hinge", lam=0.0).fit(X, y)


# ---- Sums without pairs ---------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scale", [1.0, 6.0])
@pytest.mark.parametrize(
    "text", ["p_classification", "scaled_logistic", "asymmetric_a", "asymmetric_b", "squared"]
)
def test_quick_sums_of_asymmetric_losses_are_those_over_pairs(text, scale, weighted, monkeypatch):
    X, y, weight = make(n=700, d=3)
    order = PartialOrder.of_classes(y, weight if weighted else None)
    s = scale * X[:, 0]
    quick = pair_risk(loss_of(text), order)
    slow = BlockPairs(order, quick.loss)
    value, slope, hessian = slow.value(s), slow.slope(s), slow.hessian(X, s)
    near = quick.hessian(X, s)
    monkeypatch.setattr(BlockPairs, "_blocks", None)  # not even asked
    assert quick.value(s) == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(quick.slope(s), slope, atol=1e-12 * np.abs(slope).max())
    # The Hessian is that of scores rounded to panels.
    np.testing.assert_allclose(near, hessian, atol=1e-2 * np.abs(hessian).max())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("groups", [1, 7, 60])
def test_the_squared_loss_of_pairs_follows_from_moments(groups, weighted):
    rng = np.random.default_rng(1)
    X, level = rng.standard_normal((300, 3)), rng.integers(0, 3, 300)
    costs = np.array([[0.0, 1.0, 3.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    weight = rng.uniform(0.3, 2.0, 300) if weighted else None
    order = PartialOrder.of(level, costs, rng.integers(0, groups, 300), weight, each=groups == 7)
    quick, s = pair_risk(loss_of("squared"), order), 100.0 + 3.0 * X[:, 0]
    assert isinstance(quick, SquaredPairs)
    slow = BlockPairs(order, quick.loss)
    assert quick.value(s) == pytest.approx(slow.value(s), rel=1e-12)
    slope, hessian = slow.slope(s), slow.hessian(X, s)
    np.testing.assert_allclose(quick.slope(s), slope, atol=1e-12 * np.abs(slope).max())
    np.testing.assert_allclose(quick.hessian(X, s), hessian, atol=1e-12 * np.abs(hessian).max())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("p", [1.0, 1.5, 4.0])
@pytest.mark.parametrize("text", PUSHED)
def test_the_sums_of_the_push_are_those_over_pairs(text, p, weighted):
    X, y, weight = make(n=600, d=3)
    s, d, h = 2.0 * X[:, 0], X @ [0.3, -1.0, 0.5], 1e-5
    given = weight if weighted else None
    risk = push_risk(loss_of(text), y > 0, p, given)
    value = objective(loss_of(text), f"push(p={p})", s[:, None], y, 0.0, given)
    assert risk.value(s) == pytest.approx(value(np.array([1.0, 0.0])), rel=1e-12)
    slow = PushPairs(y > 0, loss_of(text), p, given)
    slope = slow.slope(s)
    np.testing.assert_allclose(risk.slope(s), slope, atol=1e-12 * np.abs(slope).max())
    assert slope @ d == pytest.approx(
        (slow.value(s + h * d) - slow.value(s - h * d)) / (2 * h), rel=1e-6
    )
    bend = X.T @ (slow.slope(s + h * d) - slow.slope(s - h * d)) / (2 * h)
    exact, near = slow.hessian(X, s), risk.hessian(X, s)
    if text != "squared_hinge":  # whose curvature jumps
        np.testing.assert_allclose(exact @ [0.3, -1.0, 0.5], bend, atol=1e-6 * np.abs(bend).max())
    off = 1e-2 if isinstance(risk, PanelPush) else 1e-11  # scores rounded to panels
    np.testing.assert_allclose(near, exact, atol=off * np.abs(exact).max())
    assert np.linalg.eigvalsh(near).min() > 0.0


@pytest.mark.parametrize("text", ["exponential", "logistic", "asymmetric_b"])
def test_the_push_scores_far_away(text):
    """Sums in logarithms, and more panels than pairs."""
    y, s = np.array([1, 1, 0, 0]), np.array([3e4, 0.0, -3e4, 1.0])
    risk = push_risk(loss_of(text), y > 0, 2.0)
    value = objective(loss_of(text), "push(p=2)", s[:, None], y, 0.0)
    assert risk.value(s) == pytest.approx(value(np.array([1.0, 0.0])), rel=1e-12)
    assert np.isfinite(risk.slope(s)).all()


def test_many_rows_of_the_push_are_sampled_and_certified():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60_000, 4))
    y = X[:, 0] + 2 * rng.standard_normal(60_000) > 2.5
    path = LinearRanker(loss="logistic", risk="push").path(X, y, [0.1, 1e-3])
    assert path.converged.all()
    risk = push_risk(loss_of("logistic"), y, 4.0)
    for k, lam in enumerate((0.1, 1e-3)):
        w = path.coef[:, k]
        assert path.objective[k] == pytest.approx(risk.value(X @ w) + lam / 2 * w @ w, rel=1e-10)
        g = X.T @ risk.slope(X @ w) + lam * w
        assert g @ g / (2 * lam) <= 1e-6 * path.objective[k]


# ---- Equivalences of minimisers without a penalty -------------------------------------------


def direction(loss, risk, X, y):
    return LinearRanker(loss=loss, risk=risk, lam=0.0, tol=1e-15, max_iter=2000).fit(X, y).coef_[0]


@pytest.mark.parametrize("seed", range(3))
def test_exponential_over_examples_and_over_pairs_rank_alike(seed):
    X, y, _ = make(n=150, d=4, seed=seed, noise=2.0)
    points, pairs = (direction("exponential", r, X, y) for r in ("classification", "bipartite"))
    np.testing.assert_allclose(points, pairs, atol=1e-7)
    other = direction("logistic", "bipartite", X, y)
    assert np.abs(direction("logistic", "classification", X, y) - other).max() > 1e-4


@pytest.mark.parametrize("p", [1, 2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_p_classification_and_the_push_of_exponential_rank_alike(p, seed):
    X, y, _ = make(n=150, d=4, seed=seed, noise=2.0)
    points = direction(f"p_classification(p={p})", "classification", X, y)
    pushed = direction("exponential", f"push(p={p})", X, y)
    np.testing.assert_allclose(points, pushed, atol=1e-7)
    np.testing.assert_array_equal(
        pushed, direction(f"p_classification(p={p})", f"push(p={p})", X, y)
    )


def test_with_a_penalty_or_without_an_intercept_they_differ():
    X, y, _ = make(n=150, d=4, noise=2.0)
    points = LinearRanker(loss="exponential", lam=0.1, tol=1e-10).fit(X, y).coef_[0]
    pairs = (
        LinearRanker(loss="exponential", risk="bipartite", lam=0.1, tol=1e-10).fit(X, y).coef_[0]
    )
    assert np.abs(points - pairs).max() > 1e-4
    free = LinearRanker(loss="exponential", lam=0.0, fit_intercept=False, tol=1e-15).fit(X + 1, y)
    assert np.abs(free.coef_[0] - direction("exponential", "bipartite", X, y)).max() > 1e-3


@pytest.mark.parametrize("loss", ["logistic", "exponential", "squared_hinge"])
def test_the_push_of_power_1_is_the_bipartite_risk(loss):
    X, y, _ = make()
    one = LinearRanker(loss=loss, risk="push(p=1)", lam=0.1, tol=1e-10).fit(X, y)
    two = LinearRanker(loss=loss, risk="bipartite", lam=0.1, tol=1e-10).fit(X, y)
    assert one.objective_ == pytest.approx(two.objective_, rel=1e-9)


def test_what_the_push_refuses():
    X, y, _ = make()
    with pytest.raises(ValueError, match=r"hinge.*push.*kinks"):
        LinearRanker(loss="hinge", risk="push").fit(X, y)
    with pytest.raises(ValueError, match="takes no groups: it is a mean over the negatives"):
        LinearRanker(loss="logistic", risk="push").fit(X, y, groups=y)
    with pytest.raises(ValueError, match=r"push, p=0.5: expected a number from 1 on"):
        LinearRanker(loss="logistic", risk="push(p=0.5)").fit(X, y)
    with pytest.raises(ValueError, match="KernelRanker does not train the push"):
        KernelRanker(loss="logistic", risk="push").fit(X, y)
