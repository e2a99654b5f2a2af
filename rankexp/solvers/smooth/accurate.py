"""Matrix products in twice the precision: what remains where almost everything cancels.

Sums and products are split into a rounded part and its error, both exactly (Dekker 1971; Ogita,
Rump and Oishi 2005, "Accurate sum and dot product"), and the errors are summed beside.
"""

import numpy as np

from rankexp.arrays import Floats

SPLITTER = 2.0**27 + 1.0  # splits 53 bits into halves whose products are exact (Veltkamp)
NUMBERS = 1 << 18  # numbers at once: some 2 MB an array. Bounds memory; no result depends on it

Pair = tuple[Floats, Floats]


def two_sum(a: Floats, b: Floats) -> Pair:
    """Return ``a + b`` rounded, and what rounding took off."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def two_product(a: Floats, b: Floats) -> Pair:
    """Return ``a b`` rounded, and what rounding took off."""
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    product = a * b
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def _halves(a: Floats) -> Pair:
    scaled = SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high


def product(A: Floats, v: Floats, shift: Floats) -> Floats:
    """Return ``(A - shift) @ v`` as if worked out in twice the precision, (m,)."""
    m, k = A.shape
    shift = np.broadcast_to(shift, A.shape)
    out, size = np.empty(m), max(1, NUMBERS // max(k, 1))
    for i in range(0, m, size):
        part = slice(i, i + size)
        high, low = two_sum(A[part], -shift[part])
        main, error = two_product(high, v)
        out[part] = _total(main, error + low * v)
    return out


def _total(main: Floats, error: Floats) -> Floats:
    """Return the sums of rows (m, k) given with their errors, by halves."""
    while main.shape[1] > 1:
        half = main.shape[1] // 2
        left, right = slice(None, half), slice(half, 2 * half)
        total, lost = two_sum(main[:, left], main[:, right])
        lost += error[:, left] + error[:, right]
        if main.shape[1] % 2:
            total = np.column_stack((total, main[:, -1]))
            lost = np.column_stack((lost, error[:, -1]))
        main, error = total, lost
    return main[:, 0] + error[:, 0]
