"""Whatever is trained, `gap_` is no less than how far above the minimum the returned numbers are.

The objective at the coefficients, intercept and thresholds of a fit is worked out from exact
fractions of its scores. It is above the minimum by at least what it is above the objective of any
other point; Newton steps in extended precision on a list of all terms look for a low one.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hostile import LONG, extended, long, solve
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rankexp.estimators import KernelRanker, LinearRanker, OrdinalSVM, ProportionalOdds
from rankexp.losses import parse as loss_of
from rankexp.risks import table

TRAINED = [
    *(f"{loss} {risk}" for (loss, risk), why in sorted(table().items()) if why is None),
    *("hinge balanced", "logistic balanced", "hinge kernel", "logistic kernel"),
    *("adjacent svm", "all svm", "proportional odds"),
]
TRAINED.remove("logistic listwise")  # of whole queries: test_listwise.py
SHAPES = ("plain", "far", "very far", "decades", "one cell", "twins", "grid")
SUMMED = 1e-12  # relative: above the rounding of sums of so few terms
RIGHT = 1e-9  # relative: what `objective_` promises
BANDS = [LONG(10) ** -k for k in range(1, 11)]  # half of where the hinge is smoothed
ZERO, P = LONG(0), 4  # the power of the push


@dataclass
class Terms:
    """The terms of a risk: ``c f(z)`` where z is ``(x - x')·w`` plus factors times cuts."""

    X: np.ndarray
    lam: float
    up: np.ndarray  # (N,): the row x, or -1 for none
    low: np.ndarray  # (N,): the row x'
    cut: np.ndarray  # (N, k): the factors of thresholds, or of the intercept
    turn: int  # what the cuts change by if ``x·w`` of all rows becomes less by 1
    c: np.ndarray  # (N,)
    of: Callable  # from z and half a band to values, slopes and curvatures, (N,) each
    kinked: bool = False
    group: np.ndarray | None = None  # (N,): negatives of the push

    def value(self, z, h=ZERO):
        f = self.c * self.of(z, h)[0]
        return f.sum() if self.group is None else np.mean((self._member @ f) ** P)

    @property
    def _member(self):
        return (self.group == np.arange(self.group.max() + 1)[:, None]).astype(LONG)

    def slopes(self, z, h):
        """Return the gradient and the Hessian by z."""
        f, r, q = (self.c * part for part in self.of(z, h))
        if self.group is None:
            return r, np.diag(q)
        M = self._member
        inner, n, G = M @ f, len(M), M * r
        outer = P * inner ** (P - 1) / n
        H = (G.T * (P * (P - 1) * inner ** (P - 2) / n)) @ G
        return r * outer[self.group], H + np.diag(q * outer[self.group])

    def exact(self, w, cuts):
        """Return the objective of fractions."""
        s = [dot(row, w) for row in self.X] + [Fraction(0)]
        z = [
            s[i] - s[j] + dot(factors, cuts)
            for i, j, factors in zip(self.up, self.low, self.cut, strict=True)
        ]
        ridge = Fraction(self.lam) / 2 * sum((v * v for v in w), Fraction(0))
        return self.value(np.array([long(v) for v in z])) + long(ridge)

    def least(self, w, cuts):
        """Return the least objective that Newton steps find, from this point and from 0."""
        d, k = self.X.shape[1], self.cut.shape[1]
        middle = self.X[0] * (k > 0 or self.low.min() >= 0)
        L = np.vstack((self.X.astype(LONG) - middle, np.zeros((1, d), LONG)))
        scale = np.abs(L).max(axis=0)
        scale[scale == 0] = 1
        A = np.column_stack(((L[self.up] - L[self.low]) / scale, self.cut.astype(LONG)))
        ridge = np.append(LONG(self.lam) / scale**2, np.zeros(k, LONG))
        shift = self.turn * dot(middle, w)
        here = [*(np.array([long(v) for v in w]) * scale), *(long(v + shift) for v in cuts)]
        values = []
        for start in (here, [*(0 * scale), *np.arange(k)]):
            v = self._descend(A, ridge, np.array(start, LONG))
            w_v = [fraction(x) for x in v[:d] / scale]
            shift = self.turn * dot(middle, w_v)
            cuts = v[d:] if self.turn > 0 else np.maximum.accumulate(v[d:])
            values.append(self.exact(w_v, [fraction(x) - shift for x in cuts]))
        return min((v for v in values if not np.isnan(v)), default=LONG(np.inf))

    def _descend(self, A, ridge, v):
        def objective(v, h):
            return self.value(A @ v, h) + (ridge * v) @ v / 2

        for h in BANDS if self.kinked else [ZERO]:
            for _ in range(12 if self.kinked else 60):
                r, H = self.slopes(A @ v, h)
                g = r @ A + ridge * v
                p, t, now = solve(A.T @ H @ A + np.diag(ridge), g.copy()), LONG(1), objective(v, h)
                while t > 1e-9 and not objective(v - t * p, h) < now:
                    t /= 4
                if t <= 1e-9 or not np.isfinite(p).all():
                    break
                v, small = v - t * p, g @ p <= 1e-18 * now
                if small:
                    break
        return v


def fraction(value):
    return Fraction(*value.as_integer_ratio()) if np.isfinite(value) else Fraction(0)


def dot(a, v):
    return sum((Fraction(float(x)) * y for x, y in zip(a, v, strict=True)), Fraction(0))


def hinge(z, h):
    """Return the hinge, or a parabola within a band about its kink."""
    u = 1 - z
    if h == 0:
        return np.maximum(u, 0), -1.0 * (u > 0), 0 * u
    inside, t = np.abs(u) <= h, (u + h) / (2 * h)
    value = np.where(inside, h * t * t, np.maximum(u, 0))
    return value, np.where(inside, -t, -1.0 * (u > 0)), inside / (2 * h)


def logistic(z):
    tail = np.exp(-np.abs(z))
    return (
        np.log1p(tail) + np.maximum(-z, 0),
        -np.where(z > 0, tail, 1) / (1 + tail),
        (tail / (1 + tail) ** 2),
    )


def partial(loss, y, z):
    return [np.asarray(f(y, z)) for f in (loss.value, loss.derivative, loss.curvature)]


def of_points(loss, y):
    return lambda z, h: [
        np.where(y, up, low)
        for up, low in zip(partial(loss, 1.0, z), partial(loss, -1.0, z), strict=True)
    ]


def of_pairs(loss):
    def of(z, h):
        up, low = partial(loss, 1.0, z), partial(loss, -1.0, -z)
        return (up[0] + low[0]) / 2, (up[1] - low[1]) / 2, (up[2] + low[2]) / 2

    return of


def linear_terms(name, risk, X, y, lam, weight, intercept):
    loss, n = loss_of(name), len(y)
    kinked = name == "hinge"
    if risk in ("classification", "balanced"):
        c = np.ones(n, LONG) if weight is None else weight.astype(LONG)
        if risk == "balanced":
            c = np.where(y > 0, 1 / LONG((y > 0).sum()), 1 / LONG((y == 0).sum()))
        sign = np.where(y > 0, 1, -1)
        of = (lambda z, h: signed(hinge(sign * z, h), sign)) if kinked else of_points(loss, y > 0)
        cut = np.ones((n, int(intercept)), int)
        return Terms(X, lam, np.arange(n), np.full(n, -1), cut, 1, c / c.sum(), of, kinked)
    i, j = np.nonzero(y[:, None] > y)
    c, of, group = np.full(i.size, 1 / LONG(i.size)), of_pairs(loss), None
    if risk == "push":
        group, c = np.unique(j, return_inverse=True)[1], np.full(i.size, 1 / LONG((y > 0).sum()))
        of = lambda z, h: partial(loss, 1.0, z)  # noqa: E731
    return Terms(
        X, lam, i, j, np.zeros((i.size, 0), int), 1, c, hinge if kinked else of, kinked, group
    )


def signed(parts, sign):
    return parts[0], sign * parts[1], parts[2]


def threshold_terms(kind, X, y, lam):
    n, K = len(y), y.max() + 1
    near = (y[:, None] == np.arange(K - 1)) | (y[:, None] == np.arange(K - 1) + 1)
    i, k = np.nonzero(near | (kind == "all"))
    above = y[i] > k
    cut = np.where(np.arange(K - 1) == k[:, None], np.where(above, -1, 1)[:, None], 0)
    up, low, c = np.where(above, i, -1), np.where(above, -1, i), np.full(i.size, 1 / LONG(n))
    if kind == "all":
        return Terms(X, lam, up, low, cut, -1, c, hinge, kinked=True)
    apart = np.eye(K - 1, dtype=int)[1:] - np.eye(K - 1, dtype=int)[:-1]
    none, odds = np.full(K - 2, -1), kind == "proportional"
    c = np.append(c, [LONG((y == level).sum()) / n if odds else 2 for level in range(1, K - 1)])

    def of(z, h):
        parts, gap = logistic(z[: i.size]) if odds else hinge(z[: i.size], h), z[i.size :]
        if odds:
            bars = -np.log(-np.expm1(-gap)), -1 / np.expm1(gap), 1 / (2 * np.sinh(gap / 2)) ** 2
        else:  # what the order of the thresholds costs; in the end it is kept
            bars = hinge(1 + gap, h)
            return [np.append(part, bar) for part, bar in zip(parts, bars, strict=True)]
        return [
            np.append(part, np.where(gap > 0, bar, np.inf))
            for part, bar in zip(parts, bars, strict=True)
        ]

    return Terms(
        X,
        lam,
        np.append(up, none),
        np.append(low, none),
        np.vstack((cut, apart)),
        -1,
        c,
        of,
        not odds,
    )


def rows(shape, rng, n, d):
    X = rng.standard_normal((n, d))
    if shape.endswith("far"):
        X = X * 10.0 ** rng.uniform(0, 4, d) + 10.0 ** rng.uniform(
            2, 12 if "very" in shape else 7, d
        )
    elif shape == "decades":
        X *= 10.0 ** rng.uniform(-8, 8, d)
    elif shape == "one cell":
        X[rng.integers(n), rng.integers(d)] = 10.0 ** rng.uniform(2, 12)
    elif shape == "twins":
        X[:, -1] = X[:, 0] * 10.0 ** rng.uniform(-3, 3)
    elif shape == "grid":
        X = np.round(X) * 10.0 ** rng.uniform(-6, 6)
    return X


def problem(trained, shape, seed, power, tol):
    """Return a model, what it is fitted to, and the terms of its objective."""
    rng, (name, risk) = np.random.default_rng(seed), trained.split()
    n, d = int(rng.integers(6, 13)), int(rng.integers(1, 4))
    X, lam = rows(shape, rng, n, d), 10.0**power
    K = 3 if risk in ("multipartite", "svm", "odds") else 2
    f = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-300) @ rng.standard_normal(d)
    f += rng.choice([0.0, 0.5, 3.0]) * rng.standard_normal(n)
    y = np.empty(n, dtype=np.int64)
    y[f.argsort()] = np.sort(np.concatenate([np.arange(K), rng.integers(0, K, n - K)]))
    if risk == "svm":
        return (
            OrdinalSVM(constraints=name, lam=lam, tol=tol),
            (X, y),
            threshold_terms(name, X, y, lam),
        )
    if risk == "odds":
        return ProportionalOdds(lam=lam, tol=tol), (X, y), threshold_terms(name, X, y, lam)
    if risk == "kernel":
        model = KernelRanker(kernel="linear", loss=name, lam=lam, tol=tol)
        return model, (X, y), linear_terms(name, "bipartite", X, y, lam, None, False)
    weighed, intercept = risk == "classification" and seed % 3 == 0, bool(seed % 4)
    weight = rng.uniform(0.1, 5.0, n) if weighed else None
    model = LinearRanker(loss=name, risk=risk, lam=lam, tol=tol, fit_intercept=intercept)
    return (
        model,
        (X, y, None, weight) if weighed else (X, y),
        (linear_terms(name, risk, X, y, lam, weight, intercept)),
    )


