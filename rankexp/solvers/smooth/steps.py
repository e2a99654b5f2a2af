"""Steps of the descent: BFGS from a point, with the Hessian there, until the gap is small.

The Hessian and its Cholesky factor are taken at the start; steps follow on its inverse, with a
line search on the derivative along cached scores. Where progress is slow the Hessian is taken
anew, so that in the worst case this is Newton's method.
"""

from collections.abc import Callable
from math import inf, isfinite, sqrt
from typing import TypeVar

import numpy as np

from rankexp.arrays import Floats
from rankexp.solvers.smooth.certificate import EPS, STALE, bound, largest, relative
from rankexp.solvers.smooth.inverse import Dense, Inverse
from rankexp.solvers.smooth.objective import Objective, SmoothIterate

T = TypeVar("T")
SLOW = 0.1  # A step that leaves more than this share of the squared decrement is slow. Tuned
SLOW_FROM_GUESS = 0.4  # the same where the descent began without a Hessian
MOST_SLOW = 2  # slow steps in a row, after which the Hessian is taken anew. Tuned
VANISHED = 1e-30  # of the first value: an unpenalised risk goes to 0 on separable data
INNER, LEAST_INNER = 1e-3, 1e-22  # of tol, what a next step may promise: the gap is checked once
MARGIN = 0.9  # of the tolerance, where a descent may end at once: rounding is added later
IDLE = 20  # steps without half the decrement, after which rounding is taken to be all that is left
POLISHED = 0.05  # of the gradient's norm at tol, what the intercept's derivative may add
POLISH_GAIN = 0.9  # of that derivative, a step that leaves more is the last
DRIFT = 0.02
"""Of a score, what the last step may move it by without a penalty. Some 0.05 is usual where a
direction parts some rows and ties the others, so that the risk falls for ever; else < 0.001."""
LOOK = 25
"""Steps after which it is looked at what they have won, from the second time on. Where rounding
forbids more, that is next to nothing: of the objective, and of what one step promises."""
WON, KEPT = 1e-4, 1e-2
GROWTH = 1.5, 10.0  # A step that is too short grows by at least and at most these factors. Tuned
INSIDE = 0.1, 0.9  # shares of an interval that a new step keeps from its ends
OVERFLOWED = 0.2  # where in an interval the step goes whose far end is no number. Tuned
BEYOND = 0.1  # of that, behind the lowest point, where there are kinks. Tuned: 0 to 0.3
ENOUGH, MOST = 0.5, 40  # of the first derivative, small enough; evaluations
STRAIGHT = 40.0  # a score from which on losses are straight: no intercept needs to go much farther
ROUNDED = 4  # sums of two numbers, beside the products: for a mean, an intercept and a move


def derivative_search(
    along: Callable[[float], tuple[float, T]], start: float, kinked: bool = False
) -> tuple[float, T | None]:
    """Find a t at which the derivative is small against its `start`, 0 if none goes down."""
    # Between kinks it may rise at once, and stay small while the objective rises above its start.
    if not start < 0.0:
        return 0.0, None
    enough = -ENOUGH * start
    low, d_low, high, d_high = 0.0, start, 0.0, float("inf")
    best: T | None = None
    t = 1.0
    for _ in range(MOST):
        d, found = along(t)
        if -enough <= d <= (BEYOND * enough if kinked else enough):
            return t, found
        if d < 0.0:
            low, d_low, best = t, d, found
            slack = start - d if d > start else 0.0
            grown = t * start / slack if slack else GROWTH[1] * t
        else:
            high, d_high = t, d if isfinite(d) else float("inf")
        if not high:
            t = min(max(grown, GROWTH[0] * t), GROWTH[1] * t)
            continue
        share = d_low / (d_low - d_high) if isfinite(d_high) else OVERFLOWED
        t = low + (high - low) * min(max(share, INSIDE[0]), INSIDE[1])
    return low, best


def polish(
    problem: Objective, at: SmoothIterate, lam: float, b_scale: float, target: float
) -> None:
    """Bring the intercept to its optimum, so that it takes next to nothing off the certificate."""
    before = at.r
    enough = next_to_nothing(problem, lam, target)
    at.theta, at.s, at.r = _settled(problem, at.theta, at.s, at.r, b_scale, enough)
    if at.r is not before:
        at.g = problem.gradient(at.r, at.theta, lam)


