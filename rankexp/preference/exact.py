"""Compute exactly how an algorithm of the second stage ranks few items: who stands above whom."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats, Ints
from rankexp.preference.asking import TOL, Preference, all_pairs, ask, query

__all__ = ["above", "degree_probabilities", "order_probabilities", "preference_matrix"]

MOST = 12  # items, of which all subsets are gone through


def preference_matrix(h: Preference, items: npt.ArrayLike) -> Floats:
    """Return h(u, v) of all pairs of items, (n, n), with 0 on the diagonal.

    Parameters and errors are those of :func:`rankexp.preference.sort_by_degree`.
    """
    things = query(items)
    H = np.zeros((len(things), len(things)))
    for upper, lower in all_pairs(len(things)):
        H[upper, lower] = ask(h, things, upper, lower)
        H[lower, upper] = 1.0 - H[upper, lower]
    return H


def above(order: npt.ArrayLike) -> Floats:
    """Return 1 if an order, the best item first, has u above v, else 0, shape (n, n).

    ValueError if the order is not the numbers of all items, for example only a top k.
    """
    place = np.argsort(checked_order(order, np.size(order)))
    return np.asarray(place[:, None] < place, dtype=np.float64)


def degree_probabilities(H: npt.ArrayLike, ties: Literal["half", "adverse"] = "half") -> Floats:
    """Return the probability that sort by degree has u above v, (..., n, n).

    Parameters
    ----------
    H : array-like of shape (..., n, n)
        Preferences h(u, v) for u above v; the diagonal is not read.
    ties : {"half", "adverse"}
        "half": a pair of equal degrees counts 1/2 each way round, the mean over random orders.
        "adverse": it counts 1 both ways round, the worst loss to one target. This is no order, so
        `regrets` does not take it.

    Raises
    ------
    ValueError
        For impossible preferences, or another rule of ties.
    """
    if ties not in ("half", "adverse"):
        raise ValueError(f"ties must be 'half' or 'adverse', got {ties!r}")
    H = checked_matrix(H)
    degree = np.round(H.sum(axis=-1), 9)
    P = np.asarray(degree[..., :, None] > degree[..., None, :], dtype=np.float64)
    P[degree[..., :, None] == degree[..., None, :]] = 0.5 if ties == "half" else 1.0
    P[..., range(H.shape[-1]), range(H.shape[-1])] = 0.0
    return P


def order_probabilities(H: npt.ArrayLike) -> Floats:
    """Return the probability that randomised QuickSort ranks u above v, exactly.

    A recursion goes over all sets of items that can be left to sort, all pivots of each, and all
    ways that the pivot divides it: O(n 3^n).

    Parameters
    ----------
    H : array-like of shape (..., n, n)
        Preferences h(u, v) for u above v, 0/1 or probabilistic; the diagonal is not read.

    Returns
    -------
    ndarray of shape (..., n, n)
        0 on the diagonal.

    Raises
    ------
    ValueError
        For impossible preferences, or more than 12 items.

    Examples
    --------
    >>> order_probabilities([[0, 1, 0], [0, 0, 1], [1, 0, 0]])[0]  # a cycle
    array([0.        , 0.66666667, 0.33333333])
    """
    H = checked_matrix(H)
    n = H.shape[-1]
    if n > MOST:
        raise ValueError(f"{n} items have too many subsets: {MOST} at most")
    P, reached = np.zeros(H.shape), np.zeros((2**n, *H.shape[:-2]))
    reached[-1] = 1.0
    for items in sorted(range(2**n), key=int.bit_count, reverse=True):
        members = [i for i in range(n) if items >> i & 1]
        if len(members) < 2:
            break
        for p in members:
            others = [i for i in members if i != p]
            _split(H, P, reached, items, (p, others))
    P[..., range(n), range(n)] = 0.0
    return np.clip(P, 0.0, 1.0)  # but for rounding


def _split(H: Floats, P: Floats, reached: Floats, items: int, at: tuple[int, list[int]]) -> None:
    """Add what a pivot does to a set: pairs that it puts in order, and sets that it leaves."""
    p, others = at
    share = reached[items] / (len(others) + 1)
    up = H[..., others, p]
    q = share[..., None]
    P[..., others, p] += q * up
    P[..., p, others] += q * (1.0 - up)
    rows, columns = np.ix_(others, others)
    P[..., rows, columns] += q[..., None] * up[..., :, None] * (1.0 - up)[..., None, :]
    sets, weights = np.zeros(1, dtype=np.int64), share[None]
    for place, one in enumerate(others):
        to = up[..., place]
        sets = np.concatenate((sets, sets | 1 << one))
        weights = np.concatenate((weights * (1.0 - to), weights * to))
    reached[sets] += weights
    reached[(items ^ 1 << p) ^ sets] += weights


def checked_matrix(given: npt.ArrayLike) -> Floats:
    """Return preferences of all pairs, (..., n, n), with 0 on the diagonal."""
    H: Floats = np.array(given, dtype=np.float64)
    if H.ndim < 2 or H.shape[-1] != H.shape[-2] or H.shape[-1] < 2:
        raise ValueError(f"H must have shape (..., n, n), n 2 or more, got {H.shape}")
    n = H.shape[-1]
    H[..., range(n), range(n)] = 0.0
    if not ((H >= 0.0) & (H <= 1.0)).all():
        raise ValueError("preferences must be numbers in [0, 1]")
    if not (np.abs(H + H.swapaxes(-1, -2) + np.eye(n) - 1.0) <= TOL).all():
        raise ValueError("preferences are not consistent: h(u, v) + h(v, u) must be 1")
    return H


def checked_order(order: npt.ArrayLike, n: int) -> Ints:
    """Return an order of n items as an array; ValueError unless it has each of them once."""
    ranked = getattr(order, "order", None) is not None
    found = np.empty(0) if ranked else np.asarray(order)
    if found.shape != (n,) or not np.array_equal(np.sort(found), np.arange(n)):
        hint = ", of what ranks its `order`" if ranked else ""
        raise ValueError(f"order must hold the numbers of all {n} items, each once{hint}")
    return found.astype(np.int64)
