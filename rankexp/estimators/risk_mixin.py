"""What scikit-learn sees of rankers with a choice of risk."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import RegressorTags, Tags

from rankexp.arrays import Floats, Ints, Labels, PerRow
from rankexp.blas import SparesThreads
from rankexp.categories import Levels
from rankexp.errors import ClassOrderWarning
from rankexp.estimators.labels import few_levels, share_of_levels, two_classes
from rankexp.estimators.parameters import warn_user
from rankexp.metrics.bipartite import auc
from rankexp.risks.base import Risk


def ranks_levels(ranker: BaseEstimator) -> bool:
    """Tell whether a ranker's risk is one of K ordered levels; not where there is no such risk."""
    try:
        return Risk.parse(ranker.risk).several_levels
    except ValueError:
        return False


class PredictsScores(SparesThreads, BaseEstimator):  # type: ignore[misc]
    """A ranker that predicts its scores, and so is tagged a regressor, as some tools ask."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        return tags

    def rank_scores(self, X: ArrayLike) -> Floats:
        """Return the scores of rows, shape (n,), as `decision_function` does."""
        return np.asarray(self.decision_function(X))


class RiskMixin(SparesThreads, ClassifierMixin):  # type: ignore[misc]
    """A ranker with `risk`: a classifier of two classes; of ordered levels it predicts scores.

    Two classes are sorted in `classes_`, and a `decision_function` above 0 means ``classes_[1]``,
    as scikit-learn's tools have it. `better_` is the better one, the last of `levels`.
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

    def rank_scores(self, X: ArrayLike) -> Floats:
        """Return the scores of rows, shape (n,): the higher, the better, as `levels` say.

        They are those of `decision_function`, with the other sign where the better one of two
        classes is not the last of the sorted `classes_`.
        """
        s: Floats = self.decision_function(X)
        return -s if self._turned() else s

    def predict(self, X: ArrayLike) -> npt.NDArray[Any]:
        """Return the labels of rows, shape (n,): `better_` where `rank_scores` is above 0.

        Where it was not fitted to two classes these are the scores themselves.
        """
        s = self.rank_scores(X)
        if not hasattr(self, "classes_"):
            return s
        labels = self.classes_[::-1] if self._turned() else self.classes_
        return np.asarray(labels[(s > 0).astype(np.intp)])

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: PerRow = None) -> float:
        """Return the share of pairs that the scores put in order, a tie counting 1/2.

        Of two classes the AUC (not the accuracy), of ordered levels U_pairs without weights.
        """
        s = self.decision_function(X)
        if hasattr(self, "classes_"):
            return float(auc(y, s, sample_weight=sample_weight, levels=self.classes_))
        if sample_weight is not None:
            raise ValueError(
                "the score of ordered levels takes no sample_weight; rankexp.metrics.u_pairs does"
            )
        return share_of_levels(self, y, s)

    def _codes(self, y: Labels, levels: Levels | None) -> Ints:
        """Set `levels_`; return the level of each label. ValueError for too many."""
        several = ranks_levels(self)
        known = several or levels is not None
        self.levels_, codes = few_levels(y, levels) if known else two_classes(y)
        if not several and len(self.levels_) != 2:
            raise ValueError(
                f"the {self.risk} risk needs two levels, got {self.levels_.tolist()}: "
                "set risk='multipartite'"
            )
        return codes

    def _turned(self) -> bool:
        """Tell whether the better class is not the last of the sorted ones."""
        return hasattr(self, "classes_") and bool(self.classes_[1] != self.better_)

    def _keep_classes(self, labels: Labels, *signed: str) -> None:
        """Keep two classes, the better one last, and turn the signs of attributes with them."""
        turned = self._turns(labels)
        self.classes_, self.better_ = labels[:: -1 if turned else 1].copy(), labels[-1]
        for name in signed if turned else ():
            setattr(self, name, 0.0 - getattr(self, name))

    def _turns(self, labels: Labels) -> bool:
        """Tell whether the better of two labels, the last, does not sort last, and warn of it."""
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
            )
        return turned

    def _forget(self, *attributes: str) -> None:
        """Delete what an earlier fit of another kind may have left."""
        for name in attributes:
            if hasattr(self, name):
                delattr(self, name)
