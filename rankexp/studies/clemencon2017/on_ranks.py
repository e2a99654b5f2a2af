"""Regressors of scikit-learn on the ranks of the target, which no increasing map of it changes.

Least squares on y changes with every increasing map of y, while a ranking by y does not
(clemencon2017, Remark 3). The ranks of y, equal values sharing their mean rank, do not change
either, so neither does what is fitted to them. Nor do the levels that its quantiles make.

>>> X, y = np.arange(6.0)[:, None], np.array([0.0, 1.0, 2.0, 3.0, 4.0, 50.0])
>>> DecisionTreeRegressor(max_leaf_nodes=2).fit(X, y).predict(X).round()
array([ 2.,  2.,  2.,  2.,  2., 50.])
>>> TreeOnRanks(max_leaf_nodes=2).fit(X, y).predict(X).round(2)
array([0.33, 0.33, 0.33, 0.83, 0.83, 0.83])
"""

from typing import Any, Self

import numpy as np
from scipy.stats import rankdata
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

from rankexp.arrays import Floats
from rankexp.estimators import ProportionalOdds


def ranks(y: Any) -> Floats:
    """Return the ranks of a target, (n,), as shares of the number of examples."""
    return np.asarray(rankdata(np.asarray(y, dtype=np.float64)) / len(y))


class OnRanks:
    """What is fitted to the ranks of y, and predicts such ranks; all else is as in its base."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to the ranks of y, (n,); weights stay as they are."""
        super().fit(X, ranks(y), sample_weight)  # type: ignore[misc]
        return self


class TreeOnRanks(OnRanks, DecisionTreeRegressor):  # type: ignore[misc]
    """A regression tree on ranks."""


class ForestOnRanks(OnRanks, RandomForestRegressor):  # type: ignore[misc]
    """A random forest of regression trees on ranks."""


class LinearOnRanks(OnRanks, LinearRegression):  # type: ignore[misc]
    """Linear least squares on ranks."""


class OddsOfLevels(ProportionalOdds):
    """Proportional odds of a target that is cut at its quantiles into levels (Remark 4).

    Parameters
    ----------
    cuts : int
        Levels of about equal size, two or more; equal targets stay in one level.
    lam : float
        As for `ProportionalOdds`.
    """

    def __init__(self, cuts: int = 2, *, lam: float = 1e-4) -> None:
        super().__init__(lam=lam)
        self.cuts = cuts

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to the levels of y, (n,); weights stay as they are."""
        level = np.ceil(self.cuts * ranks(y)) - 1
        return super().fit(X, level, sample_weight)
