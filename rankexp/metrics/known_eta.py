"""The expected AUC of test examples whose class probabilities are known."""

import warnings

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats
from rankexp.blas import one_thread
from rankexp.metrics.base import MetricReading, UndefinedMetricWarning, declare
from rankexp.metrics.bipartite import MARGIN, Ties, check_ties, rank_loss

REGISTER = {"expected_auc": "expected_auc"}

OWN = {"expected": 0.5, "worst": 1.0, "best": 0.0}
"""What `rank_loss` takes for the tie of an example with itself."""


@declare(
    "higher",
    label="AUC against eta",
    source="kotlowski2011, (4), given the examples",
    reading=MetricReading(margin=MARGIN),
)
def expected_auc(
    scores: npt.ArrayLike, eta: npt.ArrayLike, ties: Ties = "expected"
) -> float | Floats:
    """Return the expected AUC: a pair weighs P(the first is positive, the second negative).

    It is the AUC without the noise of the test labels: if labels were drawn, the expected number
    of pairs in the right order over the expected number of pairs. Errors are those of
    :func:`rankexp.metrics.auc`; ValueError also for probabilities outside [0, 1].

    Parameters
    ----------
    scores : array-like of shape (n,) or (n, L)
        As in :func:`rankexp.metrics.auc`.
    eta : array-like of shape (n,)
        P(y = 1 | x) of each example, in [0, 1].
    ties : {"expected", "worst", "best"}
        As in :func:`rankexp.metrics.auc`.

    Returns
    -------
    float or ndarray of shape (L,)
        In [0, 1], higher is better; NaN with a warning where no pair can have two classes.

    Examples
    --------
    >>> expected_auc([1.0, 2.0, 3.0], [0.0, 0.5, 1.0])
    1.0
    """
    check_ties(ties)
    s, p = np.asarray(scores), np.asarray(eta, dtype=np.float64)
    if s.ndim not in (1, 2) or p.shape != s.shape[:1]:
        raise ValueError(f"eta {p.shape} must be (n,), scores {s.shape} (n,) or (n, L)")
    if not ((p >= 0.0) & (p <= 1.0)).all():
        raise ValueError("eta must be probabilities, in [0, 1]")
    weight = np.concatenate((1.0 - p, p))
    with one_thread:
        own = float(p @ (1.0 - p))  # an example's pairs with itself, which are no pairs
    both = float(p.sum() * (1.0 - p).sum())
    if both - own <= 1e-12 * both:
        text = "no two examples can have different classes: the expected AUC is NaN"
        warnings.warn(text, UndefinedMetricWarning, stacklevel=2)
        return np.full(s.shape[1], np.nan) if s.ndim == 2 else np.nan
    lost = rank_loss(np.repeat((0, 1), p.size), np.concatenate((s, s)), ties, weight)
    found = 1.0 - (np.asarray(lost) * both - OWN[ties] * own) / (both - own)
    found = np.clip(found, 0.0, 1.0)
    return found if s.ndim == 2 else float(found)
