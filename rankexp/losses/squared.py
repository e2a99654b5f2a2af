"""The squared loss."""

import numpy as np

from rankexp.arrays import Floats
from rankexp.losses.base import MarginLoss

REGISTER = {"squared": "Squared"}


class Squared(MarginLoss):
    """``(1 - z)²``: proper on scores in [-1, 1], with link ``2 eta - 1`` and constant weight 8.

    Beyond ``z = 1`` it rises again, so a score far on the right side costs something, too: it is
    not monotone. The squared hinge, the same below 1, is. Over examples it is least squares.
    """

    monotone = False

    def of_margin(self, z: Floats) -> Floats:
        """Return ``(1 - z)²``."""
        return (1.0 - z) ** 2

    def margin_derivative(self, z: Floats) -> Floats:
        """Return ``2 (z - 1)``."""
        return 2.0 * (z - 1.0)

    def margin_curvature(self, z: Floats) -> Floats:
        """Return 2."""
        return np.full_like(z, 2.0)

    def link(self, eta: Floats) -> Floats:
        """Return ``2 eta - 1``."""
        return 2.0 * eta - 1.0

    def inverse_link(self, v: Floats) -> Floats:
        """Return ``(1 + v) / 2``, cut to [0, 1]."""
        return np.clip(0.5 * (1.0 + v), 0.0, 1.0)

    def weight(self, c: Floats) -> Floats:
        """Return 8, whatever the cost ratio."""
        return np.full_like(c, 8.0)
