"""How rankers with a choice of risk appear to scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import RegressorTags, Tags

from rankexp.arrays import Floats, Ints, Labels, PerRow
from rankexp.blas import SparesThreads
from rankexp.categories import Levels, in_numbers, in_order
from rankexp.errors import ClassOrderWarning
from rankexp.estimators.by_name import ByName
from rankexp.estimators.in_order import ScoresPairs
from rankexp.estimators.labels import few_levels, in_levels, two_classes
from rankexp.estimators.parameters import copied, fitted_rows, training_data
from rankexp.risks.risk import Risk
from rankexp.warn import warn_user


def ranks_levels(ranker: BaseEstimator) -> bool:
    """Tell whether a ranker's risk is for K ordered levels; False for an unknown risk."""
    try:
        return Risk.parse(ranker.risk).several_levels
    except ValueError:
        return False


class PredictsScores(ScoresPairs, ByName, SparesThreads, BaseEstimator):  # type: ignore[misc]
    """A ranker that predicts its scores and is therefore tagged as a regressor."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        return tags

    def rank_scores(self, X: ArrayLike) -> Floats:
        """Return the scores of rows, shape (n,), as `decision_function` does."""
        return np.asarray(self.decision_function(X))


class RealRanker(PredictsScores):
    """A ranker of examples with a real target; it predicts scores."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the scores of rows, as `predict` does."""
        return np.asarray(self.predict(X))

    def score(self, X: ArrayLike, y: ArrayLike, groups: PerRow = None) -> float:
        """Return the share of pairs with different y that are in order; a tie counts 1/2.

        Only pairs within `groups` (n,) count, if given.
        """
        return self._in_order(in_numbers(y), self.predict(X), groups)

    def _rows(self, X: ArrayLike, y: ArrayLike, sample_weight: PerRow) -> tuple[Floats, Floats]:
        X, y = training_data(self, X, in_numbers(y), real=True)
        rows = copied(X, sample_weight, type(self).__name__)
        return X[rows], np.asarray(y, dtype=np.float64)[rows]


class RiskMixin(ScoresPairs, ByName, SparesThreads, ClassifierMixin):  # type: ignore[misc]
    """A ranker with `risk`: with two classes a classifier; for ordered levels it predicts scores.

    As scikit-learn expects, `classes_` is sorted and a `decision_function` above 0 means
    ``classes_[1]``. `better_` is the better class, the last of `levels`.
    """

    risk: str | Risk
    levels: Levels | None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if ranks_levels(self):
            tags.estimator_type, tags.classifier_tags = "regressor", None
            tags.regressor_tags = RegressorTags()
        else:
            tags.classifier_tags.multi_class = False
        return tags

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the scores of rows less `threshold_`, shape (n,): the higher, the better.

        With two classes a score above 0 means ``classes_[1]``. If `levels` say that this is the
        worse one, use `rank_scores`.
        """
        return np.asarray(self._scores(fitted_rows(self, X)) - self.threshold_)

    def rank_scores(self, X: ArrayLike) -> Floats:
        """Return the scores of rows, shape (n,): the higher, the better according to `levels`.

        They equal `decision_function`, with the opposite sign if the better of two classes is not
        the last of the sorted `classes_`.
        """
        s: Floats = self.decision_function(X)
        return -s if self._turned() else s

    def predict(self, X: ArrayLike) -> npt.NDArray[Any]:
        """Return the labels of rows, shape (n,): `better_` if `rank_scores` is above 0.

        If the ranker was not fitted to two classes, it returns the scores.
        """
        s = self.rank_scores(X)
        if not hasattr(self, "classes_"):
            return s
        labels = self.classes_[::-1] if self._turned() else self.classes_
        return np.asarray(labels[(s > 0).astype(np.intp)])

    def score(
        self, X: ArrayLike, y: ArrayLike, sample_weight: PerRow = None, groups: PerRow = None
    ) -> float:
        """Return the share of pairs that the scores put in order; a tie counts 1/2.

        For two classes this is the AUC (not the accuracy), for ordered levels U_pairs. Only pairs
        within `groups` (n,) count, if given: all of them alike, or as `queries` says.
        """
        s = self.decision_function(X)
        if hasattr(self, "classes_"):
            return self._in_order(in_order(y, self.classes_), s, groups, sample_weight)
        if sample_weight is not None:
            text = "score() of ordered levels takes no sample_weight; use rankexp.metrics.u_pairs"
            raise ValueError(text)
        return self._in_order(in_levels(self, y), s, groups)

    def _codes(self, y: Labels, levels: Levels | None) -> Ints:
        several = ranks_levels(self)
        known = several or levels is not None
        self.levels_, codes = few_levels(y, levels) if known else two_classes(y)
        if not several and len(self.levels_) != 2:
            text = f"the {self.risk} risk needs two levels, got {self.levels_.tolist()}"
            raise ValueError(f"{text}: set risk='multipartite'")
        return codes

    def _turned(self) -> bool:
        return hasattr(self, "classes_") and bool(self.classes_[1] != self.better_)

    def _keep_classes(self, labels: Labels, *signed: str) -> None:
        """Set the classes from two labels, worse and better; switch the sign of attributes."""
        turned = self._turns(labels)
        self.classes_, self.better_ = labels[:: -1 if turned else 1].copy(), labels[-1]
        for name in signed if turned else ():
            setattr(self, name, 0.0 - getattr(self, name))

    def _turns(self, labels: Labels) -> bool:
        """Tell, with a warning, whether the better of two labels, the last, does not sort last."""
        worse, better = labels.tolist()
        try:
            turned = bool(worse > better)
        except TypeError as error:
            raise ValueError(f"the classes {[worse, better]} cannot be sorted") from error
        if turned:
            warn_user(
                f"levels put {better!r} above {worse!r}, but scikit-learn sorts classes: "
                f"decision_function is high for classes_[1], {worse!r}, the worse one; "
                "rank_scores is high for the better one",
                ClassOrderWarning,
                once=True,
            )
        return turned

    def _forget(self, *attributes: str) -> None:
        """Delete attributes that an earlier fit of another kind may have left."""
        for name in attributes:
            if hasattr(self, name):
                delattr(self, name)
