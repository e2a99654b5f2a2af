"""Proper losses that stress one end of the ranking (menon2014)."""

from typing import Literal

import numpy as np

from rankexp.arrays import Floats
from rankexp.losses.loss import MarginLoss, PartialLosses, ScaledLoss
from rankexp.losses.margin import Exponential, Logistic

REGISTER = {
    "asymmetric_a": "AsymmetricA",
    "asymmetric_b": "AsymmetricB",
    "p_classification": "PClassification",
    "scaled_logistic": "ScaledLogistic",
}

LOGISTIC = Logistic()
LOG_2 = float(np.log(2.0))


class AsymmetricA(PartialLosses):
    """The loss with weight ``1 / (c (1 - c)^(3/2))`` and link logit (menon2014).

    A positive example costs ``2 artanh(sqrt(sigma(-v)))``, a negative ``2 (sqrt(1 + exp(v)) -
    1)``.
    """

    def partial(self, y: float, v: Floats, order: int) -> Floats:
        """Return a derivative; the first of ``l(1, v)`` is ``-sqrt(sigma(-v))``."""
        low = 0.5 * LOGISTIC.of_margin(-v)
        if order == 0:
            if y > 0:
                return 2.0 * np.log1p(np.exp(-low)) + LOGISTIC.of_margin(v)
            return 2.0 * np.expm1(low)
        slope = -np.exp(-low) if y > 0 else np.exp(v - low)
        if order == 1:
            return slope
        share = 0.5 * self.inverse_link(v)
        return slope * (-share if y > 0 else 1.0 - share)

    def weight(self, c: Floats) -> Floats:
        """Return ``1 / (c (1 - c)^(3/2))``."""
        return 1.0 / (c * (1.0 - c) ** 1.5)

    def parts(self, of: Literal["pair", "positive"]) -> tuple[ScaledLoss, ...]:
        """Return the exponential part of ``l(-1, -D)``, and an analytic rest."""
        if of == "positive":
            return (ScaledLoss(1.0, 1.0, _Rest(paired=False)),)
        return ScaledLoss(1.0, 0.5, Exponential()), ScaledLoss(0.5, 1.0, _Rest(paired=True))


class _Rest(MarginLoss):
    """``l(1, D)`` of asymmetric A and, if `paired`, ``l(-1, -D) - 2 exp(-D/2)``: convex."""

    # With ``u = exp(-D)`` the latter is ``2 / (sqrt(1 + u) + sqrt(u)) - 2``. Both are analytic
    # where the imaginary part is below pi, and grow as ``|D|`` at most.

    analytic = True

    def __init__(self, paired: bool) -> None:
        self.paired = paired

    def of_margin(self, z: Floats) -> Floats:
        with np.errstate(over="ignore"):
            u = np.exp(-z)
        return A.value(1.0, z) + self.paired * (2.0 / (np.sqrt(1.0 + u) + np.sqrt(u)) - 2.0)

    def margin_derivative(self, z: Floats) -> Floats:
        return self._derivative(z, 1)

    def margin_curvature(self, z: Floats) -> Floats:
        return np.maximum(self._derivative(z, 2), 0.0)  # rounding

    def _derivative(self, z: Floats, order: int) -> Floats:
        with np.errstate(over="ignore"):
            found, root = A.partial(1.0, z, order), -A.partial(1.0, z, 1)
            rest = 0.5 / np.cosh(0.5 * z) / (1.0 + root)
        if order == 2:
            rest *= found / (1.0 + root) - 0.5 * np.tanh(0.5 * z)
        return found + self.paired * rest


A = AsymmetricA()


