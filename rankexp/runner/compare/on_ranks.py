"""Regression on the ranks of numbers, made for a study by import path."""

import numpy as np
from scipy.stats import rankdata
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge

from rankexp.arrays import Floats


def ranks(y: Floats) -> Floats:
    """Return the ranks of numbers, (n,) or (n, 1), as shares of n; ties have their mean rank.

    >>> ranks(np.array([3.0, 10.0, 3.0, 4.0]))
    array([0.375, 1.   , 0.375, 0.75 ])
    """
    return np.asarray(rankdata(y, axis=0) / len(y))


def as_they_are(y: Floats) -> Floats:
    """Return predicted ranks, which order rows like the numbers they stand for."""
    return y


def ridge(alpha: float = 1.0) -> TransformedTargetRegressor:
    """Return linear least squares on ranks."""
    return _on_ranks(Ridge(alpha=alpha))


def boosting(
    max_leaf_nodes: int = 31, random_state: int | None = None
) -> TransformedTargetRegressor:
    """Return boosted trees, least squares on ranks."""
    model = HistGradientBoostingRegressor(
        max_leaf_nodes=max_leaf_nodes, early_stopping=False, random_state=random_state
    )
    return _on_ranks(model)


def _on_ranks(model: Ridge | HistGradientBoostingRegressor) -> TransformedTargetRegressor:
    return TransformedTargetRegressor(
        model, func=ranks, inverse_func=as_they_are, check_inverse=False
    )
