"""The risk of the p-norm push: negatives that are ranked above many positives count most."""

from typing import Any

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats
from rankexp.categories import Order
from rankexp.metrics.base import declare, each_column, undefined
from rankexp.metrics.bipartite import Ties, two_classes

REGISTER = {"push_risk": "push_risk"}

SIDES: dict[str, Any] = {"expected": ["left", "right"], "best": ["left"], "worst": ["right"]}
"""Where a negative is put among positives with its score; ``expected`` is the mean of both."""


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
    sample_weight: npt.ArrayLike | None = None,
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
