"""The compiled loops of :mod:`rankexp.solvers.trees.splits`."""

import numpy as np

from rankexp.arrays import Bools, Floats, Ints, Signed
from rankexp.compiled import njit


@njit
def best_place(
    rows: Ints, values: Floats, charge: Signed, level: Signed, size: Ints, least: int, ties: bool
) -> tuple[int, int, int]:
    """Return the best feature, or -1 if none gains, the place before its cut, and its excess."""
    m = rows.shape[1]
    total = 0
    for i in range(m):
        total += charge[rows[0, i]]
    best, feature, place, best_excess = abs(total), -1, 0, 0
    crossed = np.zeros(size.size, np.int64)
    for f in range(rows.shape[0]):
        if ties:
            crossed[:] = 0
        excess = -total
        parted = 0
        for i in range(m - least):
            row = rows[f, i]
            excess += 2 * charge[row]
            if ties:
                k = level[row]
                parted += size[k] - 1 - 2 * crossed[k]
                crossed[k] += 1
            gain = abs(excess) - 2 * parted
            if gain > best and i >= least - 1 and values[f, i] != values[f, i + 1]:
                best, feature, place, best_excess = gain, f, i, excess
    return feature, place, best_excess


@njit
def part(rows: Ints, values: Floats, member: Bools, size: int) -> tuple[Ints, Floats]:
    """Return the rows that a mask over the whole training set selects, `size` of them."""
    kept_rows = np.empty((rows.shape[0], size), np.int64)
    kept_values = np.empty((rows.shape[0], size))
    for f in range(rows.shape[0]):
        at = 0
        for i in range(rows.shape[1]):
            row = rows[f, i]
            if member[row]:
                kept_rows[f, at] = row
                kept_values[f, at] = values[f, i]
                at += 1
    return kept_rows, kept_values
