"""The pairwise hinge of sparse rows, certified: no Hessian of their columns is written out.

Where classes come apart, small penalties have the solution of a larger one, of which the dual
variables are larger, too. These are found in fewer steps, so it is solved for instead.
"""

from dataclasses import replace
from functools import cache
from math import sqrt

import numpy as np

from rankexp.arrays import Floats
from rankexp.solvers.hinge.certificate import EPS
from rankexp.solvers.hinge.iterate import Best, Solve, Solved, together
from rankexp.solvers.hinge.pairs import HingePairs
from rankexp.solvers.hinge.sweep import SortedSweep, sweep
from rankexp.solvers.smooth.centring import prepare
from rankexp.solvers.smooth.conjugate import FORCED, LEFT
from rankexp.solvers.smooth.in_rows import InRows
from rankexp.solvers.smooth.in_scores import InScores
from rankexp.solvers.smooth.objective import Objective, SmoothIterate
from rankexp.solvers.smooth.smoothing import RoundedRisk, narrowing
from rankexp.solvers.smooth.steps import step

MARGIN = 0.9  # of the tolerance to solve for: the certificate adds the rounding
EASY, USUAL = 0.05, 0.15  # mean dual variables of pairs that come apart: few, and to be had. Tuned
SCALED = 0.5  # of the tolerance, for a solution that is to serve a smaller penalty
ROUGH = 0.01  # of half a band, what rounding may make up. Tuned
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
        return np.asarray(self.prepared(s).residual)

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
                (begin, end), others = swept.band(level, other), swept.at[other]
                rows = swept.at[level]
                total = np.append(0.0, (pairs.weight[others] * u[others]).cumsum())
                out[rows] -= (cost * pairs.charge[rows]) * (total[end] - total[begin])
        out /= 2.0 * swept.h * pairs.count
        return out

    def judge(self, problem: Objective, at: SmoothIterate, lam: float) -> tuple[float, float]:
        """Take over what is better; weights stay parameters of the problem."""
        swept, w, pulled = self.prepared(at.s), at.theta, at.g - lam * at.theta
        primal = swept.hinge + 0.5 * lam * problem.of_weights(w, w)
        dual = swept.alpha - problem.of_weights(pulled, pulled) / (2.0 * lam)
        self.best.take(Best(primal, dual, w, at.s, at.r, swept.alpha, h=swept.h))
        return self.best.primal, self.best.gap

    def leaves(self, problem: Objective, at: SmoothIterate, lam: float) -> bool:
        """Return whether all pairs come apart easily, or rounding in the rows fills the band."""
        if problem.sharp is None:  # weights are not combinations of rows
            return False
        alpha: float = self.prepared(at.s).alpha
        apart = 0.0 < alpha < EASY and self.pairs.order.differences(at.s)[0] > 0.0
        if apart and not self.easier:  # far smaller dual variables than may be
            self.easier = lam * USUAL / alpha
            return True
        sizes = np.abs(at.theta[: problem.norms.size]) * problem.norms
        return EPS * problem.radius * float(sizes.sum()) > ROUGH * self.half

    def sharpen(
        self, problem: Objective, at: SmoothIterate, lam: float, goal: float
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


def sparse_solver(pairs: HingePairs, tol: float, max_iter: int, quickly: Solve) -> Solve:
    """Return what solves for one penalty after the other, from the largest on."""
    risk, goal, (n, d) = RoundedPairs(pairs), MARGIN * tol, pairs.X.shape
    zero = risk.best = Best(1.0, w=np.zeros(d), s=np.zeros(n), residual=np.zeros(n))

    @cache
    def problems() -> list[Objective]:
        with np.errstate(all="ignore"):
            wide = prepare(pairs.X, risk)
        return [InRows(wide), wide] if d >= n else [wide]  # else the weights are fewer

    def run(lam: float, before: int, share: float = 1.0) -> int:
        # In the rows first; where these round too much, or lead nowhere, in the weights.
        found, w, steps, easier = replace(zero), risk.best.w, 0, risk.easier
        for problem in problems():
            risk.best, start, most = Best(), w, max_iter - before - steps
            if isinstance(problem, InRows):
                start, problem.sharp = problem.last, 0.0
            steps += narrowing(problem, risk, start, lam, share * goal, most)
            if risk.best.w.size:
                risk.best.w = problem.lifted(risk.best.w)
            found.take(risk.best)
            if found.gap <= share * goal or before + steps >= max_iter or risk.easier != easier:
                break
            w = found.w
        risk.best = found
        return steps

    def solve(lam: float) -> Solved:
        if (best := together(pairs, lam)) is not None:
            return best, 0
        if risk.parted is not None:
            (penalty, risk.best), steps = risk.parted, 0
        else:
            best, steps = quickly(lam)
            if best.gap <= goal:
                return best, steps
            penalty, risk.easier = lam, 0.0
            steps += run(lam, steps)
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
