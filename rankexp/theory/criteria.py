"""Write the multipartite AUCs as costs of pairs, so that results on costs hold for them."""

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats

CRITERIA = ("u_pairs", "u_ovo", "u_cons")


def costs_of(criterion: str, priors: npt.ArrayLike) -> Floats:
    """Return the costs (K, K) with which 1 minus a criterion is the expected ranking risk.

    Above the diagonal, up to a factor: 1; 1 / (P_j P_i) for the mean over pairs of levels; for
    the mean over cuts the sum of 1 / (P(y <= l) P(y > l)) over the cuts l between j and i
    (uematsu2010, "Multipartite version of AUC"). The priors may also be counts, worst level first.
    """
    p = np.asarray(priors, dtype=np.float64)
    if p.ndim != 1 or not (p > 0.0).all():
        raise ValueError(f"priors must be positive numbers of shape (K,), got {p.tolist()}")
    if criterion == "u_pairs":
        costs = np.ones((len(p), len(p)))
    elif criterion == "u_ovo":
        costs = 1.0 / np.outer(p, p)
    elif criterion == "u_cons":
        below = np.cumsum(p)[:-1]
        to = np.r_[0.0, np.cumsum(1.0 / (below * (p.sum() - below)))]
        costs = to - to[:, None]
    else:
        raise ValueError(f"unknown criterion '{criterion}'; known: {', '.join(CRITERIA)}")
    return np.triu(costs, 1)
