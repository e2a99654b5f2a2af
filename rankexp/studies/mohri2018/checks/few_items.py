"""Compute the worst that algorithms of the second stage do with few items, and their steps."""

from itertools import permutations, product

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.preference import (
    above,
    degree_probabilities,
    order_probabilities,
    pair_costs,
    quicksort_rank,
    sort_by_degree,
)
from rankexp.runner.checks.base import Rows, quantities

REGISTER = {"worst_rankings": "worst_rankings", "watched_sorts": "watched_sorts"}

QUICKSORT, DEGREE = "QuickSort", "sort by degree"
ROUNDING = 1e-12


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
    perfect = np.where(loss > ROUNDING, np.inf, 0.0)
    return np.where(of_h > ROUNDING, loss / np.maximum(of_h, ROUNDING), perfect)


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
