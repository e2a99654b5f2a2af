"""Make a preference function from any scikit-learn classifier: the first stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, check_consistent_length, check_random_state
from sklearn.utils.random import sample_without_replacement
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from rankexp.arrays import Floats, Groups, Ints, PerRow, Seed
from rankexp.categories import Levels
from rankexp.estimators import parameters
from rankexp.estimators.labels import level_order, ordered_levels
from rankexp.estimators.pair_data import labelled_pairs
from rankexp.estimators.ranking_trees import classifier_of
from rankexp.metrics.level_counts import group_numbers
from rankexp.preference import second_stage as stage
from rankexp.preference.second_stage import Ranked
from rankexp.warn import warn_ungrouped, warn_user

__all__ = ["PairClassifier"]

NO_PAIR = "there is no pair to rank, because no group has two levels"
MOST = 100_000  # pairs, unless max_pairs says another number


@dataclass(eq=False, repr=False)
class PairClassifier(BaseEstimator):  # type: ignore[misc]
    """A preference function by a classifier of pairs (mohri2018, 10.6).

    The classifier learns which of two rows stands above, from each pair both ways round. Its
    probability g(u, v) becomes h(u, v) = (g(u, v) + 1 - g(v, u)) / 2, so that
    h(u, v) + h(v, u) = 1. h need not be transitive.

    Parameters
    ----------
    estimator : classifier or str
        Any scikit-learn classifier with `predict_proba`, or with `decision_function`, to which a
        sigmoid is applied; or its import path with or without parameters.
    features : {"difference", "concatenation"} or callable
        The features of a pair: u - v, (u, v), or ``features(U, V) -> (k, p)``.
    hard : bool
        Whether h is rounded to 0 or 1 (1/2 stays). If not, QuickSort draws each comparison by its
        probability and sometimes orders even a clear pair the wrong way.
    levels : list, optional
        For `fit`: the labels from worst to best; by default numbers or ordered categories.
    second_stage : {"quicksort", "degree"}
        The algorithm of `rank` and `decision_function`.
    max_pairs : int or None
        For `fit`: the largest number of pairs, drawn from all. None means 100,000 and a warning.
    random_state : int, RandomState or None
        Seed of this draw and of `decision_function`.

    Attributes
    ----------
    classifier_ : the fitted classifier
    n_pairs_ : int
        The number of pairs that it was trained on.
    n_possible_pairs_ : int
        The number of pairs that they were drawn from.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = np.arange(8.0)[:, None], [0, 0, 0, 1, 0, 1, 1, 2]
    >>> model = PairClassifier(LogisticRegression()).fit(X, y)
    >>> model.preference([[3.0], [3.0]], [[1.0], [3.0]]).round(2)
    array([0.93, 0.5 ])
    >>> round(model.score(X, y), 2)
    0.95
    >>> model.set_params(hard=True).rank([[1.0], [5.0], [3.0]]).order
    array([1, 2, 0])
    """

    estimator: BaseEstimator | str
    features: str | Callable[[Floats, Floats], ArrayLike] = "difference"
    _: KW_ONLY
    hard: bool = False
    levels: Levels | None = None
    second_stage: str = "quicksort"
    max_pairs: int | None = None
    random_state: Seed = None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def check(self) -> None:
        """Raise ValueError if a parameter is impossible; this needs no data."""
        if self.max_pairs is not None:
            parameters.check_count("max_pairs", self.max_pairs)
        parameters.one_of("second_stage", self.second_stage, ("quicksort", "degree"))
        if not callable(self.features):
            parameters.one_of("features", self.features, ("difference", "concatenation"))
        self._classifier()

    def fit(self, X: ArrayLike, y: ArrayLike, groups: PerRow = None) -> Self:
        """Fit to pairs of rows with different labels, within `groups` (n,), if given.

        Raises
        ------
        ValueError
            As for :meth:`fit_pairs`, and for labels without an order or without a pair.
        """
        self.check()
        self._grouped = groups is not None
        levels = level_order(y, self.levels)
        X, y = parameters.training_data(self, X, y)
        codes, numbers = ordered_levels(y, levels)[1], group_numbers(groups, len(y))
        most = MOST if self.max_pairs is None else self.max_pairs
        upper, lower, possible = _pairs(codes, numbers, most, self.random_state)
        if self.max_pairs is None and possible > MOST:
            text = f"PairClassifier trains on {MOST:,} of {possible:,} pairs, drawn at random"
            warn_user(f"{text}; set max_pairs to choose another number", UserWarning)
        self._fit(X, upper, lower).n_possible_pairs_ = possible
        return self

    def fit_pairs(
        self, X: ArrayLike, pairs: ArrayLike, labels: ArrayLike, sample_weight: PerRow = None
    ) -> Self:
        """Fit to labelled pairs of rows, as :meth:`rankexp.estimators.LinearRanker.fit_pairs`.

        ValueError also for a classifier without `predict_proba` and `decision_function`, or for
        weights that the classifier does not take.
        """
        self.check()
        self._grouped = False
        X = parameters.training_rows(self, X)
        upper, lower, weights = labelled_pairs(X.shape[0], pairs, labels, sample_weight)
        return self._fit(X, upper, lower, None if sample_weight is None else weights)

    def preference(self, U: ArrayLike, V: ArrayLike) -> Floats:
        """Return h(u, v) of k pairs of rows, shape (k,): the preference for u above v, in [0, 1].

        This is the h of :func:`quicksort_rank` and :func:`sort_by_degree`, with rows as items.
        ValueError if the numbers of rows differ, or if rows cannot be scored.
        """
        check_is_fitted(self, "classifier_")
        U, V = parameters.fitted_rows(self, U), parameters.fitted_rows(self, V)
        if U.shape != V.shape:
            raise ValueError(f"U and V must have as many rows, got {len(U)} and {len(V)}")
        return self._preference(U, V)

    def _preference(self, U: Floats, V: Floats) -> Floats:
        """Return h(u, v) of checked rows."""
        both = self._above(np.concatenate((self._of(U, V), self._of(V, U))))
        more = both[: len(U)] - both[len(U) :]
        return (1.0 + (np.sign(more) if self.hard else more)) / 2.0

    def rank(
        self, X: ArrayLike, *, top_k: int | None = None, random_state: int | None = None
    ) -> Ranked:
        """Rank the rows of X (n, d), the items of one query, against each other.

        The place of a row depends on the other rows. `top_k` is for QuickSort; `random_state`
        draws its pivots, or the order of equal degrees. ValueError for fewer than two rows or an
        impossible `top_k`.
        """
        rows, rng = parameters.fitted_rows(self, X), np.random.default_rng(random_state)
        if self.second_stage == "quicksort":
            return stage.quicksort_rank(self._preference, rows, rng, top_k, check=False)
        if top_k is not None:
            raise ValueError("top_k needs second_stage='quicksort': degrees take all pairs")
        return stage.sort_by_degree(self._preference, rows, ties="random", rng=rng, check=False)

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return scores of the rows of X, (n,), which depend on all of these rows.

        By degree they say how many others each row is preferred to, by QuickSort how many stand
        below it. Scores of two calls cannot be compared, and with QuickSort equal rows do not tie.
        """
        if self.second_stage == "degree":
            return stage.degrees(self._preference, parameters.fitted_rows(self, X), check=False)
        seed = check_random_state(self.random_state).randint(2**31)
        order = self.rank(X, random_state=seed).order
        return np.asarray(len(order) - 1 - np.argsort(order), dtype=np.float64)

    def score(self, X: ArrayLike, y: ArrayLike, groups: PerRow = None) -> float:
        """Return the accuracy on pairs: the share that h prefers the right way; 1/2 counts half.

        The pairs are all those of rows with different labels, within `groups` (n,), if given, as
        in :meth:`fit`. For two classes this corresponds to the AUC of scores.
        """
        check_is_fitted(self, "classifier_")
        warn_ungrouped(self, groups)
        codes = ordered_levels(y, level_order(y, self.levels))[1]
        X = parameters.fitted_rows(self, X)
        check_consistent_length(X, codes)
        groups, right, total = group_numbers(groups, len(codes)), 0.0, 0
        for group in [0] if groups is None else range(groups.max() + 1):
            rows = np.arange(len(codes)) if groups is None else np.flatnonzero(groups == group)
            for first, second in stage.all_pairs(rows.size):
                more = np.sign(codes[rows[first]] - codes[rows[second]])
                U, V = rows[first[more != 0]], rows[second[more != 0]]
                right += float(self._right(X[U], X[V], more[more != 0]).sum())
                total += U.size
        if total == 0:
            raise ValueError(NO_PAIR)
        return right / total

    def score_pairs(
        self, X: ArrayLike, pairs: ArrayLike, labels: ArrayLike, sample_weight: PerRow = None
    ) -> float:
        """Return the (weighted) accuracy on labelled pairs, given as in `fit_pairs`."""
        check_is_fitted(self, "classifier_")
        X = parameters.fitted_rows(self, X)
        upper, lower, weights = labelled_pairs(X.shape[0], pairs, labels, sample_weight)
        return float(np.average(self._right(X[upper], X[lower], 1), weights=weights))

    def _right(self, U: Floats, V: Floats, sign: Floats | int) -> Floats:
        """Return 1 for pairs that h prefers as the signs say, 1/2 if it prefers neither."""
        return (1.0 + sign * np.sign(self._preference(U, V) - 0.5)) / 2.0 if len(U) else U[:, 0]

    def _fit(self, X: Floats, upper: Ints, lower: Ints, weights: Floats | None = None) -> Self:
        U, V = X[upper], X[lower]
        classifier, given = self._classifier(), {}
        if weights is not None:
            if not has_fit_parameter(classifier, "sample_weight"):
                name = type(classifier).__name__
                raise ValueError(f"{name} takes no sample_weight: omit the weights")
            given = {"sample_weight": np.tile(weights, 2)}
        Z = np.concatenate((self._of(U, V), self._of(V, U)))
        self.classifier_ = classifier.fit(Z, np.repeat([1, 0], upper.size), **given)
        self.n_pairs_ = self.n_possible_pairs_ = int(upper.size)
        return self

    def _classifier(self) -> BaseEstimator:
        """Return the classifier, not fitted."""
        made = classifier_of(self.estimator)
        if not any(hasattr(made, name) for name in ("predict_proba", "decision_function")):
            text = f"{type(made).__name__} has neither predict_proba nor decision_function"
            around = "sklearn.calibration.CalibratedClassifierCV around it"
            raise ValueError(f"{text}: use another classifier, or {around}")
        return made

    def _of(self, U: Floats, V: Floats) -> Floats:
        """Return the features of pairs, (k, p)."""
        if callable(self.features):
            if (found := np.asarray(self.features(U, V))).ndim != 2 or len(found) != len(U):
                shape = f"({len(U)}, p)"
                raise ValueError(f"features(U, V) must have shape {shape}, got {found.shape}")
            return found
        if self.features == "concatenation":
            return np.hstack((U, V))
        with np.errstate(over="ignore"):
            less = U - V
        if not np.isfinite(less).all():
            raise ValueError("the difference of two rows overflows: scale the features")
        return less

    def _above(self, Z: Floats) -> Floats:
        """Return g of pairs: the probability that the first stands above."""
        if hasattr(self.classifier_, "predict_proba"):
            found = np.asarray(self.classifier_.predict_proba(Z), dtype=np.float64)[:, -1]
        else:
            found = np.asarray(expit(self.classifier_.decision_function(Z)), dtype=np.float64)
        if found.shape != (len(Z),) or not ((found >= 0.0) & (found <= 1.0)).all():
            name = type(self.classifier_).__name__
            raise ValueError(f"{name} returns NaN, or not the probabilities of two classes")
        return found


def _pairs(codes: Ints, groups: Groups, most: int, seed: Seed) -> tuple[Ints, Ints, int]:
    """Return the upper and lower rows of pairs of levels within groups, and how many exist."""
    groups = np.zeros_like(codes) if groups is None else groups
    order = np.lexsort((codes, groups))
    group, level = groups[order], codes[order]
    start = np.searchsorted(group, group)
    key = group * (codes.max() + 1) + level
    below = np.searchsorted(key, key) - start  # rows of the group with a lower level
    ends = np.cumsum(below)
    if (possible := int(ends[-1])) == 0:
        raise ValueError(NO_PAIR)
    taken = np.arange(possible)
    if possible > most:
        taken = np.sort(sample_without_replacement(possible, most, random_state=seed))
    upper = np.searchsorted(ends, taken, side="right")
    return order[upper], order[start[upper] + taken - (ends - below)[upper]], possible
