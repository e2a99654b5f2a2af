"""The usual losses of the margin ``z = y v``; the 0/1 loss is for evaluation only."""

import numpy as np

from rankexp.arrays import Floats
from rankexp.losses.loss import LogitLinked, MarginLoss

REGISTER = {
    "exponential": "Exponential",
    "hinge": "Hinge",
    "logistic": "Logistic",
    "squared": "Squared",
    "squared_hinge": "SquaredHinge",
    "zero_one": "ZeroOne",
}


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

    margin_curvature = of_margin

    def weight(self, c: Floats) -> Floats:
        """Return ``½ (c (1 - c))^(-3/2)``."""
        return 0.5 * (c * (1.0 - c)) ** -1.5


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


def _place(a: Floats) -> Floats | None:
    """Return an array to write into: each one more takes longer than what is worked out."""
    return a if isinstance(a, np.ndarray) else None


def _tail(z: Floats) -> Floats:
    """Return ``exp(-|z|)``."""
    size = np.abs(z)
    size *= -1.0
    return np.exp(size, out=_place(size))


class Logistic(MarginLoss, LogitLinked):
    """``log(1 + exp(-z))``: link logit, weight ``1 / (c (1 - c))`` (menon2014)."""

    analytic = True
    at_zero = float(np.log(2.0))

    def of_margin(self, z: Floats) -> Floats:
        """Return ``log(1 + exp(-z))``; for very negative margins this is ``-z``."""
        tail = _tail(z)
        value = np.log1p(tail, out=_place(tail))
        value -= np.minimum(z, 0.0)
        return value

    def margin_derivative(self, z: Floats) -> Floats:
        """Return ``-1 / (1 + exp(z))``; an overflow to infinity gives the right limit, 0."""
        with np.errstate(over="ignore"):
            e = np.exp(z)
        e += 1.0
        return np.divide(-1.0, e, out=_place(e))

    def margin_curvature(self, z: Floats) -> Floats:
        """Return ``sigma(z) sigma(-z)``, symmetric in ``z``."""
        tail = _tail(z)
        rest = 1.0 + tail
        rest *= rest
        tail /= rest
        return tail

    def weight(self, c: Floats) -> Floats:
        """Return ``1 / (c (1 - c))``."""
        return 1.0 / (c * (1.0 - c))


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