class AsymmetricB(PartialLosses):
    """Logistic at scores below 0, exponential of half the score above; link logit (menon2014).

    The weight is ``1 / (c (1 - c))`` below ½ and ``½ (c (1 - c))^(-3/2)`` above. The constants
    make the loss continuous at 0, and proper.
    """

    def partial(self, y: float, v: Floats, order: int) -> Floats:
        """Return a derivative of a partial loss; that of order 3 would jump at 0."""
        return np.where(v < 0.0, *self.branches(v, order, y))

    def branches(self, v: Floats, order: int, y: float = 1.0) -> tuple[Floats, Floats]:
        """Return the logistic and the exponential branch of ``l(1, v)``, or their derivatives."""
        of = (LOGISTIC.value, LOGISTIC.derivative, LOGISTIC.curvature)[order]
        low, high = of(y, v), np.exp(-0.5 * y * v) * (-0.5 * y) ** order
        if order == 0:
            return (low + 1.0 - LOG_2, high) if y > 0 else (low, high + LOG_2 - 1.0)
        return low, high

    def weight(self, c: Floats) -> Floats:
        """Return the weight."""
        product = c * (1.0 - c)
        return np.where(c < 0.5, 1.0 / product, 0.5 * product**-1.5)

    def parts(self, of: Literal["pair", "positive"]) -> tuple[ScaledLoss, ...]:
        """Return an exponential and a logistic loss of a pair; ``l(1, D)`` alone has none."""
        if of == "positive":
            return ()
        return ScaledLoss(0.5, 0.5, Exponential()), ScaledLoss(0.5, 1.0, LOGISTIC)


def power(of: str, p: float, least: float) -> float:
    """Return a parameter p as a float; ValueError if it is below the least or not finite."""
    if not least <= p < np.inf:
        raise ValueError(f"{of}, p={p}: expected a number from {least:g} on")
    return float(p)


class PClassification(PartialLosses):
    """``exp(-v)`` of positive, ``exp(p v) / p`` of negative examples (Ertekin and Rudin 2011).

    The larger p, the more a negative example at the top costs. The link is ``logit / (p + 1)``,
    the weight ``c^(-1 - 1/(p+1)) (1 - c)^(-2 + 1/(p+1)) / (p + 1)`` (menon2014).

    Parameters
    ----------
    p : float
        At least 0.001; 1 gives the exponential loss.
    """

    def __init__(self, p: float = 4.0) -> None:
        self.p = power("p_classification", p, 1e-3)
        self.rate, self.steepest = self.p + 1.0, max(1.0, 0.5 * self.p**2)

    def partial(self, y: float, v: Floats, order: int) -> Floats:
        """Return a derivative of a partial loss."""
        if y > 0:
            return -np.exp(-v) if order == 1 else np.exp(-v)
        factor = (1.0 / self.p, 1.0, self.p)[order]
        found = factor * np.exp(self.p * v)
        if factor < 1.0 and np.isinf(found).any():  # the product need not overflow
            return np.where(np.isinf(found), np.exp(self.p * v + np.log(factor)), found)
        return found

    def weight(self, c: Floats) -> Floats:
        """Return the weight."""
        share = 1.0 / self.rate
        return share * c ** (-1.0 - share) * (1.0 - c) ** (share - 2.0)

    def parts(self, of: Literal["pair", "positive"]) -> tuple[ScaledLoss, ...]:
        """Return two exponential losses of a pair, one of a positive example."""
        one = Exponential()
        if of == "positive":
            return (ScaledLoss(1.0, 1.0, one),)
        return ScaledLoss(0.5, 1.0, one), ScaledLoss(0.5 / self.p, self.p, one)


class ScaledLogistic(Logistic):
    """``log(1 + exp(-(p + 1) z)) / (p + 1)``: link ``logit / (p + 1)`` (menon2014).

    Its weight is that of the logistic loss but for a factor, ``1 / ((p + 1) c (1 - c))``.

    Parameters
    ----------
    p : float
        At least 0; 0 gives the logistic loss.
    """

    analytic = False

    def __init__(self, p: float = 4.0) -> None:
        self.p = power("scaled_logistic", p, 0.0)
        self.rate = self.p + 1.0
        self.at_zero, self.steepest = float(np.log(2.0)) / self.rate, max(1.0, self.rate / 8.0)

    def of_margin(self, z: Floats) -> Floats:
        """Return the loss of margins."""
        return super().of_margin(self.rate * z) / self.rate

    def margin_derivative(self, z: Floats) -> Floats:
        """Return ``-1 / (1 + exp((p + 1) z))``."""
        return super().margin_derivative(self.rate * z)

    def margin_curvature(self, z: Floats) -> Floats:
        """Return the slope of the derivative."""
        return self.rate * super().margin_curvature(self.rate * z)

    def weight(self, c: Floats) -> Floats:
        """Return ``1 / ((p + 1) c (1 - c))``."""
        return super().weight(c) / self.rate

    def parts(self, of: Literal["pair", "positive"]) -> tuple[ScaledLoss, ...]:
        """Return the logistic loss of scaled differences."""
        return (ScaledLoss(1.0 / self.rate, self.rate, Logistic()),)
