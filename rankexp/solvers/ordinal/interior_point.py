"""The interior point method of :mod:`rankexp.solvers.ordinal.threshold_hinge`.

The problem is a quadratic program: the sum of t, weighted where rows are, is least, with the
penalty, where the constraints ``margin - 1 = s - t`` of all terms hold with s, t >= 0. Mehrotra's
predictor-corrector method (SIAM J. Optim. 2, 1992) takes two right hand sides of one system of
d + K - 1 equations a step.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rankexp.arrays import Floats
from rankexp.solvers.hinge.iterate import factor, solve
from rankexp.solvers.ordinal.threshold_terms import Terms

TO_THE_WALL = 0.995  # share of the way to the nearest wall; the usual choice, close to 1
SHORTEST = 1e-10  # tuned: on unreachable tolerances, where rounding leaves only shorter steps
RIDGE = 1e-14  # about eps times the few dozen operations that an entry of the matrix takes
TINY = 1e-300  # stands for 0 in a division


class State(NamedTuple):
    """A state of the interior point method, or a step of it; all six stay positive."""

    # The constraints are ``margin - 1 = s - t`` of each term and ``theta[j+1] - theta[j] = q`` if
    # thresholds are kept in order; a of s, c = weight - a of t, and m of q are multipliers.

    w: Floats
    theta: Floats
    s: Floats
    t: Floats
    a: Floats
    c: Floats
    q: Floats
    m: Floats

    def slack(self) -> float:
        """Return the sum of what should be complementary."""
        return float(self.s @ self.a + self.t @ self.c + self.q @ self.m)

    def reach(self, step: "State") -> float:
        """Return the longest step that keeps everything from going below zero."""
        positive = zip(self[2:], step[2:], strict=True)
        falls = (-float((change / here).min()) for here, change in positive if here.size)
        return 1.0 / max(TINY, *falls)

    def moved(self, step: "State", size: float) -> "State":
        return State(*(here + size * change for here, change in zip(self, step, strict=True)))


class System:
    """The linear system of one iteration, for several right hand sides."""

    def __init__(self, terms: Terms, at: State, penalty: Floats) -> None:
        self.terms, self.at = terms, at
        self.miss = terms.margins(terms.X @ at.w, at.theta) - 1.0 - at.s + at.t
        self.miss_order = _steps(at.theta, terms) - at.q
        self.slope = -self._across(at.a, at.m)
        self.slope[: penalty.size] += penalty * at.w
        self.stiff = 1.0 / (at.s / at.a + at.t / at.c)
        self.upper = _factor(self._matrix(), penalty)

    def _across(self, a: Floats, m: Floats) -> Floats:
        terms, signed = self.terms, self.terms.sign * a
        pull = -terms.by_threshold(signed)
        if m.size:
            pull[1:] += m
            pull[:-1] -= m
        return np.concatenate((terms.by_row(signed) @ terms.X, pull))

    def _matrix(self) -> Floats:
        terms, at, e = self.terms, self.at, self.stiff
        X, d = terms.X, terms.X.shape[1]
        M = np.zeros((d + at.theta.size, d + at.theta.size))
        M[:d, :d] = (X * terms.by_row(e)[:, None]).T @ X
        for j, (start, (first, _, last)) in enumerate(zip(terms.starts, terms.sides, strict=True)):
            M[:d, d + j] = -(e[start : start + last - first] @ X[first:last])
        M[d:, :d] = M[:d, d:].T
        diagonal = M.reshape(-1)[:: M.shape[0] + 1][d:]
        diagonal += terms.by_threshold(e)
        if at.q.size:
            ratio = at.m / at.q
            diagonal[1:] += ratio
            diagonal[:-1] += ratio
            M[d:, d:] -= np.diag(ratio, 1) + np.diag(ratio, -1)
        return M

    def step(self, low: Floats, high: Floats, between: Floats) -> State:
        """Return the step that changes s a, t c and q m by these to first order."""
        assert self.upper is not None
        at, terms, e = self.at, self.terms, self.stiff
        goal = low / at.a - high / at.c - self.miss
        rhs = self._across(e * goal, (between - at.m * self.miss_order) / at.q) - self.slope
        w, theta = np.split(solve(self.upper, rhs), [terms.X.shape[1]])
        a = e * (goal - terms.margins(terms.X @ w, theta))
        q = _steps(theta, terms) + self.miss_order
        s, t, m = (low - at.s * a) / at.a, (high + at.t * a) / at.c, (between - at.m * q) / at.q
        return State(w, theta, s, t, a, -a, q, m)


def _factor(M: Floats, penalty: Floats) -> Floats | None:
    M.reshape(-1)[:: M.shape[0] + 1][: penalty.size] += penalty
    ridge = 0.0
    while (upper := factor(M, ridge)) is None:
        ridge = max(10.0 * ridge, RIDGE * float(np.trace(M)), TINY)
        if not (np.isfinite(M).all() and ridge < np.inf):
            return None
    return upper


def _steps(theta: Floats, terms: Terms) -> Floats:
    return np.diff(theta) if terms.ordered else np.empty(0)


def states(terms: Terms, penalty: Floats) -> Iterator[State]:
    """Yield the start and each state after it, until rounding leaves no step."""
    # Mehrotra's correction is for a full first step. A short one can lead in circles, so that if
    # the slack rises, the correction is cut down to what the step is worth.
    at = start(terms)
    while all(np.isfinite(part).all() for part in at):
        yield at
        system = System(terms, at, penalty)
        slack = at.slack()
        if system.upper is None or not slack > 0.0:  # which no step can make less
            return
        first = system.step(-at.s * at.a, -at.t * at.c, -at.q * at.m)
        size = min(1.0, at.reach(first))
        each = system.terms.each  # as a row and its copies go, so goes one with their weight
        mean = slack / (2 * each.sum() + at.q.size)
        target = mean * (at.moved(first, size).slack() / slack) ** 3
        for trust in (1.0, size * size):
            step = system.step(
                target * each - at.s * at.a - trust * first.s * first.a,
                target * each - at.t * at.c - trust * first.t * first.c,
                target - at.q * at.m - trust * first.q * first.m,
            )
            length = min(1.0, TO_THE_WALL * at.reach(step))
            if not length > SHORTEST:
                return
            if (new := at.moved(step, length)).slack() <= slack:
                break
        at = new


def start(terms: Terms) -> State:
    """Return where to begin: all scores and thresholds are 0, all multipliers in the middle."""
    half, middle = np.full(terms.sign.size, 0.5), 0.5 * terms.each
    kept = np.full(terms.sizes.size - 1 if terms.ordered else 0, 0.5)
    w, theta = np.zeros(terms.X.shape[1]), np.zeros(terms.sizes.size)
    return State(w, theta, s=0.2 * half, t=2.2 * half, a=middle, c=middle, q=kept, m=kept)
