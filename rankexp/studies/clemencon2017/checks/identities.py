"""What no increasing map of the target or of the scores may change, and tau beside the AUC."""

import numpy as np

from rankexp.checks.check import Rows, quantities
from rankexp.metrics.bipartite import auc
from rankexp.metrics.continuous import d_tau, iauc

REGISTER = {"identities": "identities"}


def identities(rng: np.random.Generator, *, n: int = 200) -> Rows:
    """Work out both sides of the equalities of Remarks 1 and 2 and of Theorem 3, at random.

    The n examples have targets and scores with ties. `change_of_iauc` and `change_of_tau` are the
    largest absolute changes if both are replaced by increasing functions of them: 0.
    `tau_less_auc` is how far both sides of Remark 2 are apart, for a target of two classes and
    scores without ties, where p (1 - p) counts pairs of different examples: 0 up to rounding.
    ValueError for fewer than 10 examples.
    """
    if n < 10:
        raise ValueError(f"n={n}: expected 10 examples or more")
    y = np.round(rng.normal(size=n), 1)
    s = np.round(y + rng.normal(size=n), 1)
    mapped = [(np.exp(y), s**3), (y - 1 / (1 + np.exp(y)), np.exp(s)), (np.arctan(y), s)]
    values = {
        f"change_of_{name}": max(abs(float(metric(y, s) - metric(*both))) for both in mapped)
        for name, metric in (("iauc", iauc), ("tau", d_tau))
    }
    z = y > np.quantile(y, rng.uniform(0.1, 0.9))
    t = z + rng.normal(size=n)
    share = 2.0 * float(z.sum()) * float((~z).sum()) / (n * (n - 1))
    values["tau_less_auc"] = abs(float(d_tau(z.astype(float), t)) - share * float(auc(z, t)))
    return quantities(values)
