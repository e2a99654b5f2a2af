"""What it costs to order a pair of two levels wrongly."""

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats


def cost_matrix(costs: npt.ArrayLike | None, levels: int) -> Floats:
    """Return the costs of pairs above the diagonal of a matrix (K, K) that is 0 elsewhere.

    ``costs[j, i]`` with j < i is that of ranking an example of level i below one of level j.
    Entries on and below the diagonal are 0, or those above it mirrored. None: all pairs cost 1.
    """
    if costs is None:
        return np.triu(np.ones((levels, levels)), 1)
    C = np.asarray(costs, dtype=np.float64)
    if C.shape != (levels, levels):
        raise ValueError(
            f"costs must be of shape ({levels}, {levels}), one row and column a level, got shape "
            f"{C.shape}"
        )
    if not (np.isfinite(C) & (C >= 0.0)).all():
        raise ValueError("costs must be finite and >= 0")
    upper, lower = np.triu(C, 1), np.tril(C)
    if lower.any() and not np.array_equal(lower, upper.T):
        raise ValueError(
            "costs[j, i] is the cost of ranking level i below level j < i: entries on and below "
            "the diagonal must be 0, or mirror those above it"
        )
    if not upper.any():
        raise ValueError("costs must not all be 0: no pair would count")
    return upper
