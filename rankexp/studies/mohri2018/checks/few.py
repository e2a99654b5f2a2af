"""Compute exact regrets of sort by degree and QuickSort over random distributions of queries."""

from itertools import combinations, permutations, product

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.checks.check import Rows, quantities
from rankexp.preference import (
    Query,
    above,
    degree_probabilities,
    order_probabilities,
    pair_costs,
    quicksort_rank,
    regrets,
    sort_by_degree,
)

REGISTER = {
    "query_regrets": "query_regrets",
    "worst_rankings": "worst_rankings",
    "watched_sorts": "watched_sorts",
}

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
    items: there is one set of items, and (10.27), which compares sets, says nothing. If not, each
    set of items has targets of its own. h differs from the best preference function for all
    queries on the share `errors` of the pairs, so its regret is small.

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


QUICKSORT, DEGREE = "QuickSort", "sort by degree"
SAME = 1e-12


def worst_rankings(rng: np.random.Generator, *, n: int = 3, target: str = "bipartite") -> Rows:
    """Find the largest ratio of an algorithm's expected loss to that of h, over all 0/1 h.

    There are n items, 2 to 5; the target is "bipartite" (all ways to label them) or "general" (all
    orders of them). Rows: `ratio of` "QuickSort"; of "sort by degree", whose ties are random; of
    "sort by degree with adverse ties"; and of "the best deterministic algorithm", which takes for
    each h the order whose largest ratio is the least. `QuickSort apart` is the largest distance of
    its expected loss from that of h. See mohri2018, (10.30), Theorem 10.5, (10.33) and (10.35).
    """
    if not 2 <= n <= 5 or target not in ("bipartite", "general"):
        raise ValueError(f"n={n}, target={target!r}: expected 2 to 5, and bipartite or general")
    H, W = tournaments(n), np.array([pair_costs(y).ravel() for y in _targets(n, target)])
    of_h = _losses(H, W)
    answers = {
        QUICKSORT: order_probabilities(H),
        DEGREE: degree_probabilities(H),
        f"{DEGREE} with adverse ties": degree_probabilities(H, "adverse"),
    }
    found = {f"ratio of {name}": _ratios(_losses(P, W), of_h).max() for name, P in answers.items()}
    orders = _losses(np.array([above(order) for order in permutations(range(n))]), W)
    best = max(_ratios(orders, own).max(axis=1).min() for own in of_h)
    apart = np.abs(_losses(answers[QUICKSORT], W) - of_h).max()
    found |= {"ratio of the best deterministic algorithm": best, f"{QUICKSORT} apart": apart}
    return quantities(found)


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
    """Return losses over those of h; if h has none, 0, or infinity for a loss above 0."""
    perfect = np.where(loss > SAME, np.inf, 0.0)
    return np.where(of_h > SAME, loss / np.maximum(of_h, SAME), perfect)


def watched_sorts(rng: np.random.Generator, *, n: int = 9, share: float = 0.15) -> Rows:
    """Rank a few items by a preference function with errors, and tell each step of it.

    There are n items, 2 to 20, of which 0 is the best; `share` is the expected share of the pairs
    that h prefers the wrong way. Rows by `group`, the item: `above j`, its preference over item j,
    0 or 1; `degree`; `place by degree` and `place by QuickSort`, 0 the top; `depth`, at which it
    is a pivot, or alone; `pivot`, the last one that it was compared with, -1 if it is the first.
    """
    if not 2 <= n <= 20 or not 0.0 <= share <= 1.0:
        raise ValueError(f"n={n}, share={share}: expected 2 to 20, and a share from 0 to 1")
    H = np.triu((rng.random((n, n)) >= share) * 1.0, 1)
    H += np.tril(1.0 - H.T, -1)
    depth, pivot = np.zeros(n), np.full(n, -1.0)

    def watched(u: Ints, v: Ints) -> Floats:
        depth[u], pivot[u] = depth[u] + 1.0, v
        return H[u, v]

    sorts = quicksort_rank(watched, np.arange(n), rng, check=False).order
    by_degree = sort_by_degree(lambda u, v: H[u, v], np.arange(n)).order
    places = {"place by degree": np.argsort(by_degree), "place by QuickSort": np.argsort(sorts)}
    values = {f"above {j}": H[:, j] for j in range(n)} | {"degree": H.sum(axis=1)}
    values |= {**places, "depth": depth, "pivot": pivot}
    return [
        {"group": str(i), "quantity": name, "value": float(value[i])}
        for name, value in values.items()
        for i in range(n)
    ]
