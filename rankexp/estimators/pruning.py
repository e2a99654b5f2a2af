"""Pruning an oriented tree: which siblings to merge first, and when to stop.

Kendall's tau and the IAUC are sums over pairs of examples, and only one node of the tree separates
a pair: the last one that has both. So a subtree's measure is that of a single leaf plus the gains
of its inner nodes, and merging two leaves subtracts the gain of their parent.
"""

from collections.abc import Callable

import numpy as np
from sklearn.model_selection import KFold

from rankexp.arrays import Floats, Ints
from rankexp.solvers.trees.splits import Node, cells

Key = tuple[int, int]
Grow = Callable[[Floats, Floats, np.random.RandomState], Node]


def prune(
    root: Node, X: Floats, y: Floats, grow: Grow, measure: str, cv: int, rng: np.random.RandomState
) -> Floats:
    """Collapse a tree, in place, to the number of leaves with the best cross-validated measure.

    Return the mean measure, (6) or (8) of clemencon2017, by leaves; NaN if no fold has a pair.
    """
    merges = merge_order(root, gains(root, X, y, measure))
    values = np.full(len(merges) + 1, np.nan)
    folds = min(cv, len(y))
    if folds < 2 or not merges:
        return values
    judged = []
    for train, test in KFold(folds, shuffle=True, random_state=rng).split(X):
        possible = _greatest(y[test], measure)
        if possible == 0:
            continue
        tree = grow(X[train], y[train], rng)
        order = merge_order(tree, gains(tree, X[train], y[train], measure))
        found = gains(tree, X[test], y[test], measure)
        kept = np.cumsum([0, *(found.get(key, 0) for key in reversed(order))])
        at = np.minimum(np.arange(values.size), kept.size - 1)
        judged.append(0.5 + kept[at] / (2 * possible))
    if not judged:
        return values
    means = np.asarray(np.mean(judged, axis=0), dtype=np.float64)
    merged = set(merges[: means.size - 1 - int(means.argmax())])
    for node in list(root.walk()):
        if node.key in merged:
            node.collapse()
    return means


def merge_order(root: Node, gain: dict[Key, int]) -> list[Key]:
    """Return the inner nodes in the order in which merging their children costs least.

    Only nodes whose children are both leaves can be merged (section 5.2).
    """
    inner = {node.key for node in root.walk() if node.rule is not None}
    order: list[Key] = []
    while inner:
        ripe = [(j, k) for j, k in inner if not inner & {(j + 1, 2 * k), (j + 1, 2 * k + 1)}]
        order.append(min(ripe, key=lambda key: (gain.get(key, 0), key)))
        inner.remove(order[-1])
    return order


def gains(root: Node, X: Floats, y: Floats, measure: str) -> dict[Key, int]:
    """Return how much each inner node's split raises a measure on some examples.

    The unit is half a pair, or half a triple: twice the gain in the number of pairs (triples) in
    order, where ties of the scores count 1/2.
    """
    ascending = np.sort(y)
    below = ascending.searchsorted(y, "left")
    upto = ascending.searchsorted(y, "right")
    rows_of = {node.key: rows for node, rows in cells(root, X)}
    nothing = np.zeros(0, dtype=np.int64)
    found = {}
    for node in root.walk():
        children = node.children()
        if children is None or node.key not in rows_of:
            continue
        left, right = (np.sort(rows_of.get(child.key, nothing)) for child in children)
        high, low = below[left], below[right]
        if measure == "tau":  # with equal y, a pair loses its half, too
            won = np.sort(low).searchsorted(high, "left").sum()
            found[node.key] = int(2 * won - high.size * low.size)
        else:
            wrong = _middles(high, upto[left], low)
            found[node.key] = _middles(low, upto[right], high) - wrong
    return found


def _middles(start: Ints, start_upto: Ints, end: Ints) -> int:
    """Add up the examples strictly between, over pairs with the start's y below the end's."""
    order = start.argsort()
    upto = np.concatenate(([0], np.cumsum(start_upto[order])))
    count = start[order].searchsorted(end, "left")
    return int((end * count - upto[count]).sum())


def _greatest(y: Floats, measure: str) -> int:
    n = len(y)
    if measure == "tau":
        return n * (n - 1) // 2
    ascending = np.sort(y)
    below = ascending.searchsorted(ascending, "left")
    return int((below * (n - ascending.searchsorted(ascending, "right"))).sum())
