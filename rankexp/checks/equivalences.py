"""Whether training on examples and on pairs gives the same linear scorer, or how far they part."""

from typing import Any

import numpy as np
from scipy.special import expit

from rankexp.arrays import Floats
from rankexp.estimators.linear import LinearRanker
from rankexp.metrics.continuous import one_minus_discordance

REGISTER = {"same_minimisers": "same_minimisers"}


def same_minimisers(
    rng: np.random.Generator,
    *,
    example: str = "exponential",
    pair: str = "exponential",
    risk: str = "bipartite",
    lam: float = 0.0,
    intercept: bool = True,
) -> list[dict[str, Any]]:
    """Compare linear scorers of a classification risk and of a risk of pairs on a random sample.

    It has 100 rows of three Gaussian features, with labels by the logistic model, which overlap.

    Parameters
    ----------
    rng : numpy.random.Generator
        All that is random comes from here.
    example, pair, risk : str
        The losses of the classification risk and of the risk of pairs, and the latter.
    lam : float
        The penalty of both.
    intercept : bool
        Whether the classification risk has a free one.

    Returns
    -------
    list of dict with keys ``quantity`` and ``value``
        ``coef``: the norm of the difference of the coefficients over that of those from pairs;
        ``angle``: that between both, in radians; ``swapped``: the share of pairs of rows that they
        order differently.

    Raises
    ------
    ValueError
        For what doesn't go together, or a sample whose classes a scorer separates.

    References
    ----------
    menon2014, "Practical equivalences of risks" and "The p-classification loss". As printed, for
    scorers <w, x>, they fail: the classification risk needs a free intercept beside w.
    """
    X, w = rng.standard_normal((100, 3)), rng.standard_normal(3)
    y = rng.random(100) < expit(X @ w)
    tol = 1e-13 if lam > 0.0 else 1e-20  # its square root is that of coefficients
    one = LinearRanker(example, lam=lam, tol=tol, fit_intercept=intercept)
    a, b = (m.fit(X, y).coef_[0] for m in (one, LinearRanker(pair, risk, lam, tol=tol)))
    if any(s[y].min() > s[~y].max() for s in (X @ a, X @ b)):
        raise ValueError("a scorer separates the classes of the sample: take another seed")
    return [{"quantity": name, "value": value} for name, value in apart(a, b, X).items()]


def apart(a: Floats, b: Floats, X: Floats) -> dict[str, float]:
    """Return ``coef``, ``angle`` and ``swapped``, see `same_minimisers`, of coefficients on X."""
    unit, other = a / np.linalg.norm(a), b / np.linalg.norm(b)
    values = {
        "coef": np.linalg.norm(a - b) / np.linalg.norm(b),
        "angle": 2 * np.arctan2(np.linalg.norm(unit - other), np.linalg.norm(unit + other)),
        "swapped": 1 - one_minus_discordance(X @ a, X @ b),
    }
    return {name: float(value) for name, value in values.items()}
