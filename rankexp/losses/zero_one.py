"""The 0/1 loss, for evaluation only."""

import numpy as np

from rankexp.arrays import Floats
from rankexp.losses.base import MarginLoss

REGISTER = {"zero_one": "ZeroOne"}


class ZeroOne(MarginLoss):
    """1 where ``z <= 0``, else 0: a margin of 0 is an error (kotlowski2011, section 2).

    No method trains with it, so derivative and curvature raise.
    """

    convex = False
    smooth = False
    proper = False

    def of_margin(self, z: Floats) -> Floats:
        """Return 1 for an error, 0 for a correct sign."""
        return np.where(z > 0.0, 0.0, 1.0)

    def margin_derivative(self, z: Floats) -> Floats:
        """Raise: the 0/1 loss is for evaluation."""
        raise self._lacks("derivative to train with: it is for evaluation only")

    def margin_curvature(self, z: Floats) -> Floats:
        """Raise: the 0/1 loss is for evaluation."""
        raise self._lacks("curvature to train with: it is for evaluation only")
