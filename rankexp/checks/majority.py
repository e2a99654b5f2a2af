"""How badly functions rank that classify best: the 0/1 loss, and its balanced version."""

from typing import Any

import numpy as np

from rankexp.arrays import Floats
from rankexp.checks.univariate import draw
from rankexp.losses.zero_one import ZeroOne
from rankexp.theory.regret import loss_regret, loss_risk, rank_regret, rank_risk

REGISTER = {"zero_one_ranking": "zero_one_ranking"}

WEIGHTS = {"plain": False, "balanced": True}


def zero_one_ranking(
    rng: np.random.Generator, *, p: float = 0.9, draws: int = 2000, points: int = 6
) -> list[dict[str, Any]]:
    """Measure rank risks and regrets of functions of the least 0/1 risk, plain and balanced.

    Parameters
    ----------
    rng : numpy.random.Generator
        All that is random comes from here.
    p : float
        P(y = 1) of all distributions.
    draws, points : int
        Number of random discrete distributions, and of their points, at most 64.

    Returns
    -------
    list of dict with keys ``quantity``, ``value`` and ``group``
        Of each ``group`` ``zero_one`` and ``balanced``, both risks, ``zero_one_regret`` and
        ``balanced_regret``, ``rank_risk`` and ``rank_regret``, means over distributions, and
        ``largest_rank_regret``. Groups: "majority", the majority classifier; "reversed", which
        predicts the majority for all, and ranks each negative above each positive, where these are
        two points; "best, plain" and "best, balanced", the signs with the least 0/1 risk; "worst,
        plain" and "worst, balanced", of all functions with these signs the one that ranks worst;
        "eta", which ranks best.

    Raises
    ------
    ValueError
        For other numbers.

    References
    ----------
    kotlowski2011, section 3.
    """
    if not 0.0 < p < 1.0 or draws < 1 or not 2 <= points <= 64:
        text = "expected a chance, 1 or more, and 2 to 64"
        raise ValueError(f"p={p}, draws={draws}, points={points}: {text}")
    masses = draw(rng, draws, points).masses
    masses = masses / masses.sum(axis=1, keepdims=True) * [1.0 - p, p]
    apart, sign = np.diag([1.0 - p, p])[None], 1.0 if p >= 0.5 else -1.0
    eta = masses[..., 1] / np.maximum(masses.sum(axis=-1), 1e-300)
    tried = {
        "majority": (masses, np.full(eta.shape, sign)),
        "reversed": (apart, np.array([[sign + 0.5, sign - 0.5]])),
        "eta": (masses, eta - 0.5),
    }
    for name, cut in (("plain", 0.5), ("balanced", p)):  # eta > p is balanced eta > ½
        signs = np.where(eta > cut, 1.0, -1.0)
        tried[f"best, {name}"] = (masses, signs)
        tried[f"worst, {name}"] = (masses, 2.0 * signs - eta)
    return [row for group, pair in tried.items() for row in _rows(group, *pair)]


def _rows(group: str, masses: Floats, scores: Floats) -> list[dict[str, Any]]:
    loss, found = ZeroOne(), {"rank_risk": rank_risk(masses, scores)}
    for name, balanced in (("zero_one", False), ("balanced", True)):
        found[name] = loss_risk(masses, scores, loss, balanced=balanced)
        found[f"{name}_regret"] = loss_regret(masses, scores, loss, balanced=balanced)
    regret = rank_regret(masses, scores)
    means = {name: each.mean() for name, each in found.items()}
    means |= {"rank_regret": regret.mean(), "largest_rank_regret": regret.max()}
    return [{"quantity": k, "value": float(v), "group": group} for k, v in means.items()]
