"""Curves that a record can hold: small, and enough to draw a figure from."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rankexp.config.schema import Points
from rankexp.metrics.iroc import iroc

Floats = NDArray[np.float64]
Curve = dict[str, list[float]]

IROC_POINTS = 201


def grid(at: Points, X: Floats) -> Floats:
    """Return the points x, (m, 1), that a study names for scoring functions.

    Raises
    ------
    ValueError
        There are several features.
    """
    _check_curve(X)
    return np.linspace(at.low, at.high, at.points)[:, None]


def scoring_function(X: Floats, y: Floats, scores: Floats) -> Curve:
    """Return the score against the only feature, at the test examples: dense where they are.

    Of a run of equal scores only the two ends are kept, which says the same.

    Raises
    ------
    ValueError
        There are several features.
    """
    _check_curve(X)
    order = np.argsort(X[:, 0], kind="stable")
    x, s = X[order, 0], scores[order]
    inside = np.zeros(len(s), dtype=bool)
    inside[1:-1] = (s[1:-1] == s[:-2]) & (s[1:-1] == s[2:])
    return {"x": x[~inside].tolist(), "y": s[~inside].tolist()}


def _check_curve(X: Floats) -> None:
    if X.shape[1] != 1:
        raise ValueError(
            f"a scoring function of {X.shape[1]} features is no curve: leave "
            "'scoring_function' out of 'keep' for this problem"
        )


def integrated_roc(X: Floats, y: Floats, scores: Floats) -> Curve:
    """Return the IROC curve at evenly spaced shares of false positives.

    Raises
    ------
    ValueError
        The test part has fewer than three values of y.
    """
    x, value = iroc(y, scores, np.linspace(0.0, 1.0, IROC_POINTS))
    return {"x": x.tolist(), "y": value.tolist()}


CURVES: dict[str, Callable[[Floats, Floats, Floats], Curve]] = {
    "scoring_function": scoring_function,
    "iroc": integrated_roc,
}
"""Name in a study's ``keep: {curves: [...]}`` -> what makes it of a test part and scores."""
