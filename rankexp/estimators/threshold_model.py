"""What linear models with thresholds between levels have in common."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from rankexp.arrays import Floats, Ints, Labels, PerRow
from rankexp.categories import Levels
from rankexp.estimators.labels import few_levels, level_order, share_of_levels
from rankexp.estimators.parameters import (
    Rows,
    check_solver,
    checked_data,
    fitted_rows,
    training_data,
    warn_unconverged,
    weighed,
)
from rankexp.estimators.risk_mixin import PredictsScores
from rankexp.solvers.result import PathResult
from rankexp.solvers.scores import scores


class LevelRanker(PredictsScores):
    """A ranker with `thresholds_` that cut its scores into `levels_`."""

    levels: Levels | None

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return U_pairs: the share of pairs of different levels in order, a tie counting 1/2."""
        return share_of_levels(self, y, self.decision_function(X))

    def predict(self, X: ArrayLike) -> Floats:
        """Return the scores of rows, shape (n,), as `decision_function` does."""
        return np.asarray(self.decision_function(X))

    def predict_level(self, X: ArrayLike) -> Labels:
        """Return the levels of rows, shape (n,): that of as many thresholds as are below."""
        s = self.decision_function(X)
        return np.asarray(self.levels_[self.thresholds_.searchsorted(s)])


class ThresholdModel(LevelRanker):
    """Scores ``w·x``, and thresholds that cut them into levels; a subclass solves."""

    lam: float
    tol: float
    max_iter: int
    zero_lam = True

    def _rows(self, X: Floats, sample_weight: PerRow) -> tuple[Rows, Floats | None]:
        """Return the rows to train on, and their weights > 0, if any."""
        return weighed(X, sample_weight)

    def _solve(self, X: Floats, codes: Ints, lams: Floats, weight: Floats | None) -> PathResult:
        """Solve for codes 0 .. K-1, each with an example."""
        raise NotImplementedError

    def _thresholds(self, s: Floats, codes: Ints, weight: Floats | None) -> Floats:
        """Return the best thresholds for scores, (K - 1,), non-decreasing."""
        raise NotImplementedError

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        """Fit to rows X of shape (n, d) and labels y of K levels.

        `sample_weight` (n,), >= 0, is how often each row counts.

        Raises
        ------
        ValueError
            For a parameter out of range, missing or infinite values, labels without an order
            and no `levels`, examples of fewer than two levels, or impossible weights.
        TypeError
            For a sparse matrix.

        Warns
        -----
        sklearn.exceptions.ConvergenceWarning
            Where `tol` was not reached.
        """
        self.check()
        levels = level_order(y, self.levels)
        X, y = training_data(self, X, y)
        rows, weight = self._rows(X, sample_weight)
        X = X[rows]
        self.levels_, codes = few_levels(y[rows], levels)
        present, dense = np.unique(codes, return_inverse=True)
        found = self._path(X, dense, np.array([self.lam], dtype=np.float64), weight)
        self.coef_, self.intercept_ = found.coef.T.copy(), found.intercept
        self.objective_, self.gap_ = float(found.objective[0]), float(found.gap[0])
        self.n_iter_ = int(found.n_iter[0])
        cuts = self._thresholds(scores(X, found.coef)[:, 0], dense, weight)
        ends = np.concatenate(([-np.inf], cuts, [np.inf]))
        below = present.searchsorted(np.arange(len(self.levels_) - 1), "right")
        self.thresholds_: Floats = ends[below]
        return self

    def path(
        self, X: ArrayLike, y: ArrayLike, lams: ArrayLike, sample_weight: PerRow = None
    ) -> PathResult:
        """Solve for several penalties, (L,) in any order, without changing the estimator.

        The result has ``coef`` (d, L) in the order of `lams`; intercepts are 0, as thresholds
        change no ranking.
        """
        grid = np.atleast_1d(np.asarray(lams, dtype=np.float64))
        for lam in grid.tolist():
            self.check(lam)
        levels = level_order(y, self.levels)
        X, y = checked_data(X, y)
        rows, weight = self._rows(X, sample_weight)
        codes = few_levels(y[rows], levels)[1]
        return self._path(X[rows], np.unique(codes, return_inverse=True)[1], grid, weight)

    def check(self, lam: float | None = None) -> None:
        """Raise ValueError where the parameters are impossible, without any data."""
        what = "" if self.zero_lam else type(self).__name__
        check_solver(self.lam if lam is None else lam, self.tol, self.max_iter, what)

    def _path(self, X: Floats, codes: Ints, lams: Floats, weight: Floats | None) -> PathResult:
        found = self._solve(X, codes, lams, weight)
        warn_unconverged(type(self).__name__, found, lams, self.tol)
        return found

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the scores ``w·x`` of rows, shape (n,): the higher, the likelier a high level."""
        return scores(fitted_rows(self, X), self.coef_.T, self.intercept_)[:, 0]
