"""Smooth margin ranking: RankBoost's base rankers, and coefficients for a large margin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from rankexp.arrays import Floats, PerRow
from rankexp.categories import Levels
from rankexp.estimators.rank_boost import PairRounds, RankBoost
from rankexp.solvers.boosting.boost_pairs import Round, WeightedPairs
from rankexp.solvers.boosting.smooth_margin import smooth_margin_rounds
from rankexp.solvers.boosting.stumps import Binned

REGISTER = {"SmoothMarginRanker": "SmoothMarginRanker"}


class SmoothMarginRanker(RankBoost):
    """A sum of threshold rankers that raises the smooth margin of pairs in every round.

    The smooth margin of a sum with coefficients alpha is ``G = -log F / |alpha|_1``, F being the
    sum of ``exp(-(r(x) - r(x')))`` over pairs. It is at most the least normalised margin
    ``(r(x) - r(x')) / |alpha|_1``, and comes near to it as coefficients grow. Each round takes
    RankBoost's base ranker and the coefficient at which G is greatest; until G is above 0, which
    takes all pairs in order, RankBoost's. RankBoost itself may lower the margin in a round, and
    need not come near the greatest one; where it does, it is often there in fewer rounds.

    Parameters
    ----------
    risk, n_rounds, cuts, n_cuts, smoothing, costs, levels, queries
        As for `RankBoost`, whose coefficient is the longest step.

    Attributes
    ----------
    smooth_margins_ : ndarray of shape (n_iter_,)
        G after each round, which never falls. Where the last is not above 0, some pair is not in
        order, and all rounds were RankBoost's. With costs below 1, it is no bound. Weights are
        divided by the least above 0 where this is below 1, so that F counts each pair at least
        once: else G would be greatest for coefficients of 0.
    n_iter_ : int
        Fewer than `n_rounds` where no base ranker's ``e+ - e-`` is above G: G is then greatest.
        This and all others are as of `RankBoost`.

    References
    ----------
    C. Rudin, C. Cortes, M. Mohri and R. E. Schapire. Margin-based ranking meets boosting in the
    middle. COLT 2005. mohri2018, section 10.8.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 1]
    >>> model = SmoothMarginRanker(n_rounds=10).fit(X, y)
    >>> bool((np.diff(model.smooth_margins_) >= 0).all())
    True
    """

    def __init__(
        self,
        risk: str = "bipartite",
        n_rounds: int = 100,
        cuts: str = "quantile",
        n_cuts: int = 255,
        smoothing: float | None = None,
        costs: ArrayLike | None = None,
        levels: Levels | None = None,
        queries: str = "pairs",
    ) -> None:
        self.risk = risk
        self.n_rounds = n_rounds
        self.cuts = cuts
        self.n_cuts = n_cuts
        self.smoothing = smoothing
        self.costs = costs
        self.levels = levels
        self.queries = queries

    def _rounds(self, rows: Binned, pairs: WeightedPairs) -> Iterator[Round]:
        return smooth_margin_rounds(rows, pairs, self.n_rounds, self._smoothing(rows))

    def _ready(
        self, X: ArrayLike, y: ArrayLike, groups: PerRow = None, sample_weight: PerRow = None
    ) -> PairRounds:
        return super()._ready(X, y, groups, _raised(sample_weight))

    def fit_pairs(
        self, X: ArrayLike, pairs: ArrayLike, labels: ArrayLike, sample_weight: PerRow = None
    ) -> Self:
        """Fit to labelled pairs of rows, as :meth:`RankBoost.fit_pairs`, which says how."""
        return super().fit_pairs(X, pairs, labels, _raised(sample_weight))


def _raised(weights: PerRow) -> Floats | None:
    """Return weights, none of which is between 0 and 1."""
    if weights is None:
        return None
    w = np.asarray(weights, dtype=np.float64)
    return np.asarray(w / w[w > 0.0].min(initial=1.0))
