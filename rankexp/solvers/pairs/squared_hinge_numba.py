"""The compiled sum of :mod:`rankexp.solvers.pairs.squared_hinge`: rows added in the same order."""

import numpy as np

from rankexp.arrays import Bools, Floats, Ints
from rankexp.compiled import njit


@njit
def rows_above(X: Floats, row: Ints, upper: Bools, mass: Floats, last: Ints) -> Floats:
    """Return for each upper row the sum of ``mass X`` over the rows after it, in its group."""
    k = upper.sum()
    out, total = np.empty((k, X.shape[1])), np.zeros(X.shape[1])
    for p in range(row.size - 1, -1, -1):
        if last.size > 1 and last[p] == p:
            total[:] = 0.0
        if upper[p]:
            k -= 1
            out[k] = total
        elif mass[p] > 0.0:
            for c in range(X.shape[1]):
                total[c] += mass[p] * X[row[p], c]
    return out
