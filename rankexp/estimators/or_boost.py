"""ORBoost: boosted stumps and thresholds for ordered levels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from rankexp.arrays import Floats, PerRow
from rankexp.categories import Levels
from rankexp.estimators.labels import few_levels, level_order
from rankexp.estimators.parameters import fitted_rows, one_of, training_data, weighed
from rankexp.estimators.rounds import StumpBooster
from rankexp.estimators.threshold_models import LevelRanker
from rankexp.solvers.boosting import ordinal_boost
from rankexp.solvers.boosting.stumps import binned

REGISTER = {"ORBoost": "ORBoost"}


LevelRounds = tuple[Iterable[ordinal_boost.OrdinalRound], float, Floats]
"""The rounds to come, and the risk and the thresholds before the first one."""


@dataclass(eq=False, repr=False, kw_only=True)
class ORBoost(LevelRanker, StumpBooster):
    """A sum of stumps with thresholds between levels, boosted on the exponential ordinal loss.

    An example costs ``exp(-(r(x) - theta_k))`` for each threshold k below its level and
    ``exp(-(theta_k - r(x)))`` for each one above. A round adds the stump, -1 or 1, with the
    greatest edge, by its best coefficient, and then sets the thresholds to their ordered minimum.

    Parameters
    ----------
    variant : {"lr", "all"}
        "lr" (left-right) counts only the thresholds next to the level, "all" counts all.
    n_rounds, cuts, n_cuts, smoothing
        As for `RankBoost`.
    levels : None or sequence
        As for `OrdinalSVM`.

    Attributes
    ----------
    thresholds_ : ndarray of shape (K - 1,)
        Not decreasing.
    risk_ : ndarray of shape (``n_iter_ + 1``,)
        The mean loss of the training examples after 0, 1, ... rounds; it never rises.
    stump_features_, stump_thresholds_, alphas_, n_iter_, levels_
        As for `RankBoost`.

    References
    ----------
    Lin and Li, Large-Margin Thresholded Ensembles for Ordinal Regression, 2006; uematsu2010,
    "Relation to Ordinal Regression Boosting", whose formulas are those of the left-right variant.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 1, 2]
    >>> ORBoost(n_rounds=20).fit(X, y).predict_level(X)
    array([0, 1, 1, 2])
    """

    variant: str = "lr"
    n_rounds: int = 100
    cuts: str = "quantile"
    n_cuts: int = 255
    smoothing: float | None = None
    levels: Levels | None = None

    def check(self) -> None:
        """Raise ValueError if a parameter is impossible; this needs no data."""
        self._check_boosting()
        one_of("variant", self.variant, ordinal_boost.VARIANTS)

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        """Fit to rows X of shape (n, d) and levels y of shape (n,).

        Row weights and errors are as for :meth:`ProportionalOdds.fit`; ValueError also for over
        1,000 levels, or an infinite coefficient (smoothing=0).
        """
        return self._first(self._ready(X, y, sample_weight))

    def _ready(self, X: ArrayLike, y: ArrayLike, sample_weight: PerRow = None) -> LevelRounds:
        self.check()
        levels = level_order(y, self.levels)
        X, y = training_data(self, X, y)
        kept, weight = weighed(X, sample_weight)
        self.levels_, codes = few_levels(y[kept], levels)
        rows = binned(X[kept], self.cuts, self.n_cuts, weight=weight)
        weights = ordinal_boost.OrdinalWeights(rows, codes, self.levels_.shape[0], self.variant)
        rounds = ordinal_boost.boost_levels(rows, weights, self.n_rounds, self._smoothing(rows))
        return rounds, weights.risk, weights.thresholds

    def _first(self, found: LevelRounds) -> Self:
        rounds, risk, thresholds = found
        kept = list(islice(rounds, self.n_rounds))
        self._keep([one.stump for one in kept], [one.alpha for one in kept])
        self.thresholds_ = kept[-1].thresholds if kept else thresholds
        self.risk_ = np.array([risk, *(one.risk for one in kept)])
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the scores ``r`` of rows, shape (n,): the higher, the better."""
        return self._scores(fitted_rows(self, X), height=2.0) - float(self.alphas_.sum())

    def staged_decision_function(self, X: ArrayLike) -> Iterator[Floats]:
        """Yield the scores of rows after 1, 2, ... rounds, shape (n,) each."""
        check_is_fitted(self)
        for s, offset in zip(self._staged(X, height=2.0), np.cumsum(self.alphas_), strict=True):
            yield s - offset
