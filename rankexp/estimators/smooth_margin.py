"""Smooth margin ranking: RankBoost's base rankers with coefficients for a large margin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from rankexp.arrays import Floats, PerRow, Seed
from rankexp.estimators.rank_boost import PairRounds, RankBoost
from rankexp.solvers.boosting.boost_pairs import Round, WeightedPairs, smooth_margin_rounds
from rankexp.solvers.boosting.stumps import Binned

REGISTER = {"SmoothMarginRanker": "SmoothMarginRanker"}


@dataclass(eq=False, repr=False, kw_only=True)
class SmoothMarginRanker(RankBoost):
    """A sum of threshold rankers that raises the smooth margin of pairs in every round.

    The smooth margin of a sum with coefficients alpha is ``G = -log F / |alpha|_1``, where F is
    the sum of ``exp(-(r(x) - r(x')))`` over pairs. It is at most the least normalised margin
    ``(r(x) - r(x')) / |alpha|_1`` and approaches it as coefficients grow. Each round takes
    RankBoost's base ranker with the coefficient that maximises G, or with RankBoost's coefficient
    until G is above 0, which means that all pairs are in order. RankBoost itself may lower G.

    Parameters
    ----------
    risk, n_rounds, cuts, n_cuts, smoothing, costs, levels, queries
        As for `RankBoost`, whose coefficient limits each step.

    Attributes
    ----------
    smooth_margins_ : ndarray of shape (``n_iter_``,)
        G after each round; it never falls. If the last one is not above 0, some pair is in the
        wrong order. With costs below 1 it is no bound. Weights are divided by the least one above
        0 if that is below 1: otherwise coefficients of 0 would maximise G.
    n_iter_ : int
        Fewer than `n_rounds` if no base ranker has ``e+ - e-`` above G, which is then greatest.
        All other attributes are as for `RankBoost`.

    References
    ----------
    Rudin, Cortes, Mohri and Schapire, Margin-based ranking meets boosting in the middle, COLT
    2005; mohri2018, section 10.8.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 1]
    >>> model = SmoothMarginRanker(n_rounds=10).fit(X, y)
    >>> bool((np.diff(model.smooth_margins_) >= 0).all())
    True
    """

    loss: str = field(default="exponential", init=False)
    alpha: str = field(default="pairs", init=False)
    validation_fraction: float | None = field(default=None, init=False)
    n_iter_no_change: int = field(default=10, init=False)
    random_state: Seed = field(default=None, init=False)

    def _rounds(self, rows: Binned, pairs: WeightedPairs) -> Iterator[Round]:
        return smooth_margin_rounds(rows, pairs, self.n_rounds, self._smoothing(rows))

    def _ready(
        self, X: ArrayLike, y: ArrayLike, groups: PerRow = None, sample_weight: PerRow = None
    ) -> PairRounds:
        return super()._ready(X, y, groups, _raised(sample_weight))

    def fit_pairs(
        self, X: ArrayLike, pairs: ArrayLike, labels: ArrayLike, sample_weight: PerRow = None
    ) -> Self:
        """Fit to labelled pairs of rows, as :meth:`RankBoost.fit_pairs`."""
        return super().fit_pairs(X, pairs, labels, _raised(sample_weight))


def _raised(weights: PerRow) -> Floats | None:
    if weights is None:
        return None
    w = np.asarray(weights, dtype=np.float64)
    return np.asarray(w / w[w > 0.0].min(initial=1.0))
