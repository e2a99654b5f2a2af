# Written by `make exports`.
from rankexp.estimators.boosted_ranker import BoostedRanker as BoostedRanker
from rankexp.estimators.kernel_ranker import KernelRanker as KernelRanker
from rankexp.estimators.linear import LinearRanker as LinearRanker
from rankexp.estimators.linear_of_pairs import MaxMarginRanker as MaxMarginRanker
from rankexp.estimators.linear_of_pairs import RankPerceptron as RankPerceptron
from rankexp.estimators.online_ranker import OnlineRanker as OnlineRanker
from rankexp.estimators.or_boost import ORBoost as ORBoost
from rankexp.estimators.rank_boost import RankBoost as RankBoost
from rankexp.estimators.ranking_trees import CRank as CRank
from rankexp.estimators.ranking_trees import KendallTree as KendallTree
from rankexp.estimators.ranking_trees import RankingForest as RankingForest
from rankexp.estimators.smooth_margin import SmoothMarginRanker as SmoothMarginRanker
from rankexp.estimators.threshold_models import OrdinalSVM as OrdinalSVM
from rankexp.estimators.threshold_models import ProportionalOdds as ProportionalOdds
