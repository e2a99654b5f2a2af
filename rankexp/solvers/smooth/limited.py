"""The descent where a Hessian is dear: steps by limited memory, from a scaled diagonal (L-BFGS).

A Hessian of n rows and d columns costs as much as some d / 6 steps, each of which reads the rows
twice. Where features are nearly independent fewer do. So about as many are tried as cost one
Hessian: that is at most twice as dear as the better choice.
"""

from math import ceil, inf, log

import numpy as np

from rankexp.arrays import Floats
from rankexp.solvers.rows import is_sparse
from rankexp.solvers.smooth.certificate import bound
from rankexp.solvers.smooth.in_rows import in_rows
from rankexp.solvers.smooth.inverse import Memory
from rankexp.solvers.smooth.objective import Objective, SmoothRisk
from rankexp.solvers.smooth.steps import Descent, next_to_nothing, polish

WIDE = 96
"""Columns, or rows where these are fewer: below, Hessians are cheap. Tuned. With 50 columns, steps
without one take two thirds of the time if columns are independent, twice if they correlate."""
NARROW, MANY = 40, 40
"""Columns, and rows for each, from which on steps without a Hessian may pay below `WIDE`. Tuned"""
PROBED = 10  # rows for each column that tell whether columns are related
RELATED = 0.15  # of the eigenvalues of correlations: the variance, beside chance. Tuned: .1 to .5
PASSES = 6.0  # a Hessian of d columns takes as long as d / 6 steps. Measured, d = 100 to 800
PATIENCE = 100  # steps of sparse rows, before a step is worth many products. Tuned
LEAST_STEPS = 12  # are tried at any rate
TRIED, HOPE = 10, 1.5  # steps after which it is looked at how many more it would take. Tuned
SOON = 1.5  # steps like those so far, after which a descent is likely to have ended. Tuned: 1 to 3
HASTE = 0.5  # of the intercept's derivative at the end, as the objective may fall to a quarter
WORTH = 4.0  # steps to come, which make up for a copy in single precision. Tuned
STRONG = 0.04  # times the mean square of columns: a penalty that leaves few steps to take. Tuned
MANY_A_COLUMN = 20  # rows: with fewer, a penalty of that size leaves more. Tuned
SMALL, LARGE = 1e-15, 1e15  # radii whose squares, and scores, fit into single precision
TINY = float(np.finfo(np.float64).tiny)


def unrelated(X: Floats, risk: SmoothRisk) -> bool:
    """Return whether not too wide rows have columns that correlate hardly more than by chance.

    Then a Hessian tells little more than the first steps do.
    """
    n, d = X.shape
    if is_sparse(X) or not (risk.quick and NARROW <= d < WIDE):
        return False
    return MANY * d <= n <= risk.sampling(d)[0] and by_chance(X, PROBED * d)


