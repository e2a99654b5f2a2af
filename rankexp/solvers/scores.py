"""Linear scores that depend on the row alone, to the last bit."""

import numpy as np

from rankexp.arrays import Floats

UNIT = 8  # columns and rows are padded to multiples of it: BLAS has kernels for up to so many
DEPTH = 128  # of a product: deeper ones are cut by BLAS at places that depend on its shape
FEW = 16  # rows that are looked at first: as a rule they show that no intercept is too large
TOO_LARGE = 2.0**20  # times all products, an intercept leaves them less than 33 of 53 bits
BEARABLE = 2.0**10  # times them it leaves 42 bits, and signs hold for rows as much farther


def bearable(X: Floats, coef: Floats, intercept: Floats) -> Floats:
    """Return intercepts (L,), smaller ones where they would round ``X @ coef`` to ties."""
    offset = intercept.copy()
    if not intercept.any():
        return offset
    with np.errstate(over="ignore", invalid="ignore"):
        far = np.abs(intercept) > TOO_LARGE * np.abs(X[:FEW] @ coef).max(axis=0)
        for i in np.flatnonzero(far):
            top = float(np.abs(X @ coef[:, i]).max())
            if abs(intercept[i]) > TOO_LARGE * top > 0.0:
                offset[i] = np.copysign(BEARABLE * top, intercept[i])
    return offset


def scores(X: Floats, coef: Floats, intercept: Floats | float = 0.0) -> Floats:
    """Return ``X @ coef + intercept``, (n, L), such that equal rows get equal bits, in any batch.

    BLAS rounds differently in the kernels it keeps for one column, few columns, the last rows and
    small or deep products. So the columns are padded to a multiple of 8, the last rows to 8, and
    no product is deeper than 128.
    """
    X = np.ascontiguousarray(X, dtype=np.float64)
    (n, d), L = X.shape, coef.shape[1]
    whole = n - n % UNIT
    W = np.zeros((d, -(-L // UNIT) * UNIT))
    W[:, :L] = coef
    tail = np.zeros((UNIT, d))
    tail[: n - whole] = X[whole:]
    out = np.zeros((whole + UNIT, W.shape[1]))
    for k in range(0, d, DEPTH):
        part = slice(k, k + DEPTH)
        out[:whole] += X[:whole, part] @ W[part]
        out[whole:] += tail[:, part] @ W[part]
    return out[:n, :L] + intercept
