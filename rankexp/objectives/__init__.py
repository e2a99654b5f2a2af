"""Risks of pairs as objectives of gradient boosting: gradient and curvature by score.

An engine needs both in each round, at the scores of all rows. `PairObjective` sums over *all*
pairs of a better and a worse row in time O(n) or O(n log n), whatever the size of a group:

>>> import numpy as np
>>> from rankexp.objectives import PairObjective
>>> PairObjective()(np.array([0, 0, 0, 1]), np.zeros(4))
(array([ 0.25,  0.25,  0.25, -0.75]), array([0.125, 0.125, 0.125, 0.375]))

`rankexp.estimators.BoostedRanker` trains LightGBM and XGBoost with it.
"""

from rankexp.registry import exports

__getattr__, __dir__ = exports("objectives")
