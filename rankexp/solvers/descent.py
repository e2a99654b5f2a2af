"""Minimise ``lam/2 ||w||² + risk(X w + b)`` along a path of penalties, for smooth convex risks.

For each penalty: one Hessian and its Cholesky factor at the warm start, then BFGS steps from
there on the inverse, with a line search on the derivative along cached scores. Where progress is
slow the Hessian is taken anew, so that in the worst case this is Newton's method.

The certificate: with the intercept at its optimum the objective is ``lam``-strongly convex in w
alone, so ``P - P* <= |g_w|² / (2 lam)``. A remaining derivative ``g_b`` of the intercept moves
``g_w`` by at most ``R |g_b|`` on the way to the optimal one, R the largest norm of a (centred)
row; this is added, so the certificate holds at the point that is returned.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg.blas import dsymv, dsyr2
from scipy.linalg.lapack import dpotrf, dpotri

from rankexp.solvers.line_search import derivative_search
from rankexp.solvers.result import Floats, PathResult

SAMPLE_ABOVE = 100_000
SAMPLE_ROWS = 20_000


class Risk(Protocol):
    """A smooth convex function of the n scores.

    ``intercept``: it has a free intercept. ``centred``: the rows may be centred, because there
    is an intercept or because only differences of scores count.
    """

    intercept: bool
    centred: bool

    def value(self, s: Floats) -> float:
        """Return the risk of scores."""

    def slope(self, s: Floats) -> Floats:
        """Return the derivative with respect to each score, shape (n,)."""

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in (w, b), or in w where there is no intercept."""

    def sample(self, rows: np.ndarray) -> "Risk":
        """Return the same risk on some of the rows."""


@dataclass
class Problem:
    """Rows, the mean to be taken off them, and the risk of their scores."""

    X: Floats
    mean: Floats | None
    risk: Risk
    radius: float = 0.0
    sampled: "Problem | None" = None
    rows: np.ndarray | None = None
    basis: Floats | None = None

    def product(self, p: Floats) -> Floats:
        """Return the scores of a direction, or of a point, shape (n,)."""
        d = self.X.shape[1]
        s: Floats = self.X @ p[:d]
        if self.risk.intercept:
            s += p[d]
        if self.mean is not None:
            s -= self.mean @ p[:d]
        return s

    def gradient(self, r: Floats, theta: Floats, lam: float) -> Floats:
        """Return the gradient in (w, b) where the risk has slope r."""
        d = self.X.shape[1]
        g = np.empty(theta.shape[0])
        total = r.sum()
        np.dot(r, self.X, out=g[:d])
        if self.mean is not None:
            g[:d] -= total * self.mean
        g[:d] += lam * theta[:d]
        if self.risk.intercept:
            g[d] = total
        return g

    def inverse_hessian(self, s: Floats, lam: float) -> Floats:
        """Return the inverse Hessian (lower triangle, Fortran order), from sampled rows if many."""
        if self.sampled is not None:
            H = self.sampled.risk.hessian(self.sampled.X, s[self.rows])
        else:
            H = self.risk.hessian(self.X, s)
        return inverse(H, lam, self.X.shape[1])


def inverse(H: Floats, lam: float, d: int) -> Floats:
    """Invert a positive semidefinite matrix plus lam on its first d diagonal entries.

    A singular one gets the smallest multiple of the identity on top that makes it definite.
    """
    diagonal = H.reshape(-1)[:: H.shape[0] + 1]
    diagonal[:d] += lam
    ridge = 1e-14 * max(float(diagonal.max()), 1e-290)
    while True:
        factor, failed = dpotrf(H, lower=1)
        if not failed:
            B, failed = dpotri(factor, lower=1, overwrite_c=1)
            if not failed and np.isfinite(B[-1, -1]):
                return B
        if not np.isfinite(ridge):
            return np.asfortranarray(np.eye(H.shape[0]))
        diagonal += ridge
        ridge *= 100.0


@dataclass
class Point:
    """Where the descent stands: parameters, scores, slope of the risk, gradient."""

    theta: Floats
    s: Floats
    r: Floats
    g: Floats


def objective(problem: Problem, s: Floats, theta: Floats, lam: float) -> float:
    """Return ``lam/2 ||w||² + risk``."""
    w = theta[: problem.X.shape[1]]
    return problem.risk.value(s) + 0.5 * lam * float(w @ w)


