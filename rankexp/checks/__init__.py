"""Claims tried out numerically, one a file: functions ``f(rng, **parameters) -> rows``.

A study names one with a grid of parameters and a number of repetitions.

>>> import numpy as np
>>> from rankexp.checks import flip_noise
>>> flip_noise(np.random.default_rng(0), p=0.9, n=100)[0]
{'quantity': 'prior', 'value': 0.9}
"""

from rankexp.registry import exports

__getattr__, __dir__ = exports("checks")
