"""The share of a target's variance that no linear function of the scores explains."""

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats
from rankexp.metrics.base import declare
from rankexp.metrics.continuous import checked

REGISTER = {"unexplained_variance": "unexplained_variance"}
SOURCE = "clemencon2017, Figure 3 (affine matching)"


@declare("lower", source=SOURCE, kinds=("continuous",))
def unexplained_variance(scores: npt.ArrayLike, reference: npt.ArrayLike) -> float | Floats:
    """Return the least mean squared error of a s + b, as a share of the reference's variance.

    The scores of an oriented tree have a scale of their own, so their MSE says little if y has
    another one. This is the MSE once the scales are matched: 1 minus the squared correlation.

    Parameters
    ----------
    scores : array-like of shape (n,) or (n, L)
    reference : array-like of shape (n,)
        The regression function m(x) where it is known, else y.

    Returns
    -------
    float or ndarray of shape (L,)
        In [0, 1], lower is better; 1 for constant scores, and NaN for a constant reference.
    """
    m, s = checked(reference, scores, "reference")
    deviation = m - m.mean()
    total = float(np.square(deviation).sum())
    values = np.array([_left(column, deviation, total) for column in np.atleast_2d(s.T)])
    return values if s.ndim == 2 else float(values[0])


def _left(s: Floats, deviation: Floats, total: float) -> float:
    if total == 0.0:
        return float("nan")
    scale = np.abs(s).max()
    if scale == 0.0 or s.min() == s.max():
        return 1.0
    s = np.ascontiguousarray(s) / scale
    s = s - s.mean()
    slope = float((s * deviation).sum() / np.square(s).sum())
    return min(1.0, float(np.square(deviation - slope * s).sum()) / total)
