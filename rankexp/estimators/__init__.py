"""Rankers as scikit-learn estimators, one family a file.

A ranker learns a scoring function: `decision_function` gives a score of each row, the higher the
better. `LinearRanker` trains a linear one, by any loss under any risk that takes it; others use
kernels, boosting, trees, or thresholds between levels.

>>> import numpy as np
>>> from rankexp.estimators import LinearRanker
>>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
>>> ranker = LinearRanker(loss="hinge", risk="bipartite", lam=0.1).fit(X, y)
>>> bool(ranker.decision_function([[3.0]]) > ranker.decision_function([[0.0]]))
True
"""

from typing import TYPE_CHECKING

from rankexp.registry import exports

__all__ = [
    "BoostedRanker",
    "CRank",
    "KendallTree",
    "KernelRanker",
    "LinearRanker",
    "MaxMarginRanker",
    "ORBoost",
    "OnlineRanker",
    "OrdinalSVM",
    "ProportionalOdds",
    "RankBoost",
    "RankPerceptron",
    "RankingForest",
    "SmoothMarginRanker",
]

if TYPE_CHECKING:
    from rankexp.estimators.boosted_ranker import BoostedRanker
    from rankexp.estimators.crank import CRank
    from rankexp.estimators.kendall_tree import KendallTree
    from rankexp.estimators.kernel_ranker import KernelRanker
    from rankexp.estimators.linear import LinearRanker
    from rankexp.estimators.max_margin import MaxMarginRanker
    from rankexp.estimators.online_ranker import OnlineRanker
    from rankexp.estimators.or_boost import ORBoost
    from rankexp.estimators.ordinal_svm import OrdinalSVM
    from rankexp.estimators.proportional_odds import ProportionalOdds
    from rankexp.estimators.rank_boost import RankBoost
    from rankexp.estimators.rank_perceptron import RankPerceptron
    from rankexp.estimators.ranking_forest import RankingForest
    from rankexp.estimators.smooth_margin import SmoothMarginRanker
else:
    __getattr__, __dir__ = exports("estimators", __all__)
