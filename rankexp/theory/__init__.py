"""Best ranking functions of known densities, one criterion a file.

Registered are functions ``f(model, X, **options) -> (n,)`` of a model with known densities.

>>> import numpy as np
>>> from rankexp.generators import Gaussian
>>> from rankexp.theory import hinge_population
>>> rng = np.random.default_rng(0)
>>> model = Gaussian(means=[[0.0], [1.0]]).draw_model(rng)
>>> hinge_population(model, np.zeros((3, 1))).shape
(3,)
"""

from rankexp.registry import exports

__getattr__, __dir__ = exports("theory")
