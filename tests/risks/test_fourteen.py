"""The 14 methods of menon2014 against scipy's trust region on explicit pairs, and their sums."""

import numpy as np
import pytest
from scipy.optimize import minimize

from rankexp.estimators import LinearRanker
from rankexp.losses import parse as loss_of
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.path import pair_risk
from rankexp.solvers.pairs.push_panels import push_risk

PROPER = ("logistic", "exponential", "p_classification", "asymmetric_a", "asymmetric_b")
METHODS = [
    *((loss, risk) for risk in ("classification", "bipartite") for loss in PROPER),
    *((loss, "push(p=4)") for loss in PROPER if loss != "p_classification"),
]
P = 4.0


def make(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X @ np.linspace(1.0, -0.5, d) + 1.5 * rng.standard_normal(n) > 0.4


class Explicit:
    """The objective of (w, b) from a list of all pairs: value, gradient and Hessian."""

    def __init__(self, loss, risk, X, y, lam):
        self.loss, self.risk, self.lam = loss_of(loss), risk, lam
        self.penalty = np.full(X.shape[1] + (risk == "classification"), lam)
        if risk == "classification":
            self.sign, self.A = np.where(y, 1.0, -1.0), np.c_[X, np.ones(len(X))]
            self.penalty[-1] = 0.0
        else:  # (positives, negatives, d)
            self.A = X[y][:, None] - X[~y]

    def parts(self, w, order):
        """Return what each example or pair counts, or its derivative by its score."""
        v = self.A @ w
        of = ("value", "derivative", "curvature")[order]
        if self.risk == "classification":
            return getattr(self.loss, of)(self.sign, v)
        up = getattr(self.loss, of)(1.0, v)
        if self.risk == "bipartite":
            up = 0.5 * (up + (-1.0) ** order * getattr(self.loss, of)(-1.0, -v))
        return up

    def value(self, w):
        parts = self.parts(w, 0)
        mean = (parts.mean(axis=0) ** P).mean() if "push" in self.risk else parts.mean()
        return mean + 0.5 * w @ (self.penalty * w)

    def gradient(self, w):
        rise = self.parts(w, 1)[..., None] * self.A
        if "push" in self.risk:
            each = P * self.parts(w, 0).mean(axis=0) ** (P - 1)
            mean = each @ rise.mean(axis=0) / len(each)
        else:
            mean = rise.reshape(-1, len(w)).mean(axis=0)
        return mean + self.penalty * w

    def hessian(self, w):
        C, H = self.parts(w, 2), np.diag(self.penalty)
        if "push" not in self.risk:
            A = self.A.reshape(-1, len(w))
            return H + (A.T * C.ravel()) @ A / C.size
        means = self.parts(w, 0).mean(axis=0)
        rises = (self.parts(w, 1)[..., None] * self.A).mean(axis=0)
        for j, (G, J) in enumerate(zip(means, rises, strict=True)):
            A = self.A[:, j]
            bend = (A.T * C[:, j]) @ A / len(A)
            H = H + P * (G ** (P - 1) * bend + (P - 1) * G ** (P - 2) * np.outer(J, J)) / len(
                means
            )
        return H


@pytest.mark.parametrize("lam", [1.0, 0.01])
@pytest.mark.parametrize(("loss", "risk"), METHODS)
def test_the_minimiser_is_that_of_a_trust_region(loss, risk, lam):
    X, y = make(40, 3)
    brute = Explicit(loss, risk, X, y, lam)
    start = np.zeros(len(brute.penalty))
    theirs = minimize(
        *(brute.value, start),
        method="trust-exact",
        jac=brute.gradient,
        hess=brute.hessian,
        options={"gtol": 1e-11},
    )
    # The last digits, where differences of values are rounding and a trust region stops.
    best = theirs.x - np.linalg.solve(brute.hessian(theirs.x), brute.gradient(theirs.x))
    assert np.abs(best - theirs.x).max() < 1e-6
    found = LinearRanker(loss=loss, risk=risk, lam=lam, tol=1e-13).fit(X, y)
    ours = found.coef_[0]
    if risk == "classification":
        ours = np.r_[ours, found.intercept_]
    np.testing.assert_allclose(ours, best, atol=1e-7, rtol=1e-7)
    assert found.objective_ == pytest.approx(theirs.fun, rel=1e-10)


@pytest.mark.parametrize(("loss", "risk"), METHODS)
def test_fits_are_those_of_explicit_pairs(loss, risk):
    """At n = 800: the objective is theirs, and their gradient says how far below it can go."""
    X, y = make(800, 4)
    for lam in (0.1, 1e-3):
        found = LinearRanker(loss=loss, risk=risk, lam=lam, tol=1e-10).fit(X, y)
        brute = Explicit(loss, risk, X, y, lam)
        at = found.coef_[0]
        if risk == "classification":
            at = np.r_[at, found.intercept_]
        value, g = brute.value(at), brute.gradient(at)
        assert found.objective_ == pytest.approx(value, rel=1e-12)
        if risk == "classification":  # the intercept has no penalty: the Newton decrement
            assert g @ np.linalg.solve(brute.hessian(at), g) <= 1e-9 * value
        else:
            assert g @ g / (2.0 * lam) <= 1e-9 * value


def far(spread, n=10_000):
    """Return scores over the range of `spread`, and balanced classes in some order."""
    rng = np.random.default_rng(int(spread))
    y = np.arange(n) % 2 == 0
    return spread * (rng.random(n) ** 2 + 0.3 * y) / 1.3, y


SLOPE_BOUND = 2e-13
"""Of panels: (1 + L)(4/pi) 1.01 (W/4pi)^m = 1.05e-13 with L = 1 + (2/pi) log m, W = 1/4, m = 8;
and as much for rounding."""


@pytest.mark.parametrize("spread", [1.0, 7.0, 50.0])
@pytest.mark.parametrize("loss", ["logistic", "asymmetric_a", "asymmetric_b", "scaled_logistic"])
def test_slopes_of_many_pairs_are_those_of_all(loss, spread):
    s, y = far(spread)
    made = loss_of(loss)
    risk = pair_risk(made, PartialOrder.of_classes(y))
    slope, some = risk.slope(s) * y.sum(), np.arange(0, 10_000, 97)
    for i in some.tolist():
        D = s[i] - s[~y] if y[i] else s[y] - s[i]
        each = 0.5 * (made.derivative(1.0, D) - made.derivative(-1.0, -D)).mean()
        size = max(1.0, 0.5 * np.abs(made.derivative(-1.0, -D)).mean())  # exponential parts
        assert abs(slope[i] - (each if y[i] else -each)) <= SLOPE_BOUND * size


@pytest.mark.parametrize("spread", [1.0, 7.0, 50.0])
@pytest.mark.parametrize(
    "loss", ["logistic", "asymmetric_a", "asymmetric_b", "scaled_logistic", "squared_hinge"]
)
def test_means_and_slopes_of_the_push_are_those_of_all(loss, spread):
    s, y = far(spread)
    made = loss_of(loss)
    risk = push_risk(made, y, P)
    means = risk.means(s)
    rng = np.random.default_rng(0)
    a = rng.random(risk.down.size) / risk.down.size
    own, others = risk.rises(s, a)
    for k in range(0, 5000, 97):
        D = s[y] - s[risk.down[k]]
        size = max(1.0, np.abs(made.value(1.0, D)).max())
        assert abs(means[k] - made.value(1.0, D).mean()) <= SLOPE_BOUND * size
        assert abs(own[k] - made.derivative(1.0, D).mean()) <= SLOPE_BOUND * size
        D = s[risk.up[k]] - s[~y]
        assert abs(others[k] - made.derivative(1.0, D) @ a) <= SLOPE_BOUND * size


@pytest.mark.slow
@pytest.mark.parametrize("spread", [1.0, 7.0, 50.0])
@pytest.mark.parametrize("loss", ["logistic", "asymmetric_a", "asymmetric_b", "scaled_logistic"])
def test_values_of_many_pairs_are_those_of_all(loss, spread):
    s, y = far(spread)
    made, total = loss_of(loss), 0.0
    for part in np.array_split(s[y], 100):
        D = part[:, None] - s[~y]
        total += 0.5 * (made.value(1.0, D) + made.value(-1.0, -D)).sum()
    found = pair_risk(made, PartialOrder.of_classes(y)).value(s)
    assert found == pytest.approx(total / 25e6, rel=1e-12, abs=1e-13)
