"""Where a fit has no minimiser, large powers of the push, and labels of one class."""

import warnings

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning

from rankexp.estimators import LinearRanker
from rankexp.losses import parse as loss_of
from rankexp.risks import table

LISTS = "listwise"  # of whole queries: its tests are in test_listwise.py
FITTED = sorted(cell for cell, why in table().items() if why is None and cell[1] != LISTS)
SMOOTH = [cell for cell in FITTED if cell[0] != "hinge"]
BOUNDED = {"squared", "squared_hinge"}  # their least value is reached


def make(noise, n=80):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    return X, (X @ [1.0, -1.0, 0.5] + noise * rng.standard_normal(n) > 0.1).astype(int)


def said(ranker, *data):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ranker.fit(*data)
    assert {warning.category for warning in caught} <= {ConvergenceWarning}
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize(("loss", "risk"), SMOOTH)
def test_separable_data_without_a_penalty_have_no_minimiser(loss, risk):
    X, y = make(0.0)
    ranker = LinearRanker(loss=loss, risk=risk, lam=0.0)
    messages = said(ranker, X, y)
    if loss not in BOUNDED:
        (message,) = messages
        assert "separable, so there is no minimiser without a penalty: set lam > 0" in message
    else:
        assert all("up to rounding a risk of 0 is reached" in text for text in messages)
    assert np.isfinite(ranker.coef_).all()
    assert not said(ranker.set_params(lam=1e-4), X, y)


@pytest.mark.parametrize(("loss", "risk"), SMOOTH)
def test_a_direction_that_ties_some_rows_and_parts_the_others_is_found(loss, risk):
    X, y = make(2.0)
    flag = (y == 1) & (np.arange(80) % 3 == 0)
    X = np.column_stack((X, flag, flag))  # twice: what coefficients are open is no sign
    messages = said(LinearRanker(loss=loss, risk=risk, lam=0.0), X, y)
    assert len(messages) == (loss not in BOUNDED)
    assert all("seems to separate some pairs and to tie the others" in text for text in messages)
    X[np.flatnonzero(y == 0)[0], 3:] = 1.0  # now a negative has it, too
    assert not said(LinearRanker(loss=loss, risk=risk, lam=0.0), X, y)


@pytest.mark.parametrize("seed", [60, 63, 70, 95, 132])
def test_rows_that_cost_nothing_may_be_anywhere(seed):
    """They alone have some features, whose coefficients are open: that is no end without."""
    rng = np.random.default_rng(seed)
    free, d = int(rng.integers(1, 20)), int(rng.integers(1, 4))
    x = rng.standard_normal(30)
    y = np.r_[x + rng.standard_normal(30) > 0.0, rng.random(free) < 0.5]
    X = np.zeros((30 + free, 1 + d))
    X[:, 0] = np.r_[x, np.where(y[30:], 1.0, -1.0) * 10 ** rng.uniform(0.3, 3.0)]
    X[30:, 1:] = rng.standard_normal((free, d)) * 10 ** rng.uniform(-3.0, 1.0)
    ranker = LinearRanker(loss="squared_hinge", risk="bipartite", lam=0.0, tol=1e-12)
    assert not said(ranker, X, y)
    assert ranker.gap_ <= 1e-12


@pytest.mark.parametrize(("loss", "risk"), SMOOTH)
def test_other_data_without_a_penalty_have_one(loss, risk):
    X, y = make(2.0)
    assert not said(LinearRanker(loss=loss, risk=risk, lam=0.0, tol=1e-9), X, y)


