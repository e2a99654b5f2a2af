"""The squared hinge of pairs: sums over the sorted scores in O(n log n + K n).

With ``u_i = s_i - 1`` of upper rows a pair counts ``max(0, s_j - u_i)²``. In the order of all u_i
and s_j, what an upper row needs are a count and sums over the lower rows above it, those of the
distances from the highest one, ``top - s_j``; and a lower row those over the upper rows below it,
of the distances from the lowest one. As that one counts, too, nothing cancels but what is as
small as rounding, however far the scores lie from 0 or from each other.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rankexp.arrays import Bools, Floats, Ints
from rankexp.solvers.pairs.pair_risk import PairRisk

KEPT_ROWS = 100_000  # with fewer their order is kept for the next call at the same scores
NARROW = 2**16  # fewer groups are sorted by their digits, in linear time


class Level(NamedTuple):
    """A lower level and the upper rows with a cost against it; of one group, ends are numbers."""

    here: Bools  # which roles those are
    cost: Floats  # like mass what the roles count
    mass: Floats
    ends: tuple[Ints, Ints]  # of the lower rows of each upper's and each lower's group
    starts: tuple[Ints, Ints]  # of the upper rows of each lower's and each upper's group


@dataclass(frozen=True)
class Merged:
    """The rows of one `Level`, each side in the order of its values, group by group."""

    level: Level
    upper: Ints  # rows, values `u`, and what they count, `cost`
    u: Floats
    cost: Floats
    above: Ints  # of each upper row the place of the first lower one above it
    lower: Ints  # rows, values `t`, and what they count, `mass`
    t: Floats
    mass: Floats
    below: Ints  # of each lower row the number of upper ones before it

    def over(self, x: Floats | None = None) -> Floats:
        """Return the weighted sums of x (lower,), or of 1, over lower rows above each upper."""
        above, end = self.above, self.level.ends[0]
        if x is None and not self.mass.ndim:
            return self.mass * (end - above)
        total = np.zeros(self.lower.size + 1)
        np.cumsum((self.mass if x is None else self.mass * x)[::-1], out=total[-2::-1])
        return total[above] - total[end]

    def under(self, x: Floats | None = None) -> Floats:
        """Return the weighted sums of x (upper,), or of 1, over upper rows below each lower."""
        begin, below = self.level.starts[0], self.below
        if x is None and not self.cost.ndim:
            return self.cost * (below - begin)
        total = np.zeros(self.upper.size + 1)
        np.cumsum(self.cost if x is None else self.cost * x, out=total[1:])
        return total[below] - total[begin]

    def excess(self, squared: bool = False) -> Floats:
        """Return ``sum over lower rows j of max(0, s_j - u)`` of each upper row, or of squares."""
        far = self.t[self.level.ends[1] - 1] - self.t
        if self.level.ends[1].ndim:
            far[self.below == self.level.starts[0]] = 0.0
        deep = self.t[self.level.ends[0] - 1] - self.u
        first, found = self.over(far), self.over()
        found *= deep
        found -= first
        if squared:
            found -= first
            found *= deep
            found += self.over(far * far)
        return found

    def deficit(self) -> Floats:
        """Return ``sum over upper rows i of cost max(0, t - u_i)`` of each lower row."""
        high = self.u - self.u[self.level.starts[1]]
        if self.level.starts[1].ndim:
            high[self.above == self.level.ends[0]] = 0.0
        found = self.t - self.u[np.minimum(self.level.starts[0], self.u.size - 1)]
        found *= self.under()
        found -= self.under(high)
        return found

    def rows_over(self, X: Floats) -> Floats:
        """Return the weighted sums of X over the lower rows above each upper one, (upper, d)."""
        from rankexp.solvers.loops import rows_over

        mass, ends = np.atleast_1d(self.mass), np.atleast_1d(self.level.ends[0])
        return rows_over(X, self.lower, mass, self.above, ends)


class SquaredHingePairs(PairRisk):
    """The squared hinge: a pair counts where ``s_i - s_j < 1``."""

    @property
    def _plain(self) -> bool:
        counts = self.order.counts
        return self.order.factor is None and counts.shape == (1, 2) and bool(counts.all())

    @cached_property
    def _roles(self) -> tuple[Ints, int, Ints]:
        """Return the rows of roles, the first lower rows of pairs, their number, and groups."""
        if self._plain:
            up = self.order.level > 0
            lower, upper = np.flatnonzero(~up), np.flatnonzero(up)
            return np.concatenate((lower, upper)), lower.size, np.empty(0, np.int64)
        as_upper, as_lower = self.order.part()
        lower, upper = np.flatnonzero(as_lower), np.flatnonzero(as_upper)
        row = np.concatenate((lower, upper))
        few = self.order.counts.shape[0] <= NARROW
        return row, lower.size, self.order.group[row].astype(np.uint16 if few else np.int64)

    @cached_property
    def _levels(self) -> list[Level]:
        (row, lower, group), found, w = self._roles, [], self.order.factor
        if self._plain:
            cost, end, start = np.asarray(self.order.costs[0, 1]), np.array(lower), np.array(0)
            return [Level(np.ones(row.size, bool), cost, np.ones(()), (end, end), (start, start))]
        level, is_upper = self.order.level[row], np.arange(row.size) >= lower
        for low in sorted({low for low, *_ in self.order.level_pairs()}):
            cost, mass = self.order.costs[low, level], np.ones(())
            here = np.where(is_upper, cost > 0.0, level == low)
            up, down = np.sort(group[here & is_upper]), np.sort(group[here & ~is_upper])
            if not (up.size and down.size):  # in pairs of no group
                continue
            if w is not None:
                cost, mass = cost * w[row], w[row]
            elif (cost[here & is_upper] == cost.max()).all():
                cost = np.asarray(cost.max())  # of all, which need not be gathered
            ends, starts = (np.array(down.size),) * 2, (np.array(0),) * 2
            if self.order.counts.shape[0] > 1:
                ends = down.searchsorted(up, side="right"), down.searchsorted(down, side="right")
                starts = up.searchsorted(down), up.searchsorted(up)
            found.append(Level(here, cost, mass, ends, starts))
        return found

    def _prepare(self, s: Floats) -> list[Merged]:
        return list(self._sorted(s))

    def _merged(self, s: Floats) -> Iterable[Merged]:
        kept: list[Merged] | None = None if s.size > KEPT_ROWS else self.prepared(s)
        return self._sorted(s) if kept is None else kept

    def _sorted(self, s: Floats) -> Iterator[Merged]:
        row, lower, group = self._roles
        value = s[row]
        value[lower:] -= 1.0
        order = np.argsort(value)
        if self.order.counts.shape[0] > 1:
            order = order[np.argsort(group[order], kind="stable")]
        for level in self._levels:
            at = order if level.here.all() else order[np.flatnonzero(level.here[order])]
            yield self._side_by_side(level, at, value)

    def _side_by_side(self, level: Level, at: Ints, value: Floats) -> Merged:
        row, lower, _ = self._roles
        is_upper = at >= lower
        i, j = np.flatnonzero(is_upper), np.flatnonzero(~is_upper)
        up, down = at[i], at[j]
        i -= np.arange(i.size)
        j -= np.arange(j.size)
        cost = level.cost[up] if level.cost.ndim else level.cost
        mass = level.mass[down] if level.mass.ndim else level.mass
        return Merged(level, row[up], value[up], cost, i, row[down], value[down], mass, j)

    def value(self, s: Floats) -> float:
        return self.scale * sum(
            float((m.cost * m.excess(squared=True)).sum()) for m in self._merged(s)
        )

    def slope(self, s: Floats) -> Floats:
        r = np.zeros(s.shape[0])
        for m in self._merged(s):
            r[m.upper] -= m.cost * m.excess()
            r[m.lower] += m.mass * m.deficit()
        r *= 2.0 * self.scale
        return r

    def steps(self, s: Floats) -> tuple[Floats, Floats]:
        r, h = np.zeros(s.shape[0]), np.zeros(s.shape[0])
        for m in self._merged(s):
            r[m.upper] -= m.cost * m.excess()
            r[m.lower] += m.mass * m.deficit()
            h[m.upper] += m.cost * m.over()
            h[m.lower] += m.mass * m.under()
        r *= 2.0 * self.scale
        h *= 2.0 * self.scale
        return r, h

    def hessian(self, X: Floats, s: Floats) -> Floats:
        degree, cross = np.zeros(s.shape[0]), np.zeros((X.shape[1], X.shape[1]))
        for m in self._merged(s):
            degree[m.upper] += m.cost * m.over()
            degree[m.lower] += m.mass * m.under()
            cross += (X[m.upper] * m.cost[..., None]).T @ m.rows_over(X)
        A = X * np.sqrt(degree)[:, None]
        H: Floats = 2.0 * self.scale * (A.T @ A - cross - cross.T)
        return H
