"""The integrated ROC curve."""

import numpy as np

from rankexp.arrays import Floats
from rankexp.keep.curves import Curve
from rankexp.metrics.roc import iroc

REGISTER = {"iroc": "integrated_roc"}

POINTS = 201
"""Shares of false positives at which the curve is kept: more than a line in print can show."""
DECIMALS = 6  # kept of the curve


def integrated_roc(X: Floats, y: Floats, scores: Floats) -> Curve:
    """Return the IROC curve at evenly spaced shares of false positives."""
    x, value = iroc(y, scores, np.linspace(0.0, 1.0, POINTS))
    return {"x": x.tolist(), "y": value.round(DECIMALS).tolist()}
