"""What the boosting estimators share: sums of weighted stumps."""

from collections.abc import Iterator, Sequence
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from rankexp.arrays import PerRow
from rankexp.estimators.parameters import at_least_one, fitted_rows, one_of
from rankexp.estimators.rounds import InRounds
from rankexp.solvers.boosting.stumps import CUTS, StepFunctions, Stump
from rankexp.solvers.result import Floats


class StumpBooster(InRounds):
    """A sum of weighted stumps; a subclass has `n_rounds`, `cuts`, `n_cuts` and `smoothing`.

    Its `_ready` takes what `fit` does and returns a tuple that has `rounds`, to be found one by
    one; its `_finish` takes that and some first rounds, sets the attributes and returns itself.
    """

    def _check_boosting(self) -> None:
        one_of("cuts", self.cuts, CUTS)
        for name in ("n_rounds", "n_cuts"):
            at_least_one(name, getattr(self, name))
        d = self.smoothing
        if d is not None and not (isinstance(d, Real) and 0.0 <= float(d) < np.inf):
            raise ValueError(f"smoothing must be None or a finite number >= 0, got {d!r}")

    def _found(self, X: ArrayLike, y: ArrayLike, **given: PerRow) -> Any:
        ready = self._ready(X, y, **given)
        return ready._replace(rounds=list(ready.rounds))

    def _first(self, found: Any) -> Self:
        first: Self = self._finish(found, found.rounds[: self.n_rounds])
        return first

    def _keep(self, stumps: Sequence[Stump], alphas: Sequence[float]) -> None:
        """Set the attributes of the rounds."""
        self.stump_features_ = np.array([s.feature for s in stumps], dtype=np.int64)
        self.stump_thresholds_ = np.array([s.threshold for s in stumps], dtype=np.float64)
        self.alphas_ = np.array(alphas, dtype=np.float64)
        self.n_iter_ = len(stumps)

    @property
    def feature_importances_(self) -> Floats:
        """The share of each feature in what the rounds take off `risk_`, (d,)."""
        check_is_fitted(self)
        gains = np.maximum(-np.diff(self.risk_), 0.0)[: self.n_iter_]
        found = np.bincount(self.stump_features_, gains, self.n_features_in_)
        return np.asarray(found / (found.sum() or 1.0))

    def _sum(self, X: Floats, height: float = 1.0) -> Floats:
        """Return the sum of ``height · alpha`` over stumps that a row is above, (n,)."""
        heights = height * self.alphas_
        return StepFunctions(self.stump_features_, self.stump_thresholds_, heights)(X)

    def _staged(self, X: ArrayLike, height: float = 1.0) -> Iterator[Floats]:
        """Yield these sums after each round."""
        X = fitted_rows(self, X)
        s = np.zeros(X.shape[0])
        for feature, threshold, alpha in zip(
            self.stump_features_, self.stump_thresholds_, self.alphas_, strict=True
        ):
            s[X[:, feature] > threshold] += height * alpha
            yield s.copy()
