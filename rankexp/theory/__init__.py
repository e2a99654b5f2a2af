"""Best ranking functions of known densities, one criterion a file.

Registered are functions ``f(model, X, **options) -> (n,)`` of a model with known densities.

>>> import numpy as np
>>> from rankexp.generators import Gaussian
>>> from rankexp.theory import likelihood_ratio
>>> rng = np.random.default_rng(0)
>>> model = Gaussian().draw_model(rng)
>>> likelihood_ratio(model, model.sample(3, rng)[0]).shape
(3,)
"""

from rankexp.registry import exports

__getattr__, __dir__ = exports("theory")
