"""The compiled loop of :mod:`rankexp.solvers.pairs.squared_hinge`."""

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.compiled import njit


@njit
def rows_over(X: Floats, lower: Ints, mass: Floats, above: Ints, ends: Ints) -> Floats:
    """Return the sum of ``mass X`` over the lower rows above each upper row, in its group."""
    out, total = np.empty((above.size, X.shape[1])), np.zeros(X.shape[1])
    at = end = lower.size
    for a in range(above.size - 1, -1, -1):
        here = ends[a] if ends.size > 1 else ends[0]
        if here != end:
            at = end = here
            total[:] = 0.0
        while at > above[a]:
            at -= 1
            weight = mass[at] if mass.size > 1 else mass[0]
            for c in range(X.shape[1]):
                total[c] += weight * X[lower[at], c]
        out[a] = total
    return out
