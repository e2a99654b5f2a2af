"""Minimise ``lam/2 ||w||² + risk(X w + b)`` along a path of penalties, for smooth convex risks.

Each penalty starts from the solution of the last one. Of few columns, a Hessian is taken there
(`steps`). Of many, steps without one are tried first (`limited`), until a penalty takes too many.
"""

from dataclasses import replace

import numpy as np

from rankexp.arrays import Floats
from rankexp.solvers.result import PathResult, bearable
from rankexp.solvers.rows import filled, is_sparse
from rankexp.solvers.smooth.centring import prepare
from rankexp.solvers.smooth.certificate import EPS, Solution, finish
from rankexp.solvers.smooth.conjugate import NewtonDescent
from rankexp.solvers.smooth.in_rows import in_rows, leave_rows
from rankexp.solvers.smooth.inverse import Dense
from rankexp.solvers.smooth.limited import LimitedDescent, by_chance, patience, unrelated
from rankexp.solvers.smooth.objective import Guess, Objective, SmoothIterate, SmoothRisk
from rankexp.solvers.smooth.steps import ROUNDED, Descent

SAMPLE_TOL, SAMPLE_ITER = 1e-4, 50  # tuned: on a sample, which differs by more than that
NARROW, A_COLUMN = 300, 16  # fewer columns, and rows for each, where a guess pays. Tuned
MOST_ROWS, LEAST_ENTRIES = 200_000, 50_000  # the same of all rows. Tuned: 20,000 to 50,000
TAILS = 12.0  # of kurtosis, 3 if normal, beyond which rows far away count for too much. Tuned
LEAST_PROBED = 100  # rows that show whether columns are related
THIN = 1  # entries for each column: with more, too few are without to pay. Tuned
MOST_RENEWED = 3  # times that scores are worked out anew before the end; mostly once is enough


def solve(run: Descent, max_iter: int) -> Descent:
    """Solve for one penalty, from where the descent starts."""
    while True:
        if run.near() and (run.certify() or run.stalled()):
            if not run.stale():
                return run
            if run.renewed == MOST_RENEWED:
                break
            run.renew()
        if run.n_iter >= max_iter or not run.advance() or run.diverges() or run.vain():
            break
    if run.stale():
        run.renew()
    run.certify()
    return run


class Path:
    """The descent along a path of penalties, the largest first."""

    def __init__(self, X: Floats, risk: SmoothRisk, lams: Floats, tol: float, most: int) -> None:
        lam, least = float(lams[0]), float(lams[-1])
        self.tol, self.max_iter = tol, most
        plain, guess = lam > 0.0 and unrelated(X, risk), self.guess(X, risk) if lam else None
        # Steps without a Hessian:
        self.tries = patience(X, risk, plain) if lam and guess is None else 0
        reduced = not self.tries and guess is None
        self.problem = prepare(X, risk, reduced=reduced, plain=plain, whole=guess is not None)
        self.problem.guess = guess
        newton: type[Descent] = NewtonDescent if is_sparse(X) else Descent
        self.descent = LimitedDescent if self.tries else newton
        theta, small = np.zeros(self.problem.X.shape[1] + risk.intercept), self.problem.sampled
        self.value: float | None = None  # of the risk where the descent is, if it is known
        if guess is not None:
            theta = guess.solution(lam)
        if small is not None:  # begin at the solution on a sample of many rows
            run = self.descent(small, small.at(theta, lam), lam, SAMPLE_TOL)
            theta = solve(run, SAMPLE_ITER).at.theta
            if small.risk.prompt and isinstance(run.inverse, Dense):
                self.problem.known = run.inverse.B
            if self.tries:
                self.problem.memory = small.memory  # what it has told
        self.at = self.problem.at(theta, lam)
        if small:
            self.value = risk.value(self.at.s)
            if not self.value <= run.first and not self.value <= risk.value(0.0 * self.at.s):
                self.at = self.problem.at(0.0 * theta, lam)  # rows that are not drawn count most
                self.value = self.problem.known = None
        elif guess is not None:
            self.value = risk.value(self.at.s)
            if not self.value <= guess.at_zero:  # no guess at all
                self.at, self.value = self.problem.at(np.zeros_like(theta), lam), guess.at_zero
                self.problem.guess = None
        if self.tries and not risk.centred and not self.problem.memory.steps:
            self.problem.look_along_mean(self.at, least, in_rows(self.problem) or self.problem)
        self.found: list[Solution] = []
        self.error = 0.0  # that rounding has left in the scores, at most

    @staticmethod
    def guess(X: Floats, risk: SmoothRisk) -> Guess | None:
        """Return a guess of the objective, if it may save steps."""
        n, d = X.shape
        fits = d < NARROW and A_COLUMN * d <= n <= MOST_ROWS and n * d >= LEAST_ENTRIES
        if is_sparse(X) or not (risk.guesses and fits):
            return None
        return risk.guess(X) if by_chance(X, max(LEAST_PROBED, 2 * d), TAILS) else None

    def go(self, lam: float) -> None:
        """Solve for the next penalty."""
        if self.found:  # neither the scores nor the risk depend on the penalty
            g = self.problem.gradient(self.at.r, self.at.theta, lam)
            self.at = SmoothIterate(self.at.theta, self.at.s, self.at.r, g)
        run, tried, start = None, 0, (self.at, self.value)
        while self.tries and lam and run is None:
            run = self.run(lam, min(self.tries, self.max_iter - tried))
            tried = run.n_iter = tried + run.n_iter
            if self.missed(run) and leave_rows(self.problem):  # columns may differ in size
                run, (self.at, self.value) = None, start
        if run is None or self.missed(run):
            if self.tries:
                if self.problem.plain:  # steps that led nowhere are not worth a Hessian
                    self.at, self.value = start
                self.take_hessians(lam)
            run = self.run(lam, self.max_iter)
            run.n_iter += tried
        solution = Solution(run.at, run.objective, run.gap, run.n_iter, error=self.error)
        self.found.append(finish(self.problem, solution, run.inverse, lam, self.tol))

    def missed(self, run: Descent) -> bool:
        """Return whether another way may lead where this one did not."""
        return not run.gap <= self.tol and run.n_iter < self.max_iter

    def run(self, lam: float, most: int) -> Descent:
        """Go as far as possible in so many steps."""
        run = solve(self.descent(self.problem, self.at, lam, self.tol, self.value), most)
        self.at, self.value = run.at, run.risk
        self.error += run.error()
        return run

    def take_hessians(self, lam: float) -> None:
        """From here on take Hessians, in the span of the rows if these are fewer than columns."""
        self.tries, self.descent, wide = 0, Descent, self.problem
        if is_sparse(wide.X):  # which are not written out
            self.descent = NewtonDescent
            return
        n, d = wide.X.shape
        if (wide.mean is None and d <= n <= wide.risk.sampling(d)[0]) or wide.sampled:
            return
        self.problem = prepare(wide.given, wide.risk)
        for solution in self.found:
            if solution.coef is None:
                w, b = solution.at.theta[:d], solution.at.theta[d:]  # none: no intercept
                solution.coef, solution.intercept = w, float(b.sum() - b.size * (wide.centre @ w))
            solution.at.theta = self.problem.reduced(solution.at.theta)
        theta = self.at.theta.copy()
        theta[d:] += (self.problem.centre - wide.centre) @ theta[:d]
        self.at, self.value = self.problem.at(self.problem.reduced(theta), lam), None


