"""Rankers of oriented trees: one by Kendall's tau, one by a classifier, and a forest of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from rankexp.arrays import Bools, Floats, Ints, PerRow, Seed
from rankexp.estimators.oriented_tree import OrientedTree, count_features
from rankexp.estimators.parameters import check_count, fitted_rows
from rankexp.estimators.risk_mixin import RealRanker
from rankexp.imports import import_class
from rankexp.names import parse
from rankexp.solvers.trees import NODE, Grow, Rule, Tree, halves

REGISTER = {"CRank": "CRank", "KendallTree": "KendallTree", "RankingForest": "RankingForest"}


@dataclass
class Classified:
    """A rule by a classifier of +1, which goes left, and -1."""

    classifier: BaseEstimator
    features: Ints | None

    def __call__(self, X: Floats, rows: Ints) -> Bools:
        """Return which of some rows of X are predicted +1."""
        some = X[rows] if self.features is None else X[rows][:, self.features]
        if not len(some):
            return np.zeros(0, dtype=np.bool_)
        return np.asarray(self.classifier.predict(some) == 1)

    def __str__(self) -> str:
        return f"{type(self.classifier).__name__} predicts high"


@dataclass(eq=False, repr=False, kw_only=True)
class CRank(OrientedTree):
    """An oriented ranking tree grown by binary classification (clemencon2017, section 5.2).

    Each node labels its examples by whether y is above its median there (with ties: above the cut
    between two values that gives the most equal halves), learns the labels with a classifier, and
    sends predicted positives to the left child, which is ranked above the right one. A node is a
    leaf at `depth`, if all its y are equal, or if the classifier leaves a child (nearly) empty.

    Parameters
    ----------
    depth : int
        The largest number of levels of splits, 0 to 50; 0 is a single leaf.
    classifier : None, estimator or str
        Any scikit-learn binary classifier, or its import path with or without parameters:
        ``sklearn.tree.DecisionTreeClassifier(max_depth=3)``. None means a threshold on one feature
        in either orientation, with the least training error, if that beats a constant prediction.
    min_samples_leaf : int
        The least number of training examples in a leaf.
    max_features : None, "sqrt", int or float
        How many features each node draws and looks at; a float is a share, None means all.
    prune : None, "iauc" or "tau"
        The cross-validated measure that chooses a subtree; None keeps the whole tree.
    cv : int
        Folds of this cross-validation.
    random_state : int, RandomState or None
        Seed for `max_features` and the folds; `classifier` has its own.

    Attributes
    ----------
    score_scale_ : float
        2^depth: scores are in (0, ``score_scale_``].
    n_leaves_ : int
    cv_scores_ : ndarray of shape (leaves before pruning,)
        After pruning: the cross-validated measure by number of leaves, from 1 on.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(8.0)[:, None]
    >>> CRank(depth=2).fit(X, X[:, 0]).predict([[0], [2], [4], [6]])
    array([1., 2., 3., 4.])
    """

    classifier: BaseEstimator | str | None = None
    _halves = True

    def check(self) -> None:
        """Raise ValueError if a parameter is impossible; this needs no data."""
        super().check()
        if self.classifier is not None:
            classifier_of(self.classifier)

    def _grower(self, X: Floats, y: Floats) -> Grow:
        return super()._grower(X, y) if self.classifier is None else partial(self._grow, X, y)

    def _grow(self, X: Floats, y: Floats, counts: Ints | None, rng: np.random.RandomState) -> Tree:
        """Grow as the compiled loops do, in the same order."""
        rows = np.arange(len(y)).repeat(1 if counts is None else counts)
        X, y = X[rows], y[rows]
        nodes: list[tuple[int, int, int, int, int, float, bool]] = []
        rules: dict[int, Rule] = {}

        def grow(j: int, k: int, by_y: Ints) -> None:
            at, least = len(nodes), self.min_samples_leaf
            nodes.append((j, k, by_y.size, 0, 0, 0.0, False))
            if j == self.depth or by_y.size < 2 * least or y[by_y[0]] == y[by_y[-1]]:
                return
            rule = self._learnt(X, y, by_y, rng)
            if least <= np.count_nonzero(left := rule(X, by_y)) <= by_y.size - least:
                rules[at] = rule
                grow(j + 1, 2 * k, by_y[left])
                nodes[at] = (*nodes[at][:3], len(nodes), 0, 0.0, False)
                grow(j + 1, 2 * k + 1, by_y[~left])

        grow(0, 0, y.argsort())
        return Tree(np.array(nodes, NODE), rules)

    def _learnt(self, X: Floats, y: Floats, by_y: Ints, rng: np.random.RandomState) -> Classified:
        d = X.shape[1]
        count = count_features(self.max_features, d)
        features = None if count == d else rng.permutation(d)[:count]
        order = by_y.argsort()  # as in the training set, whatever y
        rows = by_y[order]
        some = X[rows] if features is None else X[rows][:, features]
        classifier = classifier_of(self.classifier).fit(some, halves(y[by_y])[order])
        if not np.isin(classifier.predict(some[:8]), (-1, 1)).all():
            name = type(classifier).__name__
            raise ValueError(f"{name} predicts labels other than the -1 and 1 of its training")
        return Classified(classifier, features)


def classifier_of(given: BaseEstimator | str) -> BaseEstimator:
    """Return an unfitted classifier, from an estimator or its import path."""
    if isinstance(given, str):
        path, bracket, rest = given.partition("(")
        try:
            made = import_class(path.strip(), "fit", "predict")
        except ValueError as error:
            text = f"classifier '{given}' cannot be imported: {error}; write a path such as"
            raise ValueError(f"{text} sklearn.linear_model.LogisticRegression") from error
        try:
            return made(**dict(parse(f"classifier({rest}").parameters if bracket else ()))
        except (TypeError, ValueError) as error:
            raise ValueError(f"classifier '{given}': {error}") from error
    if not all(callable(getattr(given, name, None)) for name in ("fit", "predict")):
        raise ValueError(f"classifier {given!r} is neither an estimator nor an import path")
    return clone(given)


@dataclass(eq=False, repr=False, kw_only=True)
class KendallTree(OrientedTree):
    """An oriented ranking tree grown by the Kendall tau of its scores and y.

    Each node gets the threshold on one feature, in either orientation, that maximises the
    empirical Kendall tau, (8) of clemencon2017, on its examples and so on the whole tree. A node
    where no threshold raises it is a leaf.

    Parameters
    ----------
    depth, min_samples_leaf, max_features, prune, cv, random_state
        As for `CRank`.
    count_ties : bool
        Whether a split loses 1/2 for each pair with equal y that it separates. In (8) such a pair
        counts 1/2 only if its scores are equal, which keeps trees small if y has few values. If
        False, only pairs with different y count.

    Attributes
    ----------
    score_scale_, n_leaves_, cv_scores_
        As for `CRank`.

    References
    ----------
    clemencon2017, section 5.1 and "Kendall" in section 6.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(8.0)[:, None]
    >>> KendallTree(depth=2).fit(X, X[:, 0]).predict([[0], [2], [4], [6]])
    array([1., 2., 3., 4.])
    """

    count_ties: bool = True


@dataclass(eq=False, repr=False, kw_only=True)
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
    count_ties : bool
        As for `KendallTree`, whose trees alone use it.

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
    count_ties: bool = True

    def check(self) -> None:
        """Raise ValueError if a parameter is impossible; this needs no data."""
        check_count("n_estimators", self.n_estimators)
        self._tree(0).check()

    def _tree(self, seed: int) -> OrientedTree:
        shared: dict[str, Any] = {"random_state": seed, "depth": self.depth}
        shared |= {"min_samples_leaf": self.min_samples_leaf, "max_features": self.max_features}
        if self.tree == "CRank":
            return CRank(classifier=self.classifier, **shared)
        if self.tree != "KendallTree":
            raise ValueError(f"tree must be 'KendallTree' or 'CRank', got {self.tree!r}")
        if self.classifier is not None:
            raise ValueError("only tree='CRank' has a classifier: set it to None")
        return KendallTree(count_ties=self.count_ties, **shared)

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        """Grow the trees on rows X (n, d) and real targets y (n,), whose order alone matters.

        Row weights and errors are as for :meth:`CRank.fit`.
        """
        X, y = self._rows(X, y, sample_weight)
        rng = check_random_state(self.random_state)
        n, d = X.shape
        self.score_scale_, self.estimators_, self._shares = 1.0, [], []
        grow, stream = self._tree(0)._grower(X, y), np.random.RandomState(0)
        for _ in range(self.n_estimators):
            tree = self._tree(seed := int(rng.randint(2**31 - 1)))
            drawn = np.bincount(rng.randint(n, size=n), minlength=n) if self.bootstrap else None
            stream.seed(seed)  # quicker than a new one
            tree._take(grow(drawn, stream))
            tree.n_features_in_ = d
            self.estimators_.append(tree)
            here = np.bincount(tree.tree_.leaves(X), minlength=len(tree.tree_.nodes))
            upto = here[::-1].cumsum()[::-1]  # leaves further right have lower scores
            self._shares.append((upto - here) / n + upto / n)
        return self

    @property
    def feature_importances_(self) -> Floats:
        """The mean importances over the trees, (d,)."""
        check_is_fitted(self)
        return np.asarray(np.mean([t.feature_importances_ for t in self.estimators_], axis=0))

    def predict(self, X: ArrayLike) -> Floats:
        """Return the scores of rows, (n,), in (0, 1): the higher, the greater the expected y."""
        X = fitted_rows(self, X)
        total = np.zeros(len(X))
        for tree, share in zip(self.estimators_, self._shares, strict=True):
            total += share[tree.tree_.leaves(X)]
        total /= 2 * len(self.estimators_)
        return total
