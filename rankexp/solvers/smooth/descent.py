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

import numpy as np
from scipy.linalg.blas import dsymv, dsyr2

from rankexp.arrays import Floats
from rankexp.solvers.result import PathResult
from rankexp.solvers.smooth.line_search import derivative_search
from rankexp.solvers.smooth.problem import Point, Problem, Risk, objective, point, prepare

SLOW = 0.1
VANISHED = 1e-30


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
    enough = 0.05 * float(np.sqrt(2.0 * lam * target)) / max(problem.radius, 1e-300)
    g_b = float(at.g[d])
    while abs(g_b) > enough:
        move = -g_b * b_scale
        theta, s = at.theta.copy(), at.s + move
        theta[d] += move
        r = problem.risk.slope(s)
        g = problem.gradient(r, theta, lam)
        left = float(g[d])
        if not abs(left) < 0.9 * abs(g_b):
            return
        at.theta, at.s, at.r, at.g = theta, s, r, g
        g_b, b_scale = left, move / (left - g_b)


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


class Descent:
    """The descent for one penalty: a point, the inverse Hessian B, and q = B g."""

    def __init__(self, problem: Problem, at: Point, lam: float, tol: float) -> None:
        self.problem, self.at, self.lam, self.tol = problem, at, lam, tol
        self.inner = max(1e-3 * tol, 1e-22)
        self.objective = self.first = objective(problem, at.s, at.theta, lam)
        self.gap, self.n_iter = float("inf"), 0
        self.lowest, self.idle = float("inf"), 0
        self.refresh()

    def refresh(self) -> None:
        """Take the Hessian anew."""
        self.B = self.problem.inverse_hessian(self.at, self.lam)
        self.b_scale = float(self.B[-1, -1])
        self.age = self.slow = 0
        self._direct()

    def _direct(self) -> None:
        self.q: Floats = dsymv(1.0, self.B, self.at.g, lower=1)
        self.drop = float(self.at.g @ self.q)

    def near(self) -> bool:
        """Return whether the next step promises next to nothing; at least one step is taken."""
        return self.drop <= 0.0 or (
            self.n_iter > 0 and 0.5 * self.drop <= self.inner * self.objective
        )

    def certify(self) -> bool:
        """Work out the gap and return whether it is small enough."""
        problem, at, lam = self.problem, self.at, self.lam
        if lam and problem.risk.intercept:
            before = at.g
            polish(problem, at, lam, self.b_scale, self.tol * self.objective)
            if at.g is not before:
                self._direct()
        self.objective = objective(problem, at.s, at.theta, lam)
        above = bound(problem, at, lam, self.b_scale) if lam else 0.5 * abs(self.drop)
        self.gap = above / self.objective if self.objective > 0.0 else 0.0
        return self.gap <= self.tol

    def advance(self) -> bool:
        """Take a step; return whether there is a point to go on from."""
        self.n_iter += 1
        t, new = step(self.problem, self.at, self.q, self.lam)
        if new is None:
            stuck = self.age == 0
            self.refresh()
            return not stuck
        last = self.drop
        self.B, self.q, self.drop = update(self.B, self.q, -t * self.q, self.at.g, new.g)
        self.at = new
        self.age += 1
        self.slow = self.slow + 1 if self.drop > SLOW * last else 0
        if self.slow >= 2 or self.drop <= 0.0:
            self.refresh()
        return True

    def diverges(self) -> bool:
        """Return whether an unpenalised risk goes to 0, as on separable data."""
        return self.lam == 0.0 and self.problem.risk.value(self.at.s) < VANISHED * self.first

    def stalled(self) -> bool:
        """Return whether rounding keeps the gap from shrinking any more."""
        self.idle = 0 if self.drop < 0.5 * self.lowest else self.idle + 1
        self.lowest = min(self.lowest, self.drop)
        return self.drop <= 0.0 or self.idle > 20


def solve(problem: Problem, at: Point, lam: float, tol: float, max_iter: int) -> Solution:
    """Solve for one penalty from a warm start."""
    run = Descent(problem, at, lam, tol)
    while True:
        if run.near() and (run.certify() or run.stalled()):
            break
        if run.n_iter >= max_iter or not run.advance() or run.diverges():
            run.certify()
            break
    return Solution(run.at, run.objective, run.gap, run.n_iter)


def update(
    B: Floats, q: Floats, moved: Floats, g: Floats, g_new: Floats
) -> tuple[Floats, Floats, float]:
    """Apply the BFGS update to the inverse B, given q = B g; return B, B g_new, g_new·B g_new."""
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
    falling, back = np.unique(-lams, return_inverse=True)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        problem, mean = prepare(X, risk)
        first = -float(falling[0])
        at = point(problem, start(problem, first), first)
        found: list[Solution] = []
        for lam in (-falling).tolist():
            if found:
                at = point(problem, at.theta, lam, at.s)
            found.append(solve(problem, at, lam, tol, max_iter))
            at = found[-1].at
    return assemble(problem, mean, [found[i] for i in back], tol)


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
