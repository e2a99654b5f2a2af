"""The p-norm push of losses that are analytic, or are so on either side of 0: by panels.

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
from rankexp.losses.base import Loss
from rankexp.solvers.pairs.convolution import (
    DEGREES,
    NEAR,
    WIDTH,
    Convolution,
    ScorePanels,
    coefficients,
)
from rankexp.solvers.pairs.panels import EXACT_PAIRS, FEW_PAIRS, HESSIAN_PANELS, NOISE
from rankexp.solvers.pairs.push_blocks import PushPairs, Spread

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
        T, U = self.up.polynomials.T[i], self.down.polynomials.T[j]
        return (i, T, *below), (j, U, *above)


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
        if not (1.0 + float(x.max() - x.min()) / WIDTH) * 2 * DEGREES <= self.pairs:
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
        own = self._sums(1, sides, "up")
        return times * own, times * self._sums(1, sides, "down")

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
        slope, bend = (
            toeplitz(of(1.0, far), of(1.0, -far))
            for of in (self.loss.derivative, self.loss.curvature)
        )
        rows = csr_array((self.v, (up, np.arange(up.size))), shape=(size, up.size)) @ X
        degree = bend @ np.bincount(down, a, size)
        return (slope.T @ rows)[down], (bend.T @ rows)[down], degree[up]


class BranchPush(PanelPush):
    """The push of a loss that is analytic on either side of 0.

    `steps`: by how much the formula above 0 is more than that below, of two places in one panel.
    """

    def _kernels(self) -> tuple[Convolution, Convolution]:
        found, self.steps = [], []
        for k, of in enumerate((self.loss.value, self.loss.derivative)):
            low, high = (coefficients(one) for one in self.loss.branches(NEAR, k) or (NEAR, NEAR))
            self.steps.append(high - low)
            found.append(Convolution(partial(of, 1.0), low))
        return found[0], found[1]

    def _sums(self, order: int, sides: Sides, over: Literal["up", "down"]) -> Floats:
        found, step, (up, down) = (
            super()._sums(order, sides, over),
            self.steps[order],
            sides.beside,
        )
        if over == "up":
            return _add(found, down, up, self.v, step)
        return _add(found, up, down, np.asarray(sides.down.weight), step.T)


def _add(found: Floats, here: Beside, others: Beside, weight: Floats, step: Floats) -> Floats:
    rows, T, first, end = here
    sums = np.zeros((weight.size + 1, DEGREES))
    np.cumsum(others[1] * weight[others[0], None], axis=0, out=sums[1:])
    found[rows] += np.einsum("nq,nq->n", (sums[end] - sums[first]) @ step, T)
    return found
