"""The hinge loss."""

import numpy as np

from rankexp.arrays import Floats
from rankexp.losses.base import MarginLoss

REGISTER = {"hinge": "Hinge"}


class Hinge(MarginLoss):
    """``max(0, 1 - z)``: convex, with a kink at ``z = 1``, and not proper."""

    smooth = False
    hinge_power = 1
    proper = False

    def of_margin(self, z: Floats) -> Floats:
        """Return ``max(0, 1 - z)``."""
        return np.maximum(0.0, 1.0 - z)

    def margin_derivative(self, z: Floats) -> Floats:
        """Return -1 below the kink, 0 at it (a subgradient) and above."""
        return np.where(z < 1.0, -1.0, 0.0)

    def margin_curvature(self, z: Floats) -> Floats:
        """Return 0, which is the curvature on either side of the kink."""
        return np.zeros_like(z)
