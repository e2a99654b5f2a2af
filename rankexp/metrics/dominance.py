"""How many examples lie below and above each one both in y and in the scores, with ties.

Every measure of a continuous ranking is a sum over pairs weighted by ranks of y, so that these
counts are all that it needs; they take O(n log n).
"""

from typing import NamedTuple

import numpy as np

from rankexp.arrays import Ints, Labels


class Ordered(NamedTuple):
    """The examples in ascending order of y, and how many have a y below, and not above, each."""

    order: Ints
    below: Ints
    upto: Ints


class PairCounts(NamedTuple):
    """Counts for each example, by its place in an order of y, ascending, and of all pairs.

    `won_below` and `won_above` count, among those with y below (above), twice those with a score
    below (above) plus those with the same score. `concordant` and `discordant` are the pairs that
    y and the scores order alike, and against each other, `tied` those with the same score.
    """

    won_below: Ints
    won_above: Ints
    concordant: int
    discordant: int
    tied: int


def ordered(y: Labels) -> Ordered:
    """Sort y, (n,)."""
    order = y.argsort()
    return Ordered(order, *runs(y[order]))


def count_pairs(by_y: Ordered, scores: Labels) -> PairCounts:
    """Count the pairs of each example.

    Places ascend by y, then descend by score; ranks ascend by score, then descend by place. So an
    earlier place with a lower rank is a lower y with a lower score.
    """
    from rankexp.metrics.dominance_loops import smaller_before

    n, below, upto, s = scores.size, by_y.below, by_y.upto, scores[by_y.order]
    order = s.argsort()
    first, last = runs(s[order])
    tied = int(((last - first - 1).sum()) // 2)
    lower, weakly = _scattered(order, first), _scattered(order, last)
    left, right = np.arange(n), np.arange(1, n + 1)
    if (upto - below > 1).any():  # two examples have the same y
        places = (below * n - lower).argsort()
        lower, weakly = lower[places], weakly[places]
        left, right = runs(below * n - lower)  # of the same y and score
    ranks, ends = lower, weakly
    if tied:
        order = (lower * n - np.arange(n)).argsort()
        ranks = _scattered(order, np.arange(n))
        ends = _scattered(order, runs((lower * n - below)[order])[1])
    same = weakly - ends  # with a lower y and the same score
    smaller = smaller_before(ranks)
    won_below = 2 * smaller + same
    won_above = 2 * n - (lower + weakly) - (left + right) + won_below
    concordant = int(smaller.sum())
    discordant = int(below.sum()) - int(same.sum()) - concordant
    return PairCounts(won_below, won_above, concordant, discordant, tied)


def runs(ascending: Labels) -> tuple[Ints, Ints]:
    """Return how many values lie below each one, and how many not above it."""
    n = ascending.size
    new = (ascending[1:] != ascending[:-1]).nonzero()[0] + 1
    if new.size == n - 1:
        return np.arange(n), np.arange(1, n + 1)
    edges = np.concatenate(([0], new, [n]))
    sizes = np.diff(edges)
    return edges[:-1].repeat(sizes), edges[1:].repeat(sizes)


def _scattered(order: Ints, values: Ints) -> Ints:
    out = np.empty_like(values)
    out[order] = values
    return out
