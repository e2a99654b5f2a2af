"""How rankers with a choice of risk appear to scikit-learn."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import RegressorTags, Tags

from rankexp import registry
from rankexp.arrays import Floats, Ints, Labels, PerRow
from rankexp.blas import SparesThreads
from rankexp.categories import Levels, in_numbers, in_order
from rankexp.errors import ClassOrderWarning
from rankexp.estimators.labels import few_levels, in_levels, two_classes
from rankexp.estimators.parameters import copied, fitted_rows, training_data
from rankexp.metrics.bipartite import auc
from rankexp.metrics.continuous import concordance
from rankexp.metrics.level_counts import group_numbers
from rankexp.metrics.metric import UndefinedMetricWarning
from rankexp.risks.risk import ALIASES, Risk
from rankexp.warn import warn_ungrouped, warn_user


def ranks_levels(ranker: BaseEstimator) -> bool:
    """Tell whether a ranker's risk is for K ordered levels; False for an unknown risk."""
    try:
        return Risk.parse(ranker.risk).several_levels
    except ValueError:
        return False


class OrdersPairs(SparesThreads):
    """An estimator whose `score` counts pairs, and that takes its parameters by name.

    It knows if it was trained within groups. The first parameter is a loss here, a depth there.
    """

    _grouped = _takes_sparse = False
    queries = "pairs"

    if not TYPE_CHECKING:  # a type checker sees the parameters of each class

        def __new__(cls, *values, **named):
            """Return an instance; TypeError for values without names."""
            known = signature(cls).parameters if values else {}
            if known and all(p.kind is Parameter.KEYWORD_ONLY for p in known.values()):
                name, given = cls.__name__, registry.shown(repr(values[0]))
                meant = f"write {name}({_meant(values[0], list(known))}={given})"
                raise TypeError(f"{name} takes its parameters by name: {meant}")
            return super().__new__(cls)

    def _share(self, y: ArrayLike, s: Floats, w: Floats | None) -> float:
        two = hasattr(self, "classes_")
        return float(auc(y, s, sample_weight=w)) if two else concordance(y, s)

    def _in_order(self, y: ArrayLike, s: Floats, groups: PerRow, weight: PerRow = None) -> float:
        """Return the share of pairs of different numbers y that the scores, (n,), put in order.

        It warns if training was within groups, and none are given.
        """
        warn_ungrouped(self, groups)
        w = None if weight is None else np.asarray(weight, dtype=np.float64)
        numbers = group_numbers(groups, s.size)
        if numbers is None or self.queries == "across":
            return self._share(y, s, w)
        y, values, pairs = np.asarray(y), [], []
        for rows in np.split(numbers.argsort(kind="stable"), np.bincount(numbers).cumsum()[:-1]):
            own = None if w is None else w[rows]
            levels = np.bincount(np.unique(y[rows], return_inverse=True)[1], own)
            if (mass := float(levels.sum() ** 2 - (levels**2).sum())) > 0.0:
                values.append(self._share(y[rows], s[rows], own))
                pairs.append(mass)
        if not values:
            warn_user("no group has rows with different y, so no pair", UndefinedMetricWarning)
            return float("nan")
        return float(np.average(values, weights=None if self.queries == "each" else pairs))


def _meant(value: str, known: list[str]) -> str:
    """Return the parameter that a value is probably for: that of a known loss or risk, or 1st."""
    said = str(value).partition("(")[0]
    rooms = (("loss", "losses", ()), ("risk", "risks", ALIASES))
    found = (p for p, room, more in rooms if p in known and said in (*registry.names(room), *more))
    return next(found, known[0])


class PredictsScores(OrdersPairs, BaseEstimator):  # type: ignore[misc]
    """A ranker that predicts its scores and is therefore tagged as a regressor."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        tags.input_tags.sparse = self._takes_sparse
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
        self.check()
        X, y = training_data(self, X, in_numbers(y), real=True)
        rows = copied(X, sample_weight, type(self).__name__)
        return X[rows], np.asarray(y, dtype=np.float64)[rows]


class RiskMixin(OrdersPairs, ClassifierMixin):  # type: ignore[misc]
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
        tags.input_tags.sparse = self._takes_sparse
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

    def predict(self, X: ArrayLike) -> NDArray[Any]:
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
            text = f"levels put {better!r} above {worse!r}, but scikit-learn sorts classes"
            high = f"decision_function is high for classes_[1], {worse!r}, the worse one"
            text += f": {high}; rank_scores is high for the better one"
            warn_user(text, ClassOrderWarning, once=True)
        return turned

    def _forget(self, *attributes: str) -> None:
        """Delete attributes that an earlier fit of another kind may have left."""
        for name in attributes:
            self.__dict__.pop(name, None)
