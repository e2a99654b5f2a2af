"""Register the best thresholds of the ordinal models: ``f(model, **options) -> (K - 1,)``."""

from rankexp.studies.uematsu2010.theory.ordinal import (
    orboost_thresholds,
    proportional_odds_thresholds,
)

REGISTER = {"orboost": "orboost_thresholds", "proportional_odds": "proportional_odds_thresholds"}

__all__ = ["orboost_thresholds", "proportional_odds_thresholds"]
