"""The exact end game over the few pairs near the kink, and the hinge over listed pairs.

Pairs clearly inside or outside of the margin keep alpha = 1 or 0; those of the band, listed, are
solved without smoothing by Mehrotra's predictor-corrector interior point method on the dual, one
d x d system an iteration. Whatever the band missed shows in the certificate.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from rankexp.arrays import Floats
from rankexp.solvers.hinge import iterate
from rankexp.solvers.hinge.iterate import BEYOND_MARGIN, Best, HingeIterate, Point, line_search
from rankexp.solvers.hinge.pairs import HingePairs, common_power
from rankexp.solvers.hinge.sweep import SortedSweep, sweep
from rankexp.solvers.pairs.pair_list import Differences, PairList, differences
from rankexp.solvers.result import PathResult

# Tuned on the data that Newton's method was tuned on:
ROUNDS = 10
LISTED = 6  # pairs a column, at most
MOST_LISTED = 2_000
LONGER_LIST = 1.5  # from round to round
WIDER = 2.0  # the next band
ROUND_PROGRESS = 0.5  # share to which a round must bring the gap
GOAL = 0.1  # of the tolerated gap, for the quadratic program
ACCEPT = 0.2  # of the derivative after a line search
LEAST_SHARE = 0.05  # of the box: where alpha starts, that far from both ends
RESCUED = 2_000  # longest list of a rescue
NARROWEST = 1e-4  # band of a rescue
WIDEST = 2.0**40  # of a rescue: from 2^50 on, the fixed point holds no margin of 1
ALMOST_SEPARATED = 0.99  # least margin of all pairs, from which w is made longer to reach 1

# Mehrotra's method (SIAM J. Optimization 2, 1992):
LONGEST = 40  # iterations; some 15 are usual
START = 0.1  # tuned: of the mean slope, the least distance of slacks from 0
START_LEAST = 1e-12  # where all slopes are 0
CUBE = 3  # of the gain of the predictor: the share of complementarity to aim at
TO_THE_WALL = 0.995  # of the way to where a variable gets 0: usual for the method

# Of listed pairs:
MOST_STEPS = 100  # iterations; some 20 are usual, and rounding stops it where there are so many
LARGEST_POWER = 1000  # of 2, of the penalty once scaled: a double reaches 1023
MIDDLE = 0.5  # of the box: where the dual variables start
LEAST = 0.1  # of a slope of 1: what the mean slope counts at least
REFINED = 2  # times that a direction is improved: against rounding, where columns differ in size


def polish(at: Point, lam: float, tol: float, best: Best, most: int | None = None) -> bool:
    """Solve for the pairs of the band, all others held; tell if it was small enough at first."""
    # Each round takes a wider band and a longer list, up to `most`, from where the last one led,
    # and lasts while the gap at least halves.
    most = most or min(LISTED * at.w.size, MOST_LISTED)
    for round_ in range(ROUNDS):
        gap = best.gap
        if (there := _solve_band(at, lam, tol, best, most)) is None:
            return round_ > 0
        if best.gap <= tol:
            break
        if there.primal > at.primal:
            p, step = there.w - at.w, None
            if not float(at.gradient @ p) >= 0.0:
                h = min(_widest(there.s), WIDER * at.sweep.h)
                step = line_search(lam, at, p, sweep, ACCEPT, h=h)
            if step is None:
                break
            there = at.moved(lam, step)
            best.update(there)
        if best.gap > ROUND_PROGRESS * gap:
            break
        at, most = there, int(LONGER_LIST * most)
    return True


def rescue(lam: float, pairs: HingePairs, tol: float, best: Best) -> None:
    """Solve for as many pairs as can be listed, because shrinking the band leads nowhere."""
    # The classes then come apart and ``lam`` is tiny: the pairs of the solution lie far outside.
    h = min(_widest(best.s), WIDEST)
    while h > NARROWEST:
        swept = sweep(pairs, best.s, h)
        if swept.listed(RESCUED) is not None:
            polish(HingeIterate.at(lam, best.w, best.s, swept), lam, tol, best, RESCUED)
            return
        h *= 0.5


def _widest(s: Floats) -> float:
    """Return the half width of a band that the fixed point can hold, and nearly all pairs."""
    return 1.0 + float(np.abs(s).max())


def _solve_band(at: Point, lam: float, tol: float, best: Best, most: int) -> Point | None:
    swept, pairs = at.sweep, at.sweep.pairs
    if (listed := swept.listed(most)) is None:
        return None
    i, j = listed
    found, settled = pairs.multiplicity(i, j), swept.settled
    multiplicity, b = np.ones(i.size) if found is None else found, settled @ pairs.X
    D = pairs.X[i] - pairs.X[j]
    z = 1.0 - (at.s[i] - at.s[j])
    share = np.clip(0.5 + 0.5 * z / swept.h, LEAST_SHARE, 1.0 - LEAST_SHARE)
    goal = GOAL * tol * best.primal * pairs.count
    a = box_program((D, b, multiplicity), lam, 1.0 / pairs.count, share * multiplicity, goal)
    slope = b - (a @ D) / pairs.count
    alpha = float(a.sum()) / pairs.count + swept.settled_alpha
    dual = alpha - float(slope @ slope) / (2.0 * lam)
    if dual > best.dual:
        n, a = at.s.size, a / pairs.count
        best.dual, best.alpha, best.slope = dual, alpha, None
        best.residual = settled - np.bincount(i, a, n) + np.bincount(j, a, n)
    there = _beyond_margin(swept, slope / -lam, lam)
    best.update(there)
    return there


def _beyond_margin(swept: SortedSweep, w: Floats, lam: float) -> Point:
    """Return the point w, longer if it almost separates: the objective is then almost 0."""
    pairs = swept.pairs
    s = pairs.scores(w)
    margin = pairs.order.differences(s)[0]
    if ALMOST_SEPARATED < margin < 1.0:
        w, s = w * (BEYOND_MARGIN / margin), s * (BEYOND_MARGIN / margin)
    return HingeIterate.at(lam, w, s, sweep(pairs, s, min(_widest(s), WIDER * swept.h)))


def box_program(
    problem: tuple[Floats, Floats, Floats], lam: float, unit: float, a: Floats, goal: float
) -> Floats:
    """Maximise ``sum a - |unit D'a - b|² / (2 lam unit)`` over ``0 <= a <= m``, from `a` (M,)."""
    D, b, m = problem
    if not a.size:
        return a
    v = D @ ((unit * (a @ D) - b) / lam) - 1.0
    delta = START * float(np.abs(v).mean()) + START_LEAST
    s, t = np.maximum(v, 0.0) + delta, np.maximum(-v, 0.0) + delta
    c = m - a  # kept apart: the difference would round to zero
    wide = D.shape[0] < D.shape[1]
    G = (unit / lam) * (D @ D.T) if wide else D
    for _ in range(LONGEST):
        gap = float(s @ a + t @ c)
        if not goal < gap < np.inf:
            break
        e = 1.0 / (s / a + t / c)
        if (newton := _system(G, e) if wide else _narrow_system(D, e, lam / unit)) is None:
            break
        da = -newton(v)
        ds, dt = -s - s / a * da, -t + t / c * da
        size = longest(-da / a, da / c, -ds / s, -dt / t)
        after = float((s + size * ds) @ (a + size * da) + (t + size * dt) @ (c - size * da))
        target = 0.5 * gap / a.size * (after / gap) ** CUBE
        low, high = target - da * ds, target + da * dt
        da = newton(low / a - high / c - v)
        ds, dt = low / a - s - s / a * da, high / c - t + t / c * da
        size = min(1.0, TO_THE_WALL * longest(-da / a, da / c, -ds / s, -dt / t))
        if not np.isfinite(size * float(np.abs(da).max())):
            break
        a, c, s, t = a + size * da, c - size * da, s + size * ds, t + size * dt
        v = D @ ((unit * (a @ D) - b) / lam) - 1.0
    return np.clip(a, 0.0, m)


