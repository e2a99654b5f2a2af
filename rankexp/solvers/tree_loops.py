"""The compiled growth of oriented trees, and the way down them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankexp.arrays import Bools, Floats, Ints, Signed
from rankexp.compiled import njit

if TYPE_CHECKING:
    from rankexp.solvers.trees import Bed, Nodes


@njit
def permute(bed: Bed) -> bool:
    """Order the features as ``RandomState.permutation`` does; return if the words suffice."""
    order, used, mask = bed.features, bed.used[0], 0xFFFFFFFF
    order[:] = np.arange(order.size)
    for i in range(order.size - 1, 0, -1):
        while mask >> 1 >= i:
            mask >>= 1
        other = i + 1
        while other > i:
            if used == bed.words.size:
                return False
            other = bed.words[used] & mask
            used += 1
        order[i], order[other] = order[other], order[i]
    bed.used[0] = used
    return True


@njit
def charge(bed: Bed, by_y: Signed, size: int) -> int:
    """Write twice the charge of each row; return how many levels y has if ties count, or 0."""
    # A row's charge is #{y below} - #{y above}: moving it across any split changes concordant less
    # discordant pairs by just this number. Or, for `halves`, it is +1 above the median of y, else
    # -1: at the cut that gives the most equal halves, of two the higher.
    below = start = levels = cut = 0
    nearest = size
    while start < by_y.size:
        stop, same, value = start, 0, bed.y[by_y[start]]
        while stop < by_y.size and bed.y[by_y[stop]] == value:
            same += bed.counts[by_y[stop]]
            stop += 1
        for i in range(start, stop):
            row = by_y[i]
            bed.twice[row] = 2 * bed.counts[row] * (2 * below + same - size)
            bed.level[row] = levels
        if abs(2 * below - size) <= nearest:
            nearest, cut = abs(2 * below - size), start
        bed.sizes[levels] = same
        below += same
        levels += 1
        start = stop
    if bed.halves:
        for i in range(by_y.size):
            bed.twice[by_y[i]] = 2 * bed.counts[by_y[i]] * (1 if i >= cut else -1)
    return levels if bed.ties and levels < by_y.size else 0


@njit
def best_place(bed: Bed, rows: Signed, some: Ints, size: int, levels: int) -> tuple[int, int, int]:
    """Return the best of some features, or -1, the place before its cut, and its excess.

    With `levels`, pairs with equal y across the cut are taken off.
    """
    total, least = bed.twice[rows[-1]].sum() // 2, bed.least
    best, chosen, place, best_excess = abs(total), -1, 0, 0
    rest = np.empty(levels, np.int64)  # how many of a level are above the cut, less those below
    for f in some:
        x, order = bed.columns[f], rows[f]
        rest[:] = bed.sizes[:levels]
        excess, parted, seen = -total, 0, 0
        for i in range(order.size - 1):
            row = order[i]
            own = bed.counts[row]
            seen += own
            excess += bed.twice[row]
            if levels:
                k = bed.level[row]
                parted += own * (rest[k] - own)
                rest[k] -= 2 * own
            gain = abs(excess) - 2 * parted
            if gain > best and least <= seen <= size - least and x[row] != x[order[i + 1]]:
                best, chosen, place, best_excess = gain, f, i, excess
    return chosen, place, best_excess


@njit
def part(rows: Signed, start: int, stop: int, left: Bools, out: Signed, middle: int) -> None:
    """Write the rows of the left child from `start` to `middle`, then those of the right."""
    for f in range(rows.shape[0]):
        low, high = start, middle
        for i in range(start, stop):
            row = rows[f, i]
            goes = left[row]  # as likely as not, so no branch: a processor guesses wrong
            out[f, low if goes else high] = row
            low += goes
            high += not goes


@njit
def grow(bed: Bed, at: int, start: int, stop: int) -> int:
    """Grow all below a node; return where the next one stands, or -1 if words are too few."""
    node, nodes = bed.nodes[at], bed.nodes
    here, shown = bed.rows[node.j % 2, :, start:stop], bed.shown
    by_y, d = here[-1], bed.features.size
    if node.j == bed.depth or node.size < 2 * bed.least or bed.y[by_y[0]] == bed.y[by_y[-1]]:
        return at + 1
    if shown < d and not permute(bed):
        return -1
    levels = charge(bed, by_y, node.size)
    f, place, excess, begin, end = -1, 0, 0, 0, shown
    while f < 0 and begin < end:  # those drawn, or else the rest
        f, place, excess = best_place(bed, here, bed.features[begin:end], node.size, levels)
        begin, end = end, d
    if f < 0:
        return at + 1
    x, middle, size = bed.columns[f], start, 0
    low, high = x[here[f, place]], x[here[f, place + 1]]
    half = low / 2 + high / 2  # midway but for rounding: a number t with low <= t < high
    node.threshold = half if low <= half < high else low
    node.feature, node.low_first = f, excess > 0
    for row in by_y:
        goes = (x[row] <= node.threshold) == node.low_first
        bed.left[row] = goes
        middle += goes
        size += goes * bed.counts[row]
    if node.j + 1 < bed.depth:  # else no child is split
        part(bed.rows[node.j % 2], start, stop, bed.left, bed.rows[(node.j + 1) % 2], middle)
    child = nodes[at + 1]
    child.j, child.k, child.size = node.j + 1, 2 * node.k, size
    node.right = grow(bed, at + 1, start, middle)
    if node.right < 0:
        return -1
    child = nodes[node.right]
    child.j, child.k, child.size = node.j + 1, 2 * node.k + 1, node.size - size
    return grow(bed, node.right, middle, stop)


@njit
def leaves(nodes: Nodes, X: Floats) -> Ints:
    """Return where the leaf stands that each row of X falls into."""
    out = np.empty(X.shape[0], np.int64)
    for i in range(X.shape[0]):
        at = 0
        while nodes[at].right:
            low = X[i, nodes[at].feature] <= nodes[at].threshold
            at = at + 1 if low == nodes[at].low_first else nodes[at].right
        out[i] = at
    return out
