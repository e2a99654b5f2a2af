"""Compare linear scorers that are trained on examples with those trained on pairs."""

import numpy as np
from scipy.special import expit

from rankexp.checks.check import APART, Rows, apart, quantities
from rankexp.estimators.linear import LinearRanker

REGISTER = {"same_minimisers": "same_minimisers"}
LABELS = APART

TOLS = 1e-20, 1e-13  # of a risk without penalty, and with one: its square root is of coefficients


def same_minimisers(
    rng: np.random.Generator,
    *,
    example: str = "exponential",
    pair: str = "exponential",
    risk: str = "bipartite",
    lam: float = 0.0,
    intercept: bool = True,
) -> Rows:
    """Compare linear scorers of a classification risk and of a risk of pairs on a random sample.

    It has 100 rows of three Gaussian features, with labels by the logistic model, which overlap.
    `example` and `pair` are the losses of the classification risk and of the `risk` of pairs,
    `lam` is the penalty of both; the classification risk has a free intercept if `intercept`.
    Rows: `coef`, `angle` and `swapped`, see `apart`, relative to the scorer from pairs. ValueError
    for what doesn't go together, or a sample whose classes a scorer separates.

    See menon2014, "Practical equivalences of risks" and "The p-classification loss". As printed,
    for scorers <w, x>, they fail: the classification risk needs a free intercept beside w.
    """
    X, w = rng.standard_normal((100, 3)), rng.standard_normal(3)
    y = rng.random(100) < expit(X @ w)
    tol = TOLS[int(lam > 0.0)]
    one = LinearRanker(loss=example, lam=lam, tol=tol, fit_intercept=intercept)
    a, b = (
        m.fit(X, y).coef_[0] for m in (one, LinearRanker(loss=pair, risk=risk, lam=lam, tol=tol))
    )
    if any(s[y].min() > s[~y].max() for s in (X @ a, X @ b)):
        raise ValueError("a scorer separates the classes of the sample: take another seed")
    return quantities(apart(a, b, X))
