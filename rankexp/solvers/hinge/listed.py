"""The hinge over listed pairs, by Mehrotra's predictor-corrector interior point method.

Unlike in the end game of `polish`, the coefficients are unknowns beside the dual variables a, so
that ``D'a = lam w`` need not hold on the way: with a small lam, a quotient of the two would lose
all digits.
"""

import math

import numpy as np

from rankexp.arrays import Floats
from rankexp.solvers.hinge.iterate import BROKEN, ridged_factor, solve
from rankexp.solvers.hinge.pairs import common_power
from rankexp.solvers.hinge.polish import CUBE, START, TO_THE_WALL, longest
from rankexp.solvers.pairs.pair_list import Differences, PairList, differences
from rankexp.solvers.result import PathResult

LONGEST = 100  # iterations; some 20 are usual, and rounding stops it where there are so many
LARGEST_POWER = 1000  # of 2, of the penalty once scaled: a double reaches 1023
MIDDLE = 0.5  # of the box: where the dual variables start
LEAST = 0.1  # of a slope of 1: what the mean slope counts at least
REFINED = 2  # times that a direction is improved: against rounding, where columns differ in size


def listed_hinge(
    X: Floats, pairs: PairList, lam: float, *, tol: float, max_iter: int
) -> PathResult:
    """Return the certified SVM of mohri2018, (10.9), without an intercept, of rows X (n, d)."""
    power = max(common_power(X, lam)[0], (math.frexp(lam)[1] - LARGEST_POWER) // 2)
    X, lam = np.ldexp(X, -power), math.ldexp(lam, -2 * power)
    X -= X.mean(axis=0)
    D, basis = differences(X, pairs), None
    if not isinstance(D, Differences) and D.shape[0] < D.shape[1]:
        basis, triangle = np.linalg.qr(D.T)
        D = np.ascontiguousarray(triangle.T)
    with np.errstate(all="ignore"):  # the gap tells
        program = _Program(D, pairs.share, lam)
        steps = program.run(tol, min(max_iter, LONGEST))
    w = program.w_best if basis is None else basis @ program.w_best
    gap = np.array([program.gap])
    return PathResult(
        coef=np.ldexp(w, -power)[:, None],
        intercept=np.zeros(1),
        objective=np.array([program.primal]),
        gap=gap,
        n_iter=np.array([steps]),
        converged=gap <= tol,
        slope=-pairs.spread(program.a_best)[:, None],
    )


class _Program:
    """``lam/2 |w|² + sum share max(0, 1 - D w)`` and its dual, and the best values of both.

    `a` (m,) and `c` = share - a are the dual variables; ``D w - 1`` ends as `s` - `t`.
    """

    def __init__(self, D: Floats | Differences, share: Floats, lam: float) -> None:
        self.D, self.lam = D, lam
        self.a = MIDDLE * share
        self.c = share - self.a  # kept apart: the difference would round to zero
        mean = share @ D
        self.w = mean / max(lam, float(mean @ mean))
        self.share, self.primal, self.dual = share, math.inf, -math.inf
        self.w_best, self.a_best = np.zeros(mean.size), np.zeros(share.size)
        self._measure()
        least = START * max(float(np.abs(self.v).mean()), LEAST)
        self.s, self.t = np.maximum(self.v, 0.0) + least, np.maximum(-self.v, 0.0) + least

    @property
    def gap(self) -> float:
        """Relative duality gap; infinite where rounding has broken weak duality."""
        gap = (self.primal - self.dual) / self.primal if 0.0 < self.primal < math.inf else math.inf
        return math.inf if gap < -BROKEN else max(gap, 0.0)

    def _measure(self) -> None:
        self.v, pull = self.D @ self.w - 1.0, self.a @ self.D
        self.f = pull - self.lam * self.w
        primal = 0.5 * self.lam * float(self.w @ self.w)
        primal += float(self.share @ np.maximum(-self.v, 0.0))
        dual = float(self.a.sum()) - 0.5 * float(pull @ pull) / self.lam
        if primal < self.primal:
            self.primal, self.w_best = primal, self.w
        if dual > self.dual:
            self.dual, self.a_best = dual, self.a

    def run(self, tol: float, most: int) -> int:
        """Iterate until the gap is small enough, or rounding stops it; return how often."""
        for step in range(most):
            if self.gap <= tol or not self._advance():
                return step
            self._measure()
        return most

    def _advance(self) -> bool:
        a, c, s, t, D = self.a, self.c, self.s, self.t, self.D
        e = 1.0 / (s / a + t / c)
        H = D.gram(e) if isinstance(D, Differences) else (D.T * e) @ D
        if not np.isfinite(H).all():
            return False
        upper = ridged_factor(H, self.lam)

        def direction(low: Floats, high: Floats) -> tuple[Floats, Floats, Floats, Floats]:
            g = low / a - high / c - (self.v - s + t)
            rhs = self.f + (e * g) @ D
            dw = solve(upper, rhs)
            for _ in range(REFINED):
                dw = dw + solve(upper, rhs - self.lam * dw - (e * (D @ dw)) @ D)
            da = e * (g - D @ dw)
            return dw, da, (low - s * da) / a, (high + t * da) / c

        _, da, ds, dt = direction(-a * s, -c * t)
        size = longest(-da / a, da / c, -ds / s, -dt / t)
        gap = float(s @ a + t @ c)
        after = float((s + size * ds) @ (a + size * da) + (t + size * dt) @ (c - size * da))
        target = 0.5 * gap / a.size * (after / gap) ** CUBE
        dw, da, ds, dt = direction(target - da * ds - a * s, target + da * dt - c * t)
        size = min(1.0, TO_THE_WALL * longest(-da / a, da / c, -ds / s, -dt / t))
        if not np.isfinite(size * float(np.abs(da).max() + np.abs(dw).max())):
            return False
        self.w, self.a, self.c = self.w + size * dw, a + size * da, c - size * da
        self.s, self.t = s + size * ds, t + size * dt
        return True
