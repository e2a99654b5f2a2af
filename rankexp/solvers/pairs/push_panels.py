"""The p-norm push of losses with closed forms, or analytic on either side of 0: by panels.

Sums are those of :mod:`rankexp.solvers.pairs.convolution`. Where a loss has another formula above
0 than below, a pair of panels has one formula, but for two rows of the same panel. There that
below is taken, and what the other one has more is added: a polynomial in both places, too, summed
over the rows on one side of a score by running sums in the order of the scores.
"""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

import numpy as np
from scipy.linalg import toeplitz
from scipy.sparse import csr_array

from rankexp.arrays import Bools, Floats, Ints
from rankexp.losses.loss import Loss, ScaledLoss
from rankexp.losses.margin import Exponential
from rankexp.solvers.pairs import convolution
from rankexp.solvers.pairs.convolution import WIDTH, Convolution, ScorePanels
from rankexp.solvers.pairs.path import EXACT_PAIRS, FEW_PAIRS, HESSIAN_PANELS, NOISE
from rankexp.solvers.pairs.push_blocks import PushPairs, Spread
from rankexp.solvers.pairs.squared_hinge import SQUARED
from rankexp.solvers.smooth.objective import gram


class ExponentialPush(PushPairs):
    """The push of ``exp(-D)``: the p-th power of one sum, times another one."""

    def _prepare(self, s: Floats) -> tuple[float, Floats, Floats]:
        """Return the risk, and the shares of each positive and negative in the two sums."""
        total, shares = 0.0, []
        sides = (self.v, -s[self.up], self.p), (self.u, self.p * s[self.down], 1.0)
        for weight, x, power in sides:
            top = x.max()
            e = weight * np.exp(x - top)
            whole = e.sum()
            total += power * (float(top) + float(np.log(whole)))
            shares.append(e / whole)
        return float(np.exp(total)), shares[0], shares[1]

    def value(self, s: Floats) -> float:
        return float(self.prepared(s)[0])

    def slope(self, s: Floats) -> Floats:
        value, above, below = self.prepared(s)
        r = np.empty(s.size)
        r[self.up], r[self.down] = -self.p * value * above, self.p * value * below
        return r

    def hessian(self, X: Floats, s: Floats) -> Floats:
        value, above, below = self.prepared(s)
        share = np.zeros((2, s.size))
        share[0, self.down], share[1, self.up] = below, above
        (down, up), p = share @ X, self.p
        H = gram(X, p * share[0] + share[1]) + p * np.outer(down - up, down - up)
        return np.asarray(value * p * (H - np.outer(up, up) - p * np.outer(down, down)))


class SquaredPush(PushPairs):
    """The push of the squared loss and of the squared hinge: sums over the sorted scores."""

    # A positive counts ``(t - u)²`` with ``u = s_i - 1`` and ``t = s_j``; under the hinge, if u <
    # t. Both are taken from the lowest u, which counts if any does: only what is small cancels.

    def _prepare(self, s: Floats) -> None:
        u, t = s[self.up] - 1.0, s[self.down]
        self.i, self.j = np.argsort(u), np.argsort(t)
        self.s_up, self.s_down = u[self.i] - u[self.i[0]], t[self.j] - u[self.i[0]]
        self.lower, self.higher = np.full(t.size, u.size), np.full(u.size, t.size)
        if not self.loss.quadratic:
            self.lower = self.s_up.searchsorted(self.s_down)
            self.higher -= self.s_down.searchsorted(self.s_up)

    def means(self, s: Floats) -> Floats:
        self.prepared(s)
        v, u, t, G = self.v[self.i], self.s_up, self.s_down, np.empty(self.down.size)
        whole, first, second = (_running(x)[self.lower] for x in (v, v * u, v * u * u))
        G[self.j] = np.maximum((whole * t - 2.0 * first) * t + second, 0.0)  # rounding
        return G

    def rises(self, s: Floats, a: Floats) -> tuple[Floats, Floats]:
        self.prepared(s)
        own, others = np.empty(self.down.size), np.empty(self.up.size)
        v, u, t = self.v[self.i], self.s_up, self.s_down
        own[self.j] = 2.0 * (_running(v * u)[self.lower] - _running(v)[self.lower] * t)
        a, far = a[self.j][::-1], t[-1] - t[::-1]
        mass = _running(a)[self.higher]
        others[self.i] = 2.0 * (_running(a * far)[self.higher] - mass * (t[-1] - u))
        return own, others

    def spreads(self, s: Floats) -> bool:
        return True

    def spread(self, X: Floats, s: Floats, a: Floats) -> Spread:
        """Return what the Hessian needs, from running sums of rows."""
        self.prepared(s)
        slopes, bends = np.empty((2, self.down.size, X.shape[1]))
        degree, rows = np.empty(self.up.size), X[self.i] * (2.0 * self.v[self.i, None])
        bends[self.j] = count = _running(rows)[self.lower]
        rows *= self.s_up[:, None]
        slopes[self.j] = _running(rows)[self.lower] - count * self.s_down[:, None]
        degree[self.i] = 2.0 * _running(a[self.j][::-1])[self.higher]
        return slopes, bends, degree


