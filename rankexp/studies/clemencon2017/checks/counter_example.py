"""Example 1 of clemencon2017: no scorer is the best for every cut-off."""

import numpy as np

from rankexp.generators.regression import FoldedModel
from rankexp.metrics.bipartite import auc
from rankexp.metrics.continuous import iauc, one_minus_discordance
from rankexp.runner.checks.base import Rows, quantities

REGISTER = {"no_optimum": "no_optimum"}

LABELS = {
    "auc_own": "AUC at the cut-off",
    "auc_other": "AUC at 1 − t",
    "agreement": "share of pairs ordered alike",
    "iauc": "IAUC",
}


def no_optimum(rng: np.random.Generator, *, t: float = 0.2, n: int = 10_000) -> Rows:
    """Show that the best scorers of the cut-offs t and 1 - t order examples oppositely.

    The cut-off t is in (0, 1/2), and n, the number of draws, is 100 or more; else ValueError.
    `auc_own` is the AUC of Phi_t for "y above t", above 1/2; `auc_other` is its AUC for "y above
    1 - t", in expectation 1 less the former. `agreement` is the share of pairs of draws that Phi_t
    and Phi_{1-t} order alike, exactly 0 (draws that rounding ties in either have no order).
    `iauc` is that of Phi_t, in expectation 1/2 like that of any scorer (clemencon2017, Example 1
    and Definition 1).
    """
    if not 0 < t < 0.5:
        raise ValueError(f"t={t}: expected a cut-off between 0 and 1/2, exclusive")
    if n < 100:
        raise ValueError(f"n={n}: expected 100 draws or more")
    model = FoldedModel()
    X, y = model.sample(n, rng)
    best = model.ratio(X, t)
    values = {
        "auc_own": auc(y > t, best),
        "auc_other": auc(y > 1 - t, best),
        "agreement": 1 - one_minus_discordance(best, -model.ratio(X, 1 - t)),
        "iauc": iauc(y, best),
    }
    return quantities(values)
