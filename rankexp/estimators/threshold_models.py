"""Linear models with thresholds between ordered levels: a support vector machine, and odds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.utils import ClassifierTags, Tags

from rankexp.arrays import Floats, Ints, Labels, PerRow
from rankexp.categories import Levels
from rankexp.estimators import parameters
from rankexp.estimators.labels import few_levels, in_levels, level_order
from rankexp.estimators.risk_mixin import PredictsScores
from rankexp.losses import Logistic
from rankexp.solvers.ordinal.proportional_odds import ProportionalOddsRisk, settled
from rankexp.solvers.ordinal.threshold_hinge import threshold_hinge_path
from rankexp.solvers.result import PathResult, scores
from rankexp.solvers.smooth.descent import descend
from rankexp.solvers.smooth.path import penalties, smooth_path

REGISTER = {"OrdinalSVM": "OrdinalSVM", "ProportionalOdds": "ProportionalOdds"}


class LevelRanker(PredictsScores):
    """A ranker with `thresholds_` that cut its scores into `levels_`."""

    levels: Levels | None

    def score(self, X: ArrayLike, y: ArrayLike, groups: PerRow = None) -> float:
        """Return U_pairs: the share of pairs of different levels in order; a tie counts 1/2.

        Only pairs within `groups` (n,) count, if given.
        """
        return self._in_order(in_levels(self, y), self.decision_function(X), groups)

    def predict(self, X: ArrayLike) -> Floats:
        """Return the scores of rows, shape (n,), as `decision_function` does."""
        return np.asarray(self.decision_function(X))

    def predict_level(self, X: ArrayLike) -> Labels:
        """Return the levels of rows, (n,), by the number of thresholds below each score."""
        return np.asarray(self.levels_[self.thresholds_.searchsorted(self.decision_function(X))])


class ThresholdModel(LevelRanker):
    """Scores ``w·x`` and thresholds that cut them into levels; a subclass has a `_solve`."""

    lam: float
    tol: float
    max_iter: int
    zero_lam = True
    _takes_sparse = True

    def _rows(self, X: Floats, sample_weight: PerRow) -> tuple[parameters.Rows, Floats | None]:
        return parameters.weighed(X, sample_weight)

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        """Fit to rows X of shape (n, d), dense or sparse, and labels y of K levels.

        `sample_weight` (n,), >= 0, says how often each row counts. Errors and warnings are as for
        :meth:`LinearRanker.fit`; ValueError also for labels without an order or `levels`.
        """
        self.check()
        lams = np.array([self.lam], dtype=np.float64)
        self.levels_, present, found = self._found(self, X, y, lams, sample_weight)
        self.coef_, self.intercept_ = found.coef.T.copy(), found.intercept
        self.objective_, self.gap_ = float(found.objective[0]), float(found.gap[0])
        self.n_iter_ = int(found.n_iter[0])
        assert found.thresholds is not None
        ends = np.concatenate(([-np.inf], found.thresholds[:, 0], [np.inf]))
        below = present.searchsorted(np.arange(len(self.levels_) - 1), "right")
        self.thresholds_: Floats = ends[below]
        return self

    def path(
        self, X: ArrayLike, y: ArrayLike, lams: ArrayLike, sample_weight: PerRow = None
    ) -> PathResult:
        """Solve for several penalties, (L,) in any order; the estimator does not change.

        The result has ``coef`` (d, L) in the order of `lams`. Intercepts are 0.
        """
        grid = np.atleast_1d(np.asarray(lams, dtype=np.float64))
        for lam in grid.tolist():
            self.check(lam)
        return self._found(None, X, y, grid, sample_weight)[2]

    def _found(
        self, learns: Self | None, X: ArrayLike, y: ArrayLike, lams: Floats, weight: PerRow
    ) -> tuple[Labels, Ints, PathResult]:
        """Return the levels, the codes of those that occur, and the solutions."""
        levels = level_order(y, self.levels)
        X, y = parameters.training_data(learns, X, y, sparse=True)
        rows, kept = self._rows(X, weight)
        levels, codes = few_levels(y[rows], levels)
        present, dense = np.unique(codes, return_inverse=True)
        X = X if isinstance(rows, slice) else X[rows]
        found: PathResult = self._solve(X, dense, lams, kept)
        if learns is not None and found.thresholds is None:
            found = settled(found, X, dense, kept, tol=self.tol)
        parameters.warn_unconverged(type(self).__name__, found, lams, self.tol)
        return levels, present, found

    def check(self, lam: float | None = None) -> None:
        """Raise ValueError if a parameter is impossible; this needs no data."""
        what = "" if self.zero_lam else type(self).__name__
        parameters.check_solver(self.lam if lam is None else lam, self.tol, self.max_iter, what)

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the scores ``w·x`` of rows, shape (n,): the higher, the likelier a high level."""
        return scores(parameters.fitted_rows(self, X), self.coef_.T, self.intercept_)[:, 0]


