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

A new one is a function marked by `declare`, named in its module's ``REGISTER``, in a file of this
folder or of another package with an entry point of the group ``rankexp.metrics``.
"""

from typing import TYPE_CHECKING

from rankexp.registry import exports

__all__ = [
    "Metric",
    "UndefinedMetricWarning",
    "auc",
    "d_tau",
    "declare",
    "iauc",
    "kendall_tau_b",
    "mse",
    "one_minus_discordance",
    "pair_risk",
    "parse",
    "rank_loss",
    "u_cons",
    "u_ovo",
    "u_pairs",
    "unexplained_variance",
    "vus",
]

if TYPE_CHECKING:
    from rankexp.metrics.base import Metric, UndefinedMetricWarning, declare, parse
    from rankexp.metrics.bipartite import auc, rank_loss
    from rankexp.metrics.continuous import d_tau, iauc, kendall_tau_b, mse, one_minus_discordance
    from rankexp.metrics.multipartite import pair_risk, u_cons, u_ovo, u_pairs, vus
    from rankexp.metrics.unexplained import unexplained_variance
else:
    __getattr__, __dir__ = exports("metrics", __all__)
