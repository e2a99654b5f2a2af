"""Compute optimal ranking functions from densities (uematsu2010, Theorems 1, 2 and 4)."""

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats
from rankexp.losses.loss import MarginLoss, parse
from rankexp.metrics.level_counts import cost_matrix
from rankexp.theory.models import KnownClasses, log_densities, log_joint

REGISTER = {
    "likelihood_ratio": "likelihood_ratio",
    "log_ratio": "log_ratio",
    "half_log_ratio": "half_log_ratio",
    "tripartite": "tripartite",
}

CRITERIA = ("u_pairs", "u_ovo", "u_cons")


def likelihood_ratio(model: KnownClasses, X: npt.ArrayLike) -> Floats:
    """Return g+(x) / g-(x), (n,), which has the least ranking risk, 1 - AUC.

    This is Theorem 1 of uematsu2010. The ratio is infinite if g- underflows against g+;
    `log_ratio` orders such rows, too. The model, X and errors are those of :func:`log_ratio`.
    """
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(log_ratio(model, X)))


def log_ratio(model: KnownClasses, X: npt.ArrayLike, *, loss: str = "logistic") -> Floats:
    """Return alpha log(g+(x) / g-(x)), (n,), which has the least pairwise risk of a smooth loss.

    This is Theorem 2 of uematsu2010.

    Parameters
    ----------
    model : object
        A model of two classes with known densities.
    X : array-like of shape (n, d)
    loss : str
        A registered loss l with l'(-s) / l'(s) = exp(s / alpha).

    Raises
    ------
    ValueError
        For a model without known densities or not of two classes, or another loss.
    """
    margin = parse(loss)
    if not isinstance(margin, MarginLoss) or not margin.smooth:
        raise ValueError(f"{margin!r} is no smooth loss of margins: Theorem 2 says nothing of it")
    factor = log_ratio_factor(margin)
    low, high = log_densities(model, X, classes=2).T
    return np.asarray(factor * (high - low))


def half_log_ratio(model: KnownClasses, X: npt.ArrayLike) -> Floats:
    """Return log(g+(x) / g-(x)) / 2, (n,), what RankBoost aims at: Theorem 2, exponential loss."""
    return log_ratio(model, X, loss="exponential")


def log_ratio_factor(loss: MarginLoss) -> float:
    """Return the alpha of Theorem 2 for a loss of margins; ValueError if it has none."""
    s = np.linspace(0.25, 4.0, 16)
    with np.errstate(divide="ignore", invalid="ignore"):
        exponents = np.log(loss.margin_derivative(-s) / loss.margin_derivative(s)) / s
    if not np.allclose(exponents, exponents[0], rtol=1e-9) or not exponents[0] > 0:
        raise ValueError(f"{loss!r}: l'(-s) / l'(s) is not exp(s / alpha) for any alpha")
    return float(1.0 / exponents.mean())


def tripartite(
    model: KnownClasses, X: npt.ArrayLike, *, costs: npt.ArrayLike | str | None = None
) -> Floats:
    """Return the ranking function, (n,), of the least cost-weighted pairwise risk of three levels.

    This is Theorem 4 of uematsu2010.

    Parameters
    ----------
    model : object
        A model of three classes with known densities.
    X : array-like of shape (n, d)
    costs : array-like of shape (3, 3), {"u_pairs", "u_ovo", "u_cons"} or None
        See `cost_matrix`; a name stands for the costs with which it maximises the population's
        criterion, see `costs_of`. None: all 1, those of U_pairs.

    Raises
    ------
    ValueError
        For a model without known densities or not of three classes, or costs that are none.
    """
    logs = log_joint(model, X, classes=3)
    known = costs_of(costs, model.priors) if isinstance(costs, str) else costs
    return tripartite_ratio(logs, known)


def tripartite_ratio(log_shares: Floats, costs: npt.ArrayLike | None = None) -> Floats:
    """Return (c13 P3 + c12 P2) / (c13 P1 + c23 P2), (n,), from log posteriors (n, 3).

    All logs of a row may be off by the same constant. With numerator N and denominator D,
    N(x) D(x') is c13 times the cost of ranking x below x' plus a part symmetric in both, so the
    order is optimal if c13 > 0. With c13 = 0 the ratio is constant; to first order in c13 it is
    ordered by (c23 P3 - c12 P1) / P2, which is then optimal. Rows that no cost concerns get 1
    and 0, respectively.
    """
    C = cost_matrix(costs, 3)
    shares = np.exp(log_shares - log_shares.max(axis=1, keepdims=True))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if C[0, 2] == 0.0:
            gain = C[1, 2] * shares[:, 2] - C[0, 1] * shares[:, 0]
            return np.where(gain == 0.0, 0.0, gain / shares[:, 1])
        logs = np.log(C)
        above = np.logaddexp(logs[0, 2] + log_shares[:, 2], logs[0, 1] + log_shares[:, 1])
        below = np.logaddexp(logs[0, 2] + log_shares[:, 0], logs[1, 2] + log_shares[:, 1])
        return np.where(np.maximum(above, below) == -np.inf, 1.0, np.exp(above - below))


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
