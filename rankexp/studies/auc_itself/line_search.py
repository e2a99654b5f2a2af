"""The AUC along a line of linear scorers, exactly.

With scores a + t b the order of a positive and a negative example changes at one t at most. So the
AUC is constant between these breakpoints, and at a breakpoint it is the mean of both sides: there
the pairs that change are tied and count one half. Hence the largest value is that of an open
interval. Fowler and Hocking (2024, arXiv 2410.08635) follow the same function for gradient steps.

>>> a, b = np.array([0.0, 1.0, 3.0]), np.array([1.0, 0.0, 0.0])
>>> knots, auc = auc_along(a, b, np.array([True, False, False]))
>>> knots, auc
(array([1., 3.]), array([0. , 0.5, 1. ]))
"""

import numpy as np

from rankexp.arrays import Floats
from rankexp.compiled import njit


@njit
def crossings(rank: np.ndarray, positive: np.ndarray, found: np.ndarray) -> int:
    """Write pairs of both classes that are in order in the array and not by rank, (m, 2).

    Return their number m. A merge sort meets each pair once.
    """
    n, total, width = len(rank), 0, 1
    now, after = np.arange(n), np.empty(n, dtype=np.int64)
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            p, q = low, middle
            for place in range(low, high):
                if q == high or (p < middle and rank[now[p]] <= rank[now[q]]):
                    after[place] = now[p]
                    p += 1
                    continue
                for other in range(p, middle):
                    if positive[now[other]] != positive[now[q]]:
                        found[total, 0], found[total, 1] = now[other], now[q]
                        total += 1
                after[place] = now[q]
                q += 1
        now, after = after, now
        width *= 2
    return total


def _ordered(scores: Floats, slopes: Floats) -> tuple[np.ndarray, np.ndarray]:
    """Return the order by scores, then slopes, and dense ranks in which equal lines tie."""
    order = np.lexsort((slopes, scores))
    new = (np.diff(scores[order]) != 0) | (np.diff(slopes[order]) != 0)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.concatenate([[0], np.cumsum(new)])
    return order, rank


def twice_in_order(scores: np.ndarray, positive: np.ndarray) -> int:
    """Return twice the number of pairs in order, where a tie counts one half: an integer."""
    low = np.sort(scores[~positive])
    own = scores[positive]
    return int((np.searchsorted(low, own, "left") + np.searchsorted(low, own, "right")).sum())


def auc_along(
    a: Floats, b: Floats, positive: np.ndarray, low: float = -np.inf, high: float = np.inf
) -> tuple[Floats, Floats]:
    """Return the AUC of scores a + t b for all t between two ends.

    Parameters
    ----------
    a, b : ndarray of shape (n,)
        Scores at t = 0, and their slopes.
    positive : ndarray of bool, shape (n,)
        The positive examples; both classes must occur.
    low, high : float
        Ends of the open interval of t, by default the whole line.

    Returns
    -------
    knots : ndarray of shape (m,)
        All breakpoints between the ends, ascending, each once.
    auc : ndarray of shape (m + 1,)
        The AUC on the open intervals between the ends and the knots.

    Raises
    ------
    ValueError
        If a class is missing or the ends are not ascending.

    Notes
    -----
    The cost is O((n + c) log n), where c pairs of examples, of any classes, change their order.
    With few changes, as for a column with few ones or between near ends, it is O(n log n). With
    both ends infinite and slopes of any kind c is about n² / 2, and the cost O(n² log n).
    """
    if positive.all() or not positive.any() or not low < high:
        raise ValueError("expected two classes and ascending ends")
    start = _ordered(a + low * b, b) if np.isfinite(low) else _ordered(-b, a)
    end = _ordered(a + high * b, -b) if np.isfinite(high) else _ordered(b, a)
    order, classes = start[0], positive[start[0]]
    rank = end[1][order]
    pairs = int(positive.sum()) * int((~positive).sum())
    found = np.empty((pairs, 2), np.int32)  # of which memory is taken as it is filled
    one, two = order[found[: crossings(rank, classes, found)]].T
    t = (a[one] - a[two]) / (b[two] - b[one])
    # The first overtakes the second. Each side is sorted by itself, and merged in linear time.
    up, down = np.sort(t[positive[one]]), np.sort(t[positive[two]])
    times = np.concatenate([up, down])
    steps = np.concatenate([np.full(len(up), 2), np.full(len(down), -2)])
    merged = np.argsort(times, kind="stable")
    times, steps = times[merged], np.cumsum(steps[merged])
    last = np.append(np.diff(times) != 0, True)[: len(times)]
    counts = twice_in_order(start[1], positive) + np.concatenate([[0], steps[last]])
    return times[last], counts / (2 * pairs)


def best_step(
    a: Floats, b: Floats, positive: np.ndarray, low: float = -np.inf, high: float = np.inf
) -> tuple[float, float]:
    """Return a t with the largest AUC of a + t b, and that AUC.

    It is the middle of the best interval that is nearest to t = 0. Intervals that rounding may
    have made, narrower than 1e-10 of their ends, are left out.
    """
    knots, auc = auc_along(a, b, positive, low, high)
    if not len(knots):
        return 0.0, float(auc[0])
    reach = np.maximum(np.abs(knots), 1e-300)
    below, above = knots[0] - max(1.0, reach[0]), knots[-1] + max(1.0, reach[-1])
    ends = np.concatenate([[max(low, below)], knots, [min(high, above)]])
    wide = np.diff(ends) > 1e-10 * np.maximum(np.abs(ends[1:]), np.abs(ends[:-1]))
    middle = (ends[1:] + ends[:-1]) / 2
    best = np.flatnonzero(wide & (auc == auc[wide].max()))
    chosen = best[np.abs(middle[best]).argmin()]
    return float(middle[chosen]), float(auc[chosen])
