"""The p-norm push's own risk: two classes, negatives above many positives count the most."""

import warnings
from typing import Literal

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats
from rankexp.categories import Order, in_order
from rankexp.metrics.base import UndefinedMetricWarning, declare
from rankexp.metrics.bipartite import Ties, scaled_weights
from rankexp.metrics.continuous import checked

REGISTER = {"push_risk": "push_risk"}

SIDES: dict[str, tuple[Literal["left", "right"], ...]] = {
    "expected": ("left", "right"),
    "best": ("left",),
    "worst": ("right",),
}
"""Where a negative is put among positives with its score; ``expected`` is the mean of both."""


def _check(levels: int | None, p: float = 4.0, ties: str = "expected") -> None:
    if not 1.0 <= p < np.inf:
        raise ValueError(f"p={p:g}: expected a finite number >= 1")
    if ties not in SIDES:
        raise ValueError(f"ties='{ties}': expected one of expected, worst, best")


@declare("lower", source="menon2014, the p-norm push risk; Rudin, JMLR 10 (2009)", check=_check)
def push_risk(
    y: npt.ArrayLike,
    scores: npt.ArrayLike,
    p: float = 4.0,
    ties: Ties = "expected",
    sample_weight: npt.ArrayLike | None = None,
    levels: Order = None,
) -> float | Floats:
    """Return the mean over negatives of the share of positives at or below each, to the power p.

    With p = 1 it is :func:`rankexp.metrics.rank_loss`; the greater p, the more it is of the
    negatives at the top alone.

    Parameters
    ----------
    p : float
        >= 1 and finite.
    ties : {"expected", "worst", "best"}
        What a positive counts that ties with the negative: 1/2, 1, or 0, as in menon2014. The
        power is of the share, so that for p > 1 ``"expected"`` is no mean over orders of ties.
        The others are those of :func:`rankexp.metrics.rank_loss`; weights are those of both means.

    Returns
    -------
    float or ndarray of shape (L,)
        In [0, 1], lower is better. NaN with an `UndefinedMetricWarning` where `y` has a single
        class, or one without weight.

    Raises
    ------
    ValueError
        For what :func:`rankexp.metrics.rank_loss` raises it, or another p.

    Examples
    --------
    >>> push_risk([0, 0, 1, 1], [1.0, 3.0, 2.0, 4.0], p=2)
    0.125
    """
    _check(None, p, ties)
    target, s = checked(in_order(y, levels), scores)
    weight = np.ones(len(target)) if sample_weight is None else sample_weight
    weight = scaled_weights(weight, len(target))
    classes = np.unique(target)
    if len(classes) > 2:
        raise ValueError(f"y must have two values, got {len(classes)}")
    positive = target == classes[-1]
    upper, lower = weight[positive], weight[~positive]
    columns = np.atleast_2d(s.T)
    if upper.any() and lower.any():
        values = np.array(
            [_mean(c[positive], c[~positive], upper, lower, p, ties) for c in columns]
        )
    else:
        text = "y has a single class: no pair to rank, the push risk is NaN"
        warnings.warn(text, UndefinedMetricWarning, stacklevel=2)
        values = np.full(len(columns), np.nan)
    return values if s.ndim == 2 else float(values[0])


def _mean(
    above: Floats, below: Floats, upper: Floats, lower: Floats, p: float, ties: str
) -> float:
    """Return the risk of the scores of positives and of negatives, with weights of both."""
    order = above.argsort()
    mass = np.concatenate(([0.0], np.cumsum(upper[order])))
    ranked = above[order]
    share = np.mean([mass[ranked.searchsorted(below, side)] for side in SIDES[ties]], axis=0)
    return float((lower * (share / mass[-1]) ** p).sum() / lower.sum())
