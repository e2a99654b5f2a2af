"""The population optimum of a proportional-odds model whose score is a line."""

from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit

from rankexp.arrays import Floats
from rankexp.theory.models import KnownClasses, log_masses

REGISTER = {"linear_odds": "linear_odds"}


def linear_odds(model: KnownClasses, X: npt.ArrayLike) -> Floats:
    """Return b x, (n,), of the linear proportional-odds model of the greatest likelihood.

    The model is log[P(Y <= j) / P(Y > j)] = theta_j - b x. A fitted linear model estimates this
    one, not the best r(x) of `proportional_odds`, unless that is a line.

    Parameters
    ----------
    model : object
        A model of K >= 2 classes with known densities, of one feature.
    X : array-like of shape (n, 1)

    Raises
    ------
    ValueError
        For another model, or if no finite thresholds are best.
    """
    return np.asarray(np.asarray(X, dtype=np.float64)[:, 0] * _fitted(model)[0])


def linear_odds_thresholds(model: KnownClasses) -> Floats:
    """Return the thresholds of `linear_odds`, (K - 1,), for a score of 0 at x = 0."""
    return _fitted(model)[1:].copy()


def _fitted(model: KnownClasses) -> Floats:
    """Return slope and thresholds, (K,), of the greatest likelihood."""
    masses = np.exp(log_masses(model))
    x = np.asarray(cast(Any, model).nodes()[0])
    if x.shape[1] != 1:
        raise ValueError(f"the line is known for one feature; the model has {x.shape[1]}")
    masses, x = masses / masses.sum(), x[:, 0]
    K = masses.shape[1]

    def loss(values: Floats) -> float:
        theta = np.cumsum(np.r_[values[1], np.exp(values[2:])])
        below = np.c_[np.zeros(x.size), expit(theta - values[0] * x[:, None]), np.ones(x.size)]
        chances = np.maximum(np.diff(below, axis=1), 1e-300)
        return -float((masses * np.log(chances)).sum())

    start = np.r_[1.0, -1.0, np.zeros(K - 2)]
    found = minimize(loss, start, method="BFGS", options={"gtol": 1e-9})
    values = np.asarray(found.x)
    if not np.abs(values).max() < 100.0:
        raise ValueError("no finite thresholds are best: the levels do not overlap")
    theta = np.cumsum(np.r_[values[1], np.exp(values[2:])])
    return np.asarray(np.r_[values[0], theta])
