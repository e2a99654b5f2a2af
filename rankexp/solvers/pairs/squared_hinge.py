"""The squared hinge of pairs: sums over the sorted scores in O(n log n + n log K).

Rows are sorted once, then dealt to their cells (group, level). For two cells, an upper row needs
a count and sums over the lower rows above its score less the margin, and a lower row those over
the upper rows below; compiled loops pass once over both in their order. Of many levels with equal
costs half is above the other half, and so on within each.
"""

from functools import cached_property

import numpy as np

from rankexp.arrays import Floats, Ints, Listed
from rankexp.solvers.pairs.pair_risk import PairRisk
from rankexp.solvers.smooth.objective import gram

SQUARED = 2  # the power of the hinge that has quick sums
FEW_LEVELS = 4  # tuned: whose pairs are gone through one by one
SAMPLED, A_COLUMN = 2_000, 80  # tuned: rows, at least and a column, that a Hessian needs


def ranked(s: Floats) -> Ints:
    """Return the order of scores (n,): numbers with places as last bits are sorted sooner."""
    bits, low = s.size.bit_length(), s.min()
    if 0.0 < (reach := s.max() - low) < np.inf:
        keys: Ints = ((s - low) * (2.0 ** (62 - bits) / reach)).astype(np.int64) << bits
        keys += np.arange(s.size)
        keys.sort()
        keys &= (1 << bits) - 1
        ordered = s[keys]
        if (ordered[1:] >= ordered[:-1]).all():  # none differ in the bits that are lost alone
            return keys
    return s.argsort()


class SquaredHingePairs(PairRisk):
    """The squared hinge: a pair counts where ``s_i - s_j < 1``."""

    prompt = True

    @cached_property
    def _layouts(self) -> list[tuple[Ints, Ints, Listed]]:
        """Cells of rows, where they begin among rows by cell, and pairs of cells with costs."""
        order, K = self.order, self.order.costs.shape[0]
        costs, found = order.costs[np.triu_indices(K, 1)], []
        if K <= FEW_LEVELS or np.ptp(costs) > 0.0:
            return [(order.cell, np.append(0, self.sizes.cumsum()), self.cells)]
        # Two levels differ first in one of their bits: they are in neighbouring cells there alone.
        for bit in range((K - 1).bit_length()):
            parts = ((K - 1) >> bit) + 1
            cell = order.group * parts + (order.level >> bit)
            sizes = np.bincount(cell, minlength=order.counts.shape[0] * parts)
            filled = sizes.reshape(-1, parts) > 0
            group, pair = np.nonzero(filled[:, : parts - 1 : 2] & filled[:, 1::2])
            low = group * parts + 2 * pair
            pairs = low + 1, low, np.full(low.size, costs[0])
            found.append((cell, np.append(0, sizes.cumsum()), pairs))
        return found

    def sampling(self, d: int) -> tuple[int, int]:
        """Return less than other risks, whose sums over pairs take longer than a Hessian."""
        most, few = super().sampling(d)
        if len(self.order.costs) > FEW_LEVELS:  # those of a sample would cost differently
            return self.order.level.size, few
        rows = max(SAMPLED, A_COLUMN * d)
        return min(2 * rows, most), min(rows, few)

    def _prepare(self, s: Floats) -> tuple[list[Ints], float, Floats, Floats]:
        """Return rows cell by cell, each in order, and the risk with derivatives, unscaled."""
        from rankexp.solvers.loops import by_cell, squared_excess

        order, dealt, value, (r, h) = ranked(s), [], 0.0, np.zeros((2, s.size))
        for cell, begin, pairs in self._layouts:
            rows = by_cell(order, cell, begin)
            value += squared_excess((s, self.row_mass), rows, begin, pairs, (r, h))
            dealt.append(rows)
        return dealt, value, r, h

    def value(self, s: Floats) -> float:
        return self.scale * float(self.prepared(s)[1])

    def slope(self, s: Floats) -> Floats:
        return np.asarray((2.0 * self.scale) * self.prepared(s)[2])

    def steps(self, s: Floats) -> tuple[Floats, Floats]:
        _, _, r, h = self._prepare(s)
        return (2.0 * self.scale) * r, (2.0 * self.scale) * h

    def hessian(self, X: Floats, s: Floats) -> Floats:
        from rankexp.solvers.loops import rows_over

        dealt, _, _, h = self.prepared(s)
        over = np.zeros_like(X)
        for rows, (_, begin, pairs) in zip(dealt, self._layouts, strict=True):
            over += rows_over(X, s, rows, self.row_mass, begin, pairs)
        cross = X.T @ over
        return np.asarray(2.0 * self.scale * (gram(X, h) - cross - cross.T))
