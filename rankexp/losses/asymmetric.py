"""Two proper losses with the link logit that are as the logistic one below, steeper above."""

from typing import Literal

import numpy as np

from rankexp.arrays import Floats
from rankexp.losses.base import MarginLoss, Part, PartialLosses
from rankexp.losses.exponential import Exponential
from rankexp.losses.logistic import Logistic

REGISTER = {"asymmetric_a": "AsymmetricA", "asymmetric_b": "AsymmetricB"}

LOGISTIC = Logistic()
LOG_2 = float(np.log(2.0))


class AsymmetricA(PartialLosses):
    """The loss with weight ``1 / (c (1 - c)^(3/2))`` and link logit (menon2014).

    ``2 artanh(sqrt(sigma(-v)))`` of positive, ``2 (sqrt(1 + exp(v)) - 1)`` of negative examples.
    """

    def partials(self, v: Floats, order: int) -> tuple[Floats, Floats]:
        """Return the derivatives of both partial losses; the first is ``-sqrt(sigma(-v))``."""
        low = 0.5 * LOGISTIC.of_margin(-v)
        root, steep = np.exp(-low), np.exp(v - low)
        if order == 0:
            return 2.0 * np.log1p(root) + LOGISTIC.of_margin(v), 2.0 * np.expm1(low)
        share = 0.5 * self.inverse_link(v)
        return (-root, steep) if order == 1 else (share * root, (1.0 - share) * steep)

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
        found, _ = A.partials(z, 0)
        with np.errstate(over="ignore"):
            u = np.exp(-z)
        return found + self.paired * (2.0 / (np.sqrt(1.0 + u) + np.sqrt(u)) - 2.0)

    def margin_derivative(self, z: Floats) -> Floats:
        """Return the derivative with respect to the difference."""
        return self._derivative(z, 1)

    def margin_curvature(self, z: Floats) -> Floats:
        """Return the second derivative with respect to the difference."""
        return np.maximum(self._derivative(z, 2), 0.0)  # rounding

    def _derivative(self, z: Floats, order: int) -> Floats:
        with np.errstate(over="ignore"):
            found, root = A.partials(z, order)[0], -A.partials(z, 1)[0]
            rest = 0.5 / np.cosh(0.5 * z) / (1.0 + root)
        if order == 2:
            rest *= found / (1.0 + root) - 0.5 * np.tanh(0.5 * z)
        return found + self.paired * rest


A = AsymmetricA()


class AsymmetricB(PartialLosses):
    """Logistic at scores below 0, exponential of half the score above; link logit (menon2014).

    The weight is ``1 / (c (1 - c))`` below ½ and ``½ (c (1 - c))^(-3/2)`` above. The constants,
    without which the loss would jump at 0, are those that make it proper.
    """

    def partials(self, v: Floats, order: int) -> tuple[Floats, Floats]:
        """Return the derivatives of both partial losses, of which those of order 3 jump at 0."""
        of = (LOGISTIC.value, LOGISTIC.derivative, LOGISTIC.curvature)[order]
        constant = 1.0 - LOG_2 if order == 0 else 0.0
        up, down = (np.exp(-0.5 * y * v) * (-0.5 * y) ** order for y in (1.0, -1.0))
        below = v < 0.0
        return (
            np.where(below, of(1.0, v) + constant, up),
            np.where(below, of(-1.0, v), down - constant),
        )

    def weight(self, c: Floats) -> Floats:
        """Return the weight."""
        product = c * (1.0 - c)
        return np.where(c < 0.5, 1.0 / product, 0.5 * product**-1.5)

    def parts(self, of: Literal["pair", "positive"]) -> tuple[Part, ...]:
        """Return an exponential and a logistic loss of a pair; ``l(1, D)`` alone has none."""
        if of == "positive":
            return ()
        return Part(0.5, 0.5, Exponential()), Part(0.5, 1.0, LOGISTIC)
