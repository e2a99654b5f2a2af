"""Compute exactly how an algorithm of the second stage ranks few items: who stands above whom."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats, Ints
from rankexp.preference.emphasis import Emphasis
from rankexp.preference.losses import pair_costs
from rankexp.preference.second_stage import TOL, Preference, all_pairs, ask, checked_order, query

__all__ = [
    "Query",
    "Regrets",
    "above",
    "best_order",
    "degree_probabilities",
    "order_probabilities",
    "preference_matrix",
    "regrets",
]

MOST_SORTED = 12  # items, of which all subsets are gone through
MOST_RANKED = 15  # items, of which the best ranking is found
ROUNDING = 1e-9


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
    """Return the probability that randomised QuickSort ranks u above v, (..., n, n), exactly.

    A recursion goes over all sets of items that can be left to sort, all pivots of each, and all
    ways that the pivot divides it: O(n 3^n).

    Parameters
    ----------
    H : array-like of shape (..., n, n)
        Preferences h(u, v) for u above v, 0/1 or probabilistic; the diagonal is not read.

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
    if (n := H.shape[-1]) > MOST_SORTED:
        raise ValueError(f"{n} items have too many subsets: {MOST_SORTED} at most")
    P, reached = np.zeros(H.shape), np.zeros((2**n, *H.shape[:-2]))
    reached[-1] = 1.0
    for items in sorted(range(2**n), key=int.bit_count, reverse=True):
        if len(members := [i for i in range(n) if items >> i & 1]) < 2:
            break
        share = reached[items] / len(members)
        for p in members:  # as pivot it puts pairs in order, and leaves two sets
            others = [i for i in members if i != p]
            up, q = H[..., others, p], share[..., None]
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
    P[..., range(n), range(n)] = 0.0
    return np.clip(P, 0.0, 1.0)  # but for rounding


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


@dataclass(frozen=True)
class Query:
    """One (X, sigma*) of a distribution.

    Attributes
    ----------
    items : sequence of hashable
        Names of the items of X: those of the same name are the same item in other queries.
    target : array-like of shape (n,)
        As in :func:`rankexp.preference.ranking_loss`, in the order of `items`.
    probability : float
    omega : callable, optional
        An emphasis function.
    """

    items: Sequence[int | str]
    target: npt.ArrayLike
    probability: float = 1.0
    omega: Emphasis | None = None

    def costs(self) -> Floats:
        """Return the cost of each pair, shape (n, n); ValueError for an impossible query."""
        W = pair_costs(self.target, self.omega)
        if len(set(self.items)) != len(self.items) or len(self.items) != len(W):
            raise ValueError(f"a query needs {len(W)} items that differ, got {list(self.items)}")
        return W


class Regrets(NamedTuple):
    """The expected loss of an algorithm that ranks, and two regrets.

    Attributes
    ----------
    loss : float
        E L.
    ranking : float
        The loss less that of the best ranking, Reg(A) of (10.25).
    preference : float
        The loss less that of the best preference function, Reg(h) of (10.26): the regret of
        classifying pairs. Never below `ranking`.
    """

    loss: float
    ranking: float
    preference: float


def regrets(
    queries: Iterable[Query], answers: Iterable[npt.ArrayLike], *, by_query: bool = False
) -> Regrets:
    """Return the expected loss and the regrets over a finite distribution of queries.

    Parameters
    ----------
    queries : iterable of Query
        Their probabilities add up to 1.
    answers : iterable of array-like of shape (n, n)
        One a query: the probability that u is ranked above v, or the preference h(u, v). See
        :func:`rankexp.preference.above` of an order, `order_probabilities` of QuickSort,
        `degree_probabilities`, `preference_matrix` of h.
    by_query : bool
        What the best is: one ranking of all items, of which each query sees its own, and one
        preference function, (10.25) and (10.26); or by query the best for each set of items, the
        weaker notions (10.28) and (10.29). These are the same where each pair's expected order
        does not depend on the other items (10.27).

    Raises
    ------
    ValueError
        For probabilities that don't add up to 1, answers of another number or shape or that aren't
        consistent, impossible queries, or more than 15 items to rank at once.
    """
    given, found = list(queries), [checked_matrix(one) for one in answers]
    if len(given) != len(found):
        raise ValueError(f"there are {len(given)} queries and {len(found)} answers")
    shares = np.array([query.probability for query in given])
    if not (shares >= 0.0).all() or abs(shares.sum() - 1.0) > ROUNDING:
        raise ValueError(f"probabilities must be >= 0 and add up to 1, got {shares.sum():g}")
    loss, costs = 0.0, [query.probability * query.costs() for query in given]
    for W, P in zip(costs, found, strict=True):
        if P.shape != W.shape:
            raise ValueError(f"an answer has shape {P.shape}, and its query needs {W.shape}")
        loss += float((W * P).sum())
    totals = _totals(given, costs, by_query)
    preference = sum(float(np.minimum(W, W.T).sum()) / 2 for W in totals)
    return Regrets(loss, loss - sum(best_order(W)[1] for W in totals), loss - preference)


def _totals(queries: list[Query], costs: list[Floats], by_query: bool) -> list[Floats]:
    """Return costs of pairs, added up over all queries or over those with the same items."""
    place: dict[frozenset[int | str], dict[int | str, int]] = {}  # of each item among its set
    sets = [frozenset(one.items if by_query else ()) for one in queries]
    for one, key in zip(queries, sets, strict=True):
        own = place.setdefault(key, {})
        for name in one.items:
            own.setdefault(name, len(own))
    found = {key: np.zeros((len(own), len(own))) for key, own in place.items()}
    for one, key, W in zip(queries, sets, costs, strict=True):
        at = [place[key][name] for name in one.items]
        found[key][np.ix_(at, at)] += W
    return list(found.values())


def best_order(W: npt.ArrayLike) -> tuple[Ints, float]:
    """Return the order of the least cost, the best item first, and that cost.

    Parameters
    ----------
    W : array-like of shape (n, n)
        What it costs to put u above v, as of :func:`rankexp.preference.pair_costs`. A dynamic
        program over sets that stand on top, O(n 2^n); n is 15 at most.

    Raises
    ------
    ValueError
        For another shape, more items, or costs that are not finite.

    Examples
    --------
    >>> best_order([[0, 1, 1], [0, 0, 3], [0, 1, 0]])
    (array([2, 1, 0]), 1.0)
    """
    W = np.asarray(W, dtype=np.float64)
    n = len(W)
    if W.shape != (n, n) or n > MOST_RANKED or not np.isfinite(W).all():
        text = f"W must be finite, of shape (n, n) with n up to {MOST_RANKED}"
        raise ValueError(f"{text}, got shape {W.shape}")
    added = np.zeros((1, n))  # by set: what putting it above v costs
    for row in W:
        added = np.concatenate((added, added + row))
    least, last = np.zeros(2**n), np.zeros(2**n, dtype=np.int64)
    bits = 1 << np.arange(n)
    for items in range(1, 2**n):
        members = np.flatnonzero(items & bits)
        before = items ^ bits[members]
        costs = least[before] + added[before, members]
        chosen = int(costs.argmin())
        least[items], last[items] = costs[chosen], members[chosen]
    items, order = 2**n - 1, []
    while items:
        order.append(int(last[items]))
        items ^= 1 << order[-1]
    return np.array(order[::-1]), float(least[-1])
