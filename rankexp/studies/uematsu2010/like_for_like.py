"""Rankers that differ by the loss alone: the same kernel features, and pairs weighed by levels.

>>> X = np.linspace(-2, 2, 40)[:, None]
>>> y = np.digitize(np.abs(X[:, 0]), [0.7, 1.4])             # no line ranks these
>>> for loss in ("odds", "pairs"):
...     ranker = KernelLevels(loss=loss, gamma=1.0, lam=0.001).fit(X, y)
...     print(loss, round(u_pairs(y, ranker.predict(X)), 2))
odds 1.0
pairs 1.0
"""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.kernel_approximation import Nystroem

from rankexp.arrays import Floats, PerRow
from rankexp.estimators import LinearRanker, ProportionalOdds
from rankexp.metrics import u_pairs
from rankexp.solvers.result import PathResult

__all__ = ["KernelLevels", "WeighedPairs", "u_pairs"]


class KernelLevels(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Proportional odds, or the logistic loss on all pairs, on features of a Gaussian kernel.

    Parameters
    ----------
    loss : {"odds", "pairs"}
        What trains the coefficients; both are logistic.
    lam : float
        Penalty of the squared norm of coefficients, of which half counts.
    gamma : float or None
        Of exp(-gamma ||x - x'||²); None means one over the number of columns of X.
    features : int
        How many rows, drawn at random, span the scores (Nyström's features).
    """

    def __init__(
        self,
        *,
        loss: str = "odds",
        lam: float = 0.01,
        gamma: float | None = None,
        features: int = 50,
    ) -> None:
        self.loss = loss
        self.lam = lam
        self.gamma = gamma
        self.features = features

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit to rows X (n, d) and ordered levels y (n,); ValueError for an unknown loss."""
        made: dict[str, Any] = {
            "odds": ProportionalOdds(lam=self.lam),
            "pairs": LinearRanker(loss="logistic", risk="multipartite", lam=self.lam),
        }
        if self.loss not in made:
            raise ValueError(f"loss={self.loss!r}: expected 'odds' or 'pairs'")
        X = np.asarray(X, dtype=np.float64)
        size = min(self.features, len(X))
        self.map_ = Nystroem(gamma=self.gamma, n_components=size, random_state=0).fit(X)
        self.ranker_ = made[self.loss].fit(self.map_.transform(X), y)
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """Return scores, (n,)."""
        return np.asarray(self.ranker_.predict(self.map_.transform(np.asarray(X, np.float64))))


class WeighedPairs(LinearRanker):
    """All pairs by a loss, each weighed by how far its levels are apart, y - y'.

    Levels are numbers. All else is as in `LinearRanker` with the multipartite risk.
    """

    def fit(
        self, X: ArrayLike, y: ArrayLike, groups: PerRow = None, sample_weight: PerRow = None
    ) -> Self:
        """Fit with costs that are differences of the levels in y."""
        self.costs = apart(y)
        return super().fit(X, y, groups, sample_weight)

    def path(
        self,
        X: ArrayLike,
        y: ArrayLike,
        lams: ArrayLike,
        groups: PerRow = None,
        sample_weight: PerRow = None,
    ) -> PathResult:
        """Solve for several penalties with these costs."""
        self.costs = apart(y)
        return super().path(X, y, lams, groups, sample_weight)


def apart(y: ArrayLike) -> Floats:
    """Return the distances of the levels in y, (K, K), above the diagonal."""
    levels = np.unique(np.asarray(y, dtype=np.float64))
    return np.asarray(np.triu(np.abs(np.subtract.outer(levels, levels))))
