"""Engines that rankexp has no ranker of, for boosting.yaml and boosting-medium.yaml."""

from copy import copy
from itertools import islice

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone


def in_rounds(self, n_rounds, X, y):
    """Return one fit with the most rounds, cut at each number of rounds."""
    most, found = clone(self).set_params(n_rounds=max(n_rounds)).fit(X, y), []
    for n in n_rounds:
        found.append(copy(most).set_params(n_rounds=n))
        found[-1].n_iter_ = n
    return found


class Histogram(RegressorMixin, BaseEstimator):
    """HistGradientBoostingClassifier whose rounds are read off one fit; scores are log odds."""

    def __init__(
        self,
        n_rounds=100,
        learning_rate=0.1,
        max_leaf_nodes=31,
        class_weight=None,
        l2_regularization=0.0,
        random_state=None,
    ):
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.class_weight = class_weight
        self.l2_regularization = l2_regularization
        self.random_state = random_state

    def fit(self, X, y):
        """Fit to rows X and two classes y."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        given = {name: value for name, value in self.get_params().items() if name != "n_rounds"}
        self.model_ = HistGradientBoostingClassifier(
            max_iter=self.n_rounds, early_stopping=False, **given
        ).fit(X, y)
        self.n_iter_ = self.n_rounds
        return self

    fit_rounds = in_rounds

    def predict(self, X):
        """Return scores, (n,)."""
        staged = self.model_.staged_decision_function(X)
        return np.asarray(next(islice(staged, self.n_iter_ - 1, None))).ravel()


class CatBoosted(RegressorMixin, BaseEstimator):
    """CatBoost on points, or by PairLogit on pairs of one list that it draws itself.

    `pairs`: pairs that are drawn for each row; None trains on points. `max_leaf_nodes`: CatBoost
    grows symmetric trees, of the depth that has about as many leaves.
    """

    def __init__(
        self,
        n_rounds=100,
        learning_rate=0.1,
        max_leaf_nodes=31,
        pairs=None,
        balanced=False,
        random_state=None,
    ):
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.pairs = pairs
        self.balanced = balanced
        self.random_state = random_state

    @staticmethod
    def modules(given):
        """Return the package that it is made by."""
        return {"catboost"}

    def fit(self, X, y):
        """Fit to rows X and two classes y."""
        from catboost import CatBoost, Pool

        target = (y == np.max(y)).astype(int)
        group = None if self.pairs is None else np.zeros(len(target), dtype=int)
        loss = "Logloss" if group is None else f"PairLogit:max_pairs={self.pairs * len(target)}"
        own = {"auto_class_weights": "Balanced"} if self.balanced else {}
        self.model_ = CatBoost(
            {
                "loss_function": loss,
                "iterations": self.n_rounds,
                "learning_rate": self.learning_rate,
                "depth": max(1, round(np.log2(self.max_leaf_nodes))),
                "random_seed": self.random_state or 0,
                "thread_count": 1,
                "verbose": False,
                "allow_writing_files": False,
                **own,
            }
        ).fit(Pool(X, target, group_id=group))
        self.n_features_in_ = X.shape[1]
        self.n_iter_ = self.n_rounds
        return self

    fit_rounds = in_rounds

    def predict(self, X):
        """Return scores, (n,)."""
        return np.asarray(self.model_.predict(X, ntree_end=self.n_iter_), dtype=np.float64)
