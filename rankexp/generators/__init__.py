"""Synthetic distributions that problems are drawn from.

A generator draws models, and a model draws examples. A model also offers what its distribution
makes known, such as P(y = 1 | x).

>>> import numpy as np
>>> from rankexp.generators import Linear
>>> rng = np.random.default_rng(0)
>>> X, y = Linear(p=0.5).draw_model(rng).sample(5, rng)
>>> X.shape[0], y.shape
(5, (5,))
"""

from rankexp.registry import exports

__getattr__, __dir__ = exports("generators")