@dataclass(eq=False, repr=False, kw_only=True)
class OrdinalSVM(ThresholdModel):
    """Chu and Keerthi's support vector machine: one direction and parallel thresholds.

    It minimises ``lam/2 ||w||²`` + the mean over examples of their hinge losses,
    ``max(0, 1 - w·x + theta)`` for thresholds below the example's level and
    ``max(0, 1 + w·x - theta)`` for those above. Thresholds are not penalised. Row weights must be
    whole numbers, because rows are repeated.

    Parameters
    ----------
    constraints : {"adjacent", "all"}
        Whether an example has a loss at the thresholds next to its level, which are then kept in
        order (the source's explicit constraints), or at all of them (implicit constraints).
    lam : float
        Penalty of ``||w||²``, > 0.
    levels : sequence or None
        The levels, worst to best; None means the numbers in y. A level without an example does not
        change the fit: its thresholds are equal, or infinite at either end.
    tol, max_iter
        As for `LinearRanker`.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
    intercept_ : ndarray of shape (1,)
        0, as the thresholds take its place.
    thresholds_ : ndarray of shape (K - 1,)
        In ascending order, each in the middle of its range.
    levels_, objective_, gap_, n_iter_
        As for `LinearRanker`.

    References
    ----------
    Chu and Keerthi, Support vector ordinal regression, Neural Computation 19 (2007), 792-815.
    With n examples their C is ``1 / (lam n)``.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.arange(6.0)[:, None], ["low", "low", "mid", "mid", "high", "high"]
    >>> model = OrdinalSVM(levels=["low", "mid", "high"]).fit(X, y)
    >>> model.predict_level([[0.0], [5.0]])
    array(['low', 'high'], dtype='<U4')
    """

    zero_lam = False

    constraints: str = "adjacent"
    lam: float = 1e-2
    levels: Levels | None = None
    tol: float = 1e-6
    max_iter: int = 200

    def check(self, lam: float | None = None) -> None:
        """Raise ValueError if a parameter is impossible; this needs no data."""
        parameters.one_of("constraints", self.constraints, ("adjacent", "all"))
        super().check(lam)

    def _rows(self, X: Floats, sample_weight: PerRow) -> tuple[parameters.Rows, Floats | None]:
        return parameters.copied(X, sample_weight, "OrdinalSVM"), None

    def _solve(self, X: Floats, codes: Ints, lams: Floats, weight: Floats | None) -> PathResult:
        every, tol = self.constraints == "all", self.tol
        return threshold_hinge_path(X, codes, lams, every=every, tol=tol, max_iter=self.max_iter)


@dataclass(eq=False, repr=False, kw_only=True)
class ProportionalOdds(ThresholdModel):
    """McCullagh's model, ``log P(Y <= j) / P(Y > j) = theta_j - w·x``, with a penalty.

    It minimises ``lam/2 ||w||²`` + the mean negative log-likelihood. The thresholds theta are in
    ascending order and not penalised.

    Parameters
    ----------
    lam : float
        Penalty of ``||w||²``, >= 0.
    levels, tol, max_iter
        As for `OrdinalSVM`. A level without an example has the probability 0.

    Attributes
    ----------
    coef_, intercept_, thresholds_, levels_, objective_, gap_, n_iter_
        As for `OrdinalSVM`; for ``lam = 0`` the gap is an estimate.

    References
    ----------
    uematsu2010, "Relation to Proportional odds model", with the sign of r as here; McCullagh,
    Regression models for ordinal data, J. R. Statist. Soc. B 42 (1980).

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.arange(6.0)[:, None], ["low", "low", "mid", "low", "high", "high"]
    >>> model = ProportionalOdds(levels=["low", "mid", "high"]).fit(X, y)
    >>> model.predict_level([[0.0], [5.0]])
    array(['low', 'high'], dtype='<U4')
    """

    lam: float = 1e-2
    levels: Levels | None = None
    tol: float = 1e-10
    max_iter: int = 500

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags = ClassifierTags()  # it has probabilities of several classes
        return tags

    def _solve(self, X: Floats, codes: Ints, lams: Floats, weight: Floats | None) -> PathResult:
        how: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter}
        if codes.max() == 1:  # then it is logistic regression: its intercept is the threshold
            found = smooth_path(X, codes > 0, Logistic(), lams, sample_weight=weight, **how)
            return replace(found, intercept=0.0 * found.intercept, bearable=None)
        return descend(X, ProportionalOddsRisk(codes, weight), penalties(lams), **how)

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return the probabilities of the levels, shape (n, K), worst to best."""
        s = self.decision_function(X)[:, None]
        cuts = np.concatenate(([-np.inf], self.thresholds_, [np.inf])) - s
        low, high = cuts[:, :-1], cuts[:, 1:]
        side = np.where(low > 0.0, -1.0, 1.0)  # 1 - 1 would lose the digits of a small rest
        return np.asarray(np.abs(expit(side * high) - expit(side * low)))
