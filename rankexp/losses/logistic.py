"""The logistic loss."""

import numpy as np

from rankexp.arrays import Floats
from rankexp.losses.base import LogitLinked, MarginLoss

REGISTER = {"logistic": "Logistic"}


class Logistic(MarginLoss, LogitLinked):
    """``log(1 + exp(-z))``: link logit, weight ``1 / (c (1 - c))`` (menon2014)."""

    analytic = True
    at_zero = float(np.log(2.0))

    def of_margin(self, z: Floats) -> Floats:
        """Return ``log(1 + exp(-z))``; for very negative margins this is ``-z``."""
        tail = np.exp(-np.abs(z))
        return np.log1p(tail) + np.maximum(-z, 0.0)

    def margin_derivative(self, z: Floats) -> Floats:
        """Return ``-1 / (1 + exp(z))``; an overflow to infinity gives the right limit, 0."""
        with np.errstate(over="ignore"):
            return -1.0 / (1.0 + np.exp(z))

    def margin_curvature(self, z: Floats) -> Floats:
        """Return ``sigma(z) sigma(-z)``, symmetric in ``z``."""
        tail = np.exp(-np.abs(z))
        return tail / (1.0 + tail) ** 2

    def weight(self, c: Floats) -> Floats:
        """Return ``1 / (c (1 - c))``."""
        return 1.0 / (c * (1.0 - c))
