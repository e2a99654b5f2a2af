"""Compiled variants of the sorted sweeps; imported only where numba is wanted.

Same integers, same sums as :mod:`rankexp.solvers.hinge_sweep`, in one pass without temporaries.
"""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from rankexp.solvers.hinge_data import Bools, Floats, Ints


def _compiled(function: Callable[..., Any]) -> Any:
    """Compile once a process, or once a machine where a cache can be written."""
    try:
        return numba.njit(function, cache=True, nogil=True)
    except RuntimeError:  # no folder for the cache
        return numba.njit(function, nogil=True)


@_compiled
def fixed_keys(s: Floats, positive: Bools, scale: float) -> Ints:
    """Return scores in fixed point, positives less one, shape (n,)."""
    keys = np.empty(s.size, np.int64)
    for i in range(s.size):
        keys[i] = np.int64(np.rint(scale * (s[i] - 1.0 if positive[i] else s[i])))
    return keys


@_compiled
def merge(
    keys: Ints, order: Ints, positive: Bools, weight: Ints, half: int
) -> tuple[Floats, float, float, Ints, Ints]:
    """Sum over the pairs of each row; see :func:`rankexp.solvers.hinge_sweep.merge`."""
    n = keys.size
    k = np.empty(n, np.int64)
    w_pos = np.empty(n, np.int64)
    w_neg = np.empty(n, np.int64)
    all_n, all_sum_n = np.int64(0), np.int64(0)
    for m in range(n):
        row = order[m]
        k[m] = keys[row]
        w_pos[m] = weight[row] if positive[row] else 0
        w_neg[m] = weight[row] - w_pos[m]
        all_n += w_neg[m]
        all_sum_n += w_neg[m] * k[m]
    residual = np.empty(n)
    low = np.empty(n, np.int64)
    high = np.empty(n, np.int64)
    lo, hi = 0, 0
    # Running counts and sums: negatives, positives before `lo`, before `hi`; negatives before m.
    n_lo, n_hi, p_lo, p_hi, n_m = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    sn_lo, sn_hi, sp_lo, sp_hi, sn_m = n_lo, n_hi, p_lo, p_hi, n_m
    hinge, alpha = 0.0, 0.0
    for m in range(n):
        key = k[m]
        while k[lo] <= key - half:
            n_lo += w_neg[lo]
            sn_lo += w_neg[lo] * k[lo]
            p_lo += w_pos[lo]
            sp_lo += w_pos[lo] * k[lo]
            lo += 1
        while hi < n and k[hi] < key + half:
            n_hi += w_neg[hi]
            sn_hi += w_neg[hi] * k[hi]
            p_hi += w_pos[hi]
            sp_hi += w_pos[hi] * k[hi]
            hi += 1
        low[m], high[m] = lo, hi
        if w_pos[m] > 0:
            total = sn_hi - sn_lo + (half - key) * (n_hi - n_lo) + 2 * half * (all_n - n_hi)
            weighted = w_pos[m] * float(total)
            alpha += weighted
            residual[order[m]] = -weighted
            hinge += w_pos[m] * float((all_sum_n - sn_m) - key * (all_n - n_m))
        else:
            total = sp_lo - sp_hi + (half + key) * (p_hi - p_lo) + 2 * half * p_lo
            residual[order[m]] = w_neg[m] * float(total)
        n_m += w_neg[m]
        sn_m += w_neg[m] * key
    return residual, hinge, alpha, low, high