def by_chance(X: Floats, rows: int, tails: float = inf) -> bool:
    """Return whether so many rows show columns that correlate hardly more than by chance."""
    # `tails`: what their mean kurtosis may be.
    A, d = X[:: X.shape[0] // rows], X.shape[1]
    A = A - A.mean(axis=0)
    A /= np.maximum(np.sqrt(np.einsum("ij,ij->j", A, A)), TINY)
    if tails < inf and not A.shape[0] / d * float(np.vdot(B := A * A, B)) <= tails:
        return False
    C = A.T @ A  # the sum of squares is that of its eigenvalues
    chance = C.shape[0] / A.shape[0]
    return bool(float(np.einsum("ij,ij->", C, C)) / C.shape[0] - 1.0 <= RELATED + chance)


def patience(X: Floats, risk: SmoothRisk, plain: bool = False) -> int:
    """Return how many steps take as long as a Hessian; 0 where it is cheap, and not `plain`."""
    if is_sparse(X):  # a Hessian would be dense, and is not written out
        return PATIENCE
    n, d = X.shape
    if (least := min(n, d)) < WIDE and not plain:
        return 0
    most, few = risk.sampling(d)
    rows = n if n <= most else few  # of which a Hessian is taken
    steps: int = ceil(least * rows / n / PASSES)
    return max(LEAST_STEPS, steps)


class LimitedDescent(Descent):
    """The descent for one penalty above 0, without a Hessian.

    Most steps go by rows in single precision. Where these promise enough, all is worked out anew
    in double precision, and what is missing is made up for there.
    """

    most_slow, start = inf, inf
    double: Objective | None = None  # the problem in double precision, while steps are rough
    done = False  # with rough steps

    def _roughen(self) -> None:
        """Go on in single precision, if there is a copy, or so many steps are to come."""
        problem = self.problem
        if self.double or self.done:
            return
        if is_sparse(problem.X):
            if not self.n_iter and (few := in_rows(problem)):
                self.double, self.problem, self.at = problem, few, few.enter(self.at, self.lam)
            return
        if self._in_few_steps() and "single" not in vars(problem):
            won, missing = self._progress()
            if not self.n_iter or missing * self.n_iter < WORTH * won:
                return
        if SMALL < problem.radius < LARGE:
            self.double, self.problem = problem, problem.single

    def _in_few_steps(self) -> bool:
        """Return whether the descent may end before a copy in single precision pays."""
        problem, (n, d) = self.problem, self.problem.X.shape
        if problem.sampled or problem.plain:
            return True
        return n > MANY_A_COLUMN * d and self.lam > STRONG * float(problem.squares[:d].mean())

    def certify(self) -> bool:
        """Work out the gap, in double precision."""
        rough = self.double is not None
        if self.double is not None:
            if self.problem.risk.intercept:  # as long as products are cheap
                scale, target = self.intercept_scale(), self.tol * self.objective
                polish(self.problem, self.at, self.lam, scale, target)
            theta, level = self.problem.lifted(self.at.theta), self.problem.memory.level
            self.problem, self.double, self.done = self.double, None, True
            self.problem.memory.level = level
            self.at = self.problem.at(theta, self.lam)
            self.inverse = self._memory()
            self.anew()
        found = super().certify()
        if rough and not found:
            self._direct()
        return found

    def _progress(self) -> tuple[float, float]:
        """Return the logarithms of the shares of the certificate that are won, and missing."""
        above, enough = self._above(), max(self.tol * self.objective, TINY)
        won = log(self.start / above) if 0.0 < above < self.start else 0.0
        return won, log(max(above / enough, 1.0))

    def refresh(self) -> None:
        """Forget the steps, which lead nowhere; those of larger penalties remain at first."""
        if not self.n_iter:
            self._roughen()
            self._look()
        self.inverse = memory = self._memory()
        if self.n_iter:
            memory.steps = memory.steps[: memory.fixed]
        self.start = self.start if self.n_iter else self._above()
        self.begin()

    def _memory(self) -> Memory:
        """Return the steps of late, for this penalty and for the intercept at this point."""
        memory, ridge = self.problem.memory, np.full(self.at.theta.size, self.lam)
        if self.problem.risk.intercept:
            ridge[-1] = 0.0
            self.intercept_scale()
        memory.penalise(ridge)
        return memory

    def intercept_scale(self) -> float:
        """Return it where the last step ended."""
        memory = self.problem.memory
        memory.last = 1.0 / memory.level
        return memory.last

    def enough(self) -> float:
        """Return what lets the step end the descent, if it may: one gradient less."""
        (won, missing), before = self._progress(), self.n_iter - 1
        if not (before and self.problem.risk.intercept and missing * before <= SOON * won):
            return inf
        return HASTE * next_to_nothing(self.problem, self.lam, self.tol * self.objective)

    def reached(self) -> None:
        """Look how the losses curve at a new point, and whether a copy pays."""
        self._look()
        self._roughen()

    def _look(self) -> None:
        """Say how much the losses curve there: what earlier steps told is taken for as much."""
        self.problem.memory.level = max(self.problem.risk.bend(self.at.s), TINY)

    def near(self) -> bool:
        """Return whether the certificate may do; at least one step is taken."""
        above, rough = self._above(), 0.0
        if self.double is not None:
            noise = self.problem.grain * self.problem.radius * float(np.abs(self.at.r).sum())
            rough = bound(noise, 0.0, self.lam, 0.0, 0.0)
            if rough < above <= self.tol * self.objective:
                self._evaluate()  # it has fallen
        enough = above <= max(self.tol * self.objective, rough)
        return self.drop <= 0.0 or (self.n_iter > 0 and enough)

    def vain(self) -> bool:
        """Return whether the certificate falls so slowly that there is no hope."""
        if self.n_iter < TRIED:
            return False
        problem, (won, missing) = self.problem, self._progress()
        most = HOPE * patience(problem.X, problem.risk, problem.plain)
        return won * most < missing * self.n_iter
