"""Losses of scores.

A loss is a pair of functions of a score v: ``l(1, v)`` for a positive and ``l(-1, v)`` for a
negative example. Most depend only on the margin ``y v``. A loss is a value: it may have
parameters, it can be written as a text, and losses with the same text are equal.

>>> import numpy as np
>>> from rankexp.losses import Logistic, parse
>>> parse("logistic") == Logistic()
True
>>> parse("squared_hinge").value(-1.0, np.array([0.0, 1.0]))
array([1., 4.])

Proper losses know their link and their weight over cost ratios (menon2014).
`rankexp.losses.composite.Composite` makes one from any weight and link.

A new loss is a subclass of `MarginLoss` or `Loss` in a file of this folder, or in another package
with an entry point in the group ``rankexp.losses``. Its properties (`convex`, `smooth`, ...)
decide which risks train it, see `rankexp.risks`.
"""

from rankexp.registry import exports

__getattr__, __dir__ = exports("losses")
