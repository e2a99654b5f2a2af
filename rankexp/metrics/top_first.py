"""The top of ranked lists by what comes first: MRR, ERR, positives at the top, partial AUC."""

from typing import Literal

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.metrics.top_lists import MOST, Lists, top

Form = Literal["first", "sum"]
REGISTER = {"mrr": "mrr", "err": "err", "ptop": "ptop", "partial_auc": "partial_auc"}


@top("Voorhees, TREC-8 (1999)", "MRR", "k")
def mrr(lists: Lists, k: int | None = None, relevant: int = 1, form: Form = "first") -> Floats:
    """Return the mean reciprocal rank: 1 over the rank of the first relevant row.

    It is at least 0, higher is better. All else is as for :func:`rankexp.metrics.ndcg`, and:

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
    higher is better. Parameters and errors are those of :func:`rankexp.metrics.ndcg`. With
    ``ties="expected"`` a block of m equal scores takes O(m r) for its r rows that may end it.
    """
    if (highest := lists.queries.highest) > MOST:
        raise ValueError(f"y has level {highest}, but the ERR takes levels up to {MOST}")
    stop = (np.exp2(lists.queries.levels) - 1.0) / 2.0**highest
    return _cascade(lists, stop, k)


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

    Of p relevant rows that tie with the highest n others, p / (n + 1) are expected above these.
    It is 1 where all rows are relevant. Errors and parameters are those of
    :func:`rankexp.metrics.ndcg` and :func:`rankexp.metrics.mean_average_precision`.
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
        The lowest level that is relevant. The others are those of :func:`rankexp.metrics.ndcg`,
        without `ties` and `empty`.
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
