"""Measures of a ranking, one family a file.

A metric is a plain function of what it needs (``y``, ``scores``, ...) and of parameters. The same
function with its parameters fixed is a value, a `Metric`, which a text names in one way only: in a
study's YAML, in its tables, as its ``repr``.

>>> from rankexp.metrics import parse, rank_loss
>>> y, scores = [0, 1, 1], [1.0, 1.0, 2.0]
>>> rank_loss(y, scores, ties="worst")
0.5
>>> metric = parse("rank_loss(ties=worst)")
>>> metric, metric.direction, metric(y=y, scores=scores)
(rank_loss(ties=worst), 'lower', 0.5)

As ``scoring=`` of scikit-learn's tools there are `auc_scorer` and the like
(`rankexp.metrics.scorers`).

A new one is a function marked by `declare`, named in its module's ``REGISTER``, in a file of this
folder or of another package with an entry point of the group ``rankexp.metrics``.
"""

from rankexp.registry import exports

__getattr__, __dir__ = exports("metrics")
