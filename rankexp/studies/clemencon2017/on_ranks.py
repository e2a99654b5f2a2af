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
import numpy.typing as npt
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

from rankexp.arrays import Floats, Ints
from rankexp.estimators import BoostedRanker, ProportionalOdds


def ranks(y: npt.ArrayLike) -> Floats:
    """Return the ranks of a target, (n,), as shares of the number of examples."""
    values = np.asarray(y, dtype=np.float64)
    return np.asarray(rankdata(values) / len(values))


class OnRanks:
    """What is fitted to the ranks of y, and predicts such ranks; all else is as in its base."""

    def fit(
        self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
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

    def fit(
        self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """Fit to the levels of y, (n,); weights stay as they are."""
        level = np.ceil(self.cuts * ranks(y)) - 1
        return super().fit(X, level, sample_weight)


LEVELS = 1000
"""The most levels that the objective of all pairs takes."""


class Boosted(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Trees that LightGBM grows: least squares on y or on its ranks, or all pairs of numbers.

    Parameters
    ----------
    target : {"values", "ranks", "pairs"}
        Pairs have the logistic loss. If y has more than 1,000 values, its quantiles make 1,000
        levels, and pairs within a level do not count.
    n_rounds, max_leaf_nodes : int
    learning_rate : float
    """

    def __init__(
        self,
        target: str = "values",
        *,
        n_rounds: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int = 8,
    ) -> None:
        self.target = target
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes

    @staticmethod
    def modules(given: Any) -> set[str]:
        """Return the package that it is made by."""
        return {"lightgbm"}

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Fit to rows X (n, d) and numbers y (n,)."""
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
        self.n_features_in_ = X.shape[1]
        if self.target == "pairs":
            model = BoostedRanker(
                risk="multipartite",
                n_rounds=self.n_rounds,
                learning_rate=self.learning_rate,
                max_leaf_nodes=self.max_leaf_nodes,
            )
            self.model_ = model.fit(X, levels(y, LEVELS))
            return self
        from lightgbm import LGBMRegressor

        engine = LGBMRegressor(
            n_estimators=self.n_rounds,
            learning_rate=self.learning_rate,
            num_leaves=self.max_leaf_nodes,
            n_jobs=1,
            verbosity=-1,
        )
        self.model_ = engine.fit(X, ranks(y) if self.target == "ranks" else y)
        return self

    def predict(self, X: npt.ArrayLike) -> Floats:
        """Return scores, (n,)."""
        return np.asarray(self.model_.predict(X), dtype=np.float64)


def levels(y: npt.ArrayLike, most: int) -> Ints:
    """Return levels 0, 1, ... of a target, (n,): its values, or its quantiles if it has more."""
    values, found = np.unique(np.asarray(y), return_inverse=True)
    if len(values) > most:
        found = np.unique(np.ceil(most * ranks(y)), return_inverse=True)[1]
    return np.asarray(found)
