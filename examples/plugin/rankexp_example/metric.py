"""A metric with two parameters."""

import math
from typing import Literal

import numpy as np

from rankexp.plugin import declare


@declare("higher", source="an example")
def share_at_top(y, scores, top: float = 0.1, ties: Literal["expected", "worst"] = "expected"):
    """Return the share of positives among the examples with the highest scores.

    Parameters
    ----------
    y : array-like of shape (n,)
        The larger of two values is positive.
    scores : array-like of shape (n,) or (n, L)
        L scoring functions, a column each.
    top : float
        Which share of the examples is at the top, rounded up.
    ties : {"expected", "worst"}
        Of examples that tie at the edge, the mean over all orders, or negatives first.

    Returns
    -------
    float or ndarray of shape (L,)
    """
    scores, positive = np.asarray(scores, dtype=float), np.asarray(y) == np.max(y)
    if np.isnan(scores).any():
        raise ValueError("scores have NaN")
    found = [_share(positive, column, top, ties) for column in scores.reshape(len(scores), -1).T]
    return np.array(found) if scores.ndim == 2 else found[0]


def _share(positive, s, top, ties):
    count = math.ceil(top * len(s))
    edge = np.sort(s)[-count]
    above, tied = s > edge, s == edge
    left = count - above.sum()
    if ties == "worst":
        inside = max(0, left - (tied & ~positive).sum())
    else:
        inside = left * positive[tied].mean()
    return float((positive[above].sum() + inside) / count)