@pytest.mark.parametrize("seed", range(7))
@pytest.mark.parametrize("kind", ["normal", "heavy tails", "binary"])
def test_a_linear_program_says_the_same(kind, seed):
    """No minimiser exists just if some (w, b) has no row on the wrong side, and one not on it."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(12, 60)), int(rng.integers(1, 7))
    X = {
        "normal": rng.standard_normal,
        "heavy tails": lambda size: rng.standard_t(1.2, size),
        "binary": lambda size: rng.integers(0, 2, size).astype(float),
    }[kind]((n, d))
    f = X @ rng.standard_normal(d) + rng.choice([0.3, 1.0, 3.0]) * rng.standard_normal(n)
    y = (f > np.median(f)).astype(int)
    A = np.c_[X, np.ones(n)] * (2 * y - 1)[:, None]
    best = linprog(-A.sum(axis=0), A_ub=-A, b_ub=np.zeros(n), bounds=[(-1, 1)] * (d + 1))
    for cell in (("logistic",), ("exponential", "bipartite"), ("asymmetric_b", "push")):
        messages = said(
            LinearRanker(**dict(zip(("loss", "risk"), cell, strict=False)), lam=0.0), X, y
        )
        assert ["there is no minimiser" in text for text in messages] == [True] * (
            best.fun < -1e-7
        )


def test_what_is_said_of_separable_data_is_true_of_them_alone():
    X, y = make(2.0)
    (message,) = said(LinearRanker(loss="logistic", lam=0.0, max_iter=1, tol=1e-12), X, y)
    assert "raise max_iter" in message
    X, y = make(0.0)
    (message,) = said(LinearRanker(loss="logistic", risk="push", lam=1e-9, max_iter=2), X, y)
    assert "raise max_iter" in message
    # Without an intercept, classes need not be separable that are in order.
    far = LinearRanker(loss="logistic", lam=0.0, fit_intercept=False)
    assert not said(far, np.c_[[1.0, 2.0, 3.0, 4.0]], [0, 0, 1, 1])
    (message,) = said(far, np.c_[[-1.0, -2.0, 3.0, 4.0]], [0, 0, 1, 1])
    assert "separable" in message


@pytest.mark.parametrize("p", [64.0, 200.0])
@pytest.mark.parametrize("loss", ["exponential", "logistic", "asymmetric_a", "asymmetric_b"])
def test_large_powers_of_the_push(loss, p):
    X, y = make(2.0)
    X, y = 30.0 * X, y == 1  # w = 1 would overflow
    lam = 1e-2 * float(loss_of(loss).value(1.0, np.zeros(1))[0]) ** p  # of the size of the risk
    found = LinearRanker(loss=loss, risk=f"push(p={p})", lam=lam).fit(X, y)
    assert found.gap_ <= 1e-6
    made = loss_of(loss)

    def objective(w):
        with np.errstate(over="ignore"):
            D = X[y] @ w
            G = made.value(1.0, D[:, None] - X[~y] @ w).mean(axis=0)
            log = logsumexp(p * np.log(G)) - np.log((~y).sum())
            return np.exp(log) + lam / 2 * w @ w

    w = found.coef_[0]
    assert found.objective_ == pytest.approx(objective(w), rel=1e-9)
    least = minimize(objective, w, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 0})
    assert found.objective_ <= least.fun * (1 + 1e-6)


def test_scores_that_overflow_are_bad_and_no_error():
    from rankexp.solvers.pairs.push_panels import push_risk

    y, s = np.array([True, True, False, False]), np.array([0.0, 1.0, 50.0, -3.0])
    with np.errstate(over="ignore"):
        for loss in ("exponential", "logistic", "asymmetric_a", "squared_hinge"):
            assert push_risk(loss_of(loss), y, 1000.0).value(s) == np.inf
    risk = push_risk(loss_of("exponential"), y, 200.0)
    log = 200 * np.log(np.mean(np.exp([-0.0, -1.0]))) + logsumexp([200 * 1.0, 200 * -3.0])
    s[2] = 1.0
    assert np.log(risk.value(s)) == pytest.approx(log - np.log(2), rel=1e-12)


@pytest.mark.parametrize("risk", ["classification", "bipartite", "push"])
@pytest.mark.parametrize("label", [0, 1])
def test_one_class_only_is_refused(risk, label):
    X, _ = make(0.0)
    with pytest.raises(ValueError, match="only one class"):
        LinearRanker(loss="logistic", risk=risk).fit(X, np.full(80, label))
    y = np.arange(80) % 2
    with pytest.raises(ValueError, match="only one class"):
        LinearRanker(loss="logistic", risk=risk).fit(X, y, sample_weight=(y == label) * 1.0)


@pytest.mark.parametrize("p", ["0", "0.99", "-1", "nan", "inf"])
def test_powers_below_1_are_refused(p):
    X, y = make(0.0)
    with pytest.raises(ValueError, match=r"p.*expected (a number from 1 on|float, got 'nan')"):
        LinearRanker(loss="logistic", risk=f"push(p={p})").fit(X, y)


@pytest.mark.parametrize(
    ("cell", "why"), sorted((cell, why) for cell, why in table().items() if why is not None)
)
def test_what_does_not_go_together_is_refused_with_the_reason(cell, why):
    X, y = make(0.0)
    with pytest.raises(ValueError, match=why):
        LinearRanker(**dict(zip(("loss", "risk"), cell, strict=False))).fit(X, y)


def test_a_power_that_no_number_holds_is_refused():
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    with pytest.raises(
        ValueError, match=r"the risk of equal scores, 0\.69 to the power p, underflows"
    ):
        LinearRanker(loss="logistic", risk="push(p=1e6)", lam=0.1).fit(X, y)
    LinearRanker(loss="logistic", risk="push(p=1000)", lam=0.1).fit(X, y)
