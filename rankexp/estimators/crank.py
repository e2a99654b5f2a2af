"""CRank: an oriented tree that splits y at its median and learns the halves by a classifier."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator, clone

from rankexp.arrays import Bools, Floats, Ints, Seed
from rankexp.estimators.oriented_tree import OrientedTree
from rankexp.estimators.parameters import Rows
from rankexp.imports import import_class
from rankexp.names import parse
from rankexp.solvers.trees.splits import Sorted, SplitRule, best_threshold_split, halves

REGISTER = {"CRank": "CRank"}


@dataclass
class Classified:
    """A rule by a classifier of +1, which goes left, and -1."""

    classifier: BaseEstimator
    features: Ints | None

    def left(self, X: Floats, rows: Rows = slice(None)) -> Bools:
        """Return which of some rows of X are predicted +1."""
        some = X[rows] if self.features is None else X[rows][:, self.features]
        if not len(some):
            return np.zeros(0, dtype=np.bool_)
        return np.asarray(self.classifier.predict(some) == 1)

    def __str__(self) -> str:
        return f"{type(self.classifier).__name__} predicts high"


@dataclass(eq=False, repr=False)
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
        in either orientation, with the least training error, if that beats the best constant
        prediction. The paper leaves the choice open.
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
        2^depth: scores are in (0, score_scale_].
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

    depth: int = 3
    classifier: BaseEstimator | str | None = None
    min_samples_leaf: int = 1
    max_features: int | float | str | None = None
    prune: str | None = None
    cv: int = 5
    random_state: Seed = None

    def check(self) -> None:
        """Raise ValueError if a parameter is impossible; this needs no data."""
        super().check()
        if self.classifier is not None:
            classifier_of(self.classifier)

    def _rule(self, X: Floats, node: Sorted, features: Ints) -> SplitRule | None:
        labels = halves(node)
        if self.classifier is None:
            least = self.min_samples_leaf
            return best_threshold_split(node, labels, features, len(X), least=least)
        order = node.by_y.argsort()  # as in the training set, whatever y
        rows = node.by_y[order]
        every = features.size == X.shape[1]
        some = X[rows] if every else X[rows][:, features]
        classifier = classifier_of(self.classifier).fit(some, labels[order])
        if not np.isin(classifier.predict(some[:8]), (-1, 1)).all():
            name = type(classifier).__name__
            raise ValueError(f"{name} predicts labels other than the -1 and 1 of its training")
        return Classified(classifier, None if every else features)


def classifier_of(given: BaseEstimator | str) -> BaseEstimator:
    """Return an unfitted classifier, from an estimator or its import path."""
    if isinstance(given, str):
        path, bracket, rest = given.partition("(")
        try:
            made = import_class(path.strip(), "fit", "predict")
        except ValueError as error:
            example = "write a path such as sklearn.linear_model.LogisticRegression"
            text = f"classifier '{given}' cannot be imported: {error}; {example}"
            raise ValueError(text) from error
        try:
            return made(**dict(parse(f"classifier({rest}").parameters if bracket else ()))
        except (TypeError, ValueError) as error:
            raise ValueError(f"classifier '{given}': {error}") from error
    if not all(callable(getattr(given, name, None)) for name in ("fit", "predict")):
        raise ValueError(f"classifier {given!r} is neither an estimator nor an import path")
    return clone(given)
