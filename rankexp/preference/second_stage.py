"""Rank the items of a query by a preference function, and count its calls: the second stage."""

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankexp.arrays import Draws, Floats, Ints

__all__ = ["Ranked", "degrees", "quicksort_rank", "sort_by_degree"]

Items = NDArray[Any]  # of a query: numbers, or rows of features
Preference = Callable[[Items, Items], ArrayLike]
"""h(U, V) -> (k,), in [0, 1]: how strongly each of k items is preferred to another."""

TOL = 1e-9  # of h(u, v) + h(v, u) = 1
PAIRS = 2**18  # asked in one call, of all pairs
DECIMALS = 9  # of degrees: sums of equal preferences in another order tie, too


def query(items: ArrayLike) -> Items:
    """Return the items of a query as an array, (n, ...)."""
    if (found := np.asarray(items)).ndim == 0 or len(found) < 2:
        count = f"a {type(items).__name__}" if found.ndim == 0 else len(found)
        raise ValueError(f"a query needs a list of two or more items, got {count}")
    return found


def ask(h: Preference, items: Items, upper: Ints, lower: Ints, check: bool = True) -> Floats:
    """Return h(u, v) for pairs of items, given by number; ValueError for what it cannot be."""
    # With `check` each pair is also asked the other way round: both must add up to 1.
    U, V = items.take(upper, axis=0), items.take(lower, axis=0)
    found = _values(h, U, V, upper, lower)
    if not check:
        return found
    back = _values(h, V, U, lower, upper)
    if (off := np.abs(found + back - 1.0) > TOL).any():
        at = int(off.argmax())
        u, v = upper[at], lower[at]
        both = f"h(u, v) = {found[at]:g} and h(v, u) = {back[at]:g} of items {u} and {v}"
        advice = "use (h(u, v) + 1 - h(v, u)) / 2, and 1/2 if neither is preferred"
        raise ValueError(f"h is not consistent: {both} do not add up to 1; {advice}")
    return found


def _values(h: Preference, U: Items, V: Items, upper: Ints, lower: Ints) -> Floats:
    if not callable(h):
        text = f"h must be a function h(U, V), got {type(h).__name__}"
        raise TypeError(f"{text}; for a fitted PairClassifier use its method `preference`")
    if (given := np.asarray(h(U, V))).dtype.kind not in "biufO":
        raise ValueError(f"h must return real numbers, got {given.dtype}")
    if (found := given.astype(np.float64)).shape != upper.shape:
        said = f"h must return a number for each pair, shape {upper.shape}"
        raise ValueError(f"{said}, got shape {found.shape}")
    good = (found >= 0.0) & (found <= 1.0)  # NaN is not
    if not good.all():
        at = int(good.argmin())
        text = f"h(u, v) of items {upper[at]} and {lower[at]} is {found[at]:g}"
        raise ValueError(f"{text}: a preference must be in [0, 1]")
    return found


