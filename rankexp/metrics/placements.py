"""How many pairs each example wins; a share of pairs in order is a mean of these."""

import numpy as np

from rankexp.arrays import Floats, Ints

MOST = 50_000_000
"""Levels times distinct scores, counted in one table."""


def won(levels: Ints, scores: Floats) -> Floats:
    """Return how many pairs each row wins against rows of other levels, (n,), a tie counting 1/2.

    `levels` are codes 0 .. K-1, worst to best; `scores` (n,) are without NaN. A row wins against a
    worse one if its score is above, against a better one if it is below.
    """
    order = scores.argsort()
    ranked = scores[order]
    new = np.concatenate(([True], ranked[1:] != ranked[:-1]))
    tie = np.empty(len(scores), dtype=np.int64)  # the distinct score of each row, ascending
    tie[order] = new.cumsum() - 1
    G = int(tie.max(initial=-1)) + 1
    K = int(levels.max(initial=-1)) + 1
    if K * G > MOST:
        raise ValueError(f"{K} levels and {G} scores are too many to count wins level by level")
    equal = np.bincount(levels * G + tie, minlength=K * G).reshape(K, G)
    middle = equal.cumsum(axis=1) - 0.5 * equal  # rows below, and half of those beside
    worse, better = np.zeros(G), middle.sum(axis=0)
    above, found = float(len(scores)), np.empty(len(scores))
    for level in range(K):
        rows = np.flatnonzero(levels == level)
        better -= middle[level]
        above -= len(rows)
        found[rows] = (worse + (above - better))[tie[rows]]
        worse += middle[level]
    return found
