"""Measure what symmetric label noise does to the rank loss of one drawn model."""

from typing import SupportsFloat

import numpy as np

from rankexp import registry
from rankexp.arrays import Floats, Ints
from rankexp.checks.check import Rows, quantities
from rankexp.generators.flipped import FlippedModel
from rankexp.metrics.bipartite import rank_loss

REGISTER = {"flip_noise": "flip_noise"}

DRAWN = 1000  # examples behind the scorer, enough for a fair one


def flip_noise(
    rng: np.random.Generator,
    *,
    generator: str = "linear",
    p: float = 0.5,
    rank_risk: float = 0.1,
    n: int = 100_000,
) -> Rows:
    """Compare what a model with flip noise promises with what n draws from it show.

    The generator flips labels and has the parameters `p` and `rank_risk`, such as "linear" or
    "rules". Rows come in pairs, `x` as promised and `x_observed`: `prior`; `kappa`, the share of
    flipped labels; `bayes_rank_risk`, the rank loss of eta; and `law`, the rank loss of a linear
    scorer, A + (1 - 2A) times its rank loss on the clean labels, where A is the Bayes rank risk.

    With a = P(clean positive | y = 1) and b = P(clean positive | y = -1) any scorer has the rank
    loss (1 - (a - b))/2 + (a - b) L_clean. L_clean of the Bayes ranker is 0, so the first term is
    A for every p (kotlowski2011, section 5.1).
    """
    model = registry.get("generators", generator)(p=p, rank_risk=rank_risk).draw_model(rng)
    X, y = model.sample(DRAWN, rng)
    between = X[y == 1].mean(axis=0) - X[y == -1].mean(axis=0)  # fair, but no Bayes ranker
    X, y = model.sample(n, rng)
    found = {}
    for name, values in _promised_and_observed(model, X, y, X @ between).items():
        found[name], found[f"{name}_observed"] = values
    return quantities(found)


def _promised_and_observed(
    model: FlippedModel, X: Floats, y: Ints, scores: Floats
) -> dict[str, tuple[SupportsFloat, SupportsFloat]]:
    eta = model.eta(X)
    clean = eta > 0.5
    risk = model.bayes_rank_risk
    return {
        "prior": (model.prior, np.mean(y == 1)),
        "kappa": (model.kappa, np.mean((y == 1) != clean)),
        "bayes_rank_risk": (risk, rank_loss(y, eta)),
        "law": (risk + (1 - 2 * risk) * rank_loss(clean, scores), rank_loss(y, scores)),
    }
