"""The worst that algorithms of the second stage do, over all preferences of few items."""

from itertools import permutations, product
from typing import Any

import numpy as np

from rankexp.arrays import Floats
from rankexp.preference import (
    Query,
    above,
    degree_probabilities,
    order_probabilities,
    pair_costs,
    regrets,
)

REGISTER = {"worst_rankings": "worst_rankings", "query_regrets": "query_regrets"}

Row = dict[str, Any]

QUICKSORT, DEGREE = "QuickSort", "sort by degree"
ROUNDING = 1e-12


def worst_rankings(
    rng: np.random.Generator, *, n: int = 3, target: str = "bipartite"
) -> list[Row]:
    """Find the largest ratio of an algorithm's expected loss to that of h, over all 0/1 h.

    Parameters
    ----------
    rng : numpy.random.Generator
        Not used: nothing is random.
    n : int
        Items, 2 to 5.
    target : str
        "bipartite", all ways to label the items; or "general", all orders of them.

    Returns
    -------
    list of dict with keys ``group``, ``quantity`` and ``value``
        ``ratio``: the largest, for QuickSort; for sort by degree, with random ties and, in a group
        of its own, with adverse ones; and for the best deterministic algorithm, which for each h
        takes the order whose largest ratio is the least. Of QuickSort ``apart``, too: the largest
        distance of its expected loss from that of h.

    Raises
    ------
    ValueError
        For other parameters.

    References
    ----------
    mohri2018, (10.30), Theorem 10.5, (10.33) and (10.35).
    """
    if not 2 <= n <= 5 or target not in ("bipartite", "general"):
        raise ValueError(f"n={n}, target={target!r}: expected 2 to 5, and bipartite or general")
    H, W = tournaments(n), np.array([pair_costs(y).ravel() for y in _targets(n, target)])
    of_h = _losses(H, W)
    answers = {
        QUICKSORT: order_probabilities(H),
        f"{DEGREE}, random ties": degree_probabilities(H),
        f"{DEGREE}, adverse ties": degree_probabilities(H, "adverse"),
    }
    found = {group: _ratios(_losses(P, W), of_h).max() for group, P in answers.items()}
    orders = _losses(np.array([above(order) for order in permutations(range(n))]), W)
    best = max(_ratios(orders, own).max(axis=1).min() for own in of_h)
    rows = [(group, "ratio", value) for group, value in found.items()]
    rows.append(("best deterministic algorithm", "ratio", best))
    rows.append((QUICKSORT, "apart", np.abs(_losses(answers[QUICKSORT], W) - of_h).max()))
    return [{"group": g, "quantity": q, "value": float(value)} for g, q, value in rows]


def tournaments(n: int) -> Floats:
    """Return all 0/1 preferences of n items, (2^(n (n - 1) / 2), n, n)."""
    upper = np.triu_indices(n, 1)
    H = np.zeros((2 ** len(upper[0]), n, n))
    H[:, *upper] = list(product((0.0, 1.0), repeat=len(upper[0])))
    lower = np.tril(np.ones((n, n)), -1)
    return np.asarray(H + lower * (1.0 - H.swapaxes(1, 2)))


def _targets(n: int, target: str) -> list[tuple[int, ...]]:
    if target == "general":
        return list(permutations(range(n)))
    return [y for y in product((0, 1), repeat=n) if 0 < sum(y) < n]


def _losses(P: Floats, W: Floats) -> Floats:
    """Return expected losses, (answers, targets)."""
    return np.asarray(P.reshape(len(P), -1) @ W.T)


def _ratios(loss: Floats, of_h: Floats) -> Floats:
    """Return losses over those of h; where h has none, 0, or infinity if there is a loss."""
    perfect = np.where(loss > ROUNDING, np.inf, 0.0)
    return np.where(of_h > ROUNDING, loss / np.maximum(of_h, ROUNDING), perfect)


def query_regrets(
    rng: np.random.Generator,
    *,
    target: str = "bipartite",
    items: int = 4,
    queries: int = 4,
    by_query: bool = True,
    draws: int = 100,
) -> list[Row]:
    """Count how often an algorithm's ranking regret is above what the regret of h allows.

    Each draw is a distribution of queries over sets of three or more of some items, each with a
    random target, and a random 0/1 preference function; expectations are exact.

    Parameters
    ----------
    rng : numpy.random.Generator
        All that is random comes from here.
    target : str
        "bipartite" or "general".
    items, queries : int
        3 to 8 items, and 1 or more queries a distribution.
    by_query : bool
        The regret of (10.28) and (10.29), for which bounds hold; or that of (10.25) and (10.26),
        which presume that a pair's expected order does not depend on the other items (10.27). Here
        it does.
    draws : int
        1 or more.

    Returns
    -------
    list of dict with keys ``group``, ``quantity`` and ``value``
        Of QuickSort and of sort by degree: ``violations``, the number of draws with a ranking
        regret above the regret of h, or above twice that for sort by degree; ``largest``, the
        largest ratio of the two regrets.

    Raises
    ------
    ValueError
        For other parameters.

    References
    ----------
    mohri2018, (10.31) and (10.34), and their footnote.
    """
    if target not in ("bipartite", "general") or not 3 <= items <= 8 or min(queries, draws) < 1:
        raise ValueError(
            f"target={target!r}, items={items}, queries={queries}, draws={draws}: expected "
            "bipartite or general, 3 to 8, and 1 or more"
        )
    found: dict[str, list[float]] = {QUICKSORT: [], DEGREE: []}
    for _ in range(draws):
        H = np.triu(rng.integers(2, size=(items, items)), 1).astype(np.float64)
        H += np.tril(1.0 - H.T, -1)
        drawn = list(_queries(rng, items, target, queries))
        parts = [H[np.ix_(query.items, query.items)] for query in drawn]
        of_h = regrets(drawn, parts, by_query=by_query).preference
        for group, answer in ((QUICKSORT, order_probabilities), (DEGREE, degree_probabilities)):
            own = regrets(drawn, [answer(P) for P in parts], by_query=by_query).ranking
            ratio = own / of_h if of_h > ROUNDING else float(own > ROUNDING) * np.inf
            found[group].append(ratio)
    return [
        {"group": group, "quantity": quantity, "value": value}
        for group, ratios in found.items()
        for quantity, value in (
            ("violations", float((np.array(ratios) > (1 + (group == DEGREE)) + 1e-9).sum())),
            ("largest", float(max(ratios))),
        )
    ]


def _queries(rng: np.random.Generator, items: int, target: str, queries: int) -> Any:
    """Yield queries of a distribution."""
    for share in rng.dirichlet(np.ones(queries)):
        chosen = np.sort(rng.permutation(items)[: rng.integers(3, items + 1)])
        y = rng.permutation(chosen.size)
        if target == "bipartite":
            y = (y < rng.integers(1, chosen.size)) * 1
        yield Query(chosen.tolist(), y, float(share))
