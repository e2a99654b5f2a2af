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

from importlib import import_module
from typing import TYPE_CHECKING

from rankexp.registry import exports

__all__ = [
    "Metric",
    "RankScorer",
    "UndefinedMetricWarning",
    "auc",
    "auc_scorer",
    "d_tau",
    "d_tau_scorer",
    "dcg",
    "declare",
    "err",
    "expected_auc",
    "iauc",
    "iauc_scorer",
    "kendall_tau_b",
    "log_loss",
    "mean_average_precision",
    "mrr",
    "mse",
    "ndcg",
    "one_minus_discordance",
    "pair_risk",
    "parse",
    "partial_auc",
    "precision",
    "ptop",
    "push_risk",
    "rank_loss",
    "rank_loss_scorer",
    "recall",
    "u_cons",
    "u_ovo",
    "u_pairs",
    "u_pairs_scorer",
    "unexplained_variance",
    "vus",
    "zero_one_loss",
]

if TYPE_CHECKING:
    from rankexp.metrics.base import Metric, UndefinedMetricWarning, declare, parse
    from rankexp.metrics.bipartite import auc, rank_loss
    from rankexp.metrics.continuous import d_tau, iauc, kendall_tau_b, mse, one_minus_discordance
    from rankexp.metrics.known_eta import expected_auc
    from rankexp.metrics.likelihood import log_loss
    from rankexp.metrics.multipartite import pair_risk, u_cons, u_ovo, u_pairs, vus
    from rankexp.metrics.push import push_risk
    from rankexp.metrics.scorers import (
        RankScorer,
        auc_scorer,
        d_tau_scorer,
        iauc_scorer,
        rank_loss_scorer,
        u_pairs_scorer,
    )
    from rankexp.metrics.top import dcg, mean_average_precision, ndcg, precision, recall
    from rankexp.metrics.top_first import err, mrr, partial_auc, ptop
    from rankexp.metrics.unexplained import unexplained_variance
    from rankexp.metrics.zero_one import zero_one_loss
else:
    _lazy, __dir__ = exports("metrics", __all__)

    def __getattr__(name):
        """Import a metric, or a scorer, when it is asked for."""
        if name == "RankScorer" or (name.endswith("_scorer") and name in __all__):
            return getattr(import_module("rankexp.metrics.scorers"), name)
        return _lazy(name)
