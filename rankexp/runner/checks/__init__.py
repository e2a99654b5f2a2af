"""Claims tried out numerically, one a file: functions ``f(rng, **parameters) -> rows``.

A study names one with a grid of parameters and a number of repetitions. What several studies use
stands here; the others stand in the wing of their study. The registry finds both.

>>> import numpy as np
>>> from rankexp import registry
>>> flip_noise = registry.get("checks", "flip_noise")
>>> flip_noise(np.random.default_rng(0), p=0.9, n=100)[0]
{'quantity': 'prior', 'value': 0.9}
"""
