"""Pair risks: what their forms share, and two whose sums follow from sums over cells."""

from functools import cached_property
from typing import Literal, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_array

from rankexp.arrays import Floats, Ints, Listed
from rankexp.losses.loss import Loss, MarginLoss, ScaledLoss
from rankexp.solvers.pairs.normal import NormalLoss, variances
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.smooth.objective import SOME, SmoothRisk, gram, some_rows, spread


class PairRisk(SmoothRisk):
    """The mean of a loss of score differences over the pairs of an order, by their costs."""

    guesses = True

    def __init__(self, order: PartialOrder, loss: MarginLoss) -> None:
        self.order, self.loss, self.steepest = order, loss, loss.steepest
        self.scale = 1.0 / order.total if order.total else 0.0

    def guess(self, X: Floats) -> NormalLoss:
        upper, lower = self.order.part()
        mean = (self.scale * (upper - lower) * self.order.weight) @ X
        some = some_rows(X, SOME)
        return NormalLoss(mean, variances(mean, spread(some, some.mean(axis=0))), self.loss)

    def sample(self, size: int) -> tuple[Ints, Self]:
        rows, order = self.order.sample(size)
        return rows, type(self)(order, self.loss)

    def subset(self, rows: Ints) -> tuple[Self, float]:
        order = self.order.take(rows)
        return type(self)(order, self.loss), order.total * self.scale

    @cached_property
    def row_mass(self) -> Floats:
        """What each row counts in its pairs, (n,)."""
        return np.ones(self.order.level.size) if self.order.factor is None else self.order.factor

    @cached_property
    def by_cell(self) -> Ints:
        return np.argsort(self.order.cell, kind="stable")

    @cached_property
    def sizes(self) -> Ints:
        """Number of rows of each cell, those without any included."""
        return np.bincount(self.order.cell, minlength=self.order.counts.size)

    @cached_property
    def cells(self) -> Listed:
        """Upper cell, lower cell and cost of all pairs of cells that count."""
        costs, K = self.order.costs, self.order.costs.shape[0]
        low, up = np.nonzero(costs > 0.0)
        filled = self.sizes.reshape(-1, K) > 0
        pair, group = np.nonzero((filled[:, low] & filled[:, up]).T)
        return group * K + up[pair], group * K + low[pair], costs[low, up][pair]


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


class SquaredPairs(PairRisk):
    """The squared loss: each pair counts ``(1 - (s_i - s_j))²``."""

    # Its mean over two cells with means M, m and variances V, v is ``(1 - (M - m))² + V + v``.

    @cached_property
    def mass(self) -> tuple[Floats, Floats]:
        """The weights of rows, (n,), and of cells, (c,); an empty cell has almost none."""
        return self.row_mass, np.maximum(self._sums(self.row_mass), np.finfo(np.float64).tiny)

    @cached_property
    def charges(self) -> tuple[Floats, Floats, Floats]:
        """What a pair of cells counts for a row of the upper, the lower one; sums by cell."""
        (upper, lower, cost), mass, size = self.cells, self.mass[1], self.sizes.size
        a, b = cost * mass[lower], cost * mass[upper]
        return a, b, np.asarray(np.bincount(upper, a, size) + np.bincount(lower, b, size))

    def _sums(self, x: Floats) -> Floats:
        return np.asarray(np.bincount(self.order.cell, x, self.sizes.size), dtype=np.float64)

    def _parts(self, s: Floats) -> tuple[Floats, Floats]:
        """Return what rows are off the means of their cells, and by what pairs of these miss 1."""
        upper, lower, _ = self.cells
        mean = self._sums(self.mass[0] * s) / self.mass[1]
        return s - mean[self.order.cell], mean[upper] - mean[lower] - 1.0

    def value(self, s: Floats) -> float:
        (off, short), (a, _, degree), mass = self._parts(s), self.charges, self.mass[1]
        within = self._sums(self.mass[0] * off * off) @ degree
        return self.scale * float(within + (a * mass[self.cells[0]]) @ short**2)

    def slope(self, s: Floats) -> Floats:
        (off, short), (a, b, degree), cell = self._parts(s), self.charges, self.order.cell
        between = np.bincount(self.cells[0], a * short, degree.size)
        between -= np.bincount(self.cells[1], b * short, degree.size)
        return 2.0 * self.scale * self.mass[0] * (degree[cell] * off + between[cell])

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w, which is the same everywhere."""
        (upper, lower, cost), (w, mass), cell = self.cells, self.mass, self.order.cell
        sums = np.asarray(csr_array((w, (cell, np.arange(w.size))), shape=(mass.size, w.size)) @ X)
        cross = (sums[upper].T * cost) @ sums[lower]
        within = gram(X, w * self.charges[2][cell])
        return np.asarray(2.0 * self.scale * (within - cross - cross.T))


class Side(NamedTuple):
    """The rows of all upper, or of all lower cells, cell by cell."""

    rows: Ints  # (m,)
    begin: Ints  # (c,): of each cell, among the rows
    sizes: Ints  # (c,)
    at: Ints  # (p,): which of these cells each pair of cells has

    def spread(self, values: Floats) -> Floats:
        """Return for each row the value of its cell, (m,); of one cell (1,)."""
        return values if self.sizes.size == 1 else np.repeat(values, self.sizes)

    def shares(self, v: Floats) -> tuple[Floats, Floats, Floats]:
        """Return t and a for ``sum of e^v = a e^t`` by cell, and each row's share of it (m,)."""
        if self.sizes.size == 1:
            highest = np.maximum.reduce(v, keepdims=True)
            e = np.exp(v - highest)
            whole = np.add.reduce(e, keepdims=True)
            e /= whole
            return highest, whole, e
        top = np.maximum.reduceat(v, self.begin)
        e = np.exp(v - self.spread(top))
        total = np.add.reduceat(e, self.begin)
        e /= self.spread(total)
        return top, total, e

    def means(self, share: Floats, X: Floats) -> Floats:
        """Return the means of rows X (n, d) of each cell, weighted by shares, (c, d)."""
        if self.sizes.size == 1:
            weight = np.zeros(X.shape[0])
            weight[self.rows] = share
            return np.asarray(weight @ X)[None]
        ends = np.concatenate((self.begin, [self.rows.size]))
        weights = csr_array((share, self.rows, ends), shape=(self.sizes.size, X.shape[0]))
        return np.asarray(weights @ X)

    def charge(self, part: Floats, share: Floats) -> Floats:
        """Return each row's share of the parts of the risk of its cell's pairs, (m,)."""
        if self.at.size == 1:
            return part * share
        return self.spread(np.bincount(self.at, part, self.sizes.size).astype(np.float64)) * share


