"""Rankers as scikit-learn estimators, one family a file.

A ranker learns a scoring function: `decision_function` returns a score for each row, the higher
the better. `LinearRanker` trains a linear one with any loss and risk that go together; others use
kernels, boosting, trees, or thresholds between levels.

>>> import numpy as np
>>> from rankexp.estimators import LinearRanker
>>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
>>> ranker = LinearRanker(loss="hinge", risk="bipartite", lam=0.1).fit(X, y)
>>> bool(ranker.decision_function([[3.0]]) > ranker.decision_function([[0.0]]))
True
"""

from rankexp.registry import exports

__getattr__, __dir__ = exports("estimators")
