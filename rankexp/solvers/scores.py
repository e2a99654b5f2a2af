"""Linear scores that depend on the row alone, to the last bit."""

import numpy as np

from rankexp.arrays import Floats

UNIT = 8
DEPTH = 128


def scores(X: Floats, coef: Floats, intercept: Floats | float = 0.0) -> Floats:
    """Return ``X @ coef + intercept`` such that equal rows get equal bits, in any batch.

    BLAS rounds differently in the kernels it keeps for one column, few columns, the last rows
    and small or deep products. So the columns are padded to a multiple of 8, the last rows to 8,
    and no product is deeper than 128: then a row's scores do not depend on the other rows, nor
    on the other columns of `coef`.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    coef : ndarray of shape (d, L)
    intercept : float or ndarray of shape (L,)

    Returns
    -------
    ndarray of shape (n, L)
        C-ordered.
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
