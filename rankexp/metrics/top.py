"""The top of ranked lists: sums over ranks, such as the NDCG, and what comes first, as the MRR."""

from typing import Literal

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.metrics.top_lists import MOST, Lists, top

REGISTER = {
    "dcg": "dcg",
    "ndcg": "ndcg",
    "map": "mean_average_precision",
    "precision": "precision",
    "recall": "recall",
    "mrr": "mrr",
    "err": "err",
    "ptop": "ptop",
    "partial_auc": "partial_auc",
}

Gain = Literal["exponential", "linear"]
Discount = Literal["log2", "letor"]
CUMULATED = "Järvelin and Kekäläinen, ACM TOIS 20 (2002); Burges et al., ICML 2005"
Form = Literal["first", "sum"]


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


@top("Voorhees, TREC-8 (1999)", "MRR", "k")
def mrr(lists: Lists, k: int | None = None, relevant: int = 1, form: Form = "first") -> Floats:
    """Return the mean reciprocal rank: 1 over the rank of the first relevant row.

    It is at least 0, higher is better. All else is as for :func:`ndcg`, and:

    Parameters
    ----------
    relevant : int
        The lowest level that is relevant.
    form : {"first", "sum"}
        ``sum`` adds up 1/rank over all relevant rows, which may be above 1.
    """
    if form == "sum":
        rank = lists.queries.rank
        hits = lists.tied(lists.relevant(relevant).astype(np.float64))
        return lists.total(hits / rank * (rank <= (k or rank.size)))
    return _cascade(lists, (lists.queries.levels >= relevant).astype(np.float64), k)


@top("Chapelle, Metzler, Zhang and Grinspan, CIKM 2009", "ERR", "k")
def err(lists: Lists, k: int | None = None) -> Floats:
    """Return the expected reciprocal rank at which a reader is satisfied, averaged over queries.

    The reader goes down the list, and a row of level y ends it with the chance
    (2^y - 1) / 2^ymax. Here ymax is the highest of `levels`, whether or not a row has it, without
    them the highest in `y`, of all queries; so give `levels` to compare values. It is in [0, 1),
    higher is better. Parameters and errors are those of :func:`ndcg`. With ``ties="expected"`` a
    block of m equal scores takes O(m r) for its r rows that may end it.
    """
    if (highest := lists.queries.highest) > MOST:
        raise ValueError(f"y has level {highest}, but the ERR takes levels up to {MOST}")
    return _cascade(lists, (np.exp2(lists.queries.levels) - 1.0) / 2.0**highest, k)


def _cascade(lists: Lists, stop: Floats, k: int | None) -> Floats:
    """Return the mean of 1/rank of the row that ends each list, (Q,), or 0; `stop` by level."""
    k = k or lists.code.size
    reached = np.ones(lists.block.size)
    for place in stop.nonzero()[0]:
        reached *= (1.0 - stop[place]) ** lists.before(lists.code == place)
    row, rank = stop[lists.code], lists.queries.rank[lists.block]
    value = row[lists.block] / rank
    bits = np.where(lists.size > 1, np.frexp(lists.size)[1], 0)
    ending = lists.count_in_blocks(row > 0)
    for width in np.unique(bits[bits > 0]):  # alike in size, so that padding at most doubles them
        some = ((bits == width) & (rank <= k)).nonzero()[0]
        some = some[np.argsort(-ending[some])]
        left = _survival(lists, some, row, k)
        i = np.arange(left.shape[1] - 1)
        at = rank[some, None] + i
        counts = (i < lists.size[some, None]) & (at <= k)
        value[some] = (np.where(counts, left[:, :-1] - left[:, 1:], 0.0) / at).sum(axis=1)
    return lists.total_of_blocks(reached * value * (rank <= k))


def _survival(lists: Lists, some: Ints, row: Floats, k: int) -> Floats:
    """Return the chance that the first i rows of a block end nothing, (blocks, most i + 1).

    It is the mean over all orders of the block: the i-th elementary symmetric polynomial of the
    rows' chances x to go on, over the number of its terms. Of a block of m rows, one of them new,
    the mean is (1 - i/m) times that of the others, plus i/m times x times theirs of i - 1. Rows
    with x = 1 come first, as any number of them has the mean 1. Blocks are in descending order
    of the number of the others.
    """
    size, place = lists.size[some], np.arange(lists.size[some].max(initial=0))
    at = lists.block[some, None] + place
    chance = np.where(place < size[:, None], row[np.minimum(at, row.size - 1)], 0.0)
    chance = -np.sort(-chance, axis=1)
    ends = (chance > 0).sum(axis=1)
    i = np.arange(min(place.size, k) + 1)
    mean = np.ones((some.size, i.size))
    for j in range(ends.max(initial=0)):
        active = int((ends > j).sum())
        m = (size - ends)[:active, None] + j + 1
        share = np.minimum(i / m, 1.0)[:, 1:]  # beyond m rows nothing is read
        before = mean[:active, :-1] * (1.0 - chance[:active, j, None])
        mean[:active, 1:] += share * (before - mean[:active, 1:])
    return mean


@top("Boyd, Cortes, Mohri and Radovanovic, NIPS 2012; Agarwal, SDM 2011", "positives at the top")
def ptop(lists: Lists, relevant: int = 1) -> Floats:
    """Return the share of a query's relevant rows that are above all others, averaged.

    Of p relevant rows that tie with the highest n others, p / (n + 1) are expected above these. It
    is 1 where all rows are relevant. All else is as for :func:`mean_average_precision`.
    """
    hits = lists.relevant(relevant)
    size, total = hits.size, lists.total(hits)
    first = np.minimum.reduceat(np.where(hits, size, np.arange(size)), lists.queries.start)
    there = first < size
    block = lists.block.searchsorted(first[there], "right") - 1
    own = lists.count_in_blocks(hits)[block]
    above = total.copy()
    above[there] = lists.before(hits)[block] + own / (lists.size[block] - own + 1)
    return above / np.maximum(total, 1)


@top("McClish, Medical Decision Making 9 (1989)", "partial AUC", rules=False)
def partial_auc(lists: Lists, max_fpr: float = 0.1, relevant: int = 1) -> Floats:
    """Return the area under the ROC curve up to a rate of false positives, averaged over queries.

    It is standardised as McClish has it, to 1/2 for random scores and 1 for the best, like
    scikit-learn's ``roc_auc_score(max_fpr=...)``. A tie counts 1/2. A query whose rows are all
    relevant, or all not, is left out, and an `UndefinedMetricWarning` counts it.

    Parameters
    ----------
    max_fpr : float
        Above 0, at most 1.
    relevant : int
        The lowest level that is relevant. The others are those of :func:`ndcg`, without `ties` and
        `empty`.
    """
    hits = lists.relevant(relevant)
    positive = lists.count_in_blocks(hits)
    negative = lists.size - positive
    false, true = lists.total(~hits), lists.total(hits)
    there = (false > 0) & (true > 0)
    allowed = max_fpr * false[lists.queries.query[lists.block]] - lists.before(~hits)
    part = (allowed / np.maximum(negative, 1)).clip(0.0, 1.0)
    area = lists.total_of_blocks(negative * part * (lists.before(hits) + part * positive / 2))
    share = np.divide(area, false * true, out=np.full(there.size, np.nan), where=there)
    least = max_fpr**2 / 2
    return np.asarray((1 + (share - least) / (max_fpr - least)) / 2)
