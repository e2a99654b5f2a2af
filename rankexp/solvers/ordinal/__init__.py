"""Models with thresholds between ordered levels.

A score and K - 1 thresholds cut rows into K levels. `threshold_hinge` minimises hinge losses at
the thresholds by an interior point method, `proportional_odds` a likelihood by a descent with the
thresholds at their best.

>>> import numpy as np
>>> from rankexp.solvers.ordinal.threshold_terms import thresholds
>>> thresholds(np.array([0.0, 1.0, 7.0, 8.0]), np.array([0, 0, 1, 1]), every=False)
array([4.])
"""
