"""0/1 loss and log loss: what single examples lose, not pairs."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats
from rankexp.blas import one_thread
from rankexp.categories import Order
from rankexp.metrics.base import MetricReading, declare, each_column, undefined
from rankexp.metrics.bipartite import two_classes
from rankexp.metrics.continuous import Fitted

REGISTER = {"log_loss": "log_loss", "zero_one_loss": "zero_one_loss"}
NAMES = {"own": "threshold", "training": "training_threshold"}
"""What `fitted` holds for each kind of threshold."""
SINGLE = "y has a single class, and nothing says which one"


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
    sample_weight: npt.ArrayLike | None = None,
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


@declare(
    "lower",
    source="kotlowski2011, section 3: the logistic risk of the scores as they stand",
    reading=MetricReading(margin=0.01),
)
def log_loss(
    y: npt.ArrayLike,
    scores: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None = None,
    levels: Order = None,
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
