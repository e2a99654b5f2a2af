"""Losses whose weight stresses one end of the ranking: p-classification and scaled logistic."""

from typing import Literal

import numpy as np

from rankexp.arrays import Floats
from rankexp.losses.base import PartialLosses, ScaledLoss
from rankexp.losses.margin import Exponential, Logistic

REGISTER = {"p_classification": "PClassification", "scaled_logistic": "ScaledLogistic"}


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
