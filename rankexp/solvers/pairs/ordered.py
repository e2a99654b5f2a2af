"""Losses of pairs of K ordered levels with costs that have quick sums, also within groups.

The exponential loss factorises for each two cells (group, level); the squared hinge has sums by
level over the sorted scores.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.solvers.pairs.bipartite import prefix
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.smooth.problem import Risk


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

    def sample(self, size: int) -> tuple[Ints, Risk]:
        """Return some of the rows, and an estimate of the risk from their scores alone."""
        rows, order = self.order.sample(size)
        return rows, self.on(order)

    def subset(self, rows: Ints) -> tuple[Risk, float]:
        """Return the risk on some of the rows, and what share of the pairs they form."""
        order = self.order.take(rows)
        return self.on(order), order.total * self.scale

    def on(self, order: PartialOrder) -> Risk:
        """Return the same risk of another order."""
        return type(self)(order)

    @cached_property
    def by_cell(self) -> Ints:
        """Ints by group and level."""
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

    def _sorted(self, s: Floats) -> tuple[Floats, Floats, Ints]:
        """Return scores centred by group; the same, groups far apart; the order of these."""
        group = self.order.group
        s = s - (np.bincount(group, weights=s) / np.bincount(group))[group]
        apart = s + group * (float(s.max() - s.min()) + 2.0)
        return s, apart, np.argsort(apart)

    def _counted(
        self, apart: Floats, ranked: Ints
    ) -> Iterator[tuple[Ints, Ints, Floats, tuple[Ints, Ints], tuple[Ints, Ints]]]:
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
