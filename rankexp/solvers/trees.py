"""Oriented trees: their nodes, and their growth by splits at a threshold on one feature.

A split is judged by charges of the examples: integers whose sum over one side, taken twice, less
that over all, says how much better the side is above the other than below it. So one cumulative
sum in the order of each feature judges all its thresholds, in both orientations.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Bools, Floats, Ints, Signed

Nodes = npt.NDArray[np.void]
NODE = np.dtype("i4, i8, i8, i8, i8, f8, ?", align=True)
NODE.names = ("j", "k", "size", "right", "feature", "threshold", "low_first")
"""`size` counts training examples; `right` says where that child stands: 0 for a leaf, -1 below a
merged node. Rows whose feature is at most the threshold go left if `low_first`, else right.
"""
Rule = Callable[[Floats, Ints], Bools]
"""Tell which rows of X go to the left child, which is ranked above the right one."""


class Tree(NamedTuple):
    """A tree's nodes: each before its left child, this with all below it before the right one."""

    nodes: Nodes
    rules: dict[int, Rule]  # of nodes without a threshold, by place

    def inner(self) -> dict[tuple[int, int], int]:
        """Return where nodes with children stand: C(j, k), the k-th from the left at depth j."""
        at = (self.nodes["right"] > 0).nonzero()[0]
        return dict(zip(self.nodes[["j", "k"]][at].tolist(), at.tolist(), strict=True))

    def last(self, at: int) -> int:
        """Return where the last node below one stands."""
        while (right := int(self.nodes["right"][at])) > 0:
            at = right
        return at

    def collapse(self, at: int) -> None:
        """Make a node a leaf."""
        below = range(at + 1, self.last(at) + 1)
        self.nodes["right"][at], self.nodes["right"][below] = 0, -1
        for place in (at, *below):
            self.rules.pop(place, None)

    def leaves(self, X: Floats) -> Ints:
        """Return where the leaf stands that each row of X falls into, (n,)."""
        from rankexp.solvers.tree_loops import leaves

        if not self.rules:
            return leaves(self.nodes, X)
        found = np.zeros(len(X), np.int64)
        for at, rule in sorted(self.rules.items()):
            rows = (found == at).nonzero()[0]
            found[rows] = np.where(rule(X, rows), at + 1, self.nodes["right"][at])
        return found


def scores(nodes: Nodes, depth: int) -> Floats:
    """Return 2^J (1 - k/2^j), the scores of leaves (clemencon2017, (9))."""
    share = np.ldexp(nodes["k"].astype(np.float64), -nodes["j"])  # always exact, unlike a power
    return np.asarray(np.ldexp(1.0 - share, depth))


Grow = Callable[[Ints | None, np.random.RandomState], Tree]
"""Grow a tree on each row as often as it counts, or once."""


class Bed(NamedTuple):
    """What a tree grows on, and the room for it."""

    depth: int
    least: int  # examples in a leaf
    shown: int  # features that a node draws
    halves: bool  # whether y above its median is charged, else Kendall's tau
    ties: bool  # whether pairs with equal y across a split are taken off
    columns: Floats  # (d, n): the features
    y: Floats
    rows: Signed  # (2, d + 1, n): in the order of each feature, and of y; depths take turns
    twice: Ints  # (n,): twice a row's charge
    level: Ints  # (n,): the number of its y in its node
    sizes: Ints  # (n,): how many examples have the y of this number
    features: Ints  # (d,): in the order in which a node looks at them
    left: Bools  # (n,): whether a row goes left
    counts: Ints  # (n,): how often it counts
    words: Ints  # random ones
    used: Ints  # (1,): how many of them
    nodes: Nodes


def by_thresholds(
    X: Floats, y: Floats, depth: int, least: int, shown: int, halves: bool, ties: bool
) -> Grow:
    """Return how to grow trees on rows X (n, d) and real targets y (n,), which are sorted once."""
    n, d = X.shape
    columns, (twice, level, sizes) = np.vstack((X.T, y)), np.empty((3, n), np.int64)
    orders: Signed = columns.argsort(axis=1).astype(np.int32 if n < 2**31 else np.int64)
    rows, left = np.array((orders, orders)), np.empty(n, np.bool_)
    limits, data = (depth, least, shown, halves, ties), (columns[:-1], columns[-1])
    shared = (*limits, *data, rows, twice, level, sizes, np.arange(d), left)

    def grow(counts: Ints | None, rng: np.random.RandomState) -> Tree:
        """Nodes draw features as if by ``rng.permutation``, in the order of the array."""
        from rankexp.solvers.tree_loops import grow, part

        counts = np.ones(n, np.int64) if counts is None else counts
        total, some = int(counts.sum()), int(np.count_nonzero(counts))
        most = max(min(2**depth, total // least), 1)
        # Words for as many permutations as a tree can need, which take 1.4 d at most on average.
        amount = (most - 1) * d * 3 // 2 + 99 if shown < d else 0
        state, size, words = rng.get_state(legacy=False), -1, np.zeros(0, np.int64)
        while size < 0:
            words = np.append(words, rng.randint(2**32, size=amount, dtype=np.uint32))
            nodes, used = np.zeros(2 * most - 1, NODE), np.zeros(1, np.int64)
            nodes["size"][0] = total
            part(orders, 0, n, counts > 0, rows[0], some)
            size = grow(Bed(*shared, counts, words, used, nodes), 0, 0, some)
        rng.set_state(state)  # and on after the words that were used
        rng.randint(2**32, size=used[0], dtype=np.uint32)
        return Tree(nodes[:size].copy(), {})

    return grow


def halves(ascending: Floats) -> Ints:
    """Return labels of y, (m,), which is not constant: +1 above a median, else -1."""
    # The most balanced cut, of two the higher: Y > median (clemencon2017, section 5.2, 3 (a)).
    cuts = (ascending[1:] != ascending[:-1]).nonzero()[0][::-1] + 1
    cut = cuts[np.abs(2 * cuts - ascending.size).argmin()]
    return np.where(np.arange(ascending.size) < cut, -1, 1)
