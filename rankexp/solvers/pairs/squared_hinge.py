"""The squared hinge of pairs: sums over the sorted scores in O(n log n + K n).

Rows are sorted once, then dealt to their cells (group, level). For two cells, an upper row needs
a count and sums over the lower rows above its score less the margin, and a lower row those over
the upper rows below; compiled loops pass once over both in their order.
"""

from functools import cached_property

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.solvers.pairs.pair_risk import PairRisk
from rankexp.solvers.smooth.objective import gram

SAMPLED, A_COLUMN = 2_000, 80  # tuned: rows, at least and a column, that a Hessian needs


def ranked(s: Floats) -> Ints:
    """Return the order of scores (n,): numbers with places as last bits are sorted sooner."""
    bits, low = s.size.bit_length(), s.min()
    reach = s.max() - low
    if 0.0 < reach < np.inf:
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
    def _layout(self) -> tuple[Floats, Ints, tuple[Ints, Ints, Floats]]:
        """Weights of rows, where cells begin among rows sorted by cell, and pairs of cells."""
        mass = self.order.factor
        mass = np.ones(self.order.level.size) if mass is None else mass
        return mass, np.append(0, self.sizes.cumsum()), self.cells

    def sampling(self, d: int) -> tuple[int, int]:
        """Return less than other risks, whose sums over pairs take longer than a Hessian."""
        most, few = super().sampling(d)
        rows = max(SAMPLED, A_COLUMN * d)
        return min(2 * rows, most), min(rows, few)

    def _prepare(self, s: Floats) -> tuple[Ints, float, Floats, Floats]:
        """Return rows cell by cell, each in order, and the risk with derivatives, unscaled."""
        from rankexp.solvers.loops import by_cell, squared_excess

        (mass, begin, pairs), r, h = self._layout, np.empty(s.size), np.empty(s.size)
        rows = by_cell(ranked(s), self.order.cell, begin)
        value, r[rows], h[rows] = squared_excess(s[rows], mass[rows], begin, pairs)
        return rows, value, r, h

    def value(self, s: Floats) -> float:
        return self.scale * float(self.prepared(s)[1])

    def slope(self, s: Floats) -> Floats:
        r: Floats = (2.0 * self.scale) * self.prepared(s)[2]
        return r

    def steps(self, s: Floats) -> tuple[Floats, Floats]:
        _, _, r, h = self._prepare(s)
        return (2.0 * self.scale) * r, (2.0 * self.scale) * h

    def hessian(self, X: Floats, s: Floats) -> Floats:
        from rankexp.solvers.loops import rows_over

        rows, _, _, h = self.prepared(s)
        cross = X.T @ rows_over(X, s, rows, *self._layout)
        H: Floats = 2.0 * self.scale * (gram(X, h) - cross - cross.T)
        return H
