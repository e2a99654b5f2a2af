"""Take exact regrets over queries with several sets of items whose targets have one law."""

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.checks.check import Rows, quantities
from rankexp.preference import Query, degree_probabilities, order_probabilities, regrets

REGISTER = {"shared_law_regrets": "shared_law_regrets"}

ROUNDING = 1e-9
LAW = 4  # ways to label all items that have a chance
FACTORS = {"QuickSort": ("(10.34)", 1.0), "sort by degree": ("(10.31)", 2.0)}


@dataclass(frozen=True)
class _Labelled(Query):
    """A query with labels 0 and 1, possibly all alike, and how its loss is divided."""

    weights: str = "pairs"

    @property
    def places(self) -> tuple[Ints, Ints]:
        """Where its pairs stand in a matrix of all items."""
        numbers = np.array(self.items, dtype=np.int64)
        return numbers[:, None], numbers

    def costs(self) -> Floats:
        """Return the cost of each pair, (n, n)."""
        y = np.asarray(self.target)
        wrong = (y[:, None] < y) * 1.0
        counted = len(y) * (len(y) - 1) / 2 if self.weights == "pairs" else wrong.sum()
        return np.asarray(wrong / max(counted, 1.0))


def shared_law_regrets(
    rng: np.random.Generator,
    *,
    cases: int = 20,
    sets: int = 3,
    weights: str = "pairs",
    errors: float = 0.05,
) -> Rows:
    """Take regrets where several sets of items are asked for, and one law has all their targets.

    Each of the `cases` draws 4 or 5 items, four ways to label them 0 or 1 with random chances,
    `sets` different sets of two items or more (2 to 8) with random chances, and a 0/1 preference
    function h. A query is a set, with its items' part of the labels. So the expected order of a
    pair is the same in each set that holds it, which is (10.27). h differs from the best
    preference function on the share `errors` of the pairs. A wrong pair counts by `weights`: over
    all "pairs" of the set, as (10.23) has it, or over pairs of different "classes", as 1 - AUC.

    Rows: `regret of` "h", "QuickSort", "sort by degree", the means of the cases; `violations of
    (10.34)`, the cases in which QuickSort's exceeds that of h; `violations of (10.31)`, in which
    that of sort by degree, ties being random, exceeds twice that; `largest excess of` both over
    these bounds; `pairs in several sets`, a mean. ValueError for other numbers or names.
    """
    if cases < 1 or not 2 <= sets <= 8 or weights not in ("pairs", "classes"):
        raise ValueError(
            f"cases={cases}, sets={sets}, weights={weights!r}: expected a case or more, 2 to 8 "
            "sets, and weights of pairs or classes"
        )
    if not 0.0 <= errors <= 1.0:
        raise ValueError(f"errors={errors}: expected a share from 0 to 1")
    found = [_case(rng, sets, weights, errors) for _ in range(cases)]
    columns = {name: np.array([one[name] for one in found]) for name in found[0]}
    values = {name: column.mean() for name, column in columns.items()}
    of_h, _, *ranked = columns.values()
    for own, (name, (bound, factor)) in zip(ranked, FACTORS.items(), strict=True):
        excess = own - factor * of_h
        values[f"violations of {bound}"] = float((excess > ROUNDING).sum())
        values[f"largest excess of {name}"] = float(excess.max())
    return quantities({name: round(float(value), 12) + 0.0 for name, value in values.items()})


def _case(rng: np.random.Generator, sets: int, weights: str, errors: float) -> dict[str, float]:
    items = int(rng.integers(4, 6))
    queries, shared = _queries(rng, items, sets, weights)
    H = _preferences(rng, queries, items, errors)
    of_h = [H[query.places] for query in queries]
    values = {"regret of h": regrets(queries, of_h).preference, "pairs in several sets": shared}
    for name, ranked in zip(FACTORS, (order_probabilities, degree_probabilities), strict=True):
        values[f"regret of {name}"] = regrets(queries, map(ranked, of_h)).ranking
    return values


def _queries(
    rng: np.random.Generator, items: int, sets: int, weights: str
) -> tuple[list[_Labelled], int]:
    """Return queries, and how many pairs of items are in two sets or more."""
    labels = np.array(list(product((0, 1), repeat=items)))
    law = labels[rng.permutation(len(labels))[:LAW]]
    chances = rng.dirichlet(np.full(LAW, 0.5))
    possible = [X for size in range(2, items + 1) for X in combinations(range(items), size)]
    asked = [possible[i] for i in rng.permutation(len(possible))[:sets]]
    queries = [
        _Labelled(X, y[list(X)], float(of_set * of_law), None, weights)
        for X, of_set in zip(asked, rng.dirichlet(np.full(sets, 0.5)), strict=True)
        for y, of_law in zip(law, chances, strict=True)
    ]
    pairs = [pair for X in asked for pair in combinations(X, 2)]
    return queries, sum(pairs.count(pair) > 1 for pair in set(pairs))


def _preferences(
    rng: np.random.Generator, queries: list[_Labelled], items: int, errors: float
) -> Floats:
    """Return the best preference function, (items, items), with some pairs turned round."""
    cost = np.zeros((items, items))
    for query in queries:
        cost[query.places] += query.probability * query.costs()
    ties, turned = rng.random((2, items, items)) < np.array([0.5, errors])[:, None, None]
    upper = np.triu(np.where(cost == cost.T, ties, cost < cost.T) ^ turned, 1)
    return np.asarray(upper + np.tril(1.0 - upper.T, -1), dtype=np.float64)
