"""Ask a preference function for many pairs in one call, and check its answers."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from rankexp.arrays import Floats, Ints

Items = npt.NDArray[Any]  # of a query: numbers, or rows of features
Preference = Callable[[Items, Items], ArrayLike]
"""h(U, V) -> (k,), in [0, 1]: how strongly each of k items is preferred to another."""

TOL = 1e-9  # of h(u, v) + h(v, u) = 1
PAIRS = 2**18  # asked in one call, of all pairs


def query(items: ArrayLike) -> Items:
    """Return the items of a query as an array, (n, ...)."""
    found = np.asarray(items)
    if found.ndim == 0 or len(found) < 2:
        count = f"a {type(items).__name__}" if found.ndim == 0 else len(found)
        raise ValueError(f"a query needs a list of two or more items, got {count}")
    return found


def ask(h: Preference, items: Items, upper: Ints, lower: Ints, check: bool = True) -> Floats:
    """Return h(u, v) for pairs of items, given by their numbers.

    With `check` each pair is also asked the other way round. ValueError if h is not in [0, 1] or
    h(u, v) + h(v, u) is not 1.
    """
    U, V = items.take(upper, axis=0), items.take(lower, axis=0)
    found = _values(h, U, V, upper, lower)
    if not check:
        return found
    back = _values(h, V, U, lower, upper)
    off = np.abs(found + back - 1.0) > TOL
    if off.any():
        at = int(off.argmax())
        u, v = upper[at], lower[at]
        raise ValueError(
            f"h is not consistent: h(u, v) = {found[at]:g} and h(v, u) = {back[at]:g} of items "
            f"{u} and {v} do not add up to 1; use (h(u, v) + 1 - h(v, u)) / 2, and 1/2 if neither "
            "is preferred"
        )
    return found


def _values(h: Preference, U: Items, V: Items, upper: Ints, lower: Ints) -> Floats:
    if not callable(h):
        raise TypeError(
            f"h must be a function h(U, V), got {type(h).__name__}; for a fitted PairClassifier "
            "use its method `preference`"
        )
    given = np.asarray(h(U, V))
    if given.dtype.kind not in "biufO":
        raise ValueError(f"h must return real numbers, got {given.dtype}")
    found = given.astype(np.float64)
    if found.shape != upper.shape:
        raise ValueError(
            f"h must return a number for each pair, shape {upper.shape}, got shape {found.shape}"
        )
    good = (found >= 0.0) & (found <= 1.0)  # NaN is not
    if not good.all():
        at = int(good.argmin())
        raise ValueError(
            f"h(u, v) of items {upper[at]} and {lower[at]} is {found[at]:g}: "
            "a preference must be in [0, 1]"
        )
    return found


def all_pairs(n: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield the pairs i < j of n items, in blocks for one call each."""
    rows = max(1, PAIRS // n)
    for start in range(0, n - 1, rows):
        first = np.arange(start, min(start + rows, n - 1))
        upper, lower = np.repeat(first, n - 1 - first), first[:, None] < np.arange(n)
        yield upper, np.nonzero(lower)[1]