def next_to_nothing(problem: Objective, lam: float, target: float) -> float:
    """Return how large the intercept's derivative may be, beside a certificate of `target`."""
    return POLISHED * float(np.sqrt(2.0 * lam * target)) / max(problem.radius, 1e-300)


def _settled(
    problem: Objective, theta: Floats, s: Floats, r: Floats, b_scale: float, enough: float
) -> tuple[Floats, Floats, Floats]:
    """Return parameters, scores and slope where the intercept's derivative is small enough."""
    g_b = float(r.sum())
    for _ in range(MOST):
        if not abs(g_b) > enough:
            break
        far = 2.0 * largest(s) + STRAIGHT
        move = min(max(-g_b * b_scale, -far), far)
        moved = s + move
        slope = problem.risk.slope(moved)
        if not abs(left := float(slope.sum())) < POLISH_GAIN * abs(g_b):
            break
        theta, s, r = theta.copy(), moved, slope
        theta[-1] += move
        g_b, b_scale = left, move / (left - g_b)
    return theta, s, r


def step(
    problem: Objective,
    at: SmoothIterate,
    q: Floats,
    lam: float,
    b_scale: float = 0.0,
    enough: float = inf,
) -> tuple[float, SmoothIterate | None]:
    """Go from a point along -q; return the step length (0: nowhere) and the new point.

    There the intercept goes on until its derivative is small `enough`.
    """
    s, u, risk = at.s, problem.product(q), problem.risk
    wq, qq = problem.of_weights(at.theta, q), problem.of_weights(q, q)

    def along(t: float) -> tuple[float, tuple[Floats, Floats]]:
        moved = -t * u
        moved += s
        r = risk.slope(moved)
        return -float(r @ u) - lam * (wq - t * qq), (moved, r)

    t, found = derivative_search(along, -problem.inner(at.g, q), risk.kinked)
    if found is None:
        return 0.0, None
    theta, (s, r) = at.theta - t * q, found
    if risk.intercept:
        theta, s, r = _settled(problem, theta, s, r, b_scale, enough)
    return t, SmoothIterate(theta, s, r, problem.gradient(r, theta, lam))


