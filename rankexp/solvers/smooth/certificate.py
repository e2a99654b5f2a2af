"""How far an objective can be above its minimum, rounding included.

With the intercept at its optimum the objective is ``lam``-strongly convex in w alone, so
``P - P* <= |g_w|² / (2 lam)``. A remaining derivative ``g_b`` of the intercept moves ``g_w`` by at
most ``R |g_b|`` on the way to the optimal one, R the largest norm of a (centred) row; this is
added, so the certificate holds at the point that is returned.

The slope r need only be that of *some* scores: ``P(v) >= risk(s) + r·(Xv - s) + lam/2 ||v||²`` for
any s and v, and the minimum over v is worked out from ``X'r``. So errors in the scores count to
second order in the certificate, and to first order in the value of the risk alone. Where either
could matter, both are worked out again in twice the precision, from the rows as they were given.
"""

from dataclasses import dataclass
from math import inf, isfinite
from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import idamax

from rankexp.arrays import Floats
from rankexp.solvers.rows import across, by_parts, down, exact_product, is_sparse, short
from rankexp.solvers.smooth.inverse import Inverse
from rankexp.solvers.smooth.objective import Objective, SmoothIterate, SmoothRisk

SPLITTER = 2.0**27 + 1.0  # splits 53 bits into halves whose products are exact (Veltkamp)
NUMBERS = 1 << 18  # numbers at once: some 2 MB an array. Bounds memory; no result depends on it

Pair = tuple[Floats, Floats]


def two_sum(a: Floats, b: Floats) -> Pair:
    """Return ``a + b`` rounded, and what rounding took off."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def two_product(a: Floats, b: Floats) -> Pair:
    """Return ``a b`` rounded, and what rounding took off."""
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    product = a * b
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _halves(a: Floats) -> Pair:
    scaled = SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high


def product(A: Floats, v: Floats, shift: Floats) -> Floats:
    """Return ``(A - shift) @ v`` as if worked out in twice the precision, (m,)."""
    if is_sparse(A):  # without a shift
        return exact_product(A, v)
    # Sums and products are split into a rounded part and its error, both exactly (Dekker 1971;
    # Ogita, Rump and Oishi 2005, "Accurate sum and dot product"), and errors are summed beside.
    m, k = A.shape
    shift = np.broadcast_to(shift, A.shape)
    out, size = np.empty(m), max(1, NUMBERS // max(k, 1))
    for i in range(0, m, size):
        part = slice(i, i + size)
        high, low = two_sum(A[part], -shift[part])
        main, error = two_product(high, v)
        out[part] = _total(main, error + low * v)
    return out


def _total(main: Floats, error: Floats) -> Floats:
    """Return the sums of rows (m, k) given with their errors, by halves."""
    while main.shape[1] > 1:
        half = main.shape[1] // 2
        left, right = slice(None, half), slice(half, 2 * half)
        total, lost = two_sum(main[:, left], main[:, right])
        lost += error[:, left] + error[:, right]
        if main.shape[1] % 2:
            total = np.column_stack((total, main[:, -1]))
            lost = np.column_stack((lost, error[:, -1]))
        main, error = total, lost
    return main[:, 0] + error[:, 0]


EPS = float(np.finfo(np.float64).eps)
DOUBLED = 30  # times at most, that what a derivative of the intercept is worth is doubled
LONG = 256  # columns, from which on scores are summed anew in parts, if their rounding matters
VALUE = 1e-10  # relative error that the objective may have: a tenth of what is promised
REFINED = 10  # steps at most in twice the precision; each gains a digit or is the last
STALE = 100.0
"""Cached scores are moved from step to step; they are worked out anew where all that they were
on the way is more than they are by this factor, see `Descent.stale`."""
SUMMED = 4.0
"""Roundings of a part of the gradient, once its products are summed in twice the precision; and
of the slope of each loss, in which the certificate is flat."""
GAIN = 0.5  # A step that leaves more of the gap than this is the last one


@dataclass
class Solution:
    """The result for one penalty; it has coefficients only if they were worked out again."""

    at: SmoothIterate
    objective: float
    gap: float
    n_iter: int
    coef: Floats | None = None
    intercept: float = 0.0
    error: float = inf  # that rounding may have left in the scores


def relative(above: float, objective: float) -> float:
    """Return a gap relative to the objective: infinite where either isn't a number."""
    if not (isfinite(objective) and above >= 0.0):
        return inf
    if objective > 0.0:
        return above / objective
    return 0.0 if above == 0.0 else inf


def bound(norm: float, g_b: float, lam: float, radius: float, b_scale: float) -> float:
    """Return the certificate from the gradient in w and the intercept's derivative."""
    g_b = abs(g_b)
    return (norm + radius * g_b) ** 2 / (2.0 * lam) + g_b * (g_b * b_scale)  # may be tiny


class Rounding(NamedTuple):
    """Bounds of what rounding does to the risk, and to the parts of its certificate."""

    risk: float
    norm: float  # of the gradient
    g_b: float  # the derivative of the intercept
    above: float  # what is added


