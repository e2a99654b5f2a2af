"""What rankers share that are made round by round: numbers of rounds, and when to stop."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from copy import copy
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone

from rankexp.arrays import Floats, PerRow
from rankexp.blas import SparesThreads
from rankexp.estimators.pair_data import PairError
from rankexp.estimators.parameters import at_least_one


class InRounds(SparesThreads, BaseEstimator):  # type: ignore[misc]
    """A ranker with `n_rounds`, whose first rounds are those of a fit of fewer.

    Its `_found` takes what `fit` does and returns what all rounds are; its `_first` takes that,
    sets the attributes by the first `n_rounds` and returns itself.
    """

    @abstractmethod
    def _found(self, X: ArrayLike, y: ArrayLike, **given: PerRow) -> Any: ...

    @abstractmethod
    def _first(self, found: Any) -> Self: ...

    def fit_rounds(
        self, n_rounds: Sequence[int], X: ArrayLike, y: ArrayLike, **given: PerRow
    ) -> list[Self]:
        """Return the estimator fitted with each of several `n_rounds`, without changing itself.

        Each is what `fit` gives with that `n_rounds`, bit by bit, but the rounds that they have
        in common are found once, unless rounds are tried on held out examples, or change earlier
        ones.

        Parameters
        ----------
        n_rounds : sequence of int
            In any order; that of the estimator is not used.
        X, y
            As in `fit`, also what is `given` beside by name.

        Examples
        --------
        >>> from rankexp.estimators import RankBoost
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
        >>> [model.n_iter_ for model in RankBoost().fit_rounds([10, 3], X, y)]
        [10, 3]
        """
        models: list[Any] = [clone(self).set_params(n_rounds=n) for n in n_rounds]
        for model in models:
            model.check()
        if not (models and self._keeps_rounds()):
            return [model.fit(X, y, **given) for model in models]
        most: Any = clone(self).set_params(n_rounds=max(n_rounds))
        found = most._found(X, y, **given)
        return [copy(most).set_params(n_rounds=n)._first(found) for n in n_rounds]

    def _keeps_rounds(self) -> bool:
        """Tell whether a fit of more rounds begins with those of one of fewer."""
        return getattr(self, "validation_fraction", None) is None


def check_stopping(share: float | None, patience: int) -> None:
    """Raise ValueError for an impossible `validation_fraction` or `n_iter_no_change`."""
    if share is not None and not (isinstance(share, Real) and 0.0 < float(share) < 1.0):
        raise ValueError(f"validation_fraction must be None or in (0, 1), got {share!r}")
    at_least_one("n_iter_no_change", patience)


class Watch:
    """The errors of held out rows after each round, of which so many may pass without a lower one.

    With `before`, the first error is that of no round, all scores being equal.
    """

    def __init__(self, error: PairError, patience: int, n: int, *, before: bool) -> None:
        self.error, self.patience, self.s = error, patience, np.zeros(n)
        self.errors = [error(self.s)] if before else []

    def stops(self, added: Floats) -> bool:
        """Add what a round adds to the scores (n,); tell whether it is the last one."""
        self.s = self.s + added
        self.errors.append(self.error(self.s))
        return len(self.errors) - 1 - self.best >= self.patience

    @property
    def best(self) -> int:
        """The place of the least error."""
        return int(np.argmin(self.errors))
