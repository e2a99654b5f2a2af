"""A curve that records keep of a test part: small, and enough to draw a figure from."""

import numpy as np


def gains(X, y, scores):
    """Return the share of positives found (y) when a share of the examples is taken (x).

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Not used.
    y : ndarray of shape (n,)
        The larger of two values is positive.
    scores : ndarray of shape (n,)
        The highest are taken first, and equal scores together.

    Returns
    -------
    dict with the lists ``x`` and ``y``, of one length
    """
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.diff(scores[order]) != 0, True)
    found = np.cumsum(y[order] == np.max(y))[last]
    taken = np.flatnonzero(last) + 1
    return {"x": (taken / len(y)).tolist(), "y": (found / found[-1]).tolist()}
