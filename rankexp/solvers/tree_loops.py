"""The compiled growth of oriented trees, and the way down them.

Numbers that start a count are ``np.int64(0)``: for a literal, functions would be compiled again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Bools, Floats, Ints, Signed
from rankexp.compiled import njit

if TYPE_CHECKING:
    from rankexp.solvers.trees import Limits, Nodes, Room, Table

Words = npt.NDArray[np.uint32]


@njit
def midpoint(low: float, high: float) -> float:
    """Return a number t with low <= t < high, midway but for rounding."""
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


@njit
def permute(features: Ints, words: Words, used: int) -> int:
    """Write what ``RandomState.permutation`` makes of its next words; return how many are used.

    It is -1 if there are too few.
    """
    for i in range(features.size):
        features[i] = i
    mask = 0xFFFFFFFF
    for i in range(features.size - 1, 0, -1):
        while mask >> 1 >= i:
            mask >>= 1
        other = i + 1
        while other > i:
            if used == words.size:
                return -1
            other = np.int64(words[used]) & mask
            used += 1
        features[i], features[other] = features[other], features[i]
    return used


@njit
def kendall_charges(by_y: Signed, y: Floats, count: Ints, size: int, room: Room) -> int:
    """Charge each row #{y below} - #{y above} within its node; return the number of levels of y.

    It is 0 if all rows differ. A row's move across any split changes concordant less discordant
    pairs by just this number.
    """
    below = start = levels = 0
    while start < by_y.size:
        stop, same, here = start, 0, y[by_y[start]]
        while stop < by_y.size and y[by_y[stop]] == here:
            same += count[by_y[stop]]
            stop += 1
        for i in range(start, stop):
            row = by_y[i]
            room.twice[row] = 2 * count[row] * (2 * below + same - size)
            room.level[row] = levels
        room.sizes[levels] = same
        below += same
        levels += 1
        start = stop
    return levels if levels < by_y.size else 0


@njit
def half_charges(by_y: Signed, y: Floats, count: Ints, size: int, room: Room) -> None:
    """Charge each row +1 above the median of y, else -1.

    The cut between two values of y is the one that gives the most equal halves, of two the higher
    (clemencon2017, section 5.2, 3 (a)).
    """
    below, cut, nearest = 0, 0, size
    for i in range(1, by_y.size):
        below += count[by_y[i - 1]]
        if y[by_y[i]] != y[by_y[i - 1]] and abs(2 * below - size) <= nearest:
            nearest, cut = abs(2 * below - size), i
    for i in range(by_y.size):
        row = by_y[i]
        room.twice[row] = 2 * count[row] * (1 if i >= cut else -1)


@njit
def best_place(
    columns: Floats, rows: Signed, features: Ints, count: Ints, least: int, levels: int, room: Room
) -> tuple[int, int, int]:
    """Return the best feature, or -1 if none gains, the place before its cut, and its excess.

    With `levels`, pairs with equal y across the cut are taken off.
    """
    total = 0
    for i in range(rows.shape[1]):
        total += room.twice[rows[-1, i]]
    total //= 2
    best, chosen, place, best_excess = abs(total), -1, 0, 0
    rest = np.empty(levels, np.int64)  # how many of a level are above the cut, less those below
    for f in features:
        x, order = columns[f], rows[f]
        first, last, low, high = -1, order.size, 0, 0
        while low < least:
            first += 1
            low += count[order[first]]
        while high < least:
            last -= 1
            high += count[order[last]]
        for k in range(levels):
            rest[k] = room.sizes[k]
        excess, parted = -total, 0
        for i in range(last):
            row = order[i]
            excess += room.twice[row]
            if levels:
                k, own = room.level[row], count[row]
                parted += own * (rest[k] - own)
                rest[k] -= 2 * own
            gain = abs(excess) - 2 * parted
            if gain > best and i >= first and x[row] != x[order[i + 1]]:
                best, chosen, place, best_excess = gain, f, i, excess
    return chosen, place, best_excess


@njit
def part(rows: Signed, left: Bools, out: Signed, size: int) -> None:
    """Write the rows of the left child, `size` of them, and those of the right, in order."""
    for f in range(rows.shape[0]):
        before, after = rows[f], out[f]
        low = 0
        for i in range(before.size):
            row = before[i]
            goes = left[row]  # as likely as not, so no branch: a processor guesses wrong
            after[low if goes else size + i - low] = row
            low += goes


@njit
def push(waiting: Ints, top: int, start: int, stop: int, parent: int, size: int) -> None:
    """Let a node wait."""
    waiting[top, 0] = start
    waiting[top, 1] = stop
    waiting[top, 2] = parent
    waiting[top, 3] = size


@njit
def root(table: Table, count: Ints, room: Room) -> None:
    """Put the rows that count into the room, and let the root wait."""
    total = rows = np.int64(0)
    for i in range(count.size):
        room.left[i] = count[i] > 0
        rows += room.left[i]
        total += count[i]
    part(table.orders[:, 0 : count.size], room.left, room.rows[0, :, 0 : count.size], rows)
    none = np.int64(0)
    push(room.waiting, none, none, rows, none, total)


@njit
def arrive(nodes: Nodes, at: int, parent: int, size: int) -> int:
    """Write a node that was waiting, as a leaf; return its depth."""
    j, k = 0, 0
    if at:
        j, k = nodes[parent].j + 1, 2 * nodes[parent].k
    if parent + 1 < at:
        k += 1
        nodes[parent].right = at
    nodes[at].j = j
    nodes[at].k = k
    nodes[at].size = size
    nodes[at].right = 0
    return j


@njit
def chosen(
    table: Table, rows: Signed, count: Ints, size: int, limits: Limits, room: Room
) -> tuple[int, int, int]:
    """Charge the rows of a node; return its best place, of the features drawn or else the rest."""
    by_y, levels = rows[rows.shape[0] - 1], np.int64(0)
    if limits.halves:
        half_charges(by_y, table.y, count, size, room)
    else:
        levels = kendall_charges(by_y, table.y, count, size, room) * limits.ties
    f, place, excess, begin, end = -1, 0, 0, 0, limits.shown
    while f < 0 and begin < end:
        some = room.features[begin:end]
        f, place, excess = best_place(table.columns, rows, some, count, limits.least, levels, room)
        begin, end = end, room.features.size
    return f, place, excess


@njit
def grow(
    table: Table, count: Ints, words: Words, limits: Limits, room: Room, nodes: Nodes
) -> tuple[int, int]:
    """Write the nodes of a tree; return how many, or 0 if words are too few, and words used."""
    root(table, count, room)
    size = used = np.int64(0)
    top = 1
    for f in range(room.features.size):
        room.features[f] = f
    while top:
        top -= 1
        start, stop = room.waiting[top, 0], room.waiting[top, 1]
        parent, examples = room.waiting[top, 2], room.waiting[top, 3]
        at = size
        size += 1
        j = arrive(nodes, at, parent, examples)
        here = room.rows[j % 2, :, start:stop]
        by_y = here[here.shape[0] - 1]
        small = j == limits.depth or examples < 2 * limits.least
        if small or table.y[by_y[0]] == table.y[by_y[-1]]:
            continue
        if limits.shown < room.features.size:
            used = permute(room.features, words, used)
            if used < 0:
                return 0, 0
        f, place, excess = chosen(table, here, count, examples, limits, room)
        if f < 0:
            continue
        x, low_first = table.columns[f], excess > 0
        threshold = midpoint(x[here[f, place]], x[here[f, place + 1]])
        nodes[at].feature = f
        nodes[at].threshold = threshold
        nodes[at].low_first = low_first
        rows = own = np.int64(0)
        for i in range(by_y.size):
            row = by_y[i]
            goes = (x[row] <= threshold) == low_first
            room.left[row] = goes
            rows += goes
            own += goes * count[row]
        if j + 1 < limits.depth and max(own, examples - own) >= 2 * limits.least:
            part(here, room.left, room.rows[(j + 1) % 2, :, start:stop], rows)
        push(room.waiting, top, start + rows, stop, at, examples - own)
        push(room.waiting, top + 1, start, start + rows, at, own)
        top += 2
    return size, used


@njit
def leaves(nodes: Nodes, X: Floats) -> Ints:
    """Return the number of the leaf that each row of X falls into."""
    out = np.empty(X.shape[0], np.int64)
    for i in range(X.shape[0]):
        at = 0
        while nodes[at].right:
            low = X[i, nodes[at].feature] <= nodes[at].threshold
            at = at + 1 if low == nodes[at].low_first else nodes[at].right
        out[i] = at
    return out
