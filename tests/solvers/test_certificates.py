"""Gaps and objectives on hostile scalings, against all pairs in extended precision."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hostile import LONG, extended, solve
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.losses import Exponential, Logistic, SquaredHinge
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.path import pair_path
from rankexp.solvers.smooth.certificate import product
from rankexp.solvers.smooth.path import smooth_path

LOSSES = (Logistic(), Exponential(), SquaredHinge())
RISKS = ("points", "plain points", "weighted points", "two classes", "levels", "groups")
SCALINGS = ("one huge", "decades", "means", "tails", "twins", "tiny", "decades and means", "grid")


def scaled(kind, rng, n, d):
    """Return rows whose columns differ by many orders of magnitude, or lie far from 0."""
    X = rng.normal(size=(n, d))
    if kind == "one huge":
        X[:, 0] *= 10.0 ** rng.uniform(3, 12)
    if kind == "tails":
        X = X / rng.uniform(size=(n, d)) ** 3
    if kind == "twins":
        X *= 10.0 ** rng.uniform(2, 7)
        X[:, -1] = X[:, 0] + rng.normal(size=n)
    if kind == "tiny":
        X *= 10.0 ** rng.uniform(-12, -5)
    if kind == "grid":
        X = np.round(X) * 10.0 ** rng.integers(0, 9, size=d)
    if kind.startswith("decades"):
        X *= 10.0 ** rng.uniform(-8, 8, size=d)
    if kind.endswith("means"):
        X += 10.0 ** rng.uniform(6, 8, size=d) * rng.choice([-1, 1], size=d)
    return X


@dataclass
class Terms:
    """A risk as a weighted mean of ``l(1, A θ)``, all in extended precision."""

    loss: object
    A: np.ndarray
    c: np.ndarray
    d: int
    centre: np.ndarray | None = None  # what has been taken off the rows, exactly

    def value(self, theta, lam):
        return (
            self.c @ of_margin(self.loss, self.A @ theta)[0]
            + lam / 2 * (theta[: self.d] ** 2).sum()
        )

    def newton(self, theta, lam):
        _, slope, curve = of_margin(self.loss, self.A @ theta)
        ridge = np.zeros(theta.size, LONG)
        ridge[: self.d] = lam
        g = (self.c * slope) @ self.A + ridge * theta
        H = (self.A.T * (self.c * curve)) @ self.A + np.diag(ridge)
        return solve(H, g)

    def least(self, theta, lam):
        """Return the least value that damped Newton steps find from a point."""
        value = self.value(theta, lam)
        for _ in range(100):
            p = self.newton(theta, lam)
            t = LONG(1)
            while t > 1e-12 and not self.value(theta - t * p, lam) < value:
                t /= 2
            if t <= 1e-12:
                break
            theta = theta - t * p
            last, value = value, self.value(theta, lam)
            if last - value <= 1e-18 * value:
                break
        return value


def of_margin(loss, z):
    """Return value, derivative and curvature of a loss of margins, in the precision of z."""
    if isinstance(loss, Exponential):
        e = np.exp(-z)
        return e, -e, e
    if isinstance(loss, SquaredHinge):
        m = np.maximum(0, 1 - z)
        return m * m, -2 * m, 2.0 * (m > 0)
    tail = np.exp(-np.abs(z))
    up = np.where(z > 0, tail, 1) / (1 + tail)
    return np.log1p(tail) + np.maximum(-z, 0), -up, tail / (1 + tail) ** 2


def problem(seed):
    """Return a random problem: how to solve it, its terms, and what it is called."""
    rng = np.random.default_rng(seed)
    loss, risk = LOSSES[seed % 3], RISKS[seed // 3 % 6]
    kind = SCALINGS[seed // 18 % 8]
    n, d = int(rng.integers(8, 50)), int(rng.integers(1, 7))
    X = scaled(kind, rng, n, d)
    f = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-300) @ rng.normal(size=d)
    f += rng.choice([0.0, 0.5, 3.0]) * rng.normal(size=n)
    level = np.searchsorted(np.quantile(f, [0.4, 0.7, 0.9]), f)
    lam, tol = 10.0 ** rng.uniform(-8, 3), 10.0 ** float(rng.choice([-4, -6, -9]))
    name = f"{seed}: {loss!r}, {risk}, {kind}, {n} × {d}, lam {lam:.1e}, tol {tol:g}"
    L = X.astype(LONG)
    if risk.endswith("points"):
        y, weight = level > rng.integers(0, 3), None
        y[:2] = True, False
        if risk.startswith("weighted"):
            weight = rng.uniform(0.1, 5.0, n)
        sign = np.where(y, LONG(1), LONG(-1))
        intercept, centre = not risk.startswith("plain"), None
        if intercept:
            centre = X.mean(axis=0).astype(LONG)
            L = np.column_stack((L - centre, np.ones(n)))
        A = L * sign[:, None]
        c = np.ones(n, LONG) if weight is None else weight.astype(LONG)
        terms = Terms(loss, A, c / c.sum(), d, centre)
        return (
            name,
            lam,
            tol,
            terms,
            lambda: smooth_path(
                X, y, loss, [lam], fit_intercept=intercept, sample_weight=weight, tol=tol
            ),
        )
    if risk == "two classes":
        y = level > 0
        y[:2] = True, False
        order = PartialOrder.of_classes(y)
    else:
        level[:2] = 0, 3
        costs = np.triu(rng.uniform(0.1, 3.0, (4, 4)), 1)
        group = rng.integers(0, 4, n) if risk == "groups" else None
        if group is not None:
            group[:2] = 0
        order = PartialOrder.of(level, costs, group)
    y, g = order.level, order.group
    C = order.costs[y[None], y[:, None]] * (g[:, None] == g[None])
    i, j = np.nonzero(C)
    c = C[i, j].astype(LONG)
    terms = Terms(loss, L[i] - L[j], c / c.sum(), d)
    return name, lam, tol, terms, lambda: pair_path(X, order, loss, [lam], tol=tol)


def judged(seed):
    """Return what became of a problem: certified, not certified, refused, or what is wrong."""
    name, lam, tol, terms, path = problem(seed)
    try:
        found = path()
    except FloatingPointError:
        return name, "refused"
    gap, objective = float(found.gap[0]), float(found.objective[0])
    assert found.converged[0] == (gap <= tol), name
    verdict = "certified" if found.converged[0] else "not certified"
    theta = found.coef[:, 0].astype(LONG)
    if terms.centre is not None:
        theta = np.append(theta, LONG(found.intercept[0]) + terms.centre @ theta)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        P = terms.value(theta, lam)
        start = theta if np.isfinite(P) else 0 * theta
        true = (P - terms.least(start, lam)) / P
    if gap < true - 1e-16:
        return name, f"{verdict}, but the gap is {float(true):.1e}, not {gap:.1e}"
    if not abs(objective - P) <= 1e-9 * P:
        return name, f"{verdict}, but the objective is off by {float(abs(objective / P - 1)):.1e}"
    return name, verdict


def wrong(seeds):
    """Return the verdicts with their counts, and the problems where something is wrong."""
    verdicts = [judged(seed) for seed in seeds]
    counts = Counter(verdict.split(",")[0] for _, verdict in verdicts)
    # Whoever is warned of a fit has been told.
    bad = [f"{name}: {what}" for name, what in verdicts if what.startswith("certified, but")]
    return counts, bad


@extended
@pytest.mark.parametrize("part", range(4))
def test_gaps_are_upper_bounds_and_objectives_those_of_all_terms(part):
    counts, bad = wrong(range(part * 36, part * 36 + 36))
    assert not bad
    assert counts["certified"] >= 18


@extended
@pytest.mark.fidelity
def test_two_thousand_hostile_problems():
    counts, bad = wrong(range(10_000, 12_000))
    assert not bad
    assert counts["certified"] >= 1_600


@settings(max_examples=50)
@given(seed=st.integers(0, 10_000), spread=st.integers(0, 30))
def test_products_are_right_to_the_last_bit_where_almost_all_cancels(seed, spread):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 9)) * 2.0 ** rng.integers(-spread, spread + 1, size=(3, 9))
    v, shift = rng.normal(size=9), rng.normal(size=9) * 2.0**spread
    found = product(A, v, shift)
    for row, value in zip(A, found, strict=True):
        terms = [
            (Fraction(a) - Fraction(b)) * Fraction(c)
            for a, b, c in zip(row, shift, v, strict=True)
        ]
        exact, size = sum(terms), sum(map(abs, terms))
        assert abs(Fraction(float(value)) - exact) <= 2**-52 * abs(exact) + 2**-98 * size
