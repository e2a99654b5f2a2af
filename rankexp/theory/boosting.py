"""Compute the population minimiser of the exponential ordinal loss, which ORBoost estimates."""

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components
from scipy.special import logsumexp

from rankexp.arrays import Floats
from rankexp.theory.models import KnownClasses, log_joint, log_masses, minimise

REGISTER = {"orboost": "orboost"}

VARIANTS = ("lr", "all")


def orboost(model: KnownClasses, X: npt.ArrayLike, *, variant: str = "lr") -> Floats:
    """Return r*(x), (n,), the best ranking function for ORBoost; its outer thresholds average 0.

    The r* printed in uematsu2010, "Relation to Ordinal Regression Boosting", is that of ``lr``.

    Parameters
    ----------
    model : object
        A model of K >= 2 classes with known densities, of one feature or finitely many points.
    X : array-like of shape (n, d)
    variant : {"lr", "all"}
        Whether the loss of an example is that of its level's two thresholds, left and right,
        or of all thresholds.

    Raises
    ------
    ValueError
        For another model or variant, or if no finite thresholds are best.
    """
    thresholds = orboost_thresholds(model, variant)
    return orboost_function(log_joint(model, X), thresholds, variant)


def orboost_thresholds(model: KnownClasses, variant: str = "lr") -> Floats:
    """Return the best thresholds, (K - 1,); the first and the last average 0.

    Only their differences are identified. The risk, least over r(x) for each x, is F(theta) = 2
    sum_x sqrt(A B) with A(x) = sum_k U_k(x) exp(theta_k) and B(x) = sum_k L_k(x) exp(-theta_k),
    U_k and L_k being the masses of the levels that are to be above and below threshold k. log F is
    convex; Newton's method minimises it. Its stationary points are the fixed points printed in the
    source. Parameters and errors are those of `orboost`.
    """
    upper, lower = _sides(log_masses(model), variant)
    both = np.isfinite(upper.max(axis=1)) & np.isfinite(lower.max(axis=1))
    upper, lower = upper[both], lower[both]
    _check_overlap(upper, lower)
    start = np.zeros(upper.shape[1])
    theta = minimise(lambda theta: _log_risk(upper, lower, theta), start)
    return np.asarray(theta - (theta[0] + theta[-1]) / 2)


def orboost_function(log_shares: Floats, thresholds: Floats, variant: str = "lr") -> Floats:
    """Return r*(x) = log(A / B) / 2, (n,), for given thresholds, from log posteriors (n, K).

    A row's logs may all be off by the same constant; see `orboost_thresholds` for A and B.
    """
    upper, lower = _sides(log_shares, variant)
    A = logsumexp(upper + thresholds, axis=1)
    B = logsumexp(lower - thresholds, axis=1)
    return np.asarray((A - B) / 2)


def _sides(logs: Floats, variant: str) -> tuple[Floats, Floats]:
    """Return the logs of the masses above and below each threshold, (m, K - 1) each."""
    if variant not in VARIANTS:
        raise ValueError(f"variant='{variant}': expected {' or '.join(VARIANTS)}")
    if variant == "lr":
        return logs[:, 1:], logs[:, :-1]
    upper = np.logaddexp.accumulate(logs[:, ::-1], axis=1)[:, -2::-1]
    return upper, np.logaddexp.accumulate(logs, axis=1)[:, :-1]


def _check_overlap(upper: Floats, lower: Floats) -> None:
    """Raise unless every threshold is held from both sides, through overlaps of levels."""
    # sqrt(A B) grows with theta_k - theta_l if there are both U_k and L_l at some x.
    held = np.isfinite(upper).astype(int).T @ np.isfinite(lower).astype(int)
    if connected_components(held, directed=True, connection="strong")[0] > 1:
        raise ValueError(
            "no finite thresholds are best: levels overlap too little; let neighbours have "
            "points in common"
        )


def _log_risk(upper: Floats, lower: Floats, theta: Floats) -> tuple[float, Floats, Floats]:
    """Return log F up to a constant, its gradient and its Hessian."""
    A = logsumexp(upper + theta, axis=1, keepdims=True)
    B = logsumexp(lower - theta, axis=1, keepdims=True)
    p, q = np.exp(upper + theta - A), np.exp(lower - theta - B)
    half = (A[:, 0] + B[:, 0]) / 2
    value = float(logsumexp(half))
    share = np.exp(half - value)  # of x in F
    both = p + q
    gradient = share @ (p - q) / 2
    hessian = (np.diag(share @ both) - both.T @ (share[:, None] * both) / 2) / 2
    return value, gradient, hessian - np.outer(gradient, gradient)
