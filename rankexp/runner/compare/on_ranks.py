"""Least squares on the ranks of numbers, named by import path in a study."""

import numpy as np
from scipy.stats import rankdata
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge

from rankexp.arrays import Floats


def ranks(y: Floats) -> Floats:
    """Return the ranks of numbers, (n,) or (n, 1), as shares of n; ties have their mean rank."""
    return np.asarray(rankdata(y, axis=0) / len(y))


# Predicted ranks stay ranks: they order rows like the numbers that they stand for.
ON_RANKS = {"func": ranks, "inverse_func": np.asarray, "check_inverse": False}


def ridge(alpha: float = 1.0) -> TransformedTargetRegressor:
    """Return linear least squares."""
    return TransformedTargetRegressor(Ridge(alpha=alpha), **ON_RANKS)


def boosting(
    max_leaf_nodes: int = 31, random_state: int | None = None
) -> TransformedTargetRegressor:
    """Return boosted trees."""
    trees = HistGradientBoostingRegressor(
        early_stopping=False, max_leaf_nodes=max_leaf_nodes, random_state=random_state
    )
    return TransformedTargetRegressor(trees, **ON_RANKS)
