"""Compiled sums and values of Chebyshev polynomials by panel: same operations, same bits."""

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.compiled import njit


@njit
def moments(
    t: Floats, weight: Floats, panel: Ints, cell: Ints, shape: tuple[int, int, int]
) -> Floats:
    """Return the sums of the polynomials times weights, if any, of shape (panels, m, cells)."""
    out = np.zeros(shape)
    for i in range(t.size):
        into, w = out[panel[i]], weight[i] if weight.size else 1.0
        before, now, twice = 1.0, t[i], 2.0 * t[i]
        into[0, cell[i]] += w * before
        into[1, cell[i]] += w * now
        for q in range(2, shape[1]):
            before, now = now, twice * now - before
            into[q, cell[i]] += w * now
    return out


@njit
def values(t: Floats, panel: Ints, cell: Ints, field: Floats) -> Floats:
    """Return the polynomials with coefficients (panels, m, cells) at the scores, (n,)."""
    out = np.empty(t.size)
    for i in range(t.size):
        row = field[panel[i]]
        before, now, twice = 1.0, t[i], 2.0 * t[i]
        total = row[0, cell[i]] * before + row[1, cell[i]] * now
        for q in range(2, field.shape[1]):
            before, now = now, twice * now - before
            total += row[q, cell[i]] * now
        out[i] = total
    return out
