"""Any smooth loss of pairs, summed over all of them in parts.

Those of two large cells (group, level) are a block, those of many small ones are put together:
no list of all pairs is ever held.
"""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

from rankexp.arrays import Floats, Ints
from rankexp.solvers.pairs.risk import PairRisk

BLOCK_CELLS = 200_000  # pairs at once, 1.6 MB: bounds memory, no result depends on it
HESSIAN_PAIRS = 4_000_000  # of more, a part gives the Hessian: only steps depend on it
SMALL = 4096  # pairs of two cells: fewer are put together with others, for speed


class BlockPairs(PairRisk):
    """Any smooth loss, summed over all pairs in blocks: bounded memory, a term a pair."""

    def _blocks(self, most: float = np.inf) -> Iterator[tuple[Ints, Ints, float]]:
        """Yield upper and lower rows, and the cost, of parts of pairs of large cells.

        Of all pairs, about ``most``: then every k-th row of each cell, at a cost as much higher.
        """
        upper, lower, cost = self.cells
        ends = np.cumsum(self.sizes)
        product = self.sizes[upper] * self.sizes[lower]
        every = int(np.ceil(np.sqrt(max(float(product.sum()) / most, 1.0))))
        for k in np.flatnonzero(product > SMALL).tolist():
            at = [self.by_cell[ends[c] - self.sizes[c] : ends[c]] for c in (upper[k], lower[k])]
            i, j = at[0][::every], at[1][::every]
            each = float(cost[k] * product[k]) / (i.size * j.size)
            size = max(1, BLOCK_CELLS // j.size)
            for first in range(0, i.size, size):
                yield i[first : first + size], j, each

    def _lists(self) -> Iterator[tuple[Ints, Ints, Floats]]:
        upper, lower, cost = self.cells
        begin = np.cumsum(self.sizes) - self.sizes
        product = self.sizes[upper] * self.sizes[lower]
        few = np.flatnonzero(product <= SMALL)
        chunk = np.cumsum(product[few]) // BLOCK_CELLS
        for part in np.split(few, np.flatnonzero(np.diff(chunk)) + 1):
            if not part.size:
                continue
            size = product[part]
            which = np.repeat(part, size)
            place = np.arange(which.size) - np.repeat(np.cumsum(size) - size, size)
            wide = self.sizes[lower[which]]
            i = self.by_cell[begin[upper[which]] + place // wide]
            j = self.by_cell[begin[lower[which]] + place % wide]
            w = self.order.factor
            yield i, j, cost[which] if w is None else cost[which] * w[i] * w[j]

    def _weighed(self, table: Floats, i: Ints, j: Ints) -> Floats:
        w = self.order.factor
        return table if w is None else table * w[i, None] * w[j]

    def value(self, s: Floats) -> float:
        total = 0.0
        for i, j, cost in self._blocks():
            L = self._weighed(self.loss.of_margin(s[i, None] - s[j]), i, j)
            total += cost * float(L.sum())
        for i, j, costs in self._lists():
            total += float(costs @ self.loss.of_margin(s[i] - s[j]))
        return total * self.scale

    def slope(self, s: Floats) -> Floats:
        r = np.zeros(s.shape[0])
        for i, j, cost in self._blocks():
            E = self._weighed(self.loss.margin_derivative(s[i, None] - s[j]), i, j)
            r[i] += cost * E.sum(axis=1)
            r[j] -= cost * E.sum(axis=0)
        for i, j, costs in self._lists():
            e = costs * self.loss.margin_derivative(s[i] - s[j])
            r += np.bincount(i, e, r.size) - np.bincount(j, e, r.size)
        return r * self.scale

    def steps(self, s: Floats) -> tuple[Floats, Floats]:
        r, h = np.zeros(s.shape[0]), np.zeros(s.shape[0])
        for i, j, cost in self._blocks():
            D = s[i, None] - s[j]
            E = cost * self._weighed(self.loss.margin_derivative(D), i, j)
            C = cost * self._weighed(self.loss.margin_curvature(D), i, j)
            r[i] += E.sum(axis=1)
            r[j] -= E.sum(axis=0)
            h[i] += C.sum(axis=1)
            h[j] += C.sum(axis=0)
        for i, j, costs in self._lists():
            D = s[i] - s[j]
            e, c = costs * self.loss.margin_derivative(D), costs * self.loss.margin_curvature(D)
            r += np.bincount(i, e, r.size) - np.bincount(j, e, r.size)
            h += np.bincount(i, c, r.size) + np.bincount(j, c, r.size)
        return r * self.scale, h * self.scale

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w; of large cells, beyond some pairs, from a part."""
        n, d = X.shape
        degree, cross = np.zeros(n), np.zeros((d, d))
        for i, j, cost in self._blocks(HESSIAN_PAIRS):
            C = cost * self._weighed(self.loss.margin_curvature(s[i, None] - s[j]), i, j)
            degree[i] += C.sum(axis=1)
            degree[j] += C.sum(axis=0)
            cross += X[i].T @ (C @ X[j])
        for i, j, costs in self._lists():
            c = costs * self.loss.margin_curvature(s[i] - s[j])
            degree += np.bincount(i, c, n) + np.bincount(j, c, n)
            cross += X.T @ np.asarray(csr_array((c, (i, j)), shape=(n, n)) @ X)
        H: Floats = self.scale * ((X.T * degree) @ X - cross - cross.T)
        return H
