"""Two proper losses with the link logit that are as the logistic one below, steeper above."""

from typing import Literal

import numpy as np

from rankexp.arrays import Floats
from rankexp.losses.base import Labels, LogitLinked, MarginLoss, Part
from rankexp.losses.exponential import Exponential
from rankexp.losses.logistic import Logistic

REGISTER = {"asymmetric_a": "AsymmetricA", "asymmetric_b": "AsymmetricB"}

LOGISTIC = Logistic()
LOG_2 = float(np.log(2.0))


class AsymmetricA(LogitLinked):
    """The loss with weight ``1 / (c (1 - c)^(3/2))`` and link logit (menon2014).

    ``2 artanh(sqrt(sigma(-v)))`` of positive, ``2 (sqrt(1 + exp(v)) - 1)`` of negative examples.
    """

    bounds_zero_one = False

    def value(self, y: Labels, v: Floats) -> Floats:
        """Return the loss."""
        up = LOGISTIC.of_margin(v)
        down = 0.5 * LOGISTIC.of_margin(-v)
        with np.errstate(over="ignore"):
            return np.where(
                np.asarray(y) > 0, 2.0 * np.log1p(np.exp(-down)) + up, 2.0 * np.expm1(down)
            )

    def derivative(self, y: Labels, v: Floats) -> Floats:
        """Return ``-sqrt(sigma(-v))``, or ``exp(v) sqrt(sigma(-v))``."""
        down = 0.5 * LOGISTIC.of_margin(-v)
        with np.errstate(over="ignore"):
            return np.where(np.asarray(y) > 0, -np.exp(-down), np.exp(v - down))

    def curvature(self, y: Labels, v: Floats) -> Floats:
        """Return ``½ sqrt(sigma(-v)) sigma(v)``, or the derivative times ``1 - ½ sigma(v)``."""
        share = 0.5 * self.inverse_link(v)
        down = 0.5 * LOGISTIC.of_margin(-v)
        with np.errstate(over="ignore"):
            rising = (1.0 - share) * np.exp(v - down)
            return np.where(np.asarray(y) > 0, share * np.exp(-down), rising)

    def weight(self, c: Floats) -> Floats:
        """Return ``1 / (c (1 - c)^(3/2))``."""
        return 1.0 / (c * (1.0 - c) ** 1.5)

    def parts(self, of: Literal["pair", "positive"]) -> tuple[Part, ...]:
        """Return the exponential part of ``l(-1, -D)``, and an analytic rest."""
        if of == "positive":
            return (Part(1.0, 1.0, _Rest(paired=False)),)
        return Part(1.0, 0.5, Exponential()), Part(0.5, 1.0, _Rest(paired=True))


class _Rest(MarginLoss):
    """``l(1, D)`` of asymmetric A and, if `paired`, ``l(-1, -D) - 2 exp(-D/2)``: convex.

    With ``u = exp(-D)`` the latter is ``2 / (sqrt(1 + u) + sqrt(u)) - 2``. Both are analytic where
    the imaginary part is below pi, and grow as ``|D|`` at most.
    """

    analytic = True

    def __init__(self, paired: bool) -> None:
        self.paired = paired

    def of_margin(self, z: Floats) -> Floats:
        """Return the loss of score differences."""
        found = AsymmetricA().value(1.0, z)
        if self.paired:
            with np.errstate(over="ignore"):
                u = np.exp(-z)
            found += 2.0 / (np.sqrt(1.0 + u) + np.sqrt(u)) - 2.0
        return found

    def margin_derivative(self, z: Floats) -> Floats:
        """Return the derivative with respect to the difference."""
        found = AsymmetricA().derivative(1.0, z)
        if self.paired:
            with np.errstate(over="ignore"):
                found += 0.5 / np.cosh(0.5 * z) / (1.0 - found)
        return found

    def margin_curvature(self, z: Floats) -> Floats:
        """Return the second derivative with respect to the difference."""
        found = AsymmetricA().curvature(1.0, z)
        if self.paired:
            root = -AsymmetricA().derivative(1.0, z)
            with np.errstate(over="ignore"):
                slope = 0.5 / np.cosh(0.5 * z) / (1.0 + root)
            found += slope * (found / (1.0 + root) - 0.5 * np.tanh(0.5 * z))
        return np.maximum(found, 0.0)  # rounding


class AsymmetricB(LogitLinked):
    """Logistic at scores below 0, exponential of half the score above; link logit (menon2014).

    The weight is ``1 / (c (1 - c))`` below ½ and ``½ (c (1 - c))^(-3/2)`` above. The constants,
    without which the loss would jump at 0, are those that make it proper.
    """

    bounds_zero_one = False

    def value(self, y: Labels, v: Floats) -> Floats:
        """Return the loss."""
        y = np.asarray(y)
        low = LOGISTIC.of_margin(y * v) + np.where(y > 0, 1.0 - LOG_2, 0.0)
        high = self._half(y, v) - np.where(y > 0, 0.0, 1.0 - LOG_2)
        return np.where(v < 0.0, low, high)

    def derivative(self, y: Labels, v: Floats) -> Floats:
        """Return the derivative, continuous at 0."""
        y = np.asarray(y)
        return np.where(v < 0.0, LOGISTIC.derivative(y, v), -0.5 * y * self._half(y, v))

    def curvature(self, y: Labels, v: Floats) -> Floats:
        """Return the second derivative, continuous at 0."""
        y = np.asarray(y)
        return np.where(v < 0.0, LOGISTIC.curvature(y, v), 0.25 * self._half(y, v))

    def _half(self, y: Labels, v: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.exp(-0.5 * y * v)

    def weight(self, c: Floats) -> Floats:
        """Return the weight."""
        product = c * (1.0 - c)
        return np.where(c < 0.5, 1.0 / product, 0.5 * product**-1.5)

    def parts(self, of: Literal["pair", "positive"]) -> tuple[Part, ...]:
        """Return an exponential and a logistic loss of a pair; ``l(1, D)`` alone has none."""
        if of == "positive":
            return ()
        return Part(0.5, 0.5, Exponential()), Part(0.5, 1.0, LOGISTIC)
