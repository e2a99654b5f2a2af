"""The squared hinge of pairs: sums over the sorted scores in O(n log n + K n).

Rows are sorted once, by group and score. For two levels, what an upper row needs are a count and
sums over the lower rows above its score less the margin, and a lower row those over the upper
rows below; compiled loops pass once over both in their order.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.solvers.pairs.pair_risk import PairRisk
from rankexp.solvers.smooth.objective import gram

SAMPLED, A_COLUMN = 2_000, 80  # tuned: rows, at least and a column, that a Hessian needs
NARROW = 2**16  # fewer groups are sorted by their digits, in linear time


def ranked(s: Floats) -> Ints:
    """Return the order of scores (n,); numbers are sorted three times as fast as places are."""
    from rankexp.solvers.loops import packed, settled

    bits = s.size.bit_length()
    keys = packed(s, bits)
    keys.sort()
    return keys if settled(keys, s, bits) else s.argsort()


class Sums(NamedTuple):
    """What value, derivatives and Hessian at the same scores share; unscaled."""

    rows: Ints  # (n,): level by level, within each by group and score
    value: float
    slope: Floats  # (n,)
    curvature: Floats  # (n,)


class SquaredHingePairs(PairRisk):
    """The squared hinge: a pair counts where ``s_i - s_j < 1``."""

    prompt = True

    @cached_property
    def _layout(self) -> tuple[Floats, Floats, Ints]:
        """Weights of rows, costs, and where the rows of a group begin and end in each level."""
        order, n = self.order, self.order.level.size
        bounds = np.zeros((order.counts.shape[0] + 1, order.counts.shape[1]), dtype=np.int64)
        np.cumsum(self.sizes.reshape(order.counts.shape), axis=0, out=bounds[1:])
        bounds[:, 1:] += bounds[-1].cumsum()[:-1]
        return np.ones(n) if order.factor is None else order.factor, order.costs, bounds

    @cached_property
    def _group(self) -> Ints | None:
        few = self.order.counts.shape[0] <= NARROW
        groups = self.order.group.astype(np.uint16 if few else np.int64)
        return groups if self.order.counts.shape[0] > 1 else None

    def sampling(self, d: int) -> tuple[int, int]:
        """Return less than other risks, whose sums over pairs take longer than a Hessian."""
        most, few = super().sampling(d)
        rows = max(SAMPLED, A_COLUMN * d)
        return min(2 * rows, most), min(rows, few)

    def _prepare(self, s: Floats) -> Sums:
        from rankexp.solvers.loops import by_level, squared_excess

        order = ranked(s)
        if self._group is not None:
            order = order[np.argsort(self._group[order], kind="stable")]
        rows = by_level(order, self.order.level, self._layout[2])
        return Sums(rows, *squared_excess(s, rows, *self._layout))

    def value(self, s: Floats) -> float:
        return self.scale * float(self.prepared(s).value)

    def slope(self, s: Floats) -> Floats:
        r: Floats = (2.0 * self.scale) * self.prepared(s).slope
        return r

    def steps(self, s: Floats) -> tuple[Floats, Floats]:
        sums = self._prepare(s)
        return (2.0 * self.scale) * sums.slope, (2.0 * self.scale) * sums.curvature

    def hessian(self, X: Floats, s: Floats) -> Floats:
        from rankexp.solvers.loops import rows_over

        sums = self.prepared(s)
        cross = X.T @ rows_over(X, s, sums.rows, *self._layout)
        H: Floats = 2.0 * self.scale * (gram(X, sums.curvature) - cross - cross.T)
        return H
