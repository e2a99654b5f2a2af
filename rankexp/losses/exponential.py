"""The exponential loss."""

import numpy as np

from rankexp.arrays import Floats
from rankexp.losses.base import LogitLinked, MarginLoss

REGISTER = {"exponential": "Exponential"}


class Exponential(MarginLoss, LogitLinked):
    """``exp(-z)``: link half the logit, weight ``½ (c (1 - c))^(-3/2)`` (menon2014).

    The loss overflows to infinity below ``z = -709``; scores are never clipped.
    """

    factorises = True
    rate = 2.0

    def of_margin(self, z: Floats) -> Floats:
        """Return ``exp(-z)``."""
        with np.errstate(over="ignore"):
            return np.exp(-z)

    def margin_derivative(self, z: Floats) -> Floats:
        """Return ``-exp(-z)``."""
        return -self.of_margin(z)

    def margin_curvature(self, z: Floats) -> Floats:
        """Return ``exp(-z)``."""
        return self.of_margin(z)

    def weight(self, c: Floats) -> Floats:
        """Return ``½ (c (1 - c))^(-3/2)``."""
        return 0.5 * (c * (1.0 - c)) ** -1.5
