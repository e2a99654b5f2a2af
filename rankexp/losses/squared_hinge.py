"""The squared hinge loss."""

import numpy as np

from rankexp.arrays import Floats
from rankexp.losses.base import MarginLoss

REGISTER = {"squared_hinge": "SquaredHinge"}


class SquaredHinge(MarginLoss):
    """``max(0, 1 - z)²``: one continuous derivative, a curvature that jumps at ``z = 1``.

    It is proper composite on scores in [-1, 1], with link ``2 eta - 1`` and constant weight.
    """

    hinge_power = 2

    def of_margin(self, z: Floats) -> Floats:
        """Return ``max(0, 1 - z)²``."""
        return np.maximum(0.0, 1.0 - z) ** 2

    def margin_derivative(self, z: Floats) -> Floats:
        """Return ``-2 max(0, 1 - z)``."""
        return np.minimum(0.0, 2.0 * (z - 1.0))

    def margin_curvature(self, z: Floats) -> Floats:
        """Return 2 below the jump, 0 from it on."""
        return np.where(z < 1.0, 2.0, 0.0)

    def link(self, eta: Floats) -> Floats:
        """Return ``2 eta - 1``."""
        return 2.0 * eta - 1.0

    def inverse_link(self, v: Floats) -> Floats:
        """Return ``(1 + v) / 2``, cut to [0, 1]."""
        return np.clip(0.5 * (1.0 + v), 0.0, 1.0)

    def weight(self, c: Floats) -> Floats:
        """Return 8, whatever the cost ratio."""
        return np.full_like(c, 8.0)
