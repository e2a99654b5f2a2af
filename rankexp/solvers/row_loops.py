"""Compiled sums of sparse rows, products in twice the precision (Ogita, Rump and Oishi 2005)."""

import numpy as np

from rankexp.arrays import Floats, Signed
from rankexp.compiled import njit

SPLITTER = 2.0**27 + 1.0  # splits 53 bits into halves whose products are exact (Veltkamp)


@njit
def plus(high: float, low: float, a: float, b: float) -> tuple[float, float]:
    """Return ``high + low + a b``, the first part rounded and the second what that took off."""
    scaled = SPLITTER * a
    a_high = scaled - (scaled - a)
    scaled = SPLITTER * b
    b_high = scaled - (scaled - b)
    a_low, b_low, main = a - a_high, b - b_high, a * b
    low += ((a_high * b_high - main) + a_high * b_low + a_low * b_high) + a_low * b_low
    total = high + main
    part = total - high
    return total, low + ((high - (total - part)) + (main - part))


@njit
def of_rows(data: Floats, indices: Signed, ends: Signed, v: Floats) -> Floats:
    """Return the products of rows with v, (n,)."""
    out = np.empty(ends.size - 1)
    for i in range(out.size):
        high, low = 0.0, 0.0
        for k in range(ends[i], ends[i + 1]):
            high, low = plus(high, low, data[k], v[indices[k]])
        out[i] = high + low
    return out


@njit
def of_columns(data: Floats, indices: Signed, ends: Signed, r: Floats, d: int) -> Floats:
    """Return the products of columns with r, (d,)."""
    high, low = np.zeros(d), np.zeros(d)
    for i in range(ends.size - 1):
        for k in range(ends[i], ends[i + 1]):
            j = indices[k]
            high[j], low[j] = plus(high[j], low[j], data[k], r[i])
    return high + low


@njit
def sums_of_columns(data: Floats, indices: Signed, d: int) -> Floats:
    """Return the sums of columns and those of their squares, (d, 2)."""
    out = np.zeros((d, 2))
    for k in range(data.size):
        out[indices[k], 0] += data[k]
        out[indices[k], 1] += data[k] * data[k]
    return out
