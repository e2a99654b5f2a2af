"""Synthetic distributions, one a file: what problems are drawn from.

A generator draws models, and a model draws examples. What its distribution makes known, such as
P(y = 1 | x), the model offers, too.

>>> import numpy as np
>>> from rankexp.generators import Linear
>>> rng = np.random.default_rng(0)
>>> X, y = Linear(p=0.5).draw_model(rng).sample(5, rng)
>>> X.shape[0], y.shape
(5, (5,))
"""

from typing import TYPE_CHECKING

from rankexp.registry import exports

__all__ = [
    "Discrete",
    "ExponentialFamily",
    "Folded",
    "Gaussian",
    "Generator",
    "Linear",
    "Model",
    "Polynomial",
    "Regression",
    "Rules",
]

if TYPE_CHECKING:
    from rankexp.generators.base import Generator, Model
    from rankexp.generators.discrete import Discrete
    from rankexp.generators.exponential import ExponentialFamily
    from rankexp.generators.folded import Folded
    from rankexp.generators.gaussian import Gaussian
    from rankexp.generators.linear import Linear
    from rankexp.generators.polynomial import Polynomial
    from rankexp.generators.regression import Regression
    from rankexp.generators.rules import Rules
else:
    __getattr__, __dir__ = exports("generators", __all__)
