"""Boosting of pairs and of ordered levels by stumps.

Values are put into bins once (`stumps`); each round takes the stump with the greatest edge.
Pairs come factorised (`boost_pairs`), listed, or by transforms (`logistic_pairs`); levels with
thresholds are in `ordinal_boost`.

>>> import numpy as np
>>> from rankexp.solvers.boosting.stumps import binned
>>> rows = binned(np.array([[0.0], [1.0], [2.0]]), "all", 1)
>>> rows.best(np.array([-0.5, -0.5, 1.0]))
Stump(feature=0, cut=1, threshold=1.5)
"""
