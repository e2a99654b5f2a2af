"""Compute exact regrets of sort by degree and QuickSort over random distributions of queries."""

from itertools import combinations, product

import numpy as np

from rankexp.arrays import Floats
from rankexp.preference import (
    Query,
    degree_probabilities,
    order_probabilities,
    pair_costs,
    regrets,
)
from rankexp.runner.checks.base import Rows, quantities

REGISTER = {"query_regrets": "query_regrets"}

Labels = tuple[int, ...]
Drawn = tuple[Labels, Labels, float]
"""The items of a query, their levels, and its probability."""

ROUNDING = 1e-9
NOTIONS = {"one best ranking": False, "the best by query": True}
FACTORS = {"QuickSort": 1.0, "sort by degree": 2.0}  # of Reg(h), by (10.34) and (10.31)


def query_regrets(
    rng: np.random.Generator,
    *,
    cases: int = 20,
    items: int = 4,
    independent: bool = True,
    errors: float = 0.2,
) -> Rows:
    """Take regrets over random distributions of queries with two levels, in both notions.

    Each of the `cases` draws a distribution of queries and a 0/1 preference function h. There are
    3 to 8 items, of which a query holds all, or all but one. If `independent`, each holds all
    items, so the expected order of a pair is the same in all queries (10.27); if not, each set of
    items has targets of its own. h differs from the best preference function for all queries on
    the share `errors` of the pairs, so its regret is small.

    Rows by `group`, the notion: "one best ranking", (10.25) and (10.26), or "the best by query",
    (10.28) and (10.29). `regret of` "h", "QuickSort", "sort by degree" is the mean of the cases.
    `violations of (10.34)` are cases in which QuickSort's exceeds that of h; `violations of
    (10.31)`, in which that of sort by degree, ties being random, exceeds twice that; `largest
    excess of` the two over these bounds is below 0 if they never reach them (mohri2018, footnote
    18, too).
    """
    if cases < 1 or not 3 <= items <= 8 or not 0.0 <= errors <= 1.0:
        raise ValueError(
            f"cases={cases}, items={items}, errors={errors}: expected a case or more, 3 to 8 "
            "items, and a share from 0 to 1"
        )
    found: dict[tuple[str, str], list[float]] = {}
    for _ in range(cases):
        queries = _distribution(rng, items, independent=independent)
        for key, regret in _regrets(queries, _preferences(rng, queries, items, errors)).items():
            found.setdefault(key, []).append(regret)
    return [row for notion in NOTIONS for row in _told(notion, found)]


def _regrets(drawn: list[Drawn], H: Floats) -> dict[tuple[str, str], float]:
    """Return regrets of preferences and of algorithms that rank by them, by notion and name."""
    queries = [Query(X, y, p) for X, y, p in drawn]
    of_h = [H[np.ix_(X, X)] for X, _, _ in drawn]
    sorts, degrees = map(order_probabilities, of_h), map(degree_probabilities, of_h)
    answers = dict(zip(FACTORS, (list(sorts), list(degrees)), strict=True))
    found = {}
    for notion, by_query in NOTIONS.items():
        found[notion, "h"] = regrets(queries, of_h, by_query=by_query).preference
        for name, P in answers.items():
            found[notion, name] = regrets(queries, P, by_query=by_query).ranking
    return found


def _distribution(rng: np.random.Generator, items: int, *, independent: bool) -> list[Drawn]:
    """Return queries with targets of two levels, each set of items with a few of its own."""
    everything = tuple(range(items))
    sets = [everything] if independent else [everything, *combinations(everything, items - 1)]
    queries: list[tuple[Labels, Labels]] = []
    for X in sets:
        targets = [y for y in product((0, 1), repeat=len(X)) if 0 < sum(y) < len(X)]
        few = rng.permutation(len(targets))[:3]
        queries += [(X, targets[i]) for i in few]
    shares = rng.dirichlet(np.full(len(queries), 0.5))
    return [(X, y, float(p)) for (X, y), p in zip(queries, shares, strict=True)]


def _preferences(
    rng: np.random.Generator, queries: list[Drawn], items: int, errors: float
) -> Floats:
    """Return the best 0/1 preferences for all queries, with some pairs turned round."""
    cost = np.zeros((items, items))
    for X, y, p in queries:
        cost[np.ix_(X, X)] += p * pair_costs(y)
    turned = rng.random((items, items)) < errors
    ties = rng.random((items, items)) < 0.5
    best = np.where(cost == cost.T, ties, cost < cost.T)
    upper = np.triu(best ^ turned, 1)
    return np.asarray(upper + np.tril(1.0 - upper.T, -1), dtype=np.float64)


def _told(notion: str, found: dict[tuple[str, str], list[float]]) -> Rows:
    of_h = np.array(found[notion, "h"])
    values = {"regret of h": of_h.mean()}
    for name, factor in FACTORS.items():
        own = np.array(found[notion, name])
        excess, bound = own - factor * of_h, "(10.34)" if factor == 1.0 else "(10.31)"
        values[f"regret of {name}"] = own.mean()
        values[f"violations of {bound}"] = (excess > ROUNDING).sum()
        values[f"largest excess of {name}"] = excess.max()
    exact = {name: round(float(value), 12) + 0.0 for name, value in values.items()}
    return quantities(exact, group=notion)
