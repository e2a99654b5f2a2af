"""Oriented trees: their nodes, and splits by a threshold on one feature.

A split is judged by charges of the examples: integers whose sum over one side, taken twice, less
that over all, says how much better the side is above the other than below it. So one cumulative
sum in the order of each feature judges all its thresholds, in both orientations.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from rankexp.arrays import Bools, Floats, Ints, Signed
from rankexp.metrics.dominance import runs


class Threshold(NamedTuple):
    """A split: rows whose feature is at most the threshold go to one side."""

    feature: int
    threshold: float  # midway between two values of the feature
    low_first: bool  # these rows are ranked above the others (the left child)

    def left(self, X: Floats, rows: Ints | slice = slice(None)) -> Bools:
        low: Bools = X[rows, self.feature] <= self.threshold
        return low if self.low_first else ~low


@dataclass(frozen=True)
class Sorted:
    """The rows of a node in the order of each feature and of y, which is the last."""

    rows: Ints  # (d + 1, m): rows of the whole training set
    values: Floats  # (d + 1, m): ascending along the second axis

    @property
    def size(self) -> int:
        return int(self.rows.shape[1])

    @property
    def y(self) -> Floats:
        return np.asarray(self.values[-1])

    @property
    def by_y(self) -> Ints:
        return np.asarray(self.rows[-1])

    def part(self, member: Bools) -> "Sorted":
        """Return the rows that a mask over the whole training set, (n,), selects, in O(d m)."""
        from rankexp.solvers.loops import part

        size = int(np.count_nonzero(member[self.by_y]))
        return Sorted(*part(self.rows, self.values, member, size))


def presort(X: Floats, y: Floats) -> Sorted:
    """Sort the root's rows by each feature, and by y: the only sorts that a tree needs."""
    columns = np.vstack((X.T, y))
    rows = columns.argsort(axis=1)
    return Sorted(rows, np.take_along_axis(columns, rows, axis=1))


def kendall_charges(node: Sorted) -> Ints:
    """Return #{y below} - #{y above} for each row by y, (m,), within the node."""
    # A row's move across any split changes concordant less discordant pairs by just this number.
    below, upto = runs(node.y)
    return below + upto - node.size


def halves(node: Sorted) -> Ints:
    """Return labels by y, (m,): +1 above a median of y, else -1; 0 for all if y is constant."""
    # The most balanced cut, of two the higher: Y > median (clemencon2017, section 5.2, 3 (a)).
    m = node.size
    cuts = (node.y[1:] != node.y[:-1]).nonzero()[0] + 1
    if not cuts.size:
        return np.zeros(m, dtype=np.int64)
    distance = np.abs(2 * cuts - m)
    cut = cuts[distance == distance.min()].max()
    return np.where(np.arange(m) < cut, -1, 1)


def best_threshold_split(
    node: Sorted, charges: Ints, features: Ints, n: int, *, least: int = 1, ties: bool = False
) -> Threshold | None:
    """Return the split that the charges (m,) by y judge best, or None if none gains anything."""
    # `kendall_charges` give the greatest Kendall tau (clemencon2017, (8)), `halves` the least
    # error; of equals the first of the `features` wins, then the lowest threshold. `ties`:
    # take off pairs with equal y across the split, which (8) never counts as in order.
    from rankexp.solvers.loops import best_place

    if node.size < 2 * least:
        return None
    every = np.array_equal(features, np.arange(len(node.rows) - 1))
    chosen = slice(-1) if every else features  # a slice makes no copy
    rows, values = node.rows[chosen], node.values[chosen]
    by_row = _by_row(node, charges, n)
    level, sizes = by_row, charges[:0]
    if ties:  # the number of each row's y among the distinct ones, and their rows
        ascending = np.concatenate(([0], (node.y[1:] != node.y[:-1]).cumsum()))
        level, sizes = _by_row(node, ascending, n), np.bincount(ascending)
    ties = bool((sizes > 1).any())
    place, at, excess = best_place(rows, values, by_row, level, sizes, least, ties)
    if place < 0:
        return None
    middle = midpoint(*values[place, at : at + 2].tolist())
    return Threshold(int(features[place]), middle, excess > 0)


def midpoint(low: float, high: float) -> float:
    """Return a number t with low <= t < high, midway but for rounding."""
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


def _by_row(node: Sorted, values: Ints, n: int) -> Signed:
    """Return values by y as a table by row, (n,), of any numbers at rows of other nodes."""
    table: Signed = np.empty(n, dtype=np.int32 if n < 2**31 else np.int64)
    table[node.by_y] = values
    return table


class SplitRule(Protocol):
    """A rule that sends rows to the left child, which is ranked above the right one."""

    def left(self, X: Floats, rows: Ints | slice = slice(None)) -> Bools:
        """Return which of some rows of X go to the left child."""


@dataclass
class Node:
    """The cell C(j, k): the k-th from the left, from 0, at depth j; a leaf has no rule."""

    j: int
    k: int
    size: int
    rule: SplitRule | None = None
    left: "Node | None" = None
    right: "Node | None" = None

    @property
    def key(self) -> tuple[int, int]:
        return self.j, self.k

    def children(self) -> tuple["Node", "Node"] | None:
        return (self.left, self.right) if self.left and self.right else None

    def walk(self) -> Iterator["Node"]:
        """Yield the node and all below it, left before right."""
        yield self
        for child in self.children() or ():
            yield from child.walk()

    def collapse(self) -> None:
        self.rule = self.left = self.right = None

    def score(self, depth: int) -> float:
        """Return 2^J (1 - k/2^j), the score of a leaf (clemencon2017, (9))."""
        return 2.0**depth * (1.0 - self.k / 2.0**self.j)


def cells(root: Node, X: Floats) -> Iterator[tuple[Node, Ints]]:
    """Yield the nodes that rows of X fall into, with these rows: leaves and those above them."""
    waiting = [(root, np.arange(len(X)))]
    while waiting:
        node, rows = waiting.pop()
        yield node, rows
        children = node.children()
        if node.rule is None or children is None or not rows.size:
            continue
        left = node.rule.left(X, rows)
        waiting += [(children[1], rows[~left]), (children[0], rows[left])]