def _narrow_system(D: Floats, e: Floats, ridge: float) -> Callable[[Floats], Floats] | None:
    """Return the solution of ``(diag(1/e) + D D' / ridge) x = r``, by a (d, d) system."""
    Y = D * np.sqrt(e)[:, None]
    if (upper := iterate.factor(Y.T @ Y, ridge)) is None:
        return None
    return lambda r: np.asarray(e * (r - D @ iterate.solve(upper, (e * r) @ D)))


def _system(G: Floats, e: Floats) -> Callable[[Floats], Floats] | None:
    """Return the solution of ``(diag(1/e) + G) x = r``, scaled to a unit diagonal added."""
    root = np.sqrt(e)
    upper = iterate.factor(G * root[:, None] * root, 1.0)
    return None if upper is None else lambda r: np.asarray(root * iterate.solve(upper, root * r))


def longest(*falls: Floats) -> float:
    """Return the longest step up to 1 that keeps all positive, of their relative falls."""
    steepest = max(float(fall.max()) for fall in falls)
    return 1.0 if steepest <= 1.0 else 1.0 / steepest


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
        steps = program.run(tol, min(max_iter, MOST_STEPS))
    w = program.w_best if basis is None else basis @ program.w_best
    coef, slope = np.ldexp(w, -power)[:, None], -pairs.spread(program.a_best)[:, None]
    objective, gap = np.array([[program.primal], [program.gap]])
    return PathResult(coef, np.zeros(1), objective, gap, np.array([steps]), gap <= tol, slope)


class _Program:
    """``lam/2 |w|² + sum share max(0, 1 - D w)`` and its dual, and the best values of both."""

    # `a` (m,) and `c` = share - a are the dual variables; ``D w - 1`` ends as `s` - `t`. Unlike in
    # `polish`, w is unknown beside a, so that ``D'a = lam w`` need not hold on the way: with a
    # small lam, a quotient of the two would lose all digits.

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
        return Best(self.primal, self.dual).gap

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

    def _direction(
        self, upper: Floats, e: Floats, low: Floats, high: Floats
    ) -> tuple[Floats, Floats, Floats, Floats]:
        a, c, s, t, D = self.a, self.c, self.s, self.t, self.D
        g = low / a - high / c - (self.v - s + t)
        rhs = self.f + (e * g) @ D
        dw = iterate.solve(upper, rhs)
        for _ in range(REFINED):
            dw = dw + iterate.solve(upper, rhs - self.lam * dw - (e * (D @ dw)) @ D)
        da = e * (g - D @ dw)
        return dw, da, (low - s * da) / a, (high + t * da) / c

    def _advance(self) -> bool:
        a, c, s, t, D = self.a, self.c, self.s, self.t, self.D
        e = 1.0 / (s / a + t / c)
        H = D.pairs.curvature(D.X, e) if isinstance(D, Differences) else (D.T * e) @ D
        if not np.isfinite(H).all():
            return False
        direction = partial(self._direction, iterate.ridged_factor(H, self.lam), e)
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
