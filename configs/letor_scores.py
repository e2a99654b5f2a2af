"""Scores that know nothing of the documents, for letor-ohsumed.yaml."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin


class RandomScores(RegressorMixin, BaseEstimator):
    """A random number for each document; documents with equal features get the same one."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        """Look at nothing."""
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        """Return numbers in [0, 1), shape (n,)."""
        return np.random.default_rng(self.random_state).random(len(X))
