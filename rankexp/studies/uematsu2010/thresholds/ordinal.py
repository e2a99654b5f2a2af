"""Register the best thresholds of the ordinal models: ``f(model, **options) -> (K - 1,)``."""

from rankexp.studies.uematsu2010.theory.linear_odds import linear_odds_thresholds
from rankexp.studies.uematsu2010.theory.ordinal import (
    orboost_thresholds,
    proportional_odds_thresholds,
)

REGISTER = {
    "linear_odds": "linear_odds_thresholds",
    "orboost": "orboost_thresholds",
    "proportional_odds": "proportional_odds_thresholds",
}

__all__ = ["linear_odds_thresholds", "orboost_thresholds", "proportional_odds_thresholds"]