class ExponentialPairs(PairRisk):
    """Sum over pairs of cells of ``cost (sum of e^-s, upper) (sum of e^s, lower) / C``."""

    def _side(self, cells: Ints) -> Side:
        if cells.size == 1:
            rows = np.flatnonzero(self.order.cell == cells)
            zero = np.zeros(1, dtype=np.int64)
            return Side(rows, zero, np.array([rows.size]), zero)
        here, at = np.unique(cells, return_inverse=True)
        sizes, ends = self.sizes[here], np.cumsum(self.sizes)[here]
        rows = np.concatenate([self.by_cell[k - n : k] for k, n in zip(ends, sizes, strict=True)])
        return Side(rows, np.cumsum(sizes) - sizes, sizes, at)

    @cached_property
    def sides(self) -> tuple[Side, Side]:
        return self._side(self.cells[0]), self._side(self.cells[1])

    @cached_property
    def logs(self) -> Floats | None:
        """Logarithms of the weights, (n,), which count like scores; None where all are 1."""
        return None if self.order.factor is None else np.log(self.order.factor)

    def _prepare(self, s: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the risk's part of each pair of cells, and rows' shares."""
        top, total_up, total_down, of_up, of_down = self._factors(s)
        return self.scale * self.cells[2] * total_up * total_down * np.exp(top), of_up, of_down

    def _factors(self, s: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Return t, a, b for ``a b e^t``, the sum of each pair of cells, and the rows' shares."""
        up, down = self.sides
        at_up, at_down = -s[up.rows], s[down.rows]
        if self.logs is not None:
            at_up += self.logs[up.rows]
            at_down += self.logs[down.rows]
        top_up, total_up, of_up = up.shares(at_up)
        top_down, total_down, of_down = down.shares(at_down)
        if up.at.size > 1:
            top_up, total_up = top_up[up.at], total_up[up.at]
            top_down, total_down = top_down[down.at], total_down[down.at]
        return top_up + top_down, total_up, total_down, of_up, of_down

    def log_steps(self, s: Floats) -> tuple[Floats, Floats]:
        """Return slope and curvature by score of the risk's logarithm, which never overflow."""
        # The curvature is an upper bound: that of the risk, each group's divided by its mean loss.
        (up, down), order = self.sides, self.order
        top, total_up, total_down, of_up, of_down = self._factors(s)
        upper, lower, cost = self.cells
        groups, K = order.counts.shape
        group, size = upper // K, order.counts.ravel()
        log = np.log(cost * total_up * total_down) + top
        highest = np.full(groups, -np.inf)
        np.maximum.at(highest, group, log)
        e = np.exp(log - highest[group])
        mass = self.scale * cost * size[upper] * size[lower] * order.shares[group]
        loss, whole = (np.bincount(group, x, groups)[group] for x in (e, mass))
        part = e * (whole / loss)
        r, h = np.zeros(s.shape[0]), np.zeros(s.shape[0])
        h[down.rows] = r[down.rows] = down.charge(part, of_down)
        above = up.charge(part, of_up)
        r[up.rows] -= above
        h[up.rows] += above
        return r, h

    def value(self, s: Floats) -> float:
        return float(self.prepared(s)[0].sum())

    def slope(self, s: Floats) -> Floats:
        (up, down), (part, of_up, of_down) = self.sides, self.prepared(s)
        r = np.zeros(s.shape[0])
        r[down.rows] = down.charge(part, of_down)
        if part.size == 1:  # two cells, which have no row in common
            r[up.rows] = -part * of_up
        else:
            r[up.rows] -= up.charge(part, of_up)
        return r

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w: pairs of cells have product distributions."""
        (up, down), (part, of_up, of_down) = self.sides, self.prepared(s)
        degree = np.zeros(s.shape[0])
        degree[down.rows] = down.charge(part, of_down)
        degree[up.rows] += up.charge(part, of_up)
        A = X * np.sqrt(degree)[:, None]
        cross = (up.means(of_up, X)[up.at].T * part) @ down.means(of_down, X)[down.at]
        return np.asarray(A.T @ A - cross - cross.T)
