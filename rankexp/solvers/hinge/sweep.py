"""Loss, derivative and dual variables of all pairs, from one sort of the scores.

With ``z = 1 - s_i + s_j`` for a positive i and a negative j, the hinge ``max(0, z)`` is smoothed
over a band ``|z| < h`` (Huber), and ``alpha = clip((z + h) / 2h, 0, 1)`` is its derivative, which
is also a feasible dual variable of the exact hinge. Scores become integers (fixed point) first:
prefix sums are then exact, where sums of floats would stall on ties or certify falsely.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rankexp.compiled import choose
from rankexp.solvers.hinge.data import Bools, Floats, Ints, Pairs, Sweep

SMALLEST_BAND = 16  # units of the fixed point
FEW_ROWS = 20_000  # up to here numpy takes prefix sums over all rows
SAMPLED_PAIRS = 20_000  # also the longest list
ROWS_AT_ONCE = 256  # what stays in the cache
WIDE, WIDE_ROWS = 256, 2048  # from so many columns on, half of a symmetric product is saved


def in_blocks(
    pairs: Pairs, rows_of: Callable[..., None], given: tuple[Any, ...], window: tuple[Any, ...]
) -> Floats:
    """Return ``X' L X`` (d, d) from a compiled loop that writes sorted rows and L times them.

    Of many columns, only the lower triangle is worked out.
    """
    n, d = pairs.X.shape
    size = min(n, ROWS_AT_ONCE if d < WIDE else WIDE_ROWS)
    step = d if d < WIDE else -(-d // 8)
    rows, LX, H = np.empty((size, d)), np.empty((size, d)), np.zeros((d, d))
    for start in range(0, n, size):
        stop = min(n, start + size)
        rows_of(*given, start, stop, window, rows, LX)
        A, B = rows[: stop - start], LX[: stop - start]
        for k in range(0, d, step):
            H[k:, k : k + step] += A[:, k:].T @ B[:, k : k + step]
    return np.tril(H) + np.tril(H, -1).T


def sweep(pairs: Pairs, s: Floats, h: float) -> Sweep:
    """Evaluate all pairs at scores ``s`` (n,) with band half width ``h``, in O(n log n)."""
    return pairs.sweep(s, h)


def loops() -> Any:
    """Return the module of compiled loops."""
    return choose("rankexp.solvers.hinge.bipartite_numba", True)


def prefix(values: Ints) -> Ints:
    """Return the sums of the first 0, 1, ..., n values."""
    out = np.zeros(values.size + 1, dtype=np.int64)
    np.add.accumulate(values, out=out[1:])
    return out


def fixed_keys(s: Floats, positive: Bools, bits: int) -> tuple[Ints, float]:
    """Return scores in fixed point, positives less one, and the scale.

    The scale is a power of two, such that no sum over 2^bits rows overflows.
    """
    reach = math.frexp(2.0 + max(float(s.max()), -float(s.min())))[1]
    scale = math.ldexp(1.0, min(50 - reach, 61 - bits - reach))
    keys = s - positive
    keys *= scale
    return np.rint(keys, out=keys).astype(np.int64), scale
