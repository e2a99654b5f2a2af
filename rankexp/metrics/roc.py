"""The ROC curve of two classes."""

import numpy as np
import numpy.typing as npt
from sklearn.metrics import roc_curve

from rankexp.arrays import Floats
from rankexp.categories import Order, in_order, without_imaginary
from rankexp.metrics.bipartite import NAN, Ties, check_ties, positive_rows, scaled_weights


def roc(
    y: npt.ArrayLike,
    scores: npt.ArrayLike,
    ties: Ties = "expected",
    sample_weight: npt.ArrayLike | None = None,
    levels: Order = None,
) -> tuple[Floats, Floats, Floats]:
    """Return the corners of the ROC curve, whose area is ``auc(y, scores, ties)``.

    Parameters
    ----------
    y, sample_weight, levels
        As for :func:`~rankexp.metrics.auc`.
    scores : array-like of shape (n,)
        Real and without NaN.
    ties : {"expected", "best", "worst"}
        Where a positive and a negative have the same score the curve goes along a segment; up
        first, as in mohri2018's AUC; or to the right first.

    Returns
    -------
    false, true : ndarray of shape (k,)
        Rates of false and of true positives, from (0, 0) to (1, 1).
    thresholds : ndarray of shape (k,)
        Descending from infinity: who scores at least so much is called positive. A corner within
        a tie has that of the tie's end.

    Raises
    ------
    ValueError
        As `auc` does, and for a single class.

    Examples
    --------
    >>> false, true, thresholds = roc([0, 1, 1], [1.0, 1.0, 2.0], ties="best")
    >>> false.tolist(), true.tolist(), thresholds.tolist()
    ([0.0, 0.0, 0.0, 0.0, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0], [inf, 2.0, 2.0, 1.0, 1.0])
    """
    check_ties(ties)
    labels, s = np.asarray(in_order(y, levels)), without_imaginary(scores)
    if labels.ndim != 1 or s.shape != labels.shape:
        raise ValueError(f"y and scores must be (n,); got {labels.shape} and {s.shape}")
    if s.dtype.kind == "f" and np.isnan(s).any():
        raise ValueError(NAN)
    given = np.ones(labels.size) if sample_weight is None else sample_weight
    weight = scaled_weights(given, labels.size)
    labels, s, weight = labels[weight > 0], s[weight > 0], weight[weight > 0]
    if (positive := positive_rows(labels)).all():
        raise ValueError("y has a single class: there is no ROC curve")
    values, place = np.unique(s, return_inverse=True)  # roc_curve takes no infinite scores
    false, true, _ = roc_curve(positive, place, sample_weight=weight, drop_intermediate=False)
    thresholds = np.concatenate(([np.inf], values[::-1].astype(np.float64)))
    if ties == "expected":
        return false, true, thresholds
    false, true, thresholds = (np.repeat(values, 2) for values in (false, true, thresholds))
    if ties == "best":  # one moves before the other one does
        return false[:-1], true[1:], thresholds[1:]
    return false[1:], true[:-1], thresholds[1:]
