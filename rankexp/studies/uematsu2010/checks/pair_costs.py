"""Test Theorem 4 of uematsu2010: the best ranking of three levels if errors have costs."""

from itertools import permutations

import numpy as np

from rankexp.runner.checks.base import Rows, quantities
from rankexp.theory.bayes import tripartite_ratio

REGISTER = {"costly_pairs": "costly_pairs"}

LABELS = {
    "best": "share of draws ranked best",
    "best_without_costs": "share ranked best without costs",
    "excess_without_costs": "excess cost without costs",
}

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
