"""The engines' own ways to rank one list of all rows, for boosting.yaml."""

from copy import copy

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone


class OneList(RegressorMixin, BaseEstimator):
    """XGBRanker or LGBMRanker on one query that holds all training rows.

    The positives are the relevant rows. `params`: the engine's own.
    """

    def __init__(
        self,
        engine="xgboost",
        n_rounds=100,
        learning_rate=0.1,
        max_leaf_nodes=31,
        params=None,
        random_state=None,
    ):
        self.engine = engine
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.params = params
        self.random_state = random_state

    @staticmethod
    def modules(given):
        """Return the package that it is made by."""
        return {given.get("engine", "xgboost")}

    def _ranker(self, rows):
        given = {"n_estimators": self.n_rounds, "learning_rate": self.learning_rate, "n_jobs": 1}
        given |= {"random_state": self.random_state, **(self.params or {})}
        given = {name: rows if value == "rows" else value for name, value in given.items()}
        if self.engine == "xgboost":
            from xgboost import XGBRanker

            leaves = {
                "max_leaves": self.max_leaf_nodes,
                "max_depth": 0,
                "grow_policy": "lossguide",
            }
            return XGBRanker(**leaves, **given)
        from lightgbm import LGBMRanker

        return LGBMRanker(num_leaves=self.max_leaf_nodes, verbosity=-1, **given)

    def fit(self, X, y):
        """Fit to rows X and two classes y."""
        self.n_features_in_ = X.shape[1]
        self.n_iter_ = self.n_rounds
        self.ranker_ = self._ranker(len(y)).fit(X, (y == np.max(y)).astype(int), group=[len(y)])
        return self

    def fit_rounds(self, n_rounds, X, y):
        """Return one fit with the most rounds, cut at each number of rounds."""
        most, found = clone(self).set_params(n_rounds=max(n_rounds)).fit(X, y), []
        for n in n_rounds:
            found.append(copy(most).set_params(n_rounds=n))
            found[-1].n_iter_ = n
        return found

    def predict(self, X):
        """Return scores, (n,)."""
        if self.engine == "xgboost":
            return self.ranker_.predict(X, iteration_range=(0, self.n_iter_)).astype(np.float64)
        return self.ranker_.predict(X, num_iteration=self.n_iter_)
