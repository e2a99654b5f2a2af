"""The squared loss."""

import numpy as np

from rankexp.arrays import Floats
from rankexp.losses.squared_hinge import SquaredHinge

REGISTER = {"squared": "Squared"}


class Squared(SquaredHinge):
    """``(1 - z)²``: proper on scores in [-1, 1], with link ``2 eta - 1`` and constant weight 8.

    It rises again beyond ``z = 1``, so it is not monotone: a score far on the right side costs
    something. The squared hinge, the same below 1, is monotone. On points it is least squares.
    """

    monotone = False
    hinge_power = 0
    quadratic = True

    def of_margin(self, z: Floats) -> Floats:
        """Return ``(1 - z)²``."""
        return (1.0 - z) ** 2

    def margin_derivative(self, z: Floats) -> Floats:
        """Return ``2 (z - 1)``."""
        return 2.0 * (z - 1.0)

    def margin_curvature(self, z: Floats) -> Floats:
        """Return 2."""
        return np.full_like(z, 2.0)
