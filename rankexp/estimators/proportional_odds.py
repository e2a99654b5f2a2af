"""The proportional-odds model of ordered levels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from rankexp.arrays import Floats, Ints
from rankexp.categories import Levels
from rankexp.estimators.threshold_model import ThresholdModel
from rankexp.solvers.ordinal.proportional_odds import proportional_odds_path, thresholds
from rankexp.solvers.result import PathResult

REGISTER = {"ProportionalOdds": "ProportionalOdds"}


@dataclass(eq=False, repr=False)
class ProportionalOdds(ThresholdModel):
    """McCullagh's model, ``log P(Y <= j) / P(Y > j) = theta_j - w·x``, with a penalty.

    It minimises ``lam/2 ||w||²`` + the mean negative log-likelihood; the thresholds theta are
    free, in ascending order.

    Parameters
    ----------
    lam : float
        Penalty of ``||w||²``, >= 0.
    levels : sequence or None
        The levels, worst to best. None: the numbers in y. A level without an example changes
        nothing in the fit and gets the probability 0, the likeliest: its thresholds are equal,
        or infinite where it is at an end.
    tol, max_iter
        As for `OrdinalSVM`.

    Attributes
    ----------
    coef_, intercept_, thresholds_, levels_, objective_, gap_, n_iter_
        As for `OrdinalSVM`; for ``lam = 0`` the gap is an estimate, half the squared Newton
        decrement.

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

    def _solve(self, X: Floats, codes: Ints, lams: Floats, weight: Floats | None) -> PathResult:
        return proportional_odds_path(
            X, codes, lams, weight=weight, tol=self.tol, max_iter=self.max_iter
        )

    def _thresholds(self, s: Floats, codes: Ints, weight: Floats | None) -> Floats:
        return thresholds(s, codes, weight)

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return the probabilities of the levels, shape (n, K), worst to best."""
        s = self.decision_function(X)[:, None]
        cuts = np.concatenate(([-np.inf], self.thresholds_, [np.inf])) - s
        low, high = cuts[:, :-1], cuts[:, 1:]
        side = np.where(low > 0.0, -1.0, 1.0)  # 1 - 1 would lose the digits of a small rest
        return np.asarray(np.abs(expit(side * high) - expit(side * low)))
