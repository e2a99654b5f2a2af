"""The descent where a Hessian is dear: steps by limited memory, from a scaled diagonal (L-BFGS).

A Hessian of n rows and d columns costs as much as some d / 6 steps, each of which reads the rows
twice. Where features are nearly independent fewer do. So about as many are tried as cost one
Hessian: that is at most twice as dear as the better choice.
"""

from math import ceil, inf, log

import numpy as np

from rankexp.arrays import Floats
from rankexp.solvers.rows import is_sparse
from rankexp.solvers.smooth.inverse import Memory
from rankexp.solvers.smooth.objective import SAMPLE_ROWS
from rankexp.solvers.smooth.steps import Descent

WIDE = 96  # columns, or rows where these are fewer: below, Hessians are cheap. Tuned
PASSES = 6.0  # a Hessian of d columns takes as long as d / 6 steps. Measured, d = 100 to 800
PATIENCE = 100  # steps of sparse rows, before a step is worth many products. Tuned
LEAST_STEPS = 12  # are tried at any rate
TRIED, HOPE = 10, 1.5  # steps after which it is looked at how many more it would take. Tuned
TINY = float(np.finfo(np.float64).tiny)


def patience(X: Floats) -> int:
    """Return how many steps take as long as a Hessian; 0 where it is cheap."""
    if is_sparse(X):  # a Hessian would be dense, and is not written out
        return PATIENCE
    n, d = X.shape
    least = min(n, d)
    if least < WIDE:
        return 0
    share = min(n, SAMPLE_ROWS) / n  # of the rows, what a Hessian is taken of
    steps: int = ceil(least * share / PASSES)
    return max(LEAST_STEPS, steps)


class LimitedDescent(Descent):
    """The descent for one penalty above 0, without a Hessian."""

    most_slow, start = inf, inf

    def refresh(self) -> None:
        """Forget the steps, which lead nowhere; those of larger penalties remain at first."""
        memory = self._memory()
        memory.steps = [] if self.n_iter else memory.steps
        self.start = self.start if self.n_iter else self._above()
        self.inverse = memory
        self.begin()

    def _memory(self) -> Memory:
        """Return the steps of late, for this penalty and for the intercept at this point."""
        memory, d = self.problem.memory, self.problem.X.shape[1]
        memory.ridge = np.where(np.arange(self.at.theta.size) < d, self.lam, 0.0)
        if self.problem.risk.intercept:
            self.intercept_scale()
        return memory

    def intercept_scale(self) -> float:
        """Return it at this point: it is another one where most of the steps began."""
        none, memory = np.empty((self.problem.X.shape[0], 0)), self.problem.memory
        curvature = self.problem.risk.hessian(none, self.at.s)
        memory.last = 1.0 / max(float(curvature[-1, -1]), TINY)
        return memory.last

    def near(self) -> bool:
        """Return whether the certificate may do; at least one step is taken."""
        near = self._above() <= self.tol * self.objective
        return self.drop <= 0.0 or (self.n_iter > 0 and near)

    def vain(self) -> bool:
        """Return whether the certificate falls so slowly that there is no hope."""
        if self.n_iter < TRIED:
            return False
        above, enough = self._above(), max(self.tol * self.objective, TINY)
        won = log(self.start / above) if 0.0 < above < self.start else 0.0
        return won * HOPE * patience(self.problem.X) < log(max(above / enough, 1.0)) * self.n_iter
