"""A loss with a parameter."""

import numpy as np

from rankexp.plugin import MarginLoss


class Huber(MarginLoss):
    """The hinge with a parabola of width delta in place of the kink.

    Parameters
    ----------
    delta : float
        Above 0.
    """

    proper = False
    bounds_zero_one = False

    def __init__(self, delta: float = 0.5) -> None:
        if not delta > 0:
            raise ValueError(f"delta={delta}: expected a number above 0")
        self.delta = float(delta)

    def of_margin(self, z):
        """Return the loss of margins."""
        short = np.maximum(1.0 - z, 0.0)
        return np.where(short > self.delta, short - self.delta / 2, short**2 / (2 * self.delta))

    def margin_derivative(self, z):
        """Return the derivative with respect to the margin."""
        return -np.clip((1.0 - z) / self.delta, 0.0, 1.0)

    def margin_curvature(self, z):
        """Return the second derivative with respect to the margin."""
        bent = (z < 1.0) & (z > 1.0 - self.delta)
        return np.where(bent, 1.0 / self.delta, 0.0)