def bound(problem: Problem, at: Point, lam: float, b_scale: float) -> float:
    """Return the certificate: how far the objective can be above its minimum."""
    d = problem.X.shape[1]
    w = at.g[:d]
    norm = float(np.sqrt(w @ w))
    if not problem.risk.intercept:
        return norm * norm / (2.0 * lam)
    g_b = abs(float(at.g[d]))
    return (norm + problem.radius * g_b) ** 2 / (2.0 * lam) + g_b * g_b * b_scale


def polish(problem: Problem, at: Point, lam: float, b_scale: float, target: float) -> None:
    """Bring the intercept to its optimum, so that it takes next to nothing off the certificate."""
    d = problem.X.shape[1]
    enough = 0.05 * np.sqrt(2.0 * lam * target) / max(problem.radius, 1e-300)
    last = np.inf
    while enough < abs(at.g[d]) < last:
        last = abs(at.g[d])
        move = -float(at.g[d]) * b_scale
        theta, s = at.theta.copy(), at.s + move
        theta[d] += move
        r = problem.risk.slope(s)
        g = problem.gradient(r, theta, lam)
        if not abs(g[d]) < last:
            return
        at.theta, at.s, at.r, at.g = theta, s, r, g


def step(problem: Problem, at: Point, q: Floats, lam: float) -> tuple[float, Point | None]:
    """Go from a point along -q; return the step length (0: nowhere) and the new point."""
    d = problem.X.shape[1]
    s, u, slope = at.s, problem.product(q), problem.risk.slope
    wq, qq = float(at.theta[:d] @ q[:d]), float(q[:d] @ q[:d])

    def along(t: float) -> tuple[float, tuple[Floats, Floats]]:
        moved = s - t * u
        r = slope(moved)
        return -float(r @ u) - lam * (wq - t * qq), (moved, r)

    t, found = derivative_search(along, -float(at.g @ q))
    if found is None:
        return 0.0, None
    theta = at.theta - t * q
    return t, Point(theta, *found, problem.gradient(found[1], theta, lam))


@dataclass
class Solution:
    """What one penalty ends with."""

    at: Point
    objective: float
    gap: float
    n_iter: int


def solve(problem: Problem, at: Point, lam: float, tol: float, max_iter: int) -> Solution:
    """Solve for one penalty from a warm start; the first step is always taken."""
    P = objective(problem, at.s, at.theta, lam)
    inner = max(1e-3 * tol, 1e-22)
    fresh, slow, n_iter, stalled = True, 0, 0, 0
    gap, b_scale, lowest = np.inf, 0.0, np.inf
    while True:
        if fresh:
            B = problem.inverse_hessian(at.s, lam)
            q = dsymv(1.0, B, at.g, lower=1)
            b_scale, age, fresh, slow = float(B[-1, -1]), 0, False, 0
            drop = float(at.g @ q)
        if (n_iter and 0.5 * drop <= inner * P) or drop <= 0.0:
            before = at.g
            if lam and problem.risk.intercept:
                polish(problem, at, lam, b_scale, tol * P)
            P = objective(problem, at.s, at.theta, lam)
            gap = (
                (bound(problem, at, lam, b_scale) if lam else 0.5 * drop) / P if P > 0 else np.inf
            )
            if gap <= tol or drop <= 0.0:
                break
            if at.g is not before:
                q = dsymv(1.0, B, at.g, lower=1)
                drop = float(at.g @ q)
            stalled = 0 if drop < 0.5 * lowest else stalled + 1
            lowest = min(lowest, drop)
        if n_iter >= max_iter or stalled > 20:
            break
        n_iter += 1
        t, new = step(problem, at, q, lam)
        if new is None:
            if age == 0:
                break
            fresh = True
            continue
        last = drop
        B, q, drop = update(B, q, -t * q, at.g, new.g)
        at = new
        age += 1
        slow = slow + 1 if drop > 0.1 * last else 0
        fresh = slow >= 2
    P = objective(problem, at.s, at.theta, lam)
    if not np.isfinite(gap) or gap > tol:
        gap = (bound(problem, at, lam, b_scale) if lam else 0.5 * drop) / P if P > 0 else np.inf
    return Solution(at, P, float(gap), n_iter)


