"""What is known of the best ranking functions: functions of densities, one criterion a file.

Registered are functions ``f(model, X, **options) -> (n,)`` of a model with known densities.

>>> import numpy as np
>>> from rankexp.generators import Gaussian
>>> from rankexp.theory import likelihood_ratio
>>> rng = np.random.default_rng(0)
>>> model = Gaussian().draw_model(rng)
>>> likelihood_ratio(model, model.sample(3, rng)[0]).shape
(3,)
"""

from typing import TYPE_CHECKING

from rankexp.registry import exports

__all__ = [
    "half_log_ratio",
    "hinge_population",
    "likelihood_ratio",
    "log_ratio",
    "orboost",
    "proportional_odds",
    "tripartite",
]

if TYPE_CHECKING:
    from rankexp.theory.bayes import half_log_ratio, likelihood_ratio, log_ratio, tripartite
    from rankexp.theory.boosting import orboost
    from rankexp.theory.odds import proportional_odds
    from rankexp.theory.staircase import hinge_population
else:
    __getattr__, __dir__ = exports("theory", __all__)
