"""Rank by preferences: learn which of two items is above, then rank many items with few calls.

The first stage learns a preference function from labelled pairs; it need not be transitive. The
second stage ranks the items of a query by it. ``h(U, V)`` returns for each pair of items a
number in [0, 1]: how strongly the first is preferred to stand *above* the second. This is
mohri2018's h(u, v), which is high if u is to be ranked higher than v, that is if
sigma(u) < sigma(v), where position 1 is the top (section 10.6).

>>> import numpy as np
>>> from rankexp.preference import quicksort_rank
>>> def h(u, v):  # the larger number stands above
...     return u > v
>>> quicksort_rank(h, np.array([2.0, 5.0, 3.0]), np.random.default_rng(0)).order
array([1, 2, 0])
"""

from rankexp.registry import exports

__getattr__, __dir__ = exports("preference")
