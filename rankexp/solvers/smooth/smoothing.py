"""Risks with kinks, rounded off within a band around each, until the exact risk is certified.

A rounded risk is smooth, so that the descent takes it, and its slope is a point of the dual of the
exact one (Nesterov 2005). What rounding costs, the slack, falls as the band narrows, or as the
dual variables that are rounded towards come near the best ones.
"""

from abc import abstractmethod

import numpy as np

from rankexp.arrays import Floats
from rankexp.solvers.smooth.descent import solve
from rankexp.solvers.smooth.in_scores import RoundedDescent
from rankexp.solvers.smooth.inverse import Memory
from rankexp.solvers.smooth.objective import Objective, SmoothIterate, SmoothRisk

WIDEST, NARROWEST = 4.0, 1e-13  # half bands, of margins of 1: all terms are inside at w = 0
SOLVED = 0.5  # of the tolerance, what is left of a smooth objective; or as much as slack. Tuned
FIRST = 0.1  # of the first rounded objective, what is left of it


class RoundedRisk(SmoothRisk):
    """A risk with kinks, rounded off within half a band on both sides of each."""

    half = WIDEST
    share = 0.3  # of the slack, what the next one is about. Tuned

    def start(self) -> None:
        """Begin with the widest band."""
        self.half, self._last = WIDEST, None

    @abstractmethod
    def slack(self, s: Floats) -> float:
        """Return by how much the exact risk is above what its dual has at the slope here."""

    @abstractmethod
    def judge(self, problem: Objective, at: SmoothIterate, lam: float) -> tuple[float, float]:
        """Look at a point and its slope; return the best objective and relative gap so far."""

    def leaves(self, problem: Objective, at: SmoothIterate, lam: float) -> bool:
        """Return whether to leave off, as there is a better way."""
        return False

    @abstractmethod
    def sharpen(
        self, problem: Objective, at: SmoothIterate, lam: float, goal: float
    ) -> SmoothIterate:
        """Round off less; return where to go on, and until `goal` is left of the objective."""

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Raise: it would be dense."""
        raise NotImplementedError


def narrowing(
    problem: Objective, risk: RoundedRisk, theta: Floats, lam: float, tol: float, max_iter: int
) -> int:
    """Solve for a penalty from parameters on, until the gap is small enough; return the steps."""
    # Columns that are scaled alike are better here: where rows are few, most directions are flat.
    problem.memory = Memory(lambda: np.ones(theta.size), 0)
    risk.start()
    n_iter, at, goal = 0, problem.at(theta, lam), FIRST
    while True:
        run = solve(RoundedDescent(problem, at, lam, goal), max_iter - n_iter)
        at, n_iter = run.at, n_iter + max(run.n_iter, 1)
        objective, gap = risk.judge(problem, at, lam)
        done = gap <= tol or n_iter >= max_iter or risk.half <= NARROWEST
        if done or risk.leaves(problem, at, lam):
            return n_iter
        slack = risk.slack(at.s)
        goal = max(risk.share * slack, SOLVED * tol * objective) / (objective + slack)
        at = risk.sharpen(problem, at, lam, goal)
