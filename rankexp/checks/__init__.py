"""Claims tried out numerically, one a file: functions ``f(rng, **parameters) -> rows``.

A study names one with a grid of parameters and a number of repetitions. One that several studies
use would stand here; each of the others stands in the wing of its study.

>>> import numpy as np
>>> from rankexp import registry
>>> flip_noise = registry.get("checks", "flip_noise")
>>> flip_noise(np.random.default_rng(0), p=0.9, n=100)[0]
{'quantity': 'prior', 'value': 0.9}
"""
