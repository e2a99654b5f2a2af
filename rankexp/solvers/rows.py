"""Rows as the solvers take them: an array, or sparse rows, of which they take products alone.

Sparse rows are typed as an array, too, because ``X @ w``, ``r @ X``, ``abs(X)`` and ``X[rows]``
are the same for both. Here is what differs. Nothing makes sparse rows dense: where columns are to
be centred, what their means add to a product is taken off it.
"""

from collections.abc import Callable, Iterator
from math import isqrt
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from rankexp.arrays import Floats, Ints, Signed

CHECKED = "_rankexp_rows"  # an attribute of rows that were made here: the next check is spared
PROBED = 64  # rows that show of most columns that they aren't constant
NARROW = 32  # columns, up to which a sum of squares of each row takes longer than all at once
BLOCK, ENTRIES = 1024, 2**19  # sparse rows at once, of which a copy is made, and entries. Tuned
DEPTH = 64  # roundings of a sum by numpy, which adds pairwise, in blocks of 128 with 8 sums each


def is_sparse(X: npt.ArrayLike) -> bool:
    """Tell whether rows are sparse."""
    return type(X) is not np.ndarray and bool(issparse(X))


def as_rows(X: npt.ArrayLike) -> Floats:
    """Return rows of doubles, (n, d); sparse ones by row, each entry once and in order."""
    if not is_sparse(X):
        return np.ascontiguousarray(X, dtype=np.float64)
    if getattr(X, CHECKED, False):
        return cast("Floats", X)
    rows = csr_array(cast("Any", X), dtype=np.float64)
    if (at := rows.indices).size and not 0 <= at.min() <= at.max() < rows.shape[1]:
        text = f"sparse X has entries outside of its {rows.shape[1]} columns"
        raise ValueError(f"{text}: build it anew, with a shape that holds them all")
    if not rows.has_canonical_format:
        rows = rows.copy()  # what is given stays as it is
        rows.sum_duplicates()
    setattr(rows, CHECKED, True)
    return cast("Floats", rows)


def _made(data: Floats, indices: Signed, ends: Signed, d: int) -> Floats:
    """Return sparse rows of arrays in order, not looked at: scipy would copy parts of them."""
    rows = csr_array((ends.size - 1, d))
    rows.data, rows.indices, rows.indptr = data, indices, ends
    setattr(rows, CHECKED, True)
    return cast("Floats", rows)


def squared(X: Floats) -> Floats:
    """Return the squares of all entries of sparse rows."""
    rows = cast("csr_array", X)
    return _made(rows.data**2, rows.indices, rows.indptr, X.shape[1])


def norms_of(X: Floats) -> Floats:
    """Return the Euclidean norms of the rows, (n,)."""
    if is_sparse(X):
        squares = across(X, np.ones(X.shape[1]), squared)
    else:
        squares = np.vecdot(X, X) if X.shape[1] > NARROW else np.einsum("ij,ij->i", X, X)
    return np.asarray(np.sqrt(squares))


def constant_columns(X: Floats) -> Ints:
    """Return the columns of dense rows in which all numbers are equal."""
    few = np.flatnonzero((X[:PROBED] == X[0]).all(axis=0))
    return np.asarray(few[(X[:, few] == X[0, few]).all(axis=0)])


def filled(X: Floats, thin: int) -> tuple[Floats, Ints] | None:
    """Return sparse rows in the columns with entries, and these; None if few are without."""
    if not is_sparse(X) or X.size > thin * X.shape[1]:
        return None
    rows, place = cast("csr_array", X), np.zeros(X.shape[1], dtype=np.int32)
    place[rows.indices] = 1
    columns = np.flatnonzero(place)
    if not 0 < columns.size < place.size:
        return None
    place[columns] = np.arange(columns.size)
    return _made(rows.data, place[rows.indices], rows.indptr, columns.size), columns


def entries(X: Floats) -> Floats:
    """Return an array as it is, and of sparse rows all stored entries, as one column."""
    return cast("csr_array", X).data[:, None] if is_sparse(X) else X


def largest_sizes(X: Floats) -> Floats:
    """Return the largest absolute value of each column, (d,)."""
    if not is_sparse(X):
        return np.asarray(np.abs(X).max(axis=0))
    rows, sizes = cast("csr_array", X), np.zeros(X.shape[1])
    np.maximum.at(sizes, rows.indices, np.abs(rows.data))
    return sizes


def _parts(X: Floats) -> Iterator[tuple[slice, Floats]]:
    """Yield parts of rows of which something is worked out at once, none copied: an array, all."""
    n, d = X.shape
    if not is_sparse(X):
        yield slice(0, n), X
        return
    rows, share = cast("csr_array", X), n / max(X.size, 1)  # of a row, for each entry
    size = max(BLOCK, int(share * d), min(-(-n // 2), int(share * ENTRIES)))
    for start in range(0, n, size):
        ends = rows.indptr[start : start + size + 1]
        at = slice(ends[0], ends[-1])
        yield slice(start, start + size), _made(rows.data[at], rows.indices[at], ends - ends[0], d)


def across(X: Floats, w: Floats, of: Callable[[Floats], Floats] = abs) -> Floats:
    """Return ``of(X) @ w``, (n,); of sparse rows without a copy of them all."""
    return np.concatenate([of(part) @ w for _, part in _parts(X)])


def down(X: Floats, r: Floats, of: Callable[[Floats], Floats] = abs) -> Floats:
    """Return ``r @ of(X)``, (d,); of sparse rows without a copy of them all."""
    return np.asarray(sum(r[at] @ of(part) for at, part in _parts(X)))


def longest_sum(X: Floats) -> int:
    """Return how many terms a score of a row has at most, a sum over columns by `dot` included."""
    if not is_sparse(X):
        return int(X.shape[1])
    return int(np.diff(cast("csr_array", X).indptr).max(initial=0)) + DEPTH


def short(terms: int) -> int:
    """Return how many terms the sums of `by_parts` have at most."""
    return 2 * (isqrt(terms) + 1)


def by_parts(A: Floats, v: Floats) -> Floats:
    """Return ``A @ v`` of an array, summed in parts: so it rounds less, in whatever order."""
    size = isqrt(v.size) + 1
    parts = (slice(start, start + size) for start in range(0, v.size, size))
    return np.asarray(sum(A[:, part] @ v[part] for part in parts))


def dot(a: Floats, b: Floats, X: Floats) -> float:
    """Return the product of two vectors; of those of the many columns of sparse X, pairwise."""
    return float(np.add.reduce(a * b) if is_sparse(X) else a @ b)


def exact_product(X: Floats, v: Floats) -> Floats:
    """Return ``X @ v`` of sparse rows, or of their transpose, in twice the precision."""
    from rankexp.solvers.row_loops import of_columns, of_rows

    turned = getattr(X, "format", "") == "csc"
    rows = cast("csr_array", X.T if turned else X)
    parts = rows.data, rows.indices, rows.indptr, v
    return of_columns(*parts, rows.shape[1]) if turned else of_rows(*parts)