class Descent:
    """The descent for one penalty: a point, the inverse Hessian B, and q = B g."""

    most_slow, much = float(MOST_SLOW), SLOW

    def __init__(
        self,
        problem: Objective,
        at: SmoothIterate,
        lam: float,
        tol: float,
        risk: float | None = None,
    ) -> None:
        self.problem, self.at, self.lam, self.tol = problem, at, lam, tol
        self.inner = max(INNER * tol, LEAST_INNER)
        self._evaluate(risk)
        self.first = self.objective
        self.gap, self.n_iter = float("inf"), 0
        self.lowest, self.idle = float("inf"), 0
        self.anew()
        self.renewed, self.seen = 0, float("inf")
        self.refresh()

    def refresh(self) -> None:
        """Take the Hessian anew."""
        for again in (self.n_iter > 0, True):
            self.much = SLOW if again or not self.problem.guess else SLOW_FROM_GUESS
            self.inverse: Inverse = Dense(self.problem.inverse_hessian(self.at, self.lam, again))
            self.begin()
            if self.drop > 0.0 or self.much == SLOW:
                return  # else the guess was none

    def begin(self) -> None:
        """Go on with an inverse of another kind, or from another point."""
        self.b_scale = self.inverse.last
        self.age = self.slow = 0
        self._direct()

    def _evaluate(self, risk: float | None = None) -> None:
        self.risk = self.problem.risk.value(self.at.s) if risk is None else risk
        w = self.at.theta
        self.objective = self.risk + 0.5 * self.lam * self.problem.of_weights(w, w)

    def _direct(self) -> None:
        self.q = self.inverse.times(self.at.g)
        self.drop = self.problem.inner(self.at.g, self.q)

    def _above(self) -> float:
        """Return the certificate, but for the intercept's part."""
        squared = self.problem.of_weights(self.at.g, self.at.g)
        return bound(sqrt(max(squared, 0.0)), 0.0, self.lam, 0.0, 0.0)

    def near(self) -> bool:
        """Return whether the next step promises next to nothing; at least one step is taken."""
        small = 0.5 * self.drop <= self.inner * self.objective
        if self.problem.risk.prompt and self.lam:
            small = small or self._above() <= MARGIN * self.tol * self.objective
        return self.drop <= 0.0 or (self.n_iter > 0 and small)

    def intercept_scale(self) -> float:
        """Return the inverse curvature of the intercept for the certificate."""
        return self.b_scale

    def certify(self) -> bool:
        """Work out the gap and return whether it is small enough."""
        problem, at, lam, near = self.problem, self.at, self.lam, self.near()
        if lam and problem.risk.intercept:
            before = at.g
            polish(problem, at, lam, self.b_scale, self.tol * self.objective)
            if at.g is not before:
                self._direct()
            self.b_scale = self.intercept_scale()
        self._evaluate()
        above = 0.5 * abs(self.drop)
        if lam:
            g_b = float(at.g[-1]) if problem.risk.intercept else 0.0
            norm = sqrt(max(problem.of_weights(at.g, at.g), 0.0))
            above = bound(norm, g_b, lam, problem.radius, self.b_scale)
        elif 0.0 < self.risk < VANISHED * self.first or (near and self.drifts()):
            above = inf
        self.gap = relative(above, self.objective)
        return self.gap <= self.tol or above == inf

    def vain(self) -> bool:
        """Return whether the last steps have won next to nothing."""
        if self.n_iter % LOOK or self.n_iter == LOOK:
            return False
        w, risk = self.at.theta, self.problem.risk.value(self.at.s)
        now = risk + 0.5 * self.lam * self.problem.of_weights(w, w)
        won, self.seen = self.seen - now, now
        return won <= min(WON * now, KEPT * self.drop)

    def drifts(self) -> bool:
        """Return whether a step that promises next to nothing moves scores that cost, and far."""
        far = np.abs(self.problem.product(self.q)) > DRIFT * (1.0 + np.abs(self.at.s))
        return bool(far.any() and self.at.r[far].all())

    def advance(self) -> bool:
        """Take a step; return whether there is a point to go on from."""
        self.n_iter += 1
        enough = self.enough()
        t, new = step(self.problem, self.at, self.q, self.lam, self.inverse.last, enough)
        if new is None:
            stuck = self.age == 0 and self.much == SLOW  # a guess may be none
            self.refresh()
            return not stuck
        last, old, self.at = self.drop, self.at, new
        moved = -t * self.q if enough == inf else new.theta - old.theta
        self.reached()
        self.q, self.drop = self.inverse.follow(self.q, moved, old.g, new.g)
        self._pass()
        self.age += 1
        self.slow = self.slow + 1 if self.drop > self.much * last else 0
        if self.slow >= self.most_slow or self.drop <= 0.0:
            self.refresh()
        return True

    def enough(self) -> float:
        """Return below what the next step is to bring the intercept's derivative."""
        return inf

    def reached(self) -> None:
        """Look around at a new point, before the inverse learns of the step."""

    def anew(self) -> None:
        """Say that the scores are worked out from the parameters."""
        self.passed = self.walked = 0.0  # by the scores, and by weights, on the way: their sizes
        self._pass()

    def _pass(self) -> None:
        w, self.size = self.at.theta, largest(self.at.s)
        self.passed += self.size
        self.walked += sqrt(max(self.problem.of_weights(w, w), 0.0))

    def error(self) -> float:
        """Return by how much rounding may have moved the scores."""
        far = 2.0 * (self.problem.terms + ROUNDED) * (self.problem.radius + self.problem.shift)
        return EPS * (far * self.walked + 2.0 * (MOST + ROUNDED) * self.passed)

    def stale(self) -> bool:
        """Return whether scores may have gathered roundings of many, or much larger, ones."""
        return self.passed > STALE * self.size

    def renew(self) -> None:
        """Work out the scores anew, and go on from there."""
        self.renewed += 1
        self.at = self.problem.at(self.at.theta, self.lam)
        self.anew()
        self.lowest, self.idle = float("inf"), 0
        self.refresh()

    def diverges(self) -> bool:
        """Return whether an unpenalised risk goes to 0, as on separable data."""
        return self.lam == 0.0 and self.problem.risk.value(self.at.s) < VANISHED * self.first

    def stalled(self) -> bool:
        """Return whether rounding keeps the gap from shrinking any more."""
        self.idle = 0 if self.drop < 0.5 * self.lowest else self.idle + 1
        self.lowest = min(self.lowest, self.drop)
        return self.drop <= 0.0 or self.idle > IDLE