def returned(model):
    """Return the coefficients and the cuts of a fitted model, as fractions."""
    if hasattr(model, "dual_coef_"):
        b = [Fraction(v) for v in model.dual_coef_[0]]
        return [dot(column, b) for column in model.support_vectors_.T], []
    cuts = getattr(model, "thresholds_", ())
    if isinstance(model, LinearRanker) and model.separates():
        cuts = model.intercept_
    return [Fraction(v) for v in model.coef_[0]], [Fraction(v) for v in cuts]


def judged(trained, shape, seed, power, tol):
    """Return what became of a fit: refused, warned of, or certified; raise where it is wrong."""
    model, data, terms = problem(trained, shape, seed, power, tol)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            model.fit(*data)
        except FloatingPointError:
            return "refused"
    with np.errstate(all="ignore"):
        w, cuts = returned(model)
        value = terms.exact(w, cuts)
        true = (value - min(value, terms.least(w, cuts))) / value if value > 0 else ZERO
    assert model.gap_ >= true - SUMMED, (float(true), model.gap_, float(value), model.objective_)
    if said:
        return "warned"
    assert abs(model.objective_ - value) <= RIGHT * value, (model.objective_, float(value))
    return "certified"


drawn = given(
    trained=st.sampled_from(TRAINED),
    shape=st.sampled_from(SHAPES),
    seed=st.integers(0, 10**6),
    power=st.integers(-9, 2),
    tol=st.sampled_from([1e-3, 1e-6, 1e-9]),
)


