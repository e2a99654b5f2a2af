"""What linear rankers share that visit labelled pairs one by one."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from rankexp.arrays import Floats, Ints, PerRow
from rankexp.categories import in_numbers
from rankexp.estimators.labels import few_levels
from rankexp.estimators.oriented_tree import RealRanker
from rankexp.estimators.pair_data import labelled_pairs, pairs_of_levels
from rankexp.estimators.parameters import fitted_rows, training_data, training_rows
from rankexp.metrics.level_counts import group_numbers
from rankexp.solvers.scores import scores

Learnt = tuple[Floats, Ints, Ints, Floats]

LARGEST_POWER = 1000  # of 2, that features are scaled by


class LinearOfPairs(RealRanker):
    """A linear scoring function of labelled pairs, or of all pairs of rows with different labels.

    A subclass learns in `_learn` from the upper and the lower row of each pair.
    """

    coef_: Floats
    _weighs: ClassVar[bool] = False  # whether pairs have weights

    @abstractmethod
    def check(self) -> None:
        """Raise ValueError if a parameter is impossible; this needs no data."""

    @abstractmethod
    def _learn(self, X: Floats, upper: Ints, lower: Ints, weight: Floats) -> None:
        """Set the attributes, by pairs of rows, and weights > 0."""

    def fit(self, X: ArrayLike, y: ArrayLike, groups: PerRow = None) -> Self:
        """Fit to rows X (n, d): of each pair with different y (n,) the greater one is to be above.

        y holds numbers or an ordered Categorical, at most 1,000 levels. Only pairs within `groups`
        (n,) count, if given. Errors are those of :meth:`fit_pairs`; ValueError also for a constant
        y, labels without an order, over 1,000 levels or over 20 million pairs.
        """
        self._learn(*self._of_levels(X, y, groups))
        return self

    def fit_pairs(
        self, X: ArrayLike, pairs: ArrayLike, labels: ArrayLike, sample_weight: PerRow = None
    ) -> Self:
        """Fit to labelled pairs of rows.

        :meth:`LinearRanker.fit_pairs` explains the parameters and errors. A class without weights
        of pairs raises ValueError for weights other than 0 and 1.
        """
        self._learn(*self._of_list(X, pairs, labels, sample_weight))
        return self

    def _of_levels(self, X: ArrayLike, y: ArrayLike, groups: PerRow, reset: bool = True) -> Learnt:
        self.check()
        X, y = training_data(self, X, in_numbers(y), real=True, reset=reset)
        codes = few_levels(y, None)[1]
        numbers = None if groups is None else np.asarray(group_numbers(groups, codes.size))
        upper, lower = pairs_of_levels(codes, numbers)
        return X, upper, lower, np.ones(upper.size)

    def _of_list(
        self,
        X: ArrayLike,
        pairs: ArrayLike,
        labels: ArrayLike,
        sample_weight: PerRow,
        reset: bool = True,
    ) -> Learnt:
        self.check()
        X = training_rows(self, X, reset=reset)
        upper, lower, weight = labelled_pairs(X.shape[0], pairs, labels, sample_weight)
        if not self._weighs and (weight != weight[0]).any():
            raise ValueError(
                f"{type(self).__name__} does not weigh pairs: give weights 0 and 1 only, or use "
                "LinearRanker(...).fit_pairs"
            )
        return X, upper, lower, weight

    def predict(self, X: ArrayLike) -> Floats:
        """Return the scores of rows, shape (n,): the higher, the better."""
        return scores(fitted_rows(self, X), self.coef_.T)[:, 0]


def scaled(X: Floats) -> tuple[Floats, int]:
    """Return ``2^-p (X - x_0)`` with values up to 1, where x_0 is the first row, and p.

    Only the unit of differences changes, and data far from 0 lose no digits later.
    """
    power = _power(X)
    X = np.ldexp(X, -power)
    X -= X[0].copy()
    more = _power(X)
    return np.ldexp(X, -more), power + more


def _power(X: Floats) -> int:
    return max(int(np.frexp(np.abs(X).max())[1]), -LARGEST_POWER)