def _running(x: Floats) -> Floats:
    sums = np.zeros((x.shape[0] + 1, *x.shape[1:]))
    np.cumsum(x, axis=0, out=sums[1:])
    return sums


def push_risk(loss: Loss, positive: Bools, p: float, weight: Floats | None = None) -> PushPairs:
    """Return the quickest form of the push of a loss that its properties allow."""
    parts, kind = loss.parts("positive"), PushPairs
    if parts == (ScaledLoss(1.0, 1.0, Exponential()),):
        kind = ExponentialPush
    elif loss.quadratic or loss.hinge_power == SQUARED:
        kind = SquaredPush
    elif parts and parts[0].loss.analytic:
        kind = PanelPush
    elif loss.branches(np.zeros(1), 0) is not None:
        kind = BranchPush
    return kind(positive, loss, p, weight)


Beside = tuple[Ints, Floats, Ints, Ints]
"""Rows in the order of their scores, polynomials there (n, m), and the first and the end of those
ranks of the other side's rows that are in the same panel, where a loss has its formula above 0."""


@dataclass
class Sides:
    """The places of positives' and negatives' scores in the panels that they share."""

    up: ScorePanels
    down: ScorePanels
    means: Floats | None = None  # (down,), once known

    @cached_property
    def beside(self) -> tuple[Beside, Beside]:
        """Of positives and of negatives, ranks of the others below them or above, in one panel."""
        i, j = np.argsort(self.up.x), np.argsort(self.down.x)
        x, y = self.up.x[i], self.down.x[j]
        below = y.searchsorted(np.floor(x)), y.searchsorted(x, side="right")
        above = x.searchsorted(y), x.searchsorted(np.floor(y) + 1.0)
        return (i, self.up.polynomials.T[i], *below), (j, self.down.polynomials.T[j], *above)


