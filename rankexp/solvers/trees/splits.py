"""Splits of a node of an oriented tree, by a threshold on one feature.

A split is judged by charges of the examples: integers whose sum over one side, taken twice, less
that over all, says how much better the side is above the other than below it. So one cumulative
sum in the order of each feature judges all its thresholds, in both orientations.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Bools, Floats, Ints
from rankexp.compiled import choose
from rankexp.metrics.dominance import runs

COMPILED = "rankexp.solvers.trees.splits_numba"
Table = npt.NDArray[np.signedinteger[Any]]


class Threshold(NamedTuple):
    """A split: rows whose feature is at most the threshold go to one side.

    `threshold`: midway between two values that the feature takes. `low_first`: whether these rows
    are the ones ranked above the others (the left child).
    """

    feature: int
    threshold: float
    low_first: bool

    def left(self, X: Floats, rows: Any = slice(None)) -> Bools:
        """Return which of some rows of X go to the left child."""
        low: Bools = X[rows, self.feature] <= self.threshold
        return low if self.low_first else ~low


@dataclass(frozen=True)
class Sorted:
    """The rows of a node in the order of each feature and of y, which is the last.

    `rows` (d + 1, m), int: rows of the whole training set. `values` (d + 1, m): ascending along
    the second axis.
    """

    rows: Ints
    values: Floats

    @property
    def size(self) -> int:
        """Number of rows."""
        return int(self.rows.shape[1])

    @property
    def y(self) -> Floats:
        """The targets, ascending, (m,)."""
        return np.asarray(self.values[-1])

    @property
    def by_y(self) -> Ints:
        """The rows in ascending order of y, (m,)."""
        return np.asarray(self.rows[-1])

    def part(self, member: Bools, numba: bool | None = None) -> "Sorted":
        """Return the rows that a mask over the whole training set, (n,), selects, in O(d m)."""
        compiled = choose(COMPILED, numba)
        if compiled is not None:
            size = int(np.count_nonzero(member[self.by_y]))
            return Sorted(*compiled.part(self.rows, self.values, member, size))
        kept = member[self.rows]
        shape = (len(self.rows), -1)
        return Sorted(self.rows[kept].reshape(shape), self.values[kept].reshape(shape))


def presort(X: Floats, y: Floats) -> Sorted:
    """Sort the root's rows by each feature, and by y: the only sorts that a tree needs."""
    columns = np.vstack((X.T, y))
    rows = columns.argsort(axis=1)
    return Sorted(rows, np.take_along_axis(columns, rows, axis=1))


def kendall_charges(node: Sorted) -> Ints:
    """Return #{y below} - #{y above} for each row by y, (m,), within the node.

    Moving a row across a split changes the concordant less the discordant pairs by just this
    number, wherever the split is: pairs on one side cancel.
    """
    below, upto = runs(node.y)
    return below + upto - node.size


def halves(node: Sorted) -> Ints:
    """Return labels by y, (m,): +1 above a median of y, else -1; 0 for all if y is constant.

    Among the cuts between distinct values the most balanced one; of two equally so, the higher,
    which is the paper's Y > median where no values tie (clemencon2017, section 5.2, 3 (a)).
    """
    m = node.size
    cuts = (node.y[1:] != node.y[:-1]).nonzero()[0] + 1
    if not cuts.size:
        return np.zeros(m, dtype=np.int64)
    distance = np.abs(2 * cuts - m)
    cut = cuts[distance == distance.min()].max()
    return np.where(np.arange(m) < cut, -1, 1)


def best_threshold_split(
    node: Sorted,
    charges: Ints,
    features: Ints,
    n: int,
    *,
    least: int = 1,
    count_ties: bool = False,
    numba: bool | None = None,
) -> Threshold | None:
    """Return the split that the charges judge best, or None where none gains anything.

    `charges` (m,), by y: with :func:`kendall_charges` the best split has the greatest empirical
    Kendall tau (clemencon2017, (8)), with :func:`halves` the least classification error. Of those
    equally good the first of the `features` wins, then the lowest threshold. `n`: rows of the
    whole training set. `least`: rows on a side. `count_ties`: take off the pairs with equal y
    across the split, which are never in order in (8) but count 1/2 while their scores are equal.
    """
    m = node.size
    if m < 2 * least:
        return None
    every = np.array_equal(features, np.arange(len(node.rows) - 1))
    chosen = slice(-1) if every else features  # a slice makes no copy
    rows, values = node.rows[chosen], node.values[chosen]
    # The tables by row are read out of order, so small integers are fast.
    by_row: Table = np.empty(n, dtype=np.int32 if n < 2**31 else np.int64)
    by_row[node.by_y] = charges
    level, sizes = _levels(node, by_row) if count_ties else (by_row, charges[:0])
    tied = bool((sizes > 1).any())
    compiled = choose(COMPILED, numba)
    if compiled is not None:
        place, at, excess = compiled.best_place(rows, values, by_row, level, sizes, least, tied)
    else:
        ties = _ties_across(rows, level, sizes) if tied else 0
        place, at, excess = _best_place(rows, values, by_row, ties, least)
    if place < 0:
        return None
    low, high = values[place, at : at + 2].tolist()
    return Threshold(int(features[place]), midpoint(low, high), excess > 0)


def _best_place(
    rows: Ints, values: Floats, by_row: Table, ties: Ints | int, least: int
) -> tuple[int, int, int]:
    """Return the index of the best feature, the place before its cut, and the excess there.

    The first is -1 where no cut gains anything.
    """
    m = rows.shape[1]
    excess = by_row[rows].cumsum(axis=1)
    total = int(excess[0, -1])
    excess = excess[:, :-1]
    excess *= 2
    excess -= total
    gain = np.abs(excess)
    gain -= 2 * ties
    gain[values[:, 1:] == values[:, :-1]] = abs(total)
    window = gain[:, least - 1 : m - least]
    place, at = divmod(int(window.argmax()), window.shape[1])
    if window[place, at] <= abs(total):
        return -1, 0, 0
    at += least - 1
    return place, at, int(excess[place, at])


def midpoint(low: float, high: float) -> float:
    """Return a number t with low <= t < high, midway but for rounding."""
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


def _levels(node: Sorted, like: Table) -> tuple[Table, Ints]:
    """Return the number of each row's y among the distinct ones, (n,), and how many rows have it.

    Rows of other nodes have any number.
    """
    ascending = np.concatenate(([0], (node.y[1:] != node.y[:-1]).cumsum()))
    level = np.empty_like(like)
    level[node.by_y] = ascending
    return level, np.bincount(ascending)


def _ties_across(rows: Ints, level: Table, sizes: Ints) -> Ints:
    """Return the pairs with equal y across each split, (features, m - 1).

    The i-th row of its value to cross, of c with this value, leaves i - 1 and meets c - i.
    """
    m = rows.shape[1]
    levels = level[rows]
    narrow = levels.astype(np.uint16) if sizes.size < 2**16 else levels  # sorted by radix
    order = narrow.argsort(axis=1, kind="stable")
    starts = (sizes.cumsum() - sizes).repeat(sizes)
    earlier = np.empty_like(rows)
    np.put_along_axis(earlier, order, np.broadcast_to(np.arange(m) - starts, rows.shape), axis=1)
    met = sizes[levels] - 1 - 2 * earlier
    return np.asarray(met.cumsum(axis=1)[:, :-1])
