"""Rows as the solvers take them: an array, or sparse rows, of which they take products alone.

Sparse rows are typed as an array, too, because ``X @ w``, ``r @ X``, ``abs(X)`` and ``X[rows]``
are the same for both. Here is what differs. Nothing makes sparse rows dense: where columns are to
be centred, what their means add to a product is taken off it.
"""

from typing import cast

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from rankexp.arrays import Floats

DEPTH = 64  # roundings of a sum by numpy, which adds pairwise, in blocks of 128 with 8 sums each

__all__ = [
    "as_rows",
    "column_sums",
    "dot",
    "exact_product",
    "issparse",
    "largest_sizes",
    "longest_sum",
    "squared",
]


def as_rows(X: npt.ArrayLike) -> Floats:
    """Return rows of doubles, (n, d); sparse ones by row, each entry once and in order."""
    if not issparse(X):
        return np.ascontiguousarray(X, dtype=np.float64)
    rows = csr_array(X, dtype=np.float64)
    if not rows.has_canonical_format:
        rows = rows.copy()  # what is given stays as it is
        rows.sum_duplicates()
    return cast("Floats", rows)


def squared(X: Floats) -> Floats:
    """Return the squares of all entries of sparse rows."""
    rows = cast("csr_array", X)
    return cast("Floats", csr_array((rows.data**2, rows.indices, rows.indptr), shape=rows.shape))


def largest_sizes(X: Floats) -> Floats:
    """Return the largest absolute value of each column, (d,)."""
    if not issparse(X):
        return np.asarray(np.abs(X).max(axis=0))
    sizes = np.zeros(X.shape[1])
    rows = cast("csr_array", X)
    np.maximum.at(sizes, rows.indices, np.abs(rows.data))
    return sizes


def column_sums(X: Floats) -> Floats:
    """Return the sums of columns, (d,)."""
    return np.asarray(np.ones(X.shape[0]) @ X)


def longest_sum(X: Floats) -> int:
    """Return how many terms a score of a row has at most, a sum over columns by `dot` included."""
    if not issparse(X):
        return int(X.shape[1])
    return int(np.diff(cast("csr_array", X).indptr).max(initial=0)) + DEPTH


def dot(a: Floats, b: Floats, X: Floats) -> float:
    """Return the product of two vectors; of those of the many columns of sparse X, pairwise."""
    return float(np.add.reduce(a * b) if issparse(X) else a @ b)


def exact_product(X: Floats, v: Floats) -> Floats:
    """Return ``X @ v`` of sparse rows, or of their transpose, in twice the precision."""
    from rankexp.solvers.row_loops import across, down

    turned = getattr(X, "format", "") == "csc"
    rows = cast("csr_array", X.T if turned else X)
    parts = rows.data, rows.indices, rows.indptr, v
    return down(*parts, rows.shape[1]) if turned else across(*parts)
