"""Count orders of examples: the best if errors have costs, and wrong pairs by few errors."""

from itertools import combinations, permutations

import numpy as np

from rankexp.checks.check import Rows, quantities
from rankexp.studies.uematsu2010.theory.ratios import tripartite_ratio

REGISTER = {"costly_pairs": "costly_pairs", "misclassified_orders": "misclassified_orders"}

LABELS = {
    "best": "share of draws ranked best",
    "best_without_costs": "share ranked best without costs",
    "excess_without_costs": "excess cost without costs",
}
LABELS |= {f"{k}/16 of pairs wrong": f"orders with {k} of 16 pairs wrong" for k in range(17)}

ROUNDING = 1e-12


def costly_pairs(rng: np.random.Generator, *, draws: int = 50, points: int = 5) -> Rows:
    """Compare the ranking of Theorem 4 (uematsu2010) with all others on a few points.

    Each of the `draws` is a distribution of one of 2 to 7 points and a level, uniform on the
    simplex, with costs of the three pairs of levels, uniform on [0, 1]. `best` is the share of
    draws in which no order has a smaller expected cost than that by
    (c13 P3 + c12 P2) / (c13 P1 + c23 P2). `best_without_costs` is the same of the order with all
    costs 1, which is that of U_pairs; `excess_without_costs` is its mean expected cost over the
    least, less 1.
    """
    if draws < 1 or not 2 <= points <= 7:
        raise ValueError(f"draws={draws}, points={points}: expected 1 or more, and 2 to 7")
    orders = np.array(list(permutations(range(points))))
    ranked_below = orders[:, :, None] < orders[:, None, :]
    found = []
    for _ in range(draws):
        joint = rng.dirichlet(np.ones(3 * points)).reshape(points, 3)
        costs = np.triu(rng.random((3, 3)), 1)
        weights = joint @ costs.T @ joint.T  # of ranking the row's point below the column's
        least = float((ranked_below * weights).sum(axis=(1, 2)).min())
        scores = (tripartite_ratio(np.log(joint), given) for given in (costs, None))
        found.append([float(weights[s[:, None] < s].sum()) / least - 1 for s in scores])
    with_costs, without = np.array(found).T
    values = {
        "best": (with_costs <= ROUNDING).mean(),
        "best_without_costs": (without <= ROUNDING).mean(),
        "excess_without_costs": without.mean(),
    }
    return quantities(values)


def misclassified_orders(
    rng: np.random.Generator, *, positives: int = 4, negatives: int = 4, errors: int = 2
) -> Rows:
    """Count the orders in which some threshold misclassifies `errors` examples, by wrong pairs.

    There are 16 examples of both classes at most; ValueError for more, or for errors that no order
    has. A row `k/m of pairs wrong` is the number of orders with k of all m pairs in the wrong
    order, for each k that occurs (uematsu2010, "How is ranking different from classification?",
    after Agarwal and Niyogi, 2005).
    """
    n = positives + negatives
    if min(positives, negatives) < 1 or n > 16 or not 0 <= errors <= n:
        raise ValueError(
            f"positives={positives}, negatives={negatives}, errors={errors}: impossible"
        )
    places = np.array(list(combinations(range(n), positives)))  # of positives, the best is 0
    is_positive = (places[:, :, None] == np.arange(n)).any(axis=1)
    passed = np.cumsum(np.pad(is_positive, ((0, 0), (1, 0))), axis=1)  # above each threshold
    missed = (np.arange(n + 1) - passed) + (positives - passed)
    wrong = (places - np.arange(positives)).sum(axis=1)  # negatives above each positive
    numbers, counts = np.unique(wrong[(missed == errors).any(axis=1)], return_counts=True)
    return [
        {"quantity": f"{k}/{positives * negatives} of pairs wrong", "value": float(count)}
        for k, count in zip(numbers.tolist(), counts, strict=True)
    ]
