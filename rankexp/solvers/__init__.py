"""Arrays in, arrays out: the optimisers behind the rankers, a folder a family.

``smooth`` minimises smooth losses over single examples, ``pairs`` over pairs that it never lists,
``hinge`` the hinge over pairs; ``ordinal`` has models with thresholds, ``boosting`` and ``trees``
what adds up or splits. A solver along a path of penalties returns a `PathResult`, in which a
certificate bounds how far each solution is from the minimum.

>>> import numpy as np
>>> from rankexp.losses import Logistic
>>> from rankexp.solvers.smooth.path import smooth_path
>>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
>>> found = smooth_path(X, np.array([0, 1, 0, 1]) > 0, Logistic(), [1.0, 0.1])
>>> found.coef.round(2).tolist(), bool((found.gap <= 1e-6).all())
([[0.19, 0.64]], True)
"""
