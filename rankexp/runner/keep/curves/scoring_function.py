"""Keep the score against the only feature."""

import numpy as np

from rankexp.arrays import Floats
from rankexp.runner.keep import KeptName
from rankexp.runner.keep.curves import Curve

REGISTER = {"scoring_function": "scoring_function"}
AT_POINTS = "scoring_function"  # kept at points that a study names, else at the test part


def scoring_function(X: Floats, y: Floats, scores: Floats) -> Curve:
    """Return the score against the only feature; of a run of equal scores only the two ends."""
    _check_curve(X)
    order = np.argsort(X[:, 0], kind="stable")
    x, s = X[order, 0], scores[order]
    inside = np.zeros(len(s), dtype=bool)
    inside[1:-1] = (s[1:-1] == s[:-2]) & (s[1:-1] == s[2:])
    return {"x": x[~inside].tolist(), "y": s[~inside].tolist()}


def points(low: float, high: float, count: int, X: Floats) -> Floats:
    """Return evenly spaced points x, (count, 1), at which a study may keep scoring functions."""
    _check_curve(X)
    return np.linspace(low, high, count)[:, None]


def at_points(x: Floats, scores: Floats) -> dict[str, Curve]:
    """Return the curves that a record keeps at fixed points x, (m, 1), of scores (m, G)."""
    curves = ({"x": x[:, 0].tolist(), "y": column} for column in scores.T.tolist())
    return {str(KeptName(AT_POINTS, g)): curve for g, curve in enumerate(curves)}


def _check_curve(X: Floats) -> None:
    if X.shape[1] != 1:
        raise ValueError(
            f"a scoring function of {X.shape[1]} features is no curve: leave "
            "'scoring_function' out of 'keep' for this problem"
        )
