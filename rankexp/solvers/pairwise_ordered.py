"""Smooth losses of pairs of K ordered levels with costs, all of them or within groups.

The exponential loss factorises for each two cells (group, level); the squared hinge has sums by
level over the sorted scores; any other smooth loss is summed over all pairs, those of two large
cells as a block, those of many small ones together. Gradients are exact, and no list of all
pairs is ever held.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from rankexp.losses.base import Loss, MarginLoss
from rankexp.losses.exponential import Exponential
from rankexp.losses.squared_hinge import SquaredHinge
from rankexp.solvers.descent import descend
from rankexp.solvers.pairwise import BLOCK_CELLS, HESSIAN_PAIRS, pairwise_path, prefix
from rankexp.solvers.partial_order import Ints, PartialOrder
from rankexp.solvers.problem import Risk, Rows
from rankexp.solvers.result import Floats, PathResult
from rankexp.solvers.smooth import check_smooth, penalties

SMALL = 4096  # pairs of two cells: fewer are put together with others


class OrderedRisk(ABC):
    """A risk of score differences over the pairs of a partial order."""

    intercept = False
    centred = True

    def __init__(self, order: PartialOrder) -> None:
        self.order = order
        self.scale = 1.0 / order.total if order.total else 0.0

    @abstractmethod
    def value(self, s: Floats) -> float:
        """Return the risk of scores."""

    @abstractmethod
    def slope(self, s: Floats) -> Floats:
        """Return the derivative with respect to each score, shape (n,)."""

    @abstractmethod
    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w."""

    def sample(self, size: int) -> tuple[Rows, Risk]:
        """Return some of the rows, and an estimate of the risk from their scores alone."""
        rows, order = self.order.sample(size)
        return rows, self.on(order)

    def subset(self, rows: Rows) -> tuple[Risk, float]:
        """Return the risk on some of the rows, and what share of the pairs they form."""
        order = self.order.take(rows)
        return self.on(order), order.total * self.scale

    def on(self, order: PartialOrder) -> Risk:
        """Return the same risk of another order."""
        return type(self)(order)

    @cached_property
    def by_cell(self) -> Ints:
        """Rows by group and level."""
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
        upper, lower, cost = [], [], []
        for low, up, c in self.order.level_pairs():
            groups = np.flatnonzero((sizes[:, low] > 0) & (sizes[:, up] > 0))
            upper.append(groups * K + up)
            lower.append(groups * K + low)
            cost.append(np.full(groups.size, c))
        return np.concatenate(upper), np.concatenate(lower), np.concatenate(cost)


