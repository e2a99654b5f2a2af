"""Best thresholds of the ordinal models, under the names of their ranking functions.

Functions ``f(model, **options) -> (K - 1,)``, the options being those of the ranking function.
"""

from rankexp.theory.boosting import orboost_thresholds
from rankexp.theory.odds import proportional_odds_thresholds

REGISTER = {"orboost": "orboost_thresholds", "proportional_odds": "proportional_odds_thresholds"}

__all__ = ["orboost_thresholds", "proportional_odds_thresholds"]
