"""The top of ranked lists by what comes first: MRR, ERR, positives at the top, partial AUC."""

from typing import Literal

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.metrics.top_lists import MOST, Lists, top

REGISTER = {"mrr": "mrr", "err": "err", "ptop": "ptop", "partial_auc": "partial_auc"}


@top("Voorhees, TREC-8 (1999)", "MRR", "k")
def mrr(
    lists: Lists,
    k: int | None = None,
    relevant: int = 1,
    form: Literal["first", "sum"] = "first",
) -> Floats:
    """Return the mean reciprocal rank: 1 over the rank of the first relevant row.

    Parameters and errors are those of :func:`rankexp.metrics.ndcg`, and:

    Parameters
    ----------
    relevant : int
        The lowest level that is relevant.
    form : {"first", "sum"}
        ``sum`` adds up 1/rank over all relevant rows, which may be above 1.

    Returns
    -------
    float or ndarray of shape (L,)
        The mean over queries; at least 0, higher is better.
    """
    weight = lists.by_rank(np.reciprocal, k)
    hits = lists.relevant(relevant).astype(np.float64)
    if form == "sum":
        return lists.total(lists.tied(hits) * weight[lists.queries.rank])
    return _cascade(lists, (lists.queries.levels >= relevant).astype(np.float64), weight, k)


@top("Chapelle, Metzler, Zhang and Grinspan, CIKM 2009", "ERR", "k")
def err(lists: Lists, k: int | None = None) -> Floats:
    """Return the expected reciprocal rank at which a reader is satisfied, averaged over queries.

    The reader goes down the list, and a row of level y ends it with the chance
    (2^y - 1) / 2^ymax. Here ymax is the highest of `levels`, without them the highest in `y`, of
    all queries. Parameters and errors are those of :func:`rankexp.metrics.ndcg`.

    Returns
    -------
    float or ndarray of shape (L,)
        In [0, 1), higher is better.

    Notes
    -----
    With ``ties="expected"`` a block of m equal scores takes O(m r) for its r rows that may end it:
    see `_survival`.
    """
    if lists.queries.highest > MOST:
        raise ValueError(f"y has level {lists.queries.highest}: the ERR takes {MOST} at most")
    stop = (np.exp2(lists.queries.levels) - 1.0) / 2.0**lists.queries.highest
    return _cascade(lists, stop, lists.by_rank(np.reciprocal, k), k)


def _cascade(lists: Lists, stop: Floats, weight: Floats, k: int | None) -> Floats:
    """Return the expected weight of the rank that ends each list, (Q,).

    `stop` is the chance of each level to end it, `weight` that of ranks from 0.
    """
    reached = np.ones(lists.block.size)
    for place in stop.nonzero()[0]:
        reached *= (1.0 - stop[place]) ** lists.before(lists.code == place)
    row, rank = stop[lists.code], lists.queries.rank[lists.block]
    value = row[lists.block] * weight[rank]
    counted = (lists.size > 1) & (weight[rank] > 0)
    bits = np.where(counted, np.frexp(lists.size)[1], 0)
    for width in np.unique(bits[counted]):  # alike in size, so that padding at most doubles them
        some = (bits == width).nonzero()[0]
        some = some[np.argsort(-np.add.reduceat(row > 0, lists.block, dtype=np.int64)[some])]
        left = _survival(lists, some, row, k)
        i = np.arange(1, left.shape[1])
        inside = i <= lists.size[some, None]
        at = np.minimum(rank[some, None] + i - 1, weight.size - 1)
        ends = np.where(inside, left[:, :-1] - left[:, 1:], 0.0)
        value[some] = (ends * weight[at]).sum(axis=1)
    return lists.total_of_blocks(reached * value)


def _survival(lists: Lists, some: Ints, row: Floats, k: int | None) -> Floats:
    """Return the chance that the first i rows of a block end nothing, (blocks, most i + 1).

    It is the mean over all orders of the block: the i-th elementary symmetric polynomial of the
    rows' chances x to go on, over the number of its terms. Of a block of m rows, one of them new,
    the mean is (1 - i/m) times that of the others, plus i/m times x times theirs of i - 1. Rows
    with x = 1 come first, as any number of them has the mean 1. Blocks are in descending order
    of the number of the others.
    """
    size = lists.size[some]
    inside = np.arange(size.max()) < size[:, None]
    chance = np.zeros(inside.shape)
    chance[inside] = row[(lists.block[some, None] + np.arange(size.max()))[inside]]
    chance = -np.sort(-chance, axis=1)
    ends = (chance > 0).sum(axis=1)
    most = int(min(size.max(), k or size.max()))
    mean, i = np.ones((some.size, most + 1)), np.arange(most + 1)
    for j in range(int(ends.max())):
        active = int((ends > j).sum())
        m = (size - ends)[:active, None] + j + 1
        share = np.minimum(i / m, 1.0)[:, 1:]  # beyond m rows nothing is read
        before = mean[:active, :-1] * (1.0 - chance[:active, j, None])
        mean[:active, 1:] += share * (before - mean[:active, 1:])
    return mean


@top("Boyd, Cortes, Mohri and Radovanovic, NIPS 2012; Agarwal, SDM 2011", "positives at the top")
def ptop(lists: Lists, relevant: int = 1) -> Floats:
    """Return the share of a query's relevant rows that are above all others, averaged.

    Of p relevant rows that tie with the highest n others, p / (n + 1) are expected above these.
    It is 1 where all rows are relevant. Errors and parameters are those of
    :func:`rankexp.metrics.ndcg` and :func:`rankexp.metrics.mean_average_precision`.
    """
    hits = lists.relevant(relevant)
    size, total = hits.size, lists.count(hits)
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

    It is standardised as McClish has it, to 1/2 for scores that know nothing and 1 for the best:
    scikit-learn's ``roc_auc_score(max_fpr=...)``. Equal scores are joined by a segment of the
    curve, so that with ``max_fpr=1`` it is the AUC with a tie counting 1/2. A query whose rows are
    all relevant, or all not, has no value, as in :func:`rankexp.metrics.auc`: it is left out, and
    an `UndefinedMetricWarning` counts it.

    Parameters
    ----------
    max_fpr : float
        Above 0, at most 1.
    relevant : int
        The lowest level that is relevant. The others are those of :func:`rankexp.metrics.ndcg`,
        without `ties` and `empty`.
    """
    hits = lists.relevant(relevant)
    positive = lists.count_in_blocks(hits)
    negative = lists.size - positive
    false, true = lists.count(~hits), lists.count(hits)
    there = (false > 0) & (true > 0)
    allowed = max_fpr * false[lists.queries.query[lists.block]] - lists.before(~hits)
    part = (allowed / np.maximum(negative, 1)).clip(0.0, 1.0)
    area = lists.total_of_blocks(negative * part * (lists.before(hits) + part * positive / 2))
    share = np.divide(area, false * true, out=np.full(there.size, np.nan), where=there)
    least = max_fpr**2 / 2
    return np.asarray((1 + (share - least) / (max_fpr - least)) / 2)
