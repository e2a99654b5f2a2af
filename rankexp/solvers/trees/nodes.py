"""The nodes of an oriented tree, and the rows that fall into them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rankexp.arrays import Bools, Floats, Ints


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