class ExponentialOrder(OrderedRisk):
    """Sum over pairs of cells of ``cost (sum of e^-s, upper) (sum of e^s, lower) / C``."""

    @cached_property
    def _filled(self) -> tuple[Ints, Ints, Ints]:
        """Cells with rows; where they begin in `by_cell`; the place among them, by row."""
        filled = np.flatnonzero(self.sizes)
        begin = (np.cumsum(self.sizes) - self.sizes)[filled]
        return filled, begin, np.searchsorted(filled, self.order.cell)

    def _sums(self, s: Floats) -> Floats:
        """Return the logarithm of the sum of e^s by row's cell (cells,)."""
        _, begin, place = self._filled
        top = np.maximum.reduceat(s[self.by_cell], begin)
        return top + np.log(np.bincount(place, weights=np.exp(s - top[place])))

    def _parts(self, s: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Return by pair of cells its part of the risk, and four numbers by row.

        They are its share of the sums of e^-s and of e^s of its cell, and these shares of all
        parts that the cell has as the upper, as the lower one.
        """
        filled, _, place = self._filled
        up, down = self._sums(-s), self._sums(s)
        i, j, cost = self.cells
        i, j = np.searchsorted(filled, i), np.searchsorted(filled, j)
        part: Floats = self.scale * cost * np.exp(up[i] + down[j])
        of_up: Floats = np.exp(-s - up[place])
        of_down: Floats = np.exp(s - down[place])
        as_up = np.bincount(i, weights=part, minlength=filled.size)[place]
        as_down = np.bincount(j, weights=part, minlength=filled.size)[place]
        return part, of_up, of_down, of_up * as_up, of_down * as_down

    def value(self, s: Floats) -> float:
        """Return the risk."""
        return float(self._parts(s)[0].sum())

    def slope(self, s: Floats) -> Floats:
        """Return the derivative with respect to each score."""
        *_, as_up, as_down = self._parts(s)
        return as_down - as_up

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w: pairs of cells have product distributions."""
        part, of_up, of_down, as_up, as_down = self._parts(s)
        filled, begin, _ = self._filled
        i, j, _ = self.cells
        rows = self.by_cell
        up = np.add.reduceat((X * of_up[:, None])[rows], begin)[np.searchsorted(filled, i)]
        down = np.add.reduceat((X * of_down[:, None])[rows], begin)[np.searchsorted(filled, j)]
        A = X * np.sqrt(as_up + as_down)[:, None]
        cross = (up.T * part) @ down
        H: Floats = A.T @ A - cross - cross.T
        return H


class SquaredHingeOrder(OrderedRisk):
    """The squared hinge in O(n log n + K n): a pair counts where ``s_i - s_j < 1``."""

    @cached_property
    def bounds(self) -> Ints:
        """Number of rows in the groups before each one, by level, (G + 1, K)."""
        K = self.order.costs.shape[0]
        return np.concatenate(
            (np.zeros((1, K), np.int64), self.sizes.reshape(-1, K).cumsum(axis=0))
        )

    def _sorted(self, s: Floats) -> tuple[Floats, Floats, Rows]:
        """Return scores centred by group; the same, groups far apart; the order of these."""
        group = self.order.group
        s = s - (np.bincount(group, weights=s) / np.bincount(group))[group]
        apart = s + group * (float(s.max() - s.min()) + 2.0)
        return s, apart, np.argsort(apart)

    def _counted(
        self, apart: Floats, ranked: Rows
    ) -> Iterator[tuple[Rows, Rows, Floats, tuple[Rows, Rows], tuple[Rows, Rows]]]:
        """Yield, by lower level, sorted upper and lower rows, costs, and windows of those counted.

        The upper rows are those of all levels with a cost, (m,). For the upper row i the lower
        ones with ``s_j > s_i - 1``, for the lower row j the upper ones with ``s_i < s_j + 1``:
        from the first place up to before the second.
        """
        group, level, costs = self.order.group, self.order.level, self.order.costs
        for low in sorted({low for low, *_ in self.order.level_pairs()}):
            i, j = ranked[costs[low, level[ranked]] > 0.0], ranked[level[ranked] == low]
            after = np.searchsorted(apart[j], apart[i] - 1.0, side="right")
            before = np.searchsorted(apart[i], apart[j] + 1.0, side="left")
            last = self.bounds[group[i] + 1, low]
            first = self.bounds[group[j]] @ (costs[low] > 0.0)
            windows = (np.minimum(after, last), last), (first, np.maximum(before, first))
            yield i, j, costs[low, level[i]], *windows

    def value(self, s: Floats) -> float:
        """Return the risk: the sum of ``(s_j - (s_i - 1))²`` over counted pairs, as a mean."""
        s, apart, ranked = self._sorted(s)
        total = 0.0
        for i, j, cost, (begin, end), _ in self._counted(apart, ranked):
            u = s[i] - 1.0
            one, two = prefix(s[j]), prefix(s[j] ** 2)
            one, two = one[end] - one[begin], two[end] - two[begin]
            total += float(cost @ (two - 2.0 * u * one + (end - begin) * u * u))
        return max(total, 0.0) * self.scale

    def slope(self, s: Floats) -> Floats:
        """Return the derivative with respect to each score."""
        s, apart, ranked = self._sorted(s)
        r = np.zeros(s.shape[0])
        for i, j, cost, (begin, end), (first, last) in self._counted(apart, ranked):
            u = s[i] - 1.0
            lower, mass, upper = prefix(s[j]), prefix(cost), prefix(cost * u)
            r[i] += cost * ((end - begin) * u - lower[end] + lower[begin])
            r[j] += (mass[last] - mass[first]) * s[j] - upper[last] + upper[first]
        return 2.0 * self.scale * r

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w, from the pairs that count."""
        s, apart, ranked = self._sorted(s)
        degree, cross = np.zeros(s.shape[0]), np.zeros((X.shape[1], X.shape[1]))
        for i, j, cost, (begin, end), (first, last) in self._counted(apart, ranked):
            mass = prefix(cost)
            degree[i] += cost * (end - begin)
            degree[j] += np.maximum(mass[last] - mass[first], 0.0)
            sums = np.zeros((j.shape[0] + 1, X.shape[1]))
            np.cumsum(X[j], axis=0, out=sums[1:])
            cross += (X[i].T * cost) @ (sums[end] - sums[begin])
        A = X * np.sqrt(degree)[:, None]
        H: Floats = 2.0 * self.scale * (A.T @ A - cross - cross.T)
        return H


class BlockOrder(OrderedRisk):
    """Any smooth margin loss, summed over all pairs in blocks: bounded memory, a term a pair."""

    def __init__(self, order: PartialOrder, loss: MarginLoss) -> None:
        super().__init__(order)
        self.loss = loss

    def on(self, order: PartialOrder) -> Risk:
        """Return the same risk of another order."""
        return BlockOrder(order, self.loss)

    def _blocks(self, most: float = np.inf) -> Iterator[tuple[Rows, Rows, float]]:
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

    def _lists(self) -> Iterator[tuple[Rows, Rows, Floats]]:
        """Yield upper row, lower row and cost of all pairs of small cells, many at a time."""
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
            yield i, j, cost[which]

    def value(self, s: Floats) -> float:
        """Return the risk."""
        total = 0.0
        for i, j, cost in self._blocks():
            total += cost * float(self.loss.of_margin(s[i, None] - s[j]).sum())
        for i, j, costs in self._lists():
            total += float(costs @ self.loss.of_margin(s[i] - s[j]))
        return total * self.scale

    def slope(self, s: Floats) -> Floats:
        """Return the derivative with respect to each score."""
        r = np.zeros(s.shape[0])
        for i, j, cost in self._blocks():
            E = self.loss.margin_derivative(s[i, None] - s[j])
            r[i] += cost * E.sum(axis=1)
            r[j] -= cost * E.sum(axis=0)
        for i, j, costs in self._lists():
            e = costs * self.loss.margin_derivative(s[i] - s[j])
            r += np.bincount(i, e, r.size) - np.bincount(j, e, r.size)
        return r * self.scale

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w; of large cells, beyond some pairs, from a part."""
        n, d = X.shape
        degree, cross = np.zeros(n), np.zeros((d, d))
        for i, j, cost in self._blocks(HESSIAN_PAIRS):
            C = cost * self.loss.margin_curvature(s[i, None] - s[j])
            degree[i] += C.sum(axis=1)
            degree[j] += C.sum(axis=0)
            cross += X[i].T @ (C @ X[j])
        for i, j, costs in self._lists():
            c = costs * self.loss.margin_curvature(s[i] - s[j])
            degree += np.bincount(i, c, n) + np.bincount(j, c, n)
            cross += X.T @ np.asarray(csr_array((c, (i, j)), shape=(n, n)) @ X)
        H: Floats = self.scale * ((X.T * degree) @ X - cross - cross.T)
        return H


def ordered_risk(loss: Loss, order: PartialOrder) -> Risk:
    """Return the quickest form of the risk of a loss over the pairs of a partial order."""
    match loss:
        case Exponential():
            return ExponentialOrder(order)
        case SquaredHinge():
            return SquaredHingeOrder(order)
        case MarginLoss():
            return BlockOrder(order, loss)
    raise ValueError(f"{loss!r} isn't a loss of margins; its pair risk isn't implemented")


def ordered_path(
    X: npt.ArrayLike,
    order: PartialOrder,
    loss: Loss,
    lams: npt.ArrayLike,
    *,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> PathResult:
    """Minimise ``lam/2 ||w||² + (1/C) sum over pairs of costs l(w·(x_i - x_j))`` along a path.

    Parameters
    ----------
    X : array-like of shape (n, d)
    order : PartialOrder
        Of the rows; C is the sum of the costs of all pairs. Two levels without groups are solved
        as the bipartite problem they are.
    loss, lams, tol, max_iter
        As for `pairwise_path`.

    Returns
    -------
    PathResult
        With intercepts 0: a pair risk has none.

    Raises
    ------
    ValueError
        For a loss that isn't smooth and convex, a penalty below 0, or no pair.
    """
    check_smooth(loss)
    if not order.total > 0.0:
        raise ValueError("a pair risk needs pairs of different levels; there is none")
    positive = order.two_classes()
    if positive is not None:
        return pairwise_path(X, positive, loss, lams, tol=tol, max_iter=max_iter)
    X = np.ascontiguousarray(X, dtype=np.float64)
    used = np.flatnonzero(sum(order.part()))
    risk = ordered_risk(loss, order.take(used))
    return descend(X[used], risk, penalties(lams), tol=tol, max_iter=max_iter)
