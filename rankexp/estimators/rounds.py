"""What rankers share that are trained in rounds: how many, when to stop, and sums of stumps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from rankexp.arrays import Floats, PerRow
from rankexp.blas import SparesThreads
from rankexp.estimators.pair_data import PairError
from rankexp.estimators.parameters import check_count, check_number, fitted_rows, one_of
from rankexp.solvers.boosting.stumps import CUTS, Binned, Stump, step_sums

COPIES = "as copies of a row could be both held out and trained on"


class InRounds(SparesThreads, BaseEstimator):  # type: ignore[misc]
    """A ranker with `n_rounds`, whose first rounds are those of a fit with fewer.

    `_found` takes the arguments of `fit` and returns all rounds; `_first` fits from `n_rounds`.
    """

    def fit_rounds(
        self, n_rounds: Sequence[int], X: ArrayLike, y: ArrayLike, **given: PerRow
    ) -> list[Self]:
        """Return a fitted copy of the estimator for each of several `n_rounds`.

        Each copy equals, bit by bit, what `fit` gives with that `n_rounds`. Shared rounds are
        trained once, unless there is early stopping or later rounds change earlier ones.

        `n_rounds` are in any order; the estimator's own number is not used. X, y and the rest are
        the arguments of `fit`.

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
        if not (models and self._keeps_rounds()) or given.get("eval_set") is not None:
            return [model.fit(X, y, **given) for model in models]
        most: Any = clone(self).set_params(n_rounds=max(n_rounds))
        found = most._found(X, y, **given)
        return [copy(most).set_params(n_rounds=n)._first(found) for n in n_rounds]

    def _keeps_rounds(self) -> bool:
        return getattr(self, "validation_fraction", None) is None


def check_stopping(share: float | None, patience: int) -> None:
    """Raise ValueError for an impossible `validation_fraction` or `n_iter_no_change`."""
    if share is not None and not (isinstance(share, Real) and 0.0 < float(share) < 1.0):
        raise ValueError(f"validation_fraction must be None or in (0, 1), got {share!r}")
    check_count("n_iter_no_change", patience)


class Watch:
    """The errors of held out rows by round; `patience` rounds may pass without a lower one."""

    def __init__(self, error: PairError, patience: int, n: int, *, before: bool) -> None:
        # With `before`, the first error is the one before any round, when all scores are equal.
        self.error, self.patience, self.s = error, patience, np.zeros(n)
        self.errors = [error(self.s)] if before else []

    def stops(self, added: Floats) -> bool:
        """Add a round's part of the scores, (n,); tell whether to stop."""
        self.s = self.s + added
        self.errors.append(self.error(self.s))
        return len(self.errors) - 1 - self.best >= self.patience

    @property
    def best(self) -> int:
        """The place of the least error."""
        return int(np.argmin(self.errors))


class StumpBooster(InRounds):
    """A sum of weighted stumps; a subclass has `n_rounds`, `cuts`, `n_cuts` and `smoothing`.

    Its `_ready` takes the arguments of `fit` and returns a tuple, first an iterator of rounds.
    """

    def _check_boosting(self) -> None:
        one_of("cuts", self.cuts, CUTS)
        for name in ("n_rounds", "n_cuts"):
            check_count(name, getattr(self, name))
        if self.smoothing is not None:
            check_number("smoothing", self.smoothing, zero=True)

    def _found(self, X: ArrayLike, y: ArrayLike, **given: PerRow) -> Any:
        rounds, *rest = self._ready(X, y, **given)
        return list(rounds), *rest

    def _smoothing(self, rows: Binned) -> float:
        return 1.0 / rows.count if self.smoothing is None else float(self.smoothing)

    def _keep(self, stumps: Sequence[Stump], alphas: Sequence[float]) -> None:
        self.stump_features_ = np.array([s.feature for s in stumps], dtype=np.int64)
        self.stump_thresholds_ = np.array([s.threshold for s in stumps], dtype=np.float64)
        self.alphas_ = np.array(alphas, dtype=np.float64)
        self.n_iter_ = len(stumps)

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share in the decrease of `risk_` over the rounds, (d,)."""
        check_is_fitted(self)
        gains = np.maximum(-np.diff(self.risk_), 0.0)[: self.n_iter_]
        found = np.bincount(self.stump_features_, gains, self.n_features_in_)
        return np.asarray(found / (found.sum() or 1.0))

    def _scores(self, X: Floats, height: float = 1.0) -> Floats:
        return step_sums(self.stump_features_, self.stump_thresholds_, height * self.alphas_, X)

    def _staged(self, X: ArrayLike, height: float = 1.0) -> Iterator[Floats]:
        X = fitted_rows(self, X)
        s = np.zeros(X.shape[0])
        stumps = zip(self.stump_features_, self.stump_thresholds_, self.alphas_, strict=True)
        for feature, threshold, alpha in stumps:
            s[X[:, feature] > threshold] += height * alpha
            yield s.copy()
