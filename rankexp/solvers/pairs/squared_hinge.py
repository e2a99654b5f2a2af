"""The squared hinge of pairs: sums over the sorted scores in O(n log n + K n).

With ``u_i = s_i - 1`` of upper rows a pair counts ``max(0, s_j - u_i)²``. Along the values u_i and
s_j in their order, the sums of ``max(0, s_j - u)`` and of its square over the lower rows j change
from one value to the next by products of counts and of gaps between neighbours. All are >= 0, so
that nothing cancels, however far the scores lie from 0 or from each other.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rankexp.arrays import Bools, Floats, Ints
from rankexp.compiled import choose
from rankexp.solvers.pairs.risk import PairRisk

COMPILED = "rankexp.solvers.pairs.squared_hinge_numba"
KEPT_ROWS = 100_000
"""Sums over fewer rows are kept for the next value, slope or Hessian at the same scores."""
NARROW = 2**16
"""Fewer groups are sorted by their digits, in linear time."""


class Level(NamedTuple):
    """A lower level: which roles belong to it, what they count, the bounds of their groups."""

    here: Bools
    cost: Floats
    mass: Floats | None
    first: Ints | None
    last: Ints | None


@dataclass(frozen=True)
class Merged:
    """The upper rows with a cost against one lower level, and the rows of that, by u_i and s_j.

    `row` (m,). `upper` (m,). `cost` (m,): of an upper row's pairs, times its weight; 0 for a lower
    row. `mass` (m,): the weight of a lower row, 0 for an upper one; None where all weights are 1.
    `gap` (m - 1,): from each value to the next one, 0 from one group to the next. `first`, `last`
    (m,), or None: where the group of each begins, and its last place; None where there is one.
    """

    row: Ints
    upper: Bools
    cost: Floats
    mass: Floats | None
    gap: Floats
    first: Ints | None
    last: Ints | None

    def above(self, step: Floats) -> Floats:
        """Return the sum of steps, (m - 1,), from each place to the end of its group, (m,)."""
        total = np.zeros(self.row.size)
        np.cumsum(step[::-1], out=total[-2::-1])
        return total if self.last is None else total - total[self.last]

    def below(self, step: Floats) -> Floats:
        """Return the sum of steps, (m - 1,), from the begin of a group to each place, (m,)."""
        total = np.zeros(self.row.size)
        np.cumsum(step, out=total[1:])
        return total if self.first is None else total - total[self.first]

    @cached_property
    def lower_above(self) -> Floats:
        """Number of lower rows after each place, in its group, by weight, (m,)."""
        mass = (~self.upper).astype(np.float64) if self.mass is None else self.mass
        return self.above(mass[1:])

    @cached_property
    def cost_below(self) -> Floats:
        """Cost of the upper rows before each place, in its group, (m,)."""
        return self.below(self.cost[:-1])

    @cached_property
    def step(self) -> Floats:
        """The gaps; of groups, 0 where no pair is on either side, so that sums stay small."""
        if self.first is None:
            return self.gap
        between = (self.lower_above[:-1] > 0.0) & (self.cost_below[1:] > 0.0)
        return np.where(between, self.gap, 0.0)

    @cached_property
    def excess(self) -> Floats:
        """``sum over lower rows j of max(0, s_j - v)`` at each value v, (m,)."""
        return self.above(self.lower_above[:-1] * self.step)

    @cached_property
    def squares(self) -> Floats:
        """``sum over lower rows j of max(0, s_j - v)²`` at each value v, (m,)."""
        step = self.step
        return self.above(step * (2.0 * self.excess[1:] + self.lower_above[:-1] * step))

    @cached_property
    def deficit(self) -> Floats:
        """``sum over upper rows i of cost max(0, v - u_i)`` at each value v, (m,)."""
        return self.below(self.cost_below[1:] * self.step)

    def rows_above(self, X: Floats) -> Floats:
        """Return the sums of lower rows of X after each upper row, in its group, by weight."""
        loops = choose(COMPILED)
        if loops is not None:
            mass = (~self.upper).astype(np.float64) if self.mass is None else self.mass
            last = np.array([self.row.size - 1]) if self.last is None else self.last
            return np.asarray(loops.rows_above(X, self.row, self.upper, mass, last))
        lower = self.row[~self.upper]
        sums = np.zeros((lower.size + 1, X.shape[1]))
        rows = X[lower[::-1]]
        if self.mass is not None:
            rows *= self.mass[~self.upper][::-1, None]
        np.cumsum(rows, axis=0, out=sums[1:])
        after = lower.size - np.cumsum(~self.upper)[self.upper]
        counted = np.asarray(sums[after])
        if self.last is not None:
            inside = self.above((~self.upper[1:]).astype(np.float64))
            counted -= sums[after - inside[self.upper].astype(np.int64)]
        return counted


class SquaredHingePairs(PairRisk):
    """The squared hinge: a pair counts where ``s_i - s_j < 1``."""

    @cached_property
    def _roles(self) -> tuple[Ints, Bools, Ints]:
        """Row, whether it is the upper one, and group: of lower rows of pairs, then upper ones."""
        as_upper, as_lower = self.order.part()
        lower, upper = np.flatnonzero(as_lower), np.flatnonzero(as_upper)
        row = np.concatenate((lower, upper))
        return row, np.arange(row.size) >= lower.size, self.order.group[row]

    @cached_property
    def _levels(self) -> list[Level]:
        """What each lower level is compared with."""
        row, upper, group = self._roles
        level, found, w = self.order.level[row], [], self.order.factor
        for low in sorted({low for low, *_ in self.order.level_pairs()}):
            cost = np.where(upper, self.order.costs[low, level], 0.0)
            here, mass = np.where(upper, cost > 0.0, level == low), None
            if w is not None:
                cost, mass = cost * w[row], np.where(upper, 0.0, w[row])
            first = last = None
            if self.order.counts.shape[0] > 1:
                ranked = np.sort(group[here])
                first = np.searchsorted(ranked, ranked)
                last = np.searchsorted(ranked, ranked, side="right") - 1
            found.append(Level(here, cost, mass, first, last))
        return found

    _last: tuple[Floats, list[Merged]] | None = None

    def _merged(self, s: Floats) -> Iterable[Merged]:
        """Return, by lower level, the rows in the order of their values, group by group."""
        if s.size > KEPT_ROWS:
            return self._sorted(s)
        if self._last is None or not np.array_equal(self._last[0], s):
            self._last = s.copy(), list(self._sorted(s))
        return self._last[1]

    def _sorted(self, s: Floats) -> Iterator[Merged]:
        row, upper, group = self._roles
        value = s[row] - upper
        by_value = np.argsort(value)
        if self.order.counts.shape[0] > 1:
            group = group.astype(np.uint16) if self.order.counts.shape[0] < NARROW else group
            by_value = by_value[np.argsort(group[by_value], kind="stable")]
        for level in self._levels:
            at = by_value[level.here[by_value]] if len(self._levels) > 1 else by_value
            ranked = value[at]
            gap = ranked[1:] - ranked[:-1]
            if level.first is not None:
                gap[level.first[1:] == np.arange(1, at.size)] = 0.0
            mass = None if level.mass is None else level.mass[at]
            yield Merged(row[at], upper[at], level.cost[at], mass, gap, level.first, level.last)

    def value(self, s: Floats) -> float:
        """Return the risk."""
        return self.scale * sum(float(m.cost @ m.squares) for m in self._merged(s))

    def slope(self, s: Floats) -> Floats:
        """Return the derivative with respect to each score."""
        r = np.zeros(s.shape[0])
        for m in self._merged(s):
            deficit = m.deficit if m.mass is None else m.deficit * m.mass
            r[m.row] += np.where(m.upper, -m.cost * m.excess, deficit)
        r *= 2.0 * self.scale
        return r

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w, from the pairs that count."""
        degree, cross = np.zeros(s.shape[0]), np.zeros((X.shape[1], X.shape[1]))
        for m in self._merged(s):
            below = m.cost_below if m.mass is None else m.cost_below * m.mass
            degree[m.row] += np.where(m.upper, m.cost * m.lower_above, below)
            cross += (X[m.row[m.upper]] * m.cost[m.upper][:, None]).T @ m.rows_above(X)
        A = X * np.sqrt(degree)[:, None]
        H: Floats = 2.0 * self.scale * (A.T @ A - cross - cross.T)
        return H