def all_pairs(n: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield the pairs i < j of n items, in blocks for one call each."""
    rows = max(1, PAIRS // n)
    for start in range(0, n - 1, rows):
        first = np.arange(start, min(start + rows, n - 1))
        yield np.repeat(first, n - 1 - first), np.nonzero(first[:, None] < np.arange(n))[1]


class Ranked(NamedTuple):
    """An order of a query's items.

    Attributes
    ----------
    order : ndarray of shape (n,) or (top_k,)
        Numbers of the items, the best first: ``items[order]`` is the ranked list.
    calls : int
        The number of pairs that h was asked for.
    """

    order: Ints
    calls: int


def degrees(h: Preference, items: ArrayLike, *, check: bool = True) -> Floats:
    """Return the sum over v of h(u, v), shape (n,): how many others each item is preferred to.

    Parameters, errors and the number of calls are those of :func:`sort_by_degree`.
    """
    things = query(items)
    n = len(things)
    total = np.zeros(n)
    for upper, lower in all_pairs(n):
        found = ask(h, things, upper, lower, check)
        total += np.bincount(upper, found, n) + np.bincount(lower, 1.0 - found, n)
    return np.round(total, DECIMALS)


def sort_by_degree(
    h: Preference,
    items: ArrayLike,
    *,
    ties: Literal["order", "random"] = "order",
    rng: Draws = None,
    check: bool = True,
) -> Ranked:
    """Rank items by how many others each is preferred to (mohri2018, 10.6.2).

    Parameters
    ----------
    h : callable
        ``h(U, V) -> (k,)``, in [0, 1]: the preference for each of k items above another. It may
        be 0/1 or probabilistic, and need not be transitive.
    items : array-like of shape (n,) or (n, d)
        Two or more numbers or rows of features, as h takes them.
    ties : {"order", "random"}
        Items of equal degree keep their order in `items`, or `rng` orders them.
    rng : numpy.random.Generator or int
        For random ties; None draws anew each time.
    check : bool
        Whether to ask each pair also the other way round and check that h(u, v) + h(v, u) = 1.
        These calls are not counted: there are n (n - 1) / 2 others.

    Raises
    ------
    ValueError
        For fewer than two items, an unknown rule for ties, or an h that is NaN, outside [0, 1] or
        inconsistent.

    Examples
    --------
    >>> import numpy as np
    >>> sort_by_degree(lambda u, v: u > v, [2.0, 5.0, 3.0])
    Ranked(order=array([1, 2, 0]), calls=3)
    """
    if ties not in ("order", "random"):
        raise ValueError(f"ties must be 'order' or 'random', got {ties!r}")
    degree = degrees(h, items, check=check)
    n = degree.size
    start = np.random.default_rng(rng).permutation(n) if ties == "random" else np.arange(n)
    return Ranked(start[np.argsort(-degree[start], kind="stable")], n * (n - 1) // 2)


def quicksort_rank(
    h: Preference, items: ArrayLike, rng: Draws, top_k: int | None = None, *, check: bool = True
) -> Ranked:
    """Rank items by randomised QuickSort with h as the comparison (mohri2018, 10.6.3).

    Each part of the list has a pivot u, drawn uniformly; v goes above it with probability h(v, u),
    else below. All parts at one depth are asked in one call. The expected number of calls is
    2 (n + 1) H_n - 4n if h is transitive and 0/1, O(n log n) for any h, and O(n + k log k) for the
    top k. If the target has two levels, the expected loss is that of h.

    Parameters
    ----------
    h, items, check
        As for :func:`sort_by_degree`.
    rng : numpy.random.Generator or int
        Draws the pivots, and the side of an item if h is not 0 or 1.
    top_k : int, optional
        The number of items to rank, 1 to n; by default all.

    Raises
    ------
    ValueError
        As for :func:`sort_by_degree`, and for a `top_k` that is not 1 to n.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> quicksort_rank(lambda u, v: u > v, np.arange(1000), rng, top_k=3).order
    array([999, 998, 997])
    """
    things, rng = query(items), np.random.default_rng(rng)
    n = len(things)
    k = n if top_k is None else top_k
    if isinstance(k, bool) or not (isinstance(k, int | np.integer) and 1 <= k <= n):
        raise ValueError(f"top_k must be an integer from 1 to the number of items, {n}; got {k!r}")
    order, calls = np.arange(n), 0
    begin, size = np.array([0]), np.array([n])  # of the segments that are left to sort
    while begin.size:
        drawn = begin + rng.integers(size)
        order[begin], order[drawn] = order[drawn], order[begin]
        pivots, others = order[begin], size - 1
        starts = np.cumsum(others) - others
        place = np.arange(others.sum()) + np.repeat(begin + 1 - starts, others)
        rest = order[place]
        wins = ask(h, things, rest, np.repeat(pivots, others), check)
        up = rng.random(wins.size) < wins
        ups: Ints = np.add.reduceat(up, starts, dtype=np.int64)
        # What is above its pivot goes before it, and the rest behind.
        parted = np.argsort(2 * np.repeat(np.arange(begin.size), others) + ~up, kind="stable")
        order[place - up[parted]] = rest[parted]
        order[begin + ups] = pivots
        calls += rest.size
        size = np.concatenate((ups, others - ups))
        begin = np.concatenate((begin, begin + ups + 1))
        kept = (size > 1) & (begin < k)
        begin, size = begin[kept], size[kept]
    return Ranked(order[:k], calls)


def checked_order(order: ArrayLike, n: int) -> Ints:
    """Return an order of n items as an array; ValueError unless it has each of them once."""
    ranked = getattr(order, "order", None) is not None
    found = np.empty(0) if ranked else np.asarray(order)
    if found.shape != (n,) or not np.array_equal(np.sort(found), np.arange(n)):
        hint = ", of what ranks its `order`" if ranked else ""
        raise ValueError(f"order must hold the numbers of all {n} items, each once{hint}")
    return found.astype(np.int64)
