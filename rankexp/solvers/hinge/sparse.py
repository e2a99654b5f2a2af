"""The pairwise hinge of sparse rows, certified: no Hessian of their columns is written out.

Where classes come apart, small penalties have the solution of a larger one, of which the dual
variables are larger, too. These are found in fewer steps, so it is solved for instead.
"""

from math import sqrt

import numpy as np

from rankexp.arrays import Floats
from rankexp.solvers.hinge.iterate import Best, Solve, Solved, together
from rankexp.solvers.hinge.pairs import HingePairs
from rankexp.solvers.hinge.sweep import SortedSweep, sweep
from rankexp.solvers.smooth.conjugate import FORCED, LEFT
from rankexp.solvers.smooth.in_rows import InRows
from rankexp.solvers.smooth.in_scores import InScores
from rankexp.solvers.smooth.objective import SmoothIterate, prepare
from rankexp.solvers.smooth.smoothing import RoundedRisk, narrowing
from rankexp.solvers.smooth.steps import step

MARGIN = 0.9  # of the tolerance to solve for: the certificate adds the rounding
EASY, USUAL = 0.05, 0.15  # mean dual variables of pairs that come apart: few, and to be had. Tuned
SCALED = 0.5  # of the tolerance, for a solution that is to serve a smaller penalty
FURTHER = 0.1  # of a penalty, the next one where a solution does not serve smaller ones


class RoundedPairs(RoundedRisk):
    """The mean hinge of pairs, and the best values for one penalty."""

    kinked, share = True, 0.1

    def __init__(self, pairs: HingePairs) -> None:
        self.pairs, self.best = pairs, Best()
        self.parted: tuple[float, Best] | None = None  # a penalty whose solution parts all pairs
        self.easier = 0.0  # a larger one with the same solution, once there is one

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

    def stiffness(self, s: Floats) -> Floats:
        """Return the degree of each row in the graph of the pairs of the band."""
        swept: SortedSweep = self.prepared(s)
        return swept.counted[2] / (2.0 * swept.h * self.pairs.count)

    def curved(self, s: Floats, r: Floats, u: Floats) -> Floats:
        """Return the Laplacian of the pairs of the band times u, from its running sums."""
        swept: SortedSweep = self.prepared(s)
        pairs, out = self.pairs, swept.counted[2] * u
        for low, up, cost in pairs.levels:
            for level, other in ((up, low), (low, up)):
                (begin, end), rows, others = (
                    swept.band(level, other),
                    swept.at[level],
                    swept.at[other],
                )
                total = np.zeros(others.size + 1)
                np.cumsum(pairs.weight[others] * u[others], out=total[1:])
                out[rows] -= (cost * pairs.charge[rows]) * (total[end] - total[begin])
        out /= 2.0 * swept.h * pairs.count
        return out

    def judge(self, problem: InRows, at: SmoothIterate, lam: float) -> tuple[float, float]:
        """Take over what is better; weights are kept as combinations of rows."""
        swept, a, pulled = self.prepared(at.s), at.theta[: problem.n], at.g[problem.n :]
        primal = swept.hinge + 0.5 * lam * float(a @ at.s)
        dual = swept.alpha - float(at.r @ (pulled - lam * at.s)) / (2.0 * lam)
        self.best.take(Best(primal, dual, a, at.s, at.r, swept.alpha, h=swept.h))
        return self.best.primal, self.best.gap

    def eases(self, s: Floats, lam: float) -> bool:
        """Return whether all pairs come apart, with far smaller dual variables than may be."""
        alpha: float = self.prepared(s).alpha
        if self.easier or not 0.0 < alpha < EASY or self.pairs.differences(s)[0] <= 0.0:
            return False
        self.easier = lam * USUAL / alpha
        return True

    def sharpen(
        self, problem: InRows, at: SmoothIterate, lam: float, goal: float
    ) -> SmoothIterate:
        """Narrow the band, and take the step that keeps the dual variables of its pairs."""
        middle = self.prepared(at.s).midway
        g = problem.gradient(middle + (at.r - middle) / self.share, at.theta, lam)
        left = LEFT * sqrt(2.0 * lam * goal * self.value(at.s))
        rest = self.share * max(left, FORCED * problem.length(g))
        q = InScores(problem, at, self.share * lam, problem.memory, rest).times(self.share * g)
        self.half, self._last = self.share * self.half, None
        r = self.slope(at.s)
        at = SmoothIterate(at.theta, at.s, r, problem.gradient(r, at.theta, lam))
        return step(problem, at, q, lam)[1] or at


def sparse_solver(pairs: HingePairs, tol: float, max_iter: int) -> Solve:
    """Return what solves for one penalty after the other, from the largest on."""
    risk, goal = RoundedPairs(pairs), MARGIN * tol
    with np.errstate(all="ignore"):
        problem = prepare(pairs.X, risk)

    def run(lam: float, before: int, share: float = 1.0) -> int:
        zero = np.zeros(problem.X.shape[0])
        risk.best = Best(w=zero, s=zero, residual=zero)
        steps = narrowing(problem, risk, lam, share * goal, max_iter - before)
        risk.best.w = problem.pull(risk.best.w)
        return steps

    def solve(lam: float) -> Solved:
        if (best := together(pairs, lam)) is not None:
            return best, 0
        penalty, steps = lam, 0
        if risk.parted is not None:
            penalty, risk.best = risk.parted
        else:
            risk.easier = 0.0
            steps = run(lam, 0)
            if risk.easier:
                penalty = risk.easier
                steps += run(penalty, steps, SCALED)
        while penalty > lam:
            best = risk.best
            found = best.scaled(pairs, lam, penalty)
            plain = best.primal - 0.5 * (penalty - lam) * float(best.w @ best.w)
            found.take(Best(plain, w=best.w, s=best.s))  # as it is
            if found.gap <= goal or steps >= max_iter:
                risk.parted = penalty, best
                return found, steps
            penalty = max(lam, FURTHER * penalty)
            steps += run(penalty, steps, SCALED)
        risk.parted = None
        return risk.best, steps

    return solve
