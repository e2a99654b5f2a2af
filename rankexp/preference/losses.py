"""Measure a ranking, or a preference function, against a target ranking."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from rankexp.arrays import Draws, Floats, Ints, Listed
from rankexp.blas import one_thread
from rankexp.categories import has_own_order, in_numbers
from rankexp.metrics.continuous import concordance
from rankexp.preference.emphasis import Emphasis, check_emphasis
from rankexp.preference.second_stage import Preference, all_pairs, ask, checked_order, query

__all__ = ["pair_costs", "preference_loss", "ranking_loss"]

Pairs = Iterator[tuple[Ints, Ints]]


def ranking_loss(order: ArrayLike, target: ArrayLike, omega: Emphasis | None = None) -> float:
    """Return L(sigma, sigma*), (10.23), or with an emphasis function L_omega, (10.36).

    Parameters
    ----------
    order : array-like of shape (n,), int
        Numbers of the items, the best first, each once: ``sort_by_degree(...).order``.
    target : array-like of shape (n,)
        How high each item belongs, the higher the better: numbers, or an ordered Categorical.
        Items of equal target have no order: the loss is the share of the other pairs that are in
        the wrong order, for two values 1 - AUC, for k the k-partite loss. O(n log n).
    omega : callable, optional
        ``omega(i, j)`` of positions in the target ranking, 1 the top, that meets the axioms: see
        :func:`rankexp.preference.check_emphasis`. The loss is then the sum of omega over wrong
        pairs, times 2 / (n (n - 1)); targets must differ, so that there are positions. O(n²).

    Raises
    ------
    ValueError
        For fewer than two items, an order that is no permutation, missing targets, targets that
        are all equal (with omega any two that are), or an omega that breaks an axiom.

    Examples
    --------
    >>> from rankexp.preference import Top
    >>> ranking_loss([2, 0, 1], [3, 1, 2])
    0.3333333333333333
    >>> ranking_loss([0, 2, 1], [3, 1, 2], Top(1))  # the last two may stand as they like
    0.0
    """
    y = checked_target(target)
    place = np.argsort(checked_order(order, y.size))
    if omega is None:
        return concordance(y, place)  # of the worst order, as nothing ties
    pairs = all_pairs(y.size)
    return _weighted(y, omega, pairs, lambda low, up: np.where(place[low] < place[up], 1.0, 0.0))


def preference_loss(
    h: Preference,
    items: ArrayLike,
    target: ArrayLike,
    omega: Emphasis | None = None,
    *,
    draws: int | None = None,
    rng: Draws = None,
    check: bool = True,
) -> float:
    """Return L(h, sigma*), (10.24): the weighted share of pairs that h prefers the wrong way.

    Parameters
    ----------
    h, items, check
        As for :func:`rankexp.preference.sort_by_degree`.
    target, omega
        As in :func:`ranking_loss`.
    draws : int, optional
        The number of pairs of different items, drawn with replacement, that estimate it; those of
        equal target do not count. Default: h is asked for all n (n - 1) / 2.
    rng : numpy.random.Generator or int
        Draws the pairs.

    Raises
    ------
    ValueError
        As :func:`ranking_loss`; for draws below 1 or without a pair to rank; and for an h that is
        NaN, outside [0, 1] or not consistent.

    Examples
    --------
    >>> import numpy as np
    >>> wins = np.array([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]])  # a cycle
    >>> preference_loss(lambda u, v: wins[u, v], [0, 1, 2], [3, 2, 1])
    0.3333333333333333
    """
    things, y = query(items), checked_target(target)
    if len(things) != y.size:
        raise ValueError(f"there are {len(things)} items and {y.size} targets")
    pairs = all_pairs(y.size) if draws is None else _drawn(y.size, draws, rng)
    return _weighted(y, omega, pairs, lambda low, up: ask(h, things, low, up, check))


def pair_costs(target: ArrayLike, omega: Emphasis | None = None) -> Floats:
    """Return the cost of putting u above v, W[u, v], shape (n, n): losses are linear in these.

    The loss of a ranking is the sum of W over the pairs in which it has u above v; that of a
    preference function is the sum of h(u, v) W[u, v]. Parameters and errors: :func:`ranking_loss`.
    """
    y = checked_target(target)
    W, count = np.zeros((y.size, y.size)), 0
    for upper, lower, weight in _ordered(y, omega, all_pairs(y.size)):
        W[lower, upper] = weight
        count += upper.size
    return W / count


def checked_target(target: ArrayLike) -> Floats:
    """Return targets, (n,), that are not all equal."""
    if not has_own_order(target):
        raise ValueError("targets must be numbers, none missing, or an ordered Categorical")
    if (y := np.asarray(in_numbers(target), dtype=np.float64)).ndim != 1 or y.size < 2:
        text = "a query needs targets of two items or more"
        raise ValueError(f"{text}, shape (n,), got shape {y.shape}")
    if np.isnan(y).any():
        raise ValueError("targets must not be NaN")
    if (y == y[0]).all():
        raise ValueError("all targets are equal: there is no pair to rank")
    return y


def _ordered(y: Floats, omega: Emphasis | None, pairs: Pairs) -> Iterator[Listed]:
    """Yield the better and the worse item of pairs that have an order, and each pair's weight."""
    place = np.argsort(np.argsort(-y, kind="stable")) + 1  # in the target ranking, 1 the top
    if omega is not None:
        if np.unique(y).size < y.size:
            text = "with omega all targets must differ, as it is a function of positions"
            raise ValueError(f"{text}; without it, equal targets are in no order")
        check_emphasis(omega, y.size)
    for one, other in pairs:
        kept = y[one] != y[other]
        first, second = one[kept], other[kept]
        swap = y[first] < y[second]
        upper, lower = np.where(swap, second, first), np.where(swap, first, second)
        weight = np.ones(upper.size) if omega is None else omega(place[lower], place[upper])
        yield upper, lower, np.broadcast_to(weight, upper.shape)


def _weighted(
    y: Floats, omega: Emphasis | None, pairs: Pairs, wrong: Callable[[Ints, Ints], Floats]
) -> float:
    """Return the mean over ordered pairs of their weight times how wrong they are."""
    total, count = 0.0, 0
    for upper, lower, weight in _ordered(y, omega, pairs):
        count += upper.size
        if upper.size:
            far = wrong(lower, upper)
            with one_thread:
                total += float(weight @ far)
    if count == 0:
        raise ValueError("no pair that was drawn has an order: raise draws")
    return total / count


def _drawn(n: int, draws: int, rng: Draws) -> Pairs:
    """Yield pairs of different items, drawn with replacement."""
    if isinstance(draws, bool) or not isinstance(draws, int | np.integer) or draws < 1:
        raise ValueError(f"draws must be an integer >= 1, got {draws!r}")
    rng = np.random.default_rng(rng)
    first, second = rng.integers(n, size=draws), rng.integers(n - 1, size=draws)
    yield first, second + (second >= first)
