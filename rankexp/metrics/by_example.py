"""Means over examples, not pairs: 0/1 loss, log loss, and the push of single negatives."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats, PerRow
from rankexp.blas import one_thread
from rankexp.categories import Order
from rankexp.metrics.bipartite import Ties, two_classes
from rankexp.metrics.continuous import Fitted
from rankexp.metrics.metric import MetricReading, declare, each_column, undefined

REGISTER = {"log_loss": "log_loss", "push_risk": "push_risk", "zero_one_loss": "zero_one_loss"}
NAMES = {"own": "threshold", "training": "training_threshold"}
"""What `fitted` holds for each kind of threshold."""
SINGLE = "y has a single class, and nothing says which one"
LOGISTIC = "kotlowski2011, section 3: the logistic risk of the scores as they stand"
SIDES: dict[str, Any] = {"expected": ["left", "right"], "best": ["left"], "worst": ["right"]}
"""Where a negative is put among positives with its score; ``expected`` is the mean of both."""


def binomial(loss: float, counts: Sequence[float]) -> float:
    """Return the standard error of a share of wrong test examples, from the counts of classes."""
    n = sum(counts)
    return math.sqrt(loss * (1 - loss) / n) if n > 0 and 0.0 <= loss <= 1.0 else math.nan


@declare(
    "lower",
    source="kotlowski2011, section 3",
    reading=MetricReading(0.01, binomial, reach=0.5),  # k of n of one class are at most n/2
    label="0/1 loss",
)
def zero_one_loss(
    y: npt.ArrayLike,
    scores: npt.ArrayLike,
    fitted: Fitted,
    threshold: Literal["own", "training"] = "own",
    sample_weight: PerRow = None,
    levels: Order = None,
) -> float | Floats:
    """Return the share of examples on the wrong side of a threshold of the scores.

    It is NaN for a single class, because nothing says which one. All that is not told here is as
    for :func:`rankexp.metrics.rank_loss`; ValueError also for an unknown kind of threshold.

    Parameters
    ----------
    fitted : mapping
        ``threshold`` and ``training_threshold``, a number or one a column; 0 by default, as a
        classifier's `decision_function` has it. A score above it means positive; one that equals
        it means negative (the source counts that as an error of either class).
    threshold : {"own", "training"}
        ``own``: the threshold that a method fits itself, such as its intercept. A method on pairs
        fits none, so it gets the threshold with the least error on the training rows.
        ``training``: that threshold for all methods.
    """
    if threshold not in NAMES:
        raise ValueError(f"threshold='{threshold}': expected one of {', '.join(NAMES)}")
    positive, s, weight = two_classes(y, scores, levels, sample_weight)
    cut = np.asarray(fitted.get(NAMES[threshold], 0.0), dtype=np.float64).reshape(-1, 1)
    if positive.all():
        return undefined(s, f"{SINGLE}: the 0/1 loss is NaN")
    wrong = (np.atleast_2d(s.T) > cut) != positive
    return each_column(np.array([weight[row].sum() for row in wrong]) / weight.sum(), s)


@declare("lower", source=LOGISTIC, reading=MetricReading(margin=0.01))
def log_loss(
    y: npt.ArrayLike, scores: npt.ArrayLike, sample_weight: PerRow = None, levels: Order = None
) -> float | Floats:
    """Return the mean of ``log(1 + exp(-y s))``, y in {-1, 1}: the negative log likelihood.

    Scores are read as log odds, in nats. The log loss says nothing of a method that only ranks,
    unless its scores get a scale: `BoostedRanker`, for example, fits an intercept. It is at least
    0, and NaN for a single class, because nothing says which one. All else is as for
    :func:`rankexp.metrics.rank_loss`.

    Examples
    --------
    >>> round(log_loss([0, 1], [-2.0, 2.0]), 4)
    0.1269
    """
    positive, s, weight = two_classes(y, scores, levels, sample_weight)
    if positive.all():
        return undefined(s, f"{SINGLE}: the log loss is NaN")
    sign = np.where(positive, -1.0, 1.0)
    columns = np.ascontiguousarray(np.atleast_2d(s.T))  # to the bit alike, alone or among others
    with one_thread:
        sums = np.array([weight @ np.logaddexp(0.0, sign * one) for one in columns])
    return each_column(sums / weight.sum(), s)


def _check(levels: int | None = None, p: float = 4.0, ties: str = "expected") -> None:
    if not 1.0 <= p < np.inf:
        raise ValueError(f"p={p:g}: expected a finite number >= 1")
    if ties not in SIDES:
        raise ValueError(f"ties='{ties}': expected one of {', '.join(SIDES)}")


@declare("lower", source="menon2014, the p-norm push risk; Rudin, JMLR 10 (2009)", check=_check)
def push_risk(
    y: npt.ArrayLike,
    scores: npt.ArrayLike,
    p: float = 4.0,
    ties: Ties = "expected",
    sample_weight: PerRow = None,
    levels: Order = None,
) -> float | Floats:
    """Return the mean over negatives of the share of positives at or below each, to the power p.

    With p = 1 it is :func:`rankexp.metrics.rank_loss`, which also documents what is returned, the
    other parameters and the errors. The greater p is, the more the negatives at the top count.

    Parameters
    ----------
    p : float
        >= 1 and finite.
    ties : {"expected", "worst", "best"}
        What a positive with the negative's score counts: 1/2, 1 or 0, as in menon2014. The share
        is raised to the power, so for p > 1 ``"expected"`` is not the mean over orders of ties.

    Examples
    --------
    >>> push_risk([0, 0, 1, 1], [1.0, 3.0, 2.0, 4.0], p=2)
    0.125
    """
    _check(None, p, ties)
    up, s, weight = two_classes(y, scores, levels, sample_weight)
    columns = np.atleast_2d(s.T)
    values = np.full(len(columns), np.nan)
    if not (weight[up].any() and weight[~up].any()):
        return undefined(s, "y has a single class: no pair to rank, the push risk is NaN")
    for j, column in enumerate(columns):
        order = column[up].argsort()
        above, mass = column[up][order], np.append(0.0, weight[up][order].cumsum())
        below = [mass[above.searchsorted(column[~up], side)] for side in SIDES[ties]]
        share = np.mean(below, axis=0) / mass[-1]
        values[j] = (weight[~up] * share**p).sum() / weight[~up].sum()
    return each_column(values, s)