def update(
    B: Floats, q: Floats, moved: Floats, g: Floats, g_new: Floats
) -> tuple[Floats, Floats, float]:
    """Apply the BFGS update to the inverse B, given q = B g; return B, B g_new and g_new·B g_new."""
    p = dsymv(1.0, B, g_new, lower=1)
    y = g_new - g
    By = p - q
    sy = float(moved @ y)
    if not sy > 1e-300:
        return B, p, float(g_new @ p)
    v = (0.5 * (1.0 + float(y @ By) / sy)) * moved - By
    p = p + moved * (float(v @ g_new) / sy) + v * (float(moved @ g_new) / sy)
    B = dsyr2(1.0 / sy, moved, v, a=B, lower=1, overwrite_a=1)
    return B, p, float(g_new @ p)


def start(problem: Problem, lam: float) -> Floats:
    """Return where to begin: 0, or with many rows the solution on a sample of them."""
    d = problem.X.shape[1]
    zero = np.zeros(d + problem.risk.intercept)
    small = problem.sampled
    if small is None:
        return zero
    return solve(small, point(small, zero, lam), lam, 1e-4, 50).at.theta


def point(problem: Problem, theta: Floats, lam: float, s: Floats | None = None) -> Point:
    """Evaluate a point; its scores may be known already."""
    s = problem.product(theta) if s is None else s
    r = problem.risk.slope(s)
    return Point(theta, s, r, problem.gradient(r, theta, lam))


def largest_norm(X: Floats) -> float:
    """Return the largest Euclidean norm of a row."""
    return float(np.sqrt(np.einsum("ij,ij->i", X, X).max()))


def prepare(X: Floats, risk: Risk) -> tuple[Problem, Floats]:
    """Centre the rows: in a copy, or with many rows implicitly, with a centred sample beside.

    With more columns than rows the solution lies in the span of the rows, so the problem is
    turned into one with as many columns as rows.
    """
    n, d = X.shape
    mean = X.mean(axis=0) if risk.centred else np.zeros(d)
    if n <= SAMPLE_ABOVE:
        X, basis = X - mean, None
        if d > n:
            basis, right = np.linalg.qr(X.T)
            X = np.ascontiguousarray(right.T)
        return Problem(X, None, risk, largest_norm(X), basis=basis), mean
    rows = np.sort(np.random.default_rng(n).integers(n, size=SAMPLE_ROWS))
    centred = X[rows] - mean
    sampled = Problem(centred, None, risk.sample(rows), largest_norm(centred))
    radius = largest_norm(X) + float(np.sqrt(mean @ mean))
    return Problem(X, mean if risk.centred else None, risk, radius, sampled, rows), mean


def descend(X: Floats, risk: Risk, lams: Floats, *, tol: float, max_iter: int) -> PathResult:
    """Solve the whole path, from the largest penalty to the smallest.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    risk : Risk
    lams : ndarray of shape (L,)
    tol : float
        Certified relative suboptimality to reach.
    max_iter : int
        Steps at most for each penalty.

    Returns
    -------
    PathResult
        In the order of ``lams``.
    """
    order = np.argsort(-lams, kind="stable")
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        problem, mean = prepare(X, risk)
        first = float(lams[order[0]])
        at = point(problem, start(problem, first), first)
        found: list[Solution] = []
        for lam in lams[order].tolist():
            if found:
                at = point(problem, at.theta, lam, at.s)
            found.append(solve(problem, at, lam, tol, max_iter))
            at = found[-1].at
    return assemble(problem, mean, [found[i] for i in np.argsort(order)], tol)


def assemble(problem: Problem, mean: Floats, found: list[Solution], tol: float) -> PathResult:
    """Put the solutions of a path together, in terms of the rows as they were given."""
    d, intercept = problem.X.shape[1], problem.risk.intercept
    theta = np.array([f.at.theta for f in found])
    coef = np.ascontiguousarray(theta[:, :d].T)
    if problem.basis is not None:
        coef = problem.basis @ coef
    gap = np.array([f.gap for f in found])
    return PathResult(
        coef=coef,
        intercept=theta[:, d] - mean @ coef if intercept else np.zeros(len(found)),
        objective=np.array([f.objective for f in found]),
        gap=gap,
        n_iter=np.array([f.n_iter for f in found], dtype=np.int64),
        converged=gap <= tol,
    )