def rounding(problem: Objective, found: Solution, sharp: bool, terms: int = 0) -> Rounding:
    """Return bounds of rounding errors: a score is a sum of so many terms, a derivative of n."""
    (n, d), at = problem.X.shape, found.at
    r, size = np.abs(at.r), float(np.linalg.norm(at.theta[:d]))
    total = float(r.sum())
    few = problem.sampled is None or problem.mean is None  # else a copy takes much room
    if sharp and problem.basis is None and few:
        X, w = problem.X, np.abs(at.theta[:d])
        scores, of_column = across(X, w), down(X, r)
        if problem.mean is not None:
            scores += np.abs(problem.mean) @ w
            of_column += total * np.abs(problem.mean)
        of_norm = float(np.linalg.norm(of_column))
        mean, top = float(r @ scores), float(scores.max())
    else:
        of_norm = float(r @ problem.norms)
        mean, top = of_norm * size, problem.radius * size
    terms = terms or problem.terms
    intercept = abs(float(at.theta[d])) if problem.risk.intercept else 0.0
    all_rows = terms * size * problem.shift + STALE * largest(at.s) + intercept
    most = EPS * (terms * top + all_rows)
    above = problem.risk.steepest * (1.0 + found.objective) * most * most
    risk = EPS * (terms * mean + total * all_rows) + above + problem.risk.noise
    return Rounding(risk, n * EPS * of_norm, n * EPS * total, above)


def largest(v: Floats) -> float:
    """Return the largest absolute value."""
    return abs(float(v[idamax(v)]))


def finish(
    problem: Objective, found: Solution, inverse: Inverse, lam: float, tol: float
) -> Solution:
    """Return a solution whose gap and objective have rounding accounted for."""
    if not isfinite(found.gap) or found.objective <= 0.0:
        return found
    b_scale, d, g = inverse.last, problem.X.shape[1], found.at.g
    if problem.risk.intercept and lam:
        b_scale = _far_enough(problem.risk, found.at.s, float(g[-1]), b_scale)
    wide = problem.basis is None and not is_sparse(problem.X) and problem.terms >= LONG
    for sharp, terms in ((False, 0), (False, short(problem.terms)) if wide else (True, 0)):
        if terms:
            found.objective = _by_parts(problem, found.at.theta, lam)
        errors = rounding(problem, found, sharp, terms)
        gap = found.gap
        if lam:
            norm = float(np.linalg.norm(g[:d])) + errors.norm
            g_b = abs(float(g[d])) + errors.g_b if problem.risk.intercept else 0.0
            above = bound(norm, g_b, lam, problem.radius, b_scale) + errors.above
            gap = relative(above + SUMMED * EPS * found.objective, found.objective)
        if errors.risk <= VALUE * found.objective and (gap <= tol or found.gap > tol):
            found.gap = gap
            return found
    return refine(problem, found, inverse, lam, tol)


def _far_enough(risk: SmoothRisk, s: Floats, g_b: float, b_scale: float) -> float:
    """Return a scale that brings the intercept to its optimum or beyond: it bounds the gain."""
    for _ in range(DOUBLED):
        if np.sign(g_b) * float(risk.slope(s - b_scale * g_b).sum()) <= 0.0:
            return b_scale
        b_scale *= 2.0
    return inf  # the losses are straight there


def _by_parts(problem: Objective, theta: Floats, lam: float) -> float:
    """Return the objective from scores whose sums are short."""
    w = theta[: problem.X.shape[1]]
    s = by_parts(problem.X, w)
    if problem.risk.intercept:
        s += theta[w.size]
    if problem.mean is not None:
        s -= by_parts(problem.mean[None], w)
    return problem.risk.value(s) + 0.5 * lam * float(w @ w)


def refine(
    problem: Objective, found: Solution, inverse: Inverse, lam: float, tol: float
) -> Solution:
    """Work out objective and gap in twice the precision, and step on while that helps."""
    b_scale, basis = inverse.last, problem.basis
    best, g = evaluate(problem, found.at.theta, lam, b_scale)
    for _ in range(REFINED):
        if lam == 0.0 or best.gap <= tol or not np.isfinite(g).all():
            break
        if basis is not None:
            g = np.concatenate((g[: basis.shape[0]] @ basis, g[basis.shape[0] :]))
        new, g = evaluate(problem, best.at.theta - inverse.times(g), lam, b_scale)
        if (gain := new.gap / best.gap) < 1.0:
            best = new
        if not gain <= GAIN:
            break
    best.n_iter = found.n_iter
    if lam == 0.0:
        best.gap = found.gap
    return best


def evaluate(
    problem: Objective, theta: Floats, lam: float, b_scale: float
) -> tuple[Solution, Floats]:
    """Return the solution at a point in twice the precision, and the gradient there."""
    risk, X, middle = problem.risk.exact(), problem.given, problem.middle
    d = problem.X.shape[1]
    coef = theta[:d] if problem.basis is None else problem.basis @ theta[:d]
    s = product(X, coef, middle)
    intercept = 0.0
    if risk.intercept:
        intercept = float(theta[d] - problem.centre @ coef)
        s += product(np.append(middle, intercept)[None], np.append(coef, 1.0), np.zeros(1))[0]
    r = risk.slope(s)
    value = risk.value(s) + 0.5 * lam * float(coef @ coef)
    g = product(X.T, r, middle[:, None]) + lam * coef
    g_b = float(product(r[None], np.ones(r.size), np.zeros(1))[0])
    moved = middle - problem.centre
    gap = inf
    if lam > 0.0:
        norm = float(np.linalg.norm(g) + SUMMED * EPS * lam * np.linalg.norm(coef))
        radius = problem.radius + float(np.linalg.norm(moved))
        g_b = g_b if risk.intercept else 0.0
        above = bound(norm, g_b, lam, radius, _far_enough(risk, s, g_b, b_scale))
        gap = relative(above + risk.noise + SUMMED * EPS * value, value)
    found = Solution(SmoothIterate(theta, s, r, g), value, gap, 0, coef, intercept)
    return found, np.append(g + g_b * moved, g_b) if risk.intercept else g
