"""The support vector machine with thresholds between K levels, certified.

Minimises ``lam/2 |w|² + (1/n) sum over examples and thresholds of hinge losses`` over w and the
thresholds (Chu and Keerthi, Neural Computation 19, 2007) by Mehrotra's predictor-corrector
interior point method: some twenty systems of d + K - 1 equations, whatever the data.

The certificate: with alpha in [0, 1] of each term, those above a threshold balancing those below,
``D = mean alpha - |mean alpha x|² / (2 lam)`` is a lower bound. Where thresholds are kept in
order, the balance of those from any one on need only be >= 0, and 0 of all together.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankexp.solvers.hinge.hessian import factor, solve
from rankexp.solvers.hinge.point import Best
from rankexp.solvers.ordinal.threshold_terms import Ints, Terms, balanced, best_thresholds, values
from rankexp.solvers.result import Floats, PathResult
from rankexp.solvers.smooth.path import penalties

TO_THE_WALL = 0.995
SHORTEST = 1e-10


def see(best: Best, terms: Terms, w: Floats, alpha: Floats, lam: float) -> None:
    """Take what is better of w, with its best thresholds, and of alpha, made feasible."""
    s, n = terms.X @ w, terms.X.shape[0]
    theta = values(best_thresholds(terms, s))
    lost = np.maximum(1.0 - terms.margins(s, theta), 0.0)
    primal = float(lost.sum()) / n + 0.5 * lam * float(w @ w)
    if primal < best.primal:
        best.primal, best.w, best.s = primal, w, s
    alpha = balanced(terms, alpha)
    slope = terms.by_row(terms.sign * alpha) @ terms.X / n
    best.dual = max(best.dual, float(alpha.sum()) / n - float(slope @ slope) / (2.0 * lam))


@dataclass
class State:
    """Where the interior point method stands, or a step of it.

    The constraints are ``margin - 1 = s - t`` of each term and ``theta[j+1] - theta[j] = q`` where
    thresholds are kept in order; the multipliers are a of s, c = 1 - a of t, and m of q. All that
    has a multiplier, and the multipliers, stay positive.
    """

    w: Floats
    theta: Floats
    s: Floats
    t: Floats
    a: Floats
    c: Floats
    q: Floats
    m: Floats

    def slack(self) -> float:
        """Return the sum of what should be complementary."""
        return float(self.s @ self.a + self.t @ self.c + self.q @ self.m)

    def reach(self, step: "State") -> float:
        """Return the longest step that keeps everything from going below zero."""
        steepest = 0.0
        for here, change in zip(self._positive(), step._positive(), strict=True):
            if here.size:
                steepest = max(steepest, -float((change / here).min()))
        return 1.0 / max(steepest, 1e-300)

    def _positive(self) -> list[Floats]:
        return [self.s, self.t, self.a, self.c, self.q, self.m]

    def moved(self, step: "State", size: float) -> "State":
        """Return the state a step further."""
        parts = zip(vars(self).values(), vars(step).values(), strict=True)
        return State(*(here + size * change for here, change in parts))


class System:
    """The linear system of one iteration, for several right hand sides.

    Attributes
    ----------
    miss, miss_order : ndarray
        By how much the constraints of terms, and of the order of thresholds, aren't met yet.
    slope : ndarray of shape (d + K - 1,)
        The derivative of the Lagrangian in (w, theta), 0 in the end.
    """

    def __init__(self, terms: Terms, at: State, penalty: float) -> None:
        self.terms, self.at = terms, at
        X, d = terms.X, terms.X.shape[1]
        self.miss = terms.margins(X @ at.w, at.theta) - 1.0 - at.s + at.t
        self.miss_order = _steps(at.theta, terms) - at.q
        self.slope = -self._across(at.a, at.m)
        self.slope[:d] += penalty * at.w
        self.stiff = 1.0 / (at.s / at.a + at.t / at.c)
        self.upper = _factor(self._matrix(), penalty, d)

    def _across(self, a: Floats, m: Floats) -> Floats:
        """Return what multipliers of terms and of the order do to (w, theta)."""
        terms, signed = self.terms, self.terms.sign * a
        pull = -terms.by_threshold(signed)
        if m.size:
            pull[1:] += m
            pull[:-1] -= m
        return np.concatenate((terms.by_row(signed) @ terms.X, pull))

    def _matrix(self) -> Floats:
        """Return the matrix in (w, theta), without the penalty."""
        terms, at, e = self.terms, self.at, self.stiff
        X, d = terms.X, terms.X.shape[1]
        M = np.zeros((d + at.theta.size, d + at.theta.size))
        M[:d, :d] = (X * terms.by_row(e)[:, None]).T @ X
        for j, (start, (first, _, last)) in enumerate(zip(terms.starts, terms.sides, strict=True)):
            M[:d, d + j] = -(e[start : start + last - first] @ X[first:last])
        M[d:, :d] = M[:d, d:].T
        diagonal = M.reshape(-1)[:: M.shape[0] + 1][d:]
        diagonal += terms.by_threshold(e)
        if at.q.size:
            ratio = at.m / at.q
            diagonal[1:] += ratio
            diagonal[:-1] += ratio
            M[d:, d:] -= np.diag(ratio, 1) + np.diag(ratio, -1)
        return M

    def step(self, low: Floats, high: Floats, between: Floats) -> State:
        """Return the step that changes s a, t c and q m by these to first order."""
        assert self.upper is not None
        at, terms, e = self.at, self.terms, self.stiff
        d = terms.X.shape[1]
        goal = low / at.a - high / at.c - self.miss
        rhs = self._across(e * goal, (between - at.m * self.miss_order) / at.q) - self.slope
        v = solve(self.upper, rhs)
        w, theta = v[:d], v[d:]
        a = e * (goal - terms.margins(terms.X @ w, theta))
        q = _steps(theta, terms) + self.miss_order
        return State(
            w=w,
            theta=theta,
            s=(low - at.s * a) / at.a,
            t=(high + at.t * a) / at.c,
            a=a,
            c=-a,
            q=q,
            m=(between - at.m * q) / at.q,
        )


def _factor(M: Floats, penalty: float, d: int) -> Floats | None:
    """Factor the matrix with the penalty, and more where rounding has made it indefinite.

    None where it overflowed.
    """
    M.reshape(-1)[:: M.shape[0] + 1][:d] += penalty
    ridge = 0.0
    while (upper := factor(M, ridge)) is None:
        ridge = max(10.0 * ridge, 1e-14 * float(np.trace(M)))
        if not (np.isfinite(M).all() and ridge < np.inf):
            return None
    return upper


def _steps(theta: Floats, terms: Terms) -> Floats:
    """Return the differences of thresholds that must not be negative."""
    return np.diff(theta) if terms.ordered else np.empty(0)


def interior_point(terms: Terms, lam: float, tol: float, max_iter: int, best: Best) -> int:
    """Solve for one penalty; return the number of iterations."""
    n = terms.X.shape[0]
    at = start(terms)
    for iteration in range(max_iter):
        slack = at.slack()
        primal = float(at.t.sum()) / n + 0.5 * lam * float(at.w @ at.w)
        if slack / n <= tol * primal:
            see(best, terms, at.w, at.a, lam)
            if best.gap <= tol:
                return iteration
        system = System(terms, at, n * lam)
        if system.upper is None or slack == 0.0:  # which no step can make less
            break
        new = _advanced(system, at, slack)
        if new is None:
            break
        at = new
    see(best, terms, at.w, at.a, lam)
    return iteration + 1


def _advanced(system: System, at: State, slack: float) -> State | None:
    """Take Mehrotra's step; None where rounding leaves none.

    Its correction is for a first step of full length. Where that one is short it can lead in
    circles, so that where the slack rises, the correction is cut down to what the step is worth.
    """
    first = system.step(-at.s * at.a, -at.t * at.c, -at.q * at.m)
    size = min(1.0, at.reach(first))
    mean = slack / (2 * at.a.size + at.q.size)
    target = mean * (at.moved(first, size).slack() / slack) ** 3
    for trust in (1.0, size * size):
        step = system.step(
            target - at.s * at.a - trust * first.s * first.a,
            target - at.t * at.c - trust * first.t * first.c,
            target - at.q * at.m - trust * first.q * first.m,
        )
        length = min(1.0, TO_THE_WALL * at.reach(step))
        if not length > SHORTEST:
            return None
        new = at.moved(step, length)
        if new.slack() <= slack:
            break
    return new


def start(terms: Terms) -> State:
    """Return where to begin: all scores and thresholds 0, all multipliers in the middle."""
    half, kept = np.full(terms.sign.size, 0.5), np.full(terms.sizes.size - 1, 0.5)
    kept = kept if terms.ordered else np.empty(0)
    w, theta = np.zeros(terms.X.shape[1]), np.zeros(terms.sizes.size)
    return State(w, theta, s=0.2 * half, t=2.2 * half, a=half, c=half, q=kept, m=kept)


def threshold_hinge_path(
    X: Floats,
    codes: Ints,
    lams: npt.ArrayLike,
    *,
    every: bool = False,
    tol: float = 1e-6,
    max_iter: int = 100,
) -> PathResult:
    """Solve for every penalty of a path.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    codes : ndarray of shape (n,), int
        0 .. K-1, each with an example.
    lams : array-like of shape (L,)
        Penalties > 0, in any order.
    every : bool
        Whether an example has a loss at every threshold ("all", implicit order), or at those
        next to its level, which are kept in order (explicit constraints).
    tol : float
        Certified relative gap to reach.
    max_iter : int
        Iterations at most for each penalty.

    Returns
    -------
    PathResult
        With intercepts 0: the thresholds of scores are those of
        :func:`rankexp.solvers.threshold_terms.thresholds`.
    """
    lams = penalties(lams)
    if not (lams > 0.0).all():
        raise ValueError(f"the hinge needs lam > 0 (its dual divides by lam), got {lams.tolist()}")
    basis = None
    if X.shape[1] > X.shape[0]:  # the solution lies in the span of the rows
        basis, triangle = np.linalg.qr((X - X.mean(axis=0)).T)
        X = triangle.T
    terms = Terms(X, codes, every)
    found = [Best() for _ in lams]
    with np.errstate(all="ignore"):
        n_iter = [
            interior_point(terms, lam, tol, max_iter, best)
            for lam, best in zip(lams.tolist(), found, strict=True)
        ]
    gap = np.array([best.gap for best in found])
    coef = np.column_stack([best.w for best in found])
    return PathResult(
        coef=coef if basis is None else basis @ coef,
        intercept=np.zeros(lams.size),
        objective=np.array([best.primal for best in found]),
        gap=gap,
        n_iter=np.array(n_iter, dtype=np.int64),
        converged=gap <= tol,
    )
