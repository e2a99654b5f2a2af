"""The logistic loss of pairs: no list of pairs, and no sort.

Sums over pairs are convolutions of the moments of each cell (group, level) along panels of the
score axis, see :mod:`rankexp.solvers.pairs.kernel`: linear in the examples. Where the cells are so
many that their pairs are fewer, pairs are summed in blocks.
"""

import numpy as np
from scipy.linalg import toeplitz
from scipy.sparse import csr_array

from rankexp.arrays import Complexes, Floats
from rankexp.losses.base import MarginLoss
from rankexp.solvers.pairs.blocks import BlockPairs
from rankexp.solvers.pairs.kernel import DEGREES, WIDTH, PairKernel, Panels
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.risk import PairRisk

NOISE = 1e-13
"""Of the value and, times n, of the slope: rounding in Fourier transforms, at most 6e-14 found."""
EXACT_PAIRS = 10_000_000  # take about .2 s to sum up one by one
FEW_PAIRS = 20_000  # are cheap enough for an exact Hessian
HESSIAN_PANELS = 1_000  # more would make a large table of distances


class PanelPairs(BlockPairs):
    """A risk whose sums over pairs are right to about 1e-12 of the number of pairs."""

    noise = NOISE

    def __init__(self, order: PartialOrder, loss: MarginLoss) -> None:
        super().__init__(order, loss)
        self.of_loss = PairKernel(loss.of_margin)
        self.of_slope = PairKernel(loss.margin_derivative)
        self.pairs = float(np.sum(order.counts * (order.counts @ (order.costs > 0.0))))

    def exact(self) -> PairRisk:
        """Return the sum over all pairs one by one, unless they are too many."""
        return BlockPairs(self.order, self.loss) if self.pairs <= EXACT_PAIRS else self

    def value(self, s: Floats) -> float:
        """Return the risk."""
        if not self._entries(s) * DEGREES <= self.pairs:
            return super().value(s)
        panels = Panels(s)
        M = panels.moments(self.order.cell, self.order.counts.size)
        lower = self._paid(self.of_loss.transform(M), self.order.costs)
        total = float((M * self.of_loss.seen_by_upper(lower, panels.count)).sum())
        return max(total, 0.0) * self.scale  # rounding

    def slope(self, s: Floats) -> Floats:
        """Return the derivative with respect to each score."""
        if not self._entries(s) * DEGREES <= self.pairs:
            return super().slope(s)
        panels, cell = Panels(s), self.order.cell
        hats = self.of_slope.transform(panels.moments(cell, self.order.counts.size))
        lower, upper = self._paid(hats, self.order.costs), self._paid(hats, self.order.costs.T)
        field = self.of_slope.seen_by_upper(lower, panels.count)
        field -= self.of_slope.seen_by_lower(upper, panels.count)
        return self.scale * panels.values(field, cell)

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w; of many pairs at scores rounded to panels.

        That is one of the same pairs with other weights, so it is positive semidefinite.
        """
        entries, cells = self._entries(s), self.order.counts.size
        if self.pairs <= FEW_PAIRS or not entries <= min(HESSIAN_PANELS * cells, s.size):
            return super().hessian(X, s)
        panel = ((s - s.min()) / WIDTH).astype(np.int64)
        size, d, costs = int(panel.max()) + 1, X.shape[1], self.order.costs
        far: Floats = WIDTH * np.arange(size, dtype=np.float64)
        C = toeplitz(self.loss.margin_curvature(far), self.loss.margin_curvature(-far))
        key = panel * cells + self.order.cell
        rows = csr_array((np.ones(s.size), (key, np.arange(s.size))), shape=(size * cells, s.size))
        counts = rows.sum(axis=1).reshape(size, -1, costs.shape[0])
        degree = C @ (counts @ costs).reshape(size, -1)
        degree += C.T @ (counts @ costs.T).reshape(size, -1)
        sums = rows @ X
        near = (C @ sums.reshape(size, -1)).reshape(size, -1, costs.shape[0], d)
        cross = sums.T @ np.einsum("pgkd,kl->pgld", near, costs).reshape(-1, d)
        A = X * np.sqrt(degree.ravel()[key])[:, None]
        H: Floats = self.scale * (A.T @ A - cross - cross.T)
        return H

    def _entries(self, s: Floats) -> float:
        """Return the number of panels of all cells; NaN or infinite where scores are."""
        return (1.0 + float(s.max() - s.min()) / WIDTH) * self.order.counts.size

    def _paid(self, hats: Complexes, costs: Floats) -> Complexes:
        """Return, for each level of a group, the sum of transforms over levels, with costs."""
        by_group = hats.reshape(*hats.shape[:-1], -1, costs.shape[0])
        return (by_group @ costs).reshape(hats.shape)
