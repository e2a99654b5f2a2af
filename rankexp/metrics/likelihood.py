"""The log loss of scores that are log odds, such as those of probability models."""

import warnings

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats
from rankexp.blas import one_thread
from rankexp.categories import Order
from rankexp.metrics.base import MetricReading, UndefinedMetricWarning, declare
from rankexp.metrics.bipartite import two_classes

REGISTER = {"log_loss": "log_loss"}


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
    unless its scores get a scale: `BoostedRanker`, for example, fits an intercept.

    Parameters
    ----------
    y, scores, sample_weight, levels
        As in :func:`rankexp.metrics.rank_loss`.

    Returns
    -------
    float or ndarray of shape (L,)
        >= 0, lower is better. NaN with an `UndefinedMetricWarning` if `y` has a single class,
        because nothing says which one.

    Raises
    ------
    ValueError
        As of :func:`rankexp.metrics.rank_loss`.

    Examples
    --------
    >>> round(log_loss([0, 1], [-2.0, 2.0]), 4)
    0.1269
    """
    positive, s, weight = two_classes(y, scores, levels, sample_weight)
    if positive.all():
        text = "y has a single class, and nothing says which one: the log loss is NaN"
        warnings.warn(text, UndefinedMetricWarning, stacklevel=2)
        return np.full(s.shape[1], np.nan) if s.ndim == 2 else np.nan
    sign = np.where(positive, -1.0, 1.0)
    columns = np.ascontiguousarray(np.atleast_2d(s.T))  # to the bit alike, alone or among others
    with one_thread:
        sums = np.array([weight @ np.logaddexp(0.0, sign * one) for one in columns])
    values = sums / weight.sum()
    return values if s.ndim == 2 else float(values[0])
