"""Trees of LightGBM on lists of documents and on single ones, for letor-ohsumed.yaml."""

from copy import copy

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone


class ListTrees(RegressorMixin, BaseEstimator):
    """LightGBM's own ways to rank the documents of a query, or its squared error of each.

    `objective` is `lambdarank`, which is LambdaMART, `rank_xendcg`, or `regression`. All else is
    as `BoostedRanker` has it, so that pairs, lists and points differ by the objective alone.
    """

    def __init__(
        self,
        objective="lambdarank",
        n_rounds=100,
        learning_rate=0.1,
        max_leaf_nodes=31,
        random_state=None,
    ):
        self.objective = objective
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.random_state = random_state

    @staticmethod
    def modules(given):
        """Return the package that it is made by."""
        return {"lightgbm"}

    def fit(self, X, y, groups=None):
        """Fit to rows X, levels y from 0 on, and the query of each row."""
        import lightgbm

        self.n_features_in_, self.n_iter_ = X.shape[1], self.n_rounds
        sizes = None
        if self.objective != "regression":
            order = np.argsort(groups, kind="stable")
            X, y = X[order], y[order]
            sizes = np.unique(np.asarray(groups)[order], return_counts=True)[1]
        given = {
            "objective": self.objective,
            "learning_rate": self.learning_rate,
            "num_leaves": self.max_leaf_nodes,
            "seed": self.random_state,
            "num_threads": 1,
            "verbosity": -1,
            "deterministic": True,
            "feature_pre_filter": False,
            "force_row_wise": True,
        }
        data = lightgbm.Dataset(X, y, group=sizes)
        self.booster_ = lightgbm.train(given, data, self.n_rounds)
        return self

    def fit_rounds(self, n_rounds, X, y, groups=None):
        """Return one fit with the most rounds, cut at each number of rounds."""
        most, found = clone(self).set_params(n_rounds=max(n_rounds)).fit(X, y, groups), []
        for n in n_rounds:
            found.append(copy(most).set_params(n_rounds=n))
            found[-1].n_iter_ = n
        return found

    def predict(self, X):
        """Return scores, (n,)."""
        return self.booster_.predict(X, num_iteration=self.n_iter_, num_threads=1)
