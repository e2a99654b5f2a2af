"""A check: a claim tried out numerically, for experiments of the kind `simulate`."""

import numpy as np

from rankexp.metrics import rank_loss
from rankexp.plugin import of_data


def rounded_scores(rng, *, decimals: int = 0, n: int = 1000):
    """Measure what rounding good scores costs in rank loss, as pairs that tie count 1/2.

    Parameters
    ----------
    rng : numpy.random.Generator
        All that is random comes from here.
    decimals : int
        That scores are rounded to.
    n : int
        Examples.

    Returns
    -------
    list of dict with keys ``quantity`` and ``value``
    """
    y = np.where(rng.random(n) < 0.5, 1, -1)
    scores = y + rng.standard_normal(n)
    loss = float(rank_loss(y, scores))
    return [
        {"quantity": "rank_loss", "value": loss},
        {"quantity": "cost", "value": float(rank_loss(y, np.round(scores, decimals))) - loss},
    ]


@of_data("binary")
def single_features(rng, *, problem, top: int = 3):
    """Find the rank losses of the best single features of a data set, either way round.

    Parameters
    ----------
    rng : numpy.random.Generator
        Not used.
    problem : rankexp.checks.check.Problem
        Of two classes.
    top : int
        Features told.

    Returns
    -------
    list of dict with keys ``quantity``, ``group``, the feature, and ``value``
    """
    losses = {
        name: float(rank_loss(problem.y, x))
        for name, x in zip(problem.names, problem.X.T, strict=True)
    }
    best = sorted((min(loss, 1.0 - loss), name) for name, loss in losses.items())
    return [{"quantity": "rank_loss", "group": name, "value": loss} for loss, name in best[:top]]