def descend(X: Floats, risk: SmoothRisk, lams: Floats, *, tol: float, max_iter: int) -> PathResult:
    """Solve the whole path, from the largest penalty to the smallest, as `lams` has them."""
    falling, back = np.unique(-lams, return_inverse=True)
    part = filled(X, THIN)  # other columns have no weight
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        path = Path(part[0] if part else X, risk, -falling, tol, max_iter)
        for lam in (-falling).tolist():
            path.go(lam)
    found = assemble(path.problem, [path.found[i] for i in back], tol)
    return found.among(part[1], X.shape[1]) if part else found


def assemble(problem: Objective, found: list[Solution], tol: float) -> PathResult:
    """Put the solutions of a path together, in terms of the rows as they were given."""
    d = problem.X.shape[1]
    theta = np.array([f.at.theta for f in found])
    coef = np.ascontiguousarray(theta[:, :d].T)
    coef = coef if problem.basis is None else problem.basis @ coef
    intercept = np.zeros(len(found))
    if problem.risk.intercept:
        intercept = theta[:, d] - problem.centre @ coef
    for i, f in enumerate(found):
        if f.coef is not None:
            coef[:, i], intercept[i] = f.coef, f.intercept
    gap = np.array([f.gap for f in found])
    objective = np.array([f.objective for f in found])
    n_iter = np.array([f.n_iter for f in found], dtype=np.int64)
    offset = bearable(problem.given, coef, intercept)
    path = PathResult(coef, intercept, objective, gap, n_iter, gap <= tol, None, offset)
    if len(found) > 1 or not (offset == intercept).all():
        return path
    rough = _rough_scores(problem, found[0], coef[:, 0], float(intercept[0]))
    return replace(path, rough=rough)


def _rough_scores(
    problem: Objective, found: Solution, w: Floats, b: float
) -> tuple[Floats, float] | None:
    """Return the scores of rows in which the descent was, and what rounding they have at most."""
    if problem.basis is not None or found.coef is not None:
        return None
    s = found.at.s if problem.risk.intercept else found.at.s + problem.centre @ w
    far = problem.radius + problem.shift
    once = (problem.terms + ROUNDED) * far * float(np.linalg.norm(w)) + abs(b)
    return s, found.error + 2.0 * EPS * once  # of the intercept, and of scores worked out anew
