"""Population optima of ordinal models: the proportional-odds model, and ORBoost's loss."""

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, log_expit, logsumexp

from rankexp.arrays import Floats
from rankexp.studies.uematsu2010.theory.newton import minimise
from rankexp.theory.models import KnownClasses, log_joint, log_masses

REGISTER = {"orboost": "orboost", "proportional_odds": "proportional_odds"}

STEPS, TOLERANCE = 200, 1e-12


def proportional_odds(model: KnownClasses, X: npt.ArrayLike) -> Floats:
    """Return r*(x), (n,), of the greatest likelihood; the outer thresholds average 0.

    The model is log[P(Y <= j) / P(Y > j)] = theta_j - r(x), with the best theta for all x
    (uematsu2010, "Relation to Proportional odds model").

    Parameters
    ----------
    model : object
        A model of K >= 2 classes with known densities, of one feature or finitely many points.
    X : array-like of shape (n, d)

    Raises
    ------
    ValueError
        For another model, or if no finite thresholds are best.
    """
    return odds_root(log_joint(model, X), proportional_odds_thresholds(model))


def odds_root(log_shares: Floats, thresholds: Floats) -> Floats:
    """Return r*(x), (n,), of the greatest likelihood for given increasing thresholds.

    It is the root of sum_j (P_j + P_{j+1}) sigma(theta_j - r) = 1 - P_K; all logs of a row may be
    off by the same constant. The log of this over what is left to 2 - P_1 - P_K is close to linear
    in r, and r* lies between the first and the last threshold, shifted by
    log (1 - P_1) / (1 - P_K): Newton's method, kept within these bounds, finds it. It is infinite
    if only the first or the last level has any mass.
    """
    pairs = np.logaddexp(log_shares[:, 1:], log_shares[:, :-1])
    below = logsumexp(log_shares[:, :-1], axis=1)
    shift = logsumexp(log_shares[:, 1:], axis=1) - below
    rows, r = np.isfinite(shift), shift.copy()
    r[rows] = _root(pairs[rows], shift[rows], thresholds)
    return np.asarray(r)


def _root(pairs: Floats, shift: Floats, thresholds: Floats) -> Floats:
    low, high = shift + thresholds[0], shift + thresholds[-1]
    r = (low + high) / 2
    for _ in range(STEPS):
        gaps = thresholds - r[:, None]
        over, under = pairs + log_expit(gaps), pairs + log_expit(-gaps)
        A, B = logsumexp(over, axis=1), logsumexp(under, axis=1)
        excess = A - B + shift
        low, high = np.where(excess >= 0, r, low), np.where(excess <= 0, r, high)
        slope = (np.exp(over - A[:, None]) * expit(-gaps)).sum(axis=1)
        slope += (np.exp(under - B[:, None]) * expit(gaps)).sum(axis=1)
        following = r + excess / slope
        outside = (following < low) | (following > high)
        following = np.where(outside, (low + high) / 2, following)
        done = np.abs(following - r) <= TOLERANCE * (1 + np.abs(r))
        r = following
        if done.all():
            break
    return np.asarray(r)


def proportional_odds_thresholds(model: KnownClasses) -> Floats:
    """Return the thresholds of the greatest population likelihood, (K - 1,); outer ones average 0.

    The log likelihood is concave in the thresholds and all r(x) together. Maximised over r(x) for
    each x, it is maximised over the thresholds by Newton's method; only their differences are
    identified. Parameters and errors are those of `proportional_odds`.
    """
    logs = log_masses(model)
    present = np.isfinite(logs)
    for k in range(1, logs.shape[1] - 1):
        if not (present[:, :k].any(axis=1) & present[:, k + 1 :].any(axis=1)).any():
            raise ValueError(
                f"no finite thresholds are best: levels below and above number {k + 1} overlap "
                "nowhere; let them have points in common"
            )
    logs = logs[present[:, 1:].any(axis=1) & present[:, :-1].any(axis=1)]  # else r* is infinite
    masses = np.exp(logs)
    middle = masses.sum(axis=0)[1:-1]
    start = np.arange(logs.shape[1] - 1.0)
    theta = minimise(lambda theta: _loss(logs, masses, middle, theta), start)
    return np.asarray(theta - (theta[0] + theta[-1]) / 2)


def _loss(
    logs: Floats, masses: Floats, middle: Floats, theta: Floats
) -> tuple[float, Floats, Floats] | None:
    """Return minus the log likelihood, maximised over r(x), its gradient and its Hessian."""
    # The chance of a middle level is sigma(theta_j - r) sigma(r - theta_{j-1}) times 1 -
    # exp(theta_{j-1} - theta_j), so r(x) occurs in terms of single thresholds only.
    apart = np.diff(theta)
    if not (apart > 0.0).all():
        return None
    gaps = theta - odds_root(logs, theta)[:, None]
    under, over = masses[:, :-1], masses[:, 1:]  # y = j and y = j + 1
    value = -(under * log_expit(gaps) + over * log_expit(-gaps)).sum()
    value -= middle @ np.log(-np.expm1(-apart))
    gradient = (over * expit(gaps) - under * expit(-gaps)).sum(axis=0)
    push = middle / np.expm1(apart)
    gradient[1:] -= push
    gradient[:-1] += push
    curved = (under + over) * expit(gaps) * expit(-gaps)
    shared = curved / np.maximum(curved.sum(axis=1), 1e-300)[:, None]  # far out all underflow
    hessian = np.diag(curved.sum(axis=0)) - curved.T @ shared
    between = np.diff(np.eye(len(theta)), axis=0)
    hessian += between.T @ ((push + push**2 / middle)[:, None] * between)
    return float(value), gradient, hessian


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
