"""The compiled loops of :mod:`rankexp.solvers.pairs.convolution`; each finds panels anew."""

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.compiled import njit


@njit
def moments(x: Floats, weight: Floats, cell: Ints, shape: tuple[int, int, int]) -> Floats:
    """Return the sums of the polynomials times weights, if any, of shape (panels, m, cells)."""
    out = np.zeros(shape)
    for i in range(x.size):
        panel = np.int64(x[i])
        t = 2.0 * (x[i] - panel) - 1.0
        into, w = out[panel], weight[i] if weight.size else 1.0
        before, now, twice = 1.0, t, 2.0 * t
        into[0, cell[i]] += w * before
        into[1, cell[i]] += w * now
        for q in range(2, shape[1]):
            before, now = now, twice * now - before
            into[q, cell[i]] += w * now
    return out


@njit
def values(x: Floats, cell: Ints, field: Floats) -> Floats:
    """Return the polynomials with coefficients (panels, m, cells) at the scores, (n,)."""
    out = np.empty(x.size)
    for i in range(x.size):
        panel = np.int64(x[i])
        t = 2.0 * (x[i] - panel) - 1.0
        row = field[panel]
        before, now, twice = 1.0, t, 2.0 * t
        total = row[0, cell[i]] * before + row[1, cell[i]] * now
        for q in range(2, field.shape[1]):
            before, now = now, twice * now - before
            total += row[q, cell[i]] * now
        out[i] = total
    return out


@njit
def steps(x: Floats, cell: Ints, cells: int, powers: Floats) -> tuple[Floats, Floats]:
    """Return sums of powers of places with coefficients (panels · cells, m), and derivatives."""
    out, rise = np.empty(x.size), np.empty(x.size)
    for i in range(x.size):
        panel = np.int64(x[i])
        t = 2.0 * (x[i] - panel) - 1.0
        row = powers[panel * cells + cell[i]]
        total, slope = row[-1], 0.0
        for q in range(row.size - 2, -1, -1):
            slope = slope * t + total
            total = total * t + row[q]
        out[i], rise[i] = total, slope
    return out, rise
