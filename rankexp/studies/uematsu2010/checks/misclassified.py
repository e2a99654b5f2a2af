"""Count the pairs out of order if few examples are misclassified, over all orders."""

from itertools import combinations

import numpy as np

from rankexp.runner.checks.base import Rows

REGISTER = {"misclassified_orders": "misclassified_orders"}

LABELS = {f"{k}/16 of pairs wrong": f"orders with {k} of 16 pairs wrong" for k in range(17)}


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
