"""Any smooth loss over pairs, term by term: in blocks of all pairs, or of those that are near."""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

from rankexp.arrays import Floats, Ints
from rankexp.losses.loss import MarginLoss
from rankexp.solvers.pairs.pair_risk import PairRisk
from rankexp.solvers.pairs.partial_order import PartialOrder

BLOCK_CELLS = 200_000  # pairs at once, 1.6 MB: bounds memory, no result depends on it
HESSIAN_PAIRS = 4_000_000  # of more, a part gives the Hessian: only steps depend on it
SMALL = 4096  # pairs of two cells: fewer are put together with others, for speed
FAR = 80.0  # apart: the derivative of the logistic loss is 0 or -1 there, to 1e-34
REACH, SATURATED = 50.0, 1e-21  # the same for the logistic loss, to this
LEAST = 1e-8  # of a mean: a smaller one may consist of what is left out
AT_ONCE = 8  # upper rows at least, whose lower ones are looked at together
FEW_CELLS = 64  # of more pairs of cells each would be looked at alone: blocks are faster


class BlockPairs(PairRisk):
    """Any smooth loss, summed over all pairs in blocks: bounded memory, a term a pair."""

    def _blocks(self, most: float = np.inf) -> Iterator[tuple[Ints, Ints, float]]:
        """Yield upper and lower rows, and the cost, of parts of pairs of large cells."""
        # Of all pairs, about ``most``: then every k-th row of each cell, at a cost as much higher.
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
        return BlockPairs.steps(self, s)[0]

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
        return np.asarray(self.scale * ((X.T * degree) @ X - cross - cross.T))


class WindowPairs(BlockPairs):
    """A loss that is linear far from 0: of pairs far apart, only counts and sums are needed."""

    def __init__(self, order: PartialOrder, loss: MarginLoss) -> None:
        super().__init__(order, loss)
        ends = loss.margin_derivative(np.array([-FAR, -REACH, REACH, FAR]))
        self.few = self.cells[0].size <= FEW_CELLS
        self.reach = REACH if np.abs(ends[::2] - ends[1::2]).max() < SATURATED else FAR

    def _windows(self, s: Floats) -> Iterator[tuple[Ints, Ints, Ints, float]]:
        """Yield upper rows, lower rows near one of them, those far above all, and the cost."""
        ranked, ends = np.lexsort((s, self.order.cell)), np.cumsum(self.sizes)
        for up, low, cost in zip(*self.cells, strict=True):
            i, j = (ranked[ends[c] - self.sizes[c] : ends[c]] for c in (up, low))
            lower, size = s[j], max(BLOCK_CELLS // j.size, AT_ONCE)
            for first in range(0, i.size, size):
                rows = i[first : first + size]
                edges = s[rows[0]] - self.reach, s[rows[-1]] + self.reach
                begin, end = np.searchsorted(lower, edges)
                yield rows, j[begin:end], j[end:], cost

    def value(self, s: Floats) -> float:
        if not self.few:
            return super().value(s)
        at = np.array([-self.reach])
        (edge,), (fall,) = self.loss.of_margin(at), self.loss.margin_derivative(at)
        total, m = 0.0, self.row_mass
        for i, near, above, cost in self._windows(s):
            L = float(self._weighed(self.loss.of_margin(s[i, None] - s[near]), i, near).sum())
            up, low, least = float(m[i].sum()), float(m[above].sum()), s[i[0]]
            apart = float(m[i] @ (s[i] - least)) * low - float(m[above] @ (s[above] - least)) * up
            total += cost * (L + (edge + fall * self.reach) * up * low + fall * apart)
        total *= self.scale
        return total if total >= LEAST else super().value(s)  # also if it is not a number

    def slope(self, s: Floats) -> Floats:
        if not self.few:
            return super().slope(s)
        (fall,) = self.loss.margin_derivative(np.array([-self.reach]))
        r, total, m = np.zeros(s.size), 0.0, self.row_mass
        for i, near, above, cost in self._windows(s):
            E = cost * self._weighed(self.loss.margin_derivative(s[i, None] - s[near]), i, near)
            each = E.sum(axis=1) + cost * fall * float(m[above].sum()) * m[i]
            total += float(each.sum())
            r[i] += each
            r[near] -= E.sum(axis=0)
            r[above] -= cost * fall * float(m[i].sum()) * m[above]
        return r * self.scale if abs(total) * self.scale >= LEAST else super().slope(s)
