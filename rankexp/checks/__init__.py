"""Claims tried out numerically, one a file: functions ``f(rng, **parameters) -> rows``.

A study names one with a grid of parameters and a number of repetitions.

>>> import numpy as np
>>> from rankexp.checks import flip_noise
>>> flip_noise(np.random.default_rng(0), p=0.9, n=100)[0]
{'quantity': 'prior', 'value': 0.9}
"""

from typing import TYPE_CHECKING

from rankexp.registry import exports

__all__ = [
    "Problem",
    "best_scorers",
    "boosters_on_data",
    "boosting_rounds",
    "bound_violations",
    "class_weights",
    "costly_pairs",
    "few_cells",
    "flip_noise",
    "hinge_staircase",
    "hinge_ties",
    "margin_bounds",
    "misclassified_orders",
    "no_optimum",
    "of_data",
    "propriety",
    "query_regrets",
    "regret_bound",
    "same_minimisers",
    "second_stage",
    "surrogate_regrets",
    "univariate_bounds",
    "watched_sorts",
    "worst_rankings",
    "worst_regret",
    "zero_one_ranking",
]

if TYPE_CHECKING:
    from rankexp.checks.base import Problem, of_data
    from rankexp.checks.boosters_along import boosting_rounds
    from rankexp.checks.bounds import bound_violations
    from rankexp.checks.counter_example import no_optimum
    from rankexp.checks.decomposable import best_scorers, regret_bound
    from rankexp.checks.equivalences import class_weights, same_minimisers
    from rankexp.checks.few_items import watched_sorts, worst_rankings
    from rankexp.checks.few_queries import query_regrets
    from rankexp.checks.least_loss import boosters_on_data
    from rankexp.checks.margins_along import margin_bounds
    from rankexp.checks.misclassified import misclassified_orders
    from rankexp.checks.noise import flip_noise
    from rankexp.checks.pair_costs import costly_pairs
    from rankexp.checks.partitions import few_cells
    from rankexp.checks.planted_cycles import second_stage
    from rankexp.checks.proper import propriety
    from rankexp.checks.staircase import hinge_staircase
    from rankexp.checks.three_points import hinge_ties
    from rankexp.checks.trained import surrogate_regrets
    from rankexp.checks.univariate import univariate_bounds, zero_one_ranking
    from rankexp.checks.worst_case import worst_regret
else:
    __getattr__, __dir__ = exports("checks", __all__)