@extended
@settings(max_examples=50)
@example("hinge balanced", "very far", 264315, -8, 1e-6)
@example("hinge balanced", "very far", 374743, -9, 1e-6)
@drawn
def test_gaps_hold_at_the_numbers_that_are_returned(trained, shape, seed, power, tol):
    judged(trained, shape, seed, power, tol)


@extended
@pytest.mark.parametrize("trained", ["hinge classification", "all svm", "proportional odds"])
def test_where_no_double_is_near_enough_the_fit_says_so(trained):
    X = (1.7e12 + 10.0 * np.linspace(0.0, 1.0, 6))[:, None]
    y = np.arange(6) // (2 if "odds" in trained or "svm" in trained else 3)
    model = {"h": LinearRanker(loss="hinge"), "a": OrdinalSVM(constraints="all")}.get(trained[0])
    model = (model or ProportionalOdds()).set_params(lam=1e-8)
    with pytest.warns(Warning, match="take the mean off each column"):
        model.fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X - X.mean(axis=0), y)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("lam", [1e-310, 1e-315, 5e-324])
def test_the_hinge_ends_at_penalties_whose_ridge_would_be_0(lam):
    X = np.linspace(-1.0, 1.0, 20)[:, None]
    with pytest.warns(Warning, match="did not converge"):
        model = LinearRanker(loss="hinge", lam=lam).fit(X, X[:, 0] > 0.0)
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("seed", [73, 121, 181])  # which took all 500 steps
def test_a_descent_ends_where_rounding_forbids_more(seed):
    rng = np.random.default_rng([9, seed])
    n, d = int(rng.integers(4, 31)), int(rng.integers(1, 6))
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-12.0, 12.0, d)
    y = rng.standard_normal(n) > 0.0
    y[:2] = False, True
    model = LinearRanker(loss="squared_hinge", risk="bipartite", lam=10.0 ** rng.uniform(-15, 5))
    with pytest.warns(Warning, match="did not converge"):
        model.fit(X, y)
    assert model.n_iter_ <= 150
