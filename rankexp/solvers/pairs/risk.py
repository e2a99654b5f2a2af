"""What the forms of a pair risk share: the partial order, its cells, samples and parts."""

from functools import cached_property
from typing import Literal, Self

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.losses.base import Loss, MarginLoss, ScaledLoss
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.smooth.objective import SmoothRisk

SQUARED = 2  # the power of the hinge that has quick sums


class PairRisk(SmoothRisk):
    """The mean of a loss of score differences over the pairs of an order, by their costs."""

    intercept = False
    centred = True

    def __init__(self, order: PartialOrder, loss: MarginLoss) -> None:
        self.order, self.loss, self.steepest = order, loss, loss.steepest
        self.scale = 1.0 / order.total if order.total else 0.0

    def sample(self, size: int) -> tuple[Ints, Self]:
        rows, order = self.order.sample(size)
        return rows, type(self)(order, self.loss)

    def subset(self, rows: Ints) -> tuple[Self, float]:
        order = self.order.take(rows)
        return type(self)(order, self.loss), order.total * self.scale

    @cached_property
    def by_cell(self) -> Ints:
        return np.argsort(self.order.cell, kind="stable")

    @cached_property
    def sizes(self) -> Ints:
        """Number of rows of each cell, those without any included."""
        return np.bincount(self.order.cell, minlength=self.order.counts.size)

    @cached_property
    def cells(self) -> tuple[Ints, Ints, Floats]:
        """Upper cell, lower cell and cost of all pairs of cells that count."""
        K = self.order.costs.shape[0]
        sizes = self.sizes.reshape(-1, K)
        found = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))]
        for low, up, c in self.order.level_pairs():
            groups = np.flatnonzero((sizes[:, low] > 0) & (sizes[:, up] > 0))
            found.append((groups * K + up, groups * K + low, np.full(groups.size, c)))
        if len(found) == 2:  # two classes
            return found[1]
        upper, lower, cost = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return upper, lower, cost


class PairLoss(MarginLoss):
    """The loss of a pair if it isn't symmetric: ``½ [l(1, D) + l(-1, -D)]``."""

    def __init__(self, loss: Loss) -> None:
        self.loss, self.steepest = loss, loss.steepest

    def of_margin(self, z: Floats) -> Floats:
        return 0.5 * (self.loss.value(1.0, z) + self.loss.value(-1.0, -z))

    def margin_derivative(self, z: Floats) -> Floats:
        return 0.5 * (self.loss.derivative(1.0, z) - self.loss.derivative(-1.0, -z))

    def margin_curvature(self, z: Floats) -> Floats:
        return 0.5 * (self.loss.curvature(1.0, z) + self.loss.curvature(-1.0, -z))

    def parts(self, of: Literal["pair", "positive"]) -> tuple[ScaledLoss, ...]:
        return self.loss.parts(of)
