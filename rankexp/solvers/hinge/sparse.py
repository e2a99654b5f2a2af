"""The pairwise hinge of sparse rows, certified: no Hessian of their columns is written out."""

from math import sqrt

import numpy as np

from rankexp.arrays import Floats
from rankexp.solvers.hinge.iterate import Best, HingeIterate, Solve, Solved
from rankexp.solvers.hinge.pairs import HingePairs
from rankexp.solvers.hinge.sweep import SortedSweep, sweep
from rankexp.solvers.smooth.certificate import length
from rankexp.solvers.smooth.conjugate import FORCED, LEFT, Conjugate
from rankexp.solvers.smooth.objective import Objective, SmoothIterate, prepare
from rankexp.solvers.smooth.smoothing import SHARE, RoundedRisk, narrowing
from rankexp.solvers.smooth.steps import step

MARGIN = 0.9  # of the tolerance to solve for: the certificate adds the rounding


class RoundedPairs(RoundedRisk):
    """The mean hinge of pairs, and the best values for one penalty."""

    def __init__(self, pairs: HingePairs) -> None:
        self.pairs, self.best = pairs, Best()

    def _prepare(self, s: Floats) -> SortedSweep:
        return sweep(self.pairs, s, self.half)

    def value(self, s: Floats) -> float:
        """Return about the mean: only how near a descent comes depends on it."""
        swept: SortedSweep = self.prepared(s)
        return swept.hinge + swept.h / 12.0 * swept.band_size / self.pairs.count

    def slope(self, s: Floats) -> Floats:
        swept: SortedSweep = self.prepared(s)
        return swept.residual

    def slack(self, s: Floats) -> float:
        swept: SortedSweep = self.prepared(s)
        return swept.hinge - swept.alpha - float(swept.residual @ s)

    def curved(self, s: Floats, r: Floats, u: Floats) -> Floats:
        """Return the Laplacian of the pairs of the band times u, from its running sums."""
        swept: SortedSweep = self.prepared(s)
        pairs, out = self.pairs, np.zeros(u.size)
        for low, up, cost in pairs.levels:
            for level, other in ((up, low), (low, up)):
                (begin, end), rows = swept.band(level, other), swept.at[level]
                weight = pairs.weight[swept.at[other]].astype(np.float64)
                count, total = np.zeros((2, weight.size + 1))
                np.cumsum(weight, out=count[1:])
                np.cumsum(weight * u[swept.at[other]], out=total[1:])
                out[rows] += (cost * pairs.charge[rows]) * (
                    u[rows] * (count[end] - count[begin]) - (total[end] - total[begin])
                )
        out /= 2.0 * swept.h * pairs.count
        return out

    def judge(self, at: SmoothIterate, lam: float) -> tuple[float, float]:
        here = HingeIterate.at(lam, at.theta, at.s, self.prepared(at.s))
        self.best.update(here)
        return self.best.primal, self.best.gap

    def sharpen(
        self, problem: Objective, at: SmoothIterate, lam: float, goal: float
    ) -> SmoothIterate:
        """Narrow the band, and take the step that keeps the dual variables of its pairs."""
        middle = self.prepared(at.s).midway
        g = problem.gradient(middle + (at.r - middle) / SHARE, at.theta, lam)
        left = LEFT * sqrt(2.0 * lam * goal * self.value(at.s))
        rest = SHARE * max(left, FORCED * length(g))
        q = Conjugate(problem, at, SHARE * lam, problem.memory, rest).times(SHARE * g)
        self.half, self._last = SHARE * self.half, None
        at = problem.at(at.theta, lam)
        return step(problem, at, q, lam)[1] or at


def sparse_solver(pairs: HingePairs, tol: float, max_iter: int) -> Solve:
    """Return what solves for one penalty after the other, from the largest on."""
    risk = RoundedPairs(pairs)
    risk.best.w = np.zeros(pairs.X.shape[1])
    with np.errstate(all="ignore"):
        problem = prepare(pairs.X, risk)

    def solve(lam: float) -> Solved:
        w, risk.best = risk.best.w, Best()
        return risk.best, narrowing(problem, risk, w, lam, MARGIN * tol, max_iter)

    return solve
