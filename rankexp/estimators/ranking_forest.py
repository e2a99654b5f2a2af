"""An ensemble of oriented trees on resampled examples and features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from rankexp.arrays import Floats, PerRow, Seed
from rankexp.estimators.crank import CRank
from rankexp.estimators.oriented_tree import KendallTree, OrientedTree, RealRanker
from rankexp.estimators.parameters import check_count, fitted_rows

REGISTER = {"RankingForest": "RankingForest"}


@dataclass(eq=False, repr=False)
class RankingForest(RealRanker):
    """Bagged oriented trees whose nodes look at random subsets of the features.

    A tree's score of x is replaced by the share of the training examples that this tree scores
    below x, where equal scores count 1/2. The forest's score is the mean of these shares, so every
    tree counts the same and a score depends on x alone.

    Parameters
    ----------
    tree : {"KendallTree", "CRank"}
    n_estimators : int
    depth, min_samples_leaf, max_features
        Parameters of the trees.
    classifier
        As for `CRank`; None for `KendallTree`.
    bootstrap : bool
        Whether each tree grows on as many examples drawn with replacement, or on all.
    random_state : int, RandomState or None

    Attributes
    ----------
    estimators_ : list of OrientedTree
    score_scale_ : float
        1: scores are in (0, 1).

    References
    ----------
    clemencon2017, section 5.2, leaves "randomization/aggregation" open; for two classes see
    Clémençon, Depecker and Vayatis, Ranking forests, JMLR 14 (2013).
    """

    tree: str = "KendallTree"
    n_estimators: int = 100
    depth: int = 8
    min_samples_leaf: int = 3
    max_features: int | float | str | None = 2 / 3
    classifier: BaseEstimator | str | None = None
    bootstrap: bool = True
    random_state: Seed = None

    def check(self) -> None:
        """Raise ValueError if a parameter is impossible; this needs no data."""
        check_count("n_estimators", self.n_estimators)
        self._tree(0).check()

    def _tree(self, seed: int) -> OrientedTree:
        shared: dict[str, Any] = {
            "depth": self.depth,
            "min_samples_leaf": self.min_samples_leaf,
            "max_features": self.max_features,
            "random_state": seed,
        }
        if self.tree == "CRank":
            return CRank(classifier=self.classifier, **shared)
        if self.tree != "KendallTree":
            raise ValueError(f"tree must be 'KendallTree' or 'CRank', got {self.tree!r}")
        if self.classifier is not None:
            raise ValueError("only tree='CRank' has a classifier: set it to None")
        return KendallTree(**shared)

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        """Grow the trees on rows X (n, d) and real targets y (n,), whose order alone matters.

        Row weights and errors are as for :meth:`CRank.fit`.
        """
        self.check()
        X, y = self._rows(X, y, sample_weight)
        rng = check_random_state(self.random_state)
        n = len(y)
        self.score_scale_ = 1.0
        self.estimators_, self._shares = [], []
        for _ in range(self.n_estimators):
            tree = self._tree(int(rng.randint(2**31 - 1)))
            rows = np.sort(rng.randint(n, size=n)) if self.bootstrap else slice(None)
            tree.fit(X[rows], y[rows])
            self.estimators_.append(tree)
            self._shares.append(_distribution(tree.predict(X)))
        return self

    @property
    def feature_importances_(self) -> Floats:
        """The mean importances over the trees, (d,)."""
        check_is_fitted(self)
        each = [tree.feature_importances_ for tree in self.estimators_]
        return np.asarray(np.mean(each, axis=0))

    def predict(self, X: ArrayLike) -> Floats:
        """Return the scores of rows, (n,), in (0, 1): the higher, the greater the expected y."""
        X = fitted_rows(self, X)
        total = np.zeros(len(X))
        for tree, (edges, below) in zip(self.estimators_, self._shares, strict=True):
            s = tree.predict(X)
            total += below[edges.searchsorted(s, "left")] + below[edges.searchsorted(s, "right")]
        total /= 2 * len(self.estimators_)
        return total


def _distribution(s: Floats) -> tuple[Floats, Floats]:
    values, counts = np.unique(s, return_counts=True)
    return values, np.concatenate(([0.0], np.cumsum(counts))) / s.size
