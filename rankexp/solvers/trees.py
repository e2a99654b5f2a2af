"""Oriented trees: their nodes, and their growth by splits at a threshold on one feature.

A split is judged by charges of the examples: integers whose sum over one side, taken twice, less
that over all, says how much better the side is above the other than below it. So one cumulative
sum in the order of each feature judges all its thresholds, in both orientations.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Bools, Floats, Ints, Signed

Nodes = npt.NDArray[np.void]
NODE = np.dtype(
    [
        ("j", np.int32),
        ("k", np.int64),
        ("size", np.int64),  # training examples
        ("right", np.int64),  # where the right child stands: 0 for a leaf, -1 below a merged node
        ("feature", np.int64),
        ("threshold", np.float64),
        ("low_first", np.bool_),
    ],
    align=True,
)


class Threshold(NamedTuple):
    """A split: rows whose feature is at most the threshold go to one side."""

    feature: int
    threshold: float  # midway between two values of the feature
    low_first: bool  # these rows are ranked above the others (the left child)

    def left(self, X: Floats, rows: Ints | slice = slice(None)) -> Bools:
        low: Bools = X[rows, self.feature] <= self.threshold
        return low if self.low_first else ~low


class SplitRule(Protocol):
    """A rule that sends rows to the left child, which is ranked above the right one."""

    def left(self, X: Floats, rows: Ints | slice = slice(None)) -> Bools:
        """Return which of some rows of X go to the left child."""


@dataclass(frozen=True, eq=False)
class Node:
    """The cell C(j, k): the k-th from the left, from 0, at depth j; a leaf has no rule.

    The nodes of a tree stand in one array, each before its left child, and this one with all below
    it before the right child. `rules` are those that are no thresholds, by place.
    """

    nodes: Nodes
    rules: dict[int, SplitRule] = field(default_factory=dict)
    at: int = 0

    @property
    def key(self) -> tuple[int, int]:
        return int(self.nodes["j"][self.at]), int(self.nodes["k"][self.at])

    @property
    def size(self) -> int:
        return int(self.nodes["size"][self.at])

    @property
    def rule(self) -> SplitRule | None:
        row = self.nodes[self.at]
        if row["right"] <= 0:
            return None
        values = row[["feature", "threshold", "low_first"]].item()
        return self.rules.get(self.at) or Threshold(*values)

    def children(self) -> tuple["Node", "Node"] | None:
        right = int(self.nodes["right"][self.at])
        if right <= 0:
            return None
        return Node(self.nodes, self.rules, self.at + 1), Node(self.nodes, self.rules, right)

    def walk(self) -> Iterator["Node"]:
        """Yield the node and all below it, left before right."""
        yield self
        for child in self.children() or ():
            yield from child.walk()

    def collapse(self) -> None:
        """Make the node a leaf."""
        for node in list(self.walk()):
            self.nodes["right"][node.at] = -1
            self.rules.pop(node.at, None)
        self.nodes["right"][self.at] = 0

    def leaves(self, X: Floats) -> Ints:
        """Return where the leaf stands that each row of X falls into, (n,), from the root."""
        from rankexp.solvers.tree_loops import leaves

        if not self.rules:
            return leaves(self.nodes, X)
        found = np.empty(len(X), np.int64)
        for node, rows in cells(self, X):
            found[rows] = node.at  # of its leaf in the end, which comes last
        return found


def scores(nodes: Nodes, depth: int) -> Floats:
    """Return 2^J (1 - k/2^j), the scores of leaves (clemencon2017, (9))."""
    share = np.ldexp(nodes["k"].astype(np.float64), -nodes["j"])  # unlike powers always exact
    return np.asarray(np.ldexp(1.0 - share, depth))


def cells(root: Node, X: Floats) -> Iterator[tuple[Node, Ints]]:
    """Yield the nodes that rows of X fall into, with these rows: leaves and those above them."""
    waiting = [(root, np.arange(len(X)))]
    while waiting:
        node, rows = waiting.pop()
        yield node, rows
        rule, children = node.rule, node.children()
        if rule is None or children is None or not rows.size:
            continue
        left = rule.left(X, rows)
        waiting += [(children[1], rows[~left]), (children[0], rows[left])]


class Limits(NamedTuple):
    """What bounds growth, and how splits are charged."""

    depth: int
    least: int  # examples in a leaf
    shown: int  # features that a node draws
    halves: bool  # whether y above its median is charged, else Kendall's tau
    ties: bool  # whether pairs with equal y across a split are taken off


class Bed(NamedTuple):
    """What a tree grows on, and the room for it."""

    limits: Limits
    columns: Floats  # (d, n): the features
    y: Floats
    rows: Signed  # (2, d + 1, n): in the order of each feature, and of y; depths take turns
    twice: Ints  # (n,): twice a row's charge
    level: Ints  # (n,): the number of its y in its node
    sizes: Ints  # (n,): how many examples have the y of this number
    features: Ints  # (d,): in the order in which a node looks at them
    left: Bools  # (n,): whether a row goes left
    count: Ints  # (n,): how often it counts
    words: npt.NDArray[np.uint32]  # random ones
    used: Ints  # (1,): how many of them
    nodes: Nodes


class Thresholds:
    """Grows trees on rows X (n, d) and real targets y (n,), whose order alone matters."""

    def __init__(self, X: Floats, y: Floats, limits: Limits):
        n, d = X.shape
        columns, numbers = np.vstack((X.T, y)), np.empty((3, n), np.int64)
        self.orders = columns.argsort(axis=1).astype(np.int32 if n < 2**31 else np.int64)
        rows, left = np.empty((2, d + 1, n), self.orders.dtype), np.empty(n, np.bool_)
        self.shared = (limits, columns[:-1], columns[-1], rows, *numbers, np.arange(d), left)
        self.stream = np.random.RandomState(0)

    def grow(self, count: Ints | None, random: int | np.random.RandomState) -> Node:
        """Return the root of a tree on each row as often as it counts, (n,), or once.

        Nodes draw their features as if by ``random.permutation``, in the order of the array.
        """
        from rankexp.solvers.tree_loops import grow, part

        limits, columns, y, rows, *_ = self.shared
        count = np.ones(y.size, np.int64) if count is None else count
        total, some = int(count.sum()), np.count_nonzero(count)
        most = max(min(2**limits.depth, total // limits.least), 1)
        # Words for as many permutations as a tree can need, which take 1.4 d at most on average.
        amount = (most - 1) * len(columns) * 3 // 2 + 99 if limits.shown < len(columns) else 0
        if given := isinstance(random, np.random.RandomState):
            stream, state = random, random.get_state(legacy=False)
        else:
            stream = self.stream
            stream.seed(random)
        size, used, words = -1, np.zeros(1, np.int64), np.zeros(0, np.uint32)
        while size < 0:
            words = np.append(words, stream.randint(2**32, size=amount, dtype=np.uint32))
            nodes = np.zeros(2 * most - 1, NODE)
            nodes["size"][0], used[0] = total, 0
            part(self.orders, 0, y.size, count > 0, rows[0], some)
            size = grow(Bed(*self.shared, count, words, used, nodes), 0, 0, some)
        if given:  # it goes on after the words that were used
            stream.set_state(state)
            stream.randint(2**32, size=used[0], dtype=np.uint32)
        return Node(nodes[:size].copy())


def halves(ascending: Floats) -> Ints:
    """Return labels of y, (m,): +1 above a median of y, else -1; 0 for all if y is constant."""
    # The most balanced cut, of two the higher: Y > median (clemencon2017, section 5.2, 3 (a)).
    m = ascending.size
    cuts = (ascending[1:] != ascending[:-1]).nonzero()[0] + 1
    if not cuts.size:
        return np.zeros(m, dtype=np.int64)
    distance = np.abs(2 * cuts - m)
    cut = cuts[distance == distance.min()].max()
    return np.where(np.arange(m) < cut, -1, 1)
