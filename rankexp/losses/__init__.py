"""Losses, one a file: what the score of an example costs.

A loss is a pair of functions of a score v, ``l(1, v)`` of a positive and ``l(-1, v)`` of a
negative example. Most depend on the margin ``y v`` alone. A loss is a value: it may have
parameters, has a text that names it, and equals any other with the same text.

>>> import numpy as np
>>> from rankexp.losses import Logistic, parse
>>> parse("logistic") == Logistic()
True
>>> parse("squared_hinge").value(-1.0, np.array([0.0, 1.0]))
array([1., 4.])

Proper losses know their link and their weight over cost ratios (menon2014). One is made from any
weight and link, too: `rankexp.losses.composite.Composite`.

A new one is a subclass of `MarginLoss` or `Loss` in a file of this folder, or of another package
with an entry point of the group ``rankexp.losses``. What it says of itself (`convex`, `smooth`,
...) decides under which risks it trains, see `rankexp.risks`.
"""

from rankexp.registry import exports

__getattr__, __dir__ = exports("losses")
