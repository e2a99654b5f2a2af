"""The top of ranked lists by sums over ranks: DCG, NDCG, average precision, precision, recall."""

from typing import Literal

import numpy as np

from rankexp.arrays import Floats
from rankexp.metrics.top_lists import MOST, Lists, top

REGISTER = {
    "dcg": "dcg",
    "ndcg": "ndcg",
    "map": "mean_average_precision",
    "precision": "precision",
    "recall": "recall",
}

Gain = Literal["exponential", "linear"]
Discount = Literal["log2", "letor"]
CUMULATED = "Järvelin and Kekäläinen, ACM TOIS 20 (2002); Burges et al., ICML 2005"


@top(CUMULATED, "NDCG", "k")
def ndcg(
    lists: Lists, k: int | None = None, gain: Gain = "exponential", discount: Discount = "log2"
) -> Floats:
    """Return the normalised discounted cumulative gain, averaged over queries.

    It is :func:`dcg` divided by its greatest value, that of rows sorted by level.

    Parameters
    ----------
    y : array-like of shape (n,)
        Levels 0, 1, 2, ...: level 0 has no gain, and -1 and 1 are read as 0 and 1. Other labels
        need `levels`.
    scores : array-like of shape (n,) or (n, L)
        Real and without NaN (infinite is fine); with two dimensions one column a scorer.
    groups : array-like of shape (n,), optional
        The query of each row, numbers or words; by default all rows are one list.
    levels : sequence or int, optional
        The labels of the levels, worst to best, or how many there are where `y` holds codes.
    k : int, optional
        Ranks up to k count; by default all do. Written behind an @: ``ndcg@10``.
    gain : {"exponential", "linear"}
        The gain of level y: 2^y - 1, or y.
    discount : {"log2", "letor"}
        Rank i is divided by log2(1 + i), or as LETOR 3.0 has it (and Järvelin and Kekäläinen) by
        log2(i) from rank 2 on, so that the first two count alike.
    ties : {"expected", "order", "reversed", "best", "worst"}
        How equal scores are ordered. ``expected``: the exact mean over all orders (McSherry and
        Najork, ECIR 2008). ``order``: in the order of the rows, which may give relevance away;
        ``reversed``: the last row first; ``best``, ``worst``: the highest level first, or last.
    empty : {"zero", "skip"}
        What becomes of a query without a relevant row (above level 0). ``zero``: it counts 0, as
        in LETOR. ``skip``: it is left out, and an `UndefinedMetricWarning` says how many are.

    Returns
    -------
    float or ndarray of shape (L,)
        In [0, 1], higher is better; NaN with a warning where no query has a value. It takes
        O(n log n) a column, without a loop over queries.

    Raises
    ------
    ValueError
        For other shapes, NaN, no row, missing groups, a parameter that cannot be, values of `y`
        that don't go with `levels`, and exponential gains of levels above 50.

    Examples
    --------
    >>> ndcg([2, 0, 1, 0, 1], [3.0, 2.0, 1.0, 2.0, 1.0], groups=[1, 1, 1, 2, 2], k=2)
    0.72858...
    """
    best = _gained(lists.queries.ideal, k, gain, discount)
    gained = _gained(lists, k, gain, discount)
    return np.divide(gained, best, out=np.zeros_like(best), where=best > 0)


@top(CUMULATED, "DCG", "k", margin=None)
def dcg(
    lists: Lists, k: int | None = None, gain: Gain = "exponential", discount: Discount = "log2"
) -> Floats:
    """Return the discounted cumulative gain: the sum of gains over discounts of ranks.

    It is the mean over queries, at least 0. Parameters and errors are those of :func:`ndcg`.
    """
    return _gained(lists, k, gain, discount)


def _gained(lists: Lists, k: int | None, gain: str, discount: str) -> Floats:
    gains = lists.queries.levels
    if gain == "exponential":
        if gains[-1] > MOST:
            raise ValueError(f"y holds level {gains[-1]:g}: above level {MOST} use gain='linear'")
        gains = np.exp2(gains) - 1.0
    i = np.arange(1, lists.queries.sizes.max() + 1)
    worth = (i <= (k or i.size)) / np.log2(1 + i if discount == "log2" else np.maximum(i, 2))
    return lists.total(lists.tied(gains[lists.code]) * worth[lists.queries.rank - 1])


@top("Manning, Raghavan and Schütze, 2008, section 8.4", "MAP")
def mean_average_precision(lists: Lists, relevant: int = 1) -> Floats:
    """Return the average precision, in [0, 1], averaged over queries (``map``): higher is better.

    A query's average precision is the mean over its relevant rows of the share of relevant ones
    among the rows down to theirs. That of tied rows is expected by the formula of McSherry and
    Najork (2008). `relevant` is the lowest level that is relevant. Errors and the other parameters
    are those of :func:`ndcg`.
    """
    hits = lists.relevant(relevant)
    chance = lists.tied(hits.astype(np.float64))
    inside = np.arange(hits.size) - lists.block.repeat(lists.size)  # rows of its block before it
    others = np.maximum(lists.size - 1, 1).repeat(lists.size)
    among = lists.count_in_blocks(hits).repeat(lists.size) - 1
    upto = lists.before(hits).repeat(lists.size) + 1 + inside * among / others
    return lists.total(chance * upto / lists.queries.rank) / np.maximum(lists.total(hits), 1)


@top("Manning, Raghavan and Schütze, 2008, section 8.4", "precision", "k")
def precision(lists: Lists, k: int | None = None, relevant: int = 1) -> Floats:
    """Return the share of relevant rows among the first k, averaged over queries.

    A list shorter than k is divided by k all the same, as LETOR and TREC have it; without k it is
    the R-precision, k being the number of the query's relevant rows. Parameters and errors are
    those of :func:`ndcg` and :func:`mean_average_precision`.
    """
    found, total = _found(lists, k, relevant)
    return found / (k or total)


@top("Manning, Raghavan and Schütze, 2008, section 8.4", "recall", "k")
def recall(lists: Lists, k: int | None = None, relevant: int = 1) -> Floats:
    """Return the share of a query's relevant rows that are among its first k, averaged.

    Parameters, also what no k means, and errors are those of :func:`precision`.
    """
    found, total = _found(lists, k, relevant)
    return found / total


def _found(lists: Lists, k: int | None, relevant: int) -> tuple[Floats, Floats]:
    """Return the relevant rows among the first k of each list, and all (at least 1), (Q,)."""
    hits = lists.relevant(relevant)
    total = np.maximum(lists.total(hits), 1.0)
    first = lists.queries.rank <= (k or total[lists.queries.query])
    return lists.total(lists.tied(hits.astype(np.float64)) * first), total
