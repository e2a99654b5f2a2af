"""Ranking by preferences: learn which of two items is to stand above, then rank many by that.

The first stage learns a preference function from labelled pairs; it need not be transitive. The
second ranks the items of a query by it, with few calls. All through this room ``h(U, V)`` gives a
number in [0, 1] a pair of items: how much the first is preferred to, is to stand *above*, the
second. It is mohri2018's h(u, v), which is high where u is to be ranked higher than v, that is
where sigma(u) < sigma(v), position 1 being the top (section 10.6).

>>> import numpy as np
>>> from rankexp.preference import quicksort_rank
>>> def h(u, v):  # of numbers: the larger stands above
...     return u > v
>>> quicksort_rank(h, np.array([2.0, 5.0, 3.0]), np.random.default_rng(0)).order
array([1, 2, 0])
"""

from rankexp.registry import exports

__getattr__, __dir__ = exports("preference")