class PanelPush(PushPairs):
    """The push of a loss with one analytic part, on panels of the scores."""

    factor, rate = 1.0, 1.0

    def __init__(self, positive: Bools, loss: Loss, p: float, weight: Floats | None) -> None:
        super().__init__(positive, loss, p, weight)
        self.of, self.zero = self._kernels(), np.zeros(positive.size, dtype=np.int64)

    def _kernels(self) -> tuple[Convolution, Convolution]:
        (part,) = self.loss.parts("positive")
        self.factor, self.rate = part.factor, part.rate
        return Convolution(part.loss.of_margin), Convolution(part.loss.margin_derivative)

    def exact(self) -> PushPairs:
        few = self.pairs <= EXACT_PAIRS
        return PushPairs(self.positive, self.loss, self.p, self.weight) if few else self

    def _prepare(self, s: Floats) -> Sides | None:
        """Return the panels of scores; None if they are more than the pairs, or infinite."""
        x = self.rate * s
        if not (1.0 + float(x.max() - x.min()) / WIDTH) * 2 * convolution.DEGREES <= self.pairs:
            return None
        panels = ScorePanels(x)
        return Sides(panels.some(self.up, self.v), panels.some(self.down, self.u))

    def means(self, s: Floats) -> Floats:
        sides: Sides | None = self.prepared(s)
        if sides is None:
            return super().means(s)
        if sides.means is None:
            sides.means = self.factor * np.maximum(self._sums(0, sides, "up"), 0.0)
            self.noise = NOISE * self.p * float(self.u @ sides.means ** (self.p - 1.0))
        return sides.means

    def rises(self, s: Floats, a: Floats) -> tuple[Floats, Floats]:
        sides: Sides | None = self.prepared(s)
        times = self.factor * self.rate
        if sides is None:
            return super().rises(s, a)
        sides.down.weight = a
        return times * self._sums(1, sides, "up"), times * self._sums(1, sides, "down")

    def _sums(self, order: int, sides: Sides, over: Literal["up", "down"]) -> Floats:
        here, there = (sides.down, sides.up) if over == "up" else (sides.up, sides.down)
        of = self.of[order]
        seen = of.transform(there.moments(self.zero[: there.x.size], 1))
        by = of.seen_by_lower if over == "up" else of.seen_by_upper
        return here.values(by(seen, here.count), self.zero[: here.x.size])

    def spreads(self, s: Floats) -> bool:
        """Tell whether pairs are many and panels few enough to tabulate all their distances."""
        sides: Sides | None = self.prepared(s)
        return sides is not None and self.pairs > FEW_PAIRS and sides.up.count <= HESSIAN_PANELS

    def spread(self, X: Floats, s: Floats, a: Floats) -> Spread:
        """Return what the Hessian needs; of many pairs at scores rounded to panels."""
        sides: Sides | None = self.prepared(s)
        if sides is None or not self.spreads(s):
            return super().spread(X, s, a)
        up, down, size = sides.up.panel, sides.down.panel, sides.up.count
        far: Floats = np.arange(size, dtype=np.float64) * (WIDTH / self.rate)
        slope = toeplitz(self.loss.derivative(1.0, far), self.loss.derivative(1.0, -far))
        bend = toeplitz(self.loss.curvature(1.0, far), self.loss.curvature(1.0, -far))
        rows = csr_array((self.v, (up, np.arange(up.size))), shape=(size, up.size)) @ X
        degree = bend @ np.bincount(down, a, size)
        return (slope.T @ rows)[down], (bend.T @ rows)[down], degree[up]


class BranchPush(PanelPush):
    """The push of a loss that is analytic on either side of 0."""

    # `steps`: by how much the formula above 0 is more than that below, of places in one panel.

    def _kernels(self) -> tuple[Convolution, Convolution]:
        found, self.steps, near = [], [], convolution.NEAR
        for k, of in enumerate((self.loss.value, self.loss.derivative)):
            low, high = map(convolution.coefficients, self.loss.branches(near, k) or (near, near))
            self.steps.append(high - low)
            found.append(Convolution(partial(of, 1.0), low))
        return found[0], found[1]

    def _sums(self, order: int, sides: Sides, over: Literal["up", "down"]) -> Floats:
        found = super()._sums(order, sides, over)
        step, (up, down) = self.steps[order], sides.beside
        if over == "up":
            return _add(found, down, up, self.v, step)
        return _add(found, up, down, np.asarray(sides.down.weight), step.T)


def _add(found: Floats, here: Beside, others: Beside, weight: Floats, step: Floats) -> Floats:
    rows, T, first, end = here
    sums = _running(others[1] * weight[others[0], None])
    found[rows] += np.einsum("nq,nq->n", (sums[end] - sums[first]) @ step, T)
    return found
