"""Declare what a loss offers: value, derivative, curvature; if it is proper, link and weight."""

from abc import ABC, abstractmethod
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from rankexp.arrays import Floats
from rankexp.names import Named

__all__ = ["Loss", "MarginLoss", "parse"]

Labels = Floats | float


class Loss(Named, ABC):
    """A pair of partial losses ``l(1, v)`` and ``l(-1, v)`` of a score ``v``.

    Every method takes labels ``y`` in {-1, +1}, a number or an array, and scores ``v``, and
    broadcasts. ``l(1, v)`` and ``l(-1, -v)`` may differ. A loss may have parameters: those of
    ``__init__``, kept as attributes of the same names.

    Attributes
    ----------
    convex : bool
        Both partial losses are convex.
    smooth : bool
        Both have a continuous derivative: the smooth solvers take the loss.
    monotone : bool
        Neither increases as the margin grows.
    proper : bool
        ``eta l(1, v) + (1 - eta) l(-1, v)`` is least at ``v = link(eta)``.
    bounds_zero_one : bool
        The loss is nowhere below ``at_zero`` times the 0/1 loss.
    factorises : bool
        ``l(1, v) = l(-1, -v) = exp(-v)``: sums over pairs are products of sums.
    hinge_power : int
        The k of ``l(y, v) = max(0, 1 - y v)^k``; 0 for another loss.
    quadratic : bool
        ``l(y, v) = (1 - y v)²``: sums over pairs follow from means and variances.
    analytic : bool
        Both are analytic where the imaginary part of ``v`` is below 3 and grow there at most like
        ``|v|``, which allows quick sums over pairs by polynomials on short intervals.
    at_zero : float
        ``l(1, 0)``.
    steepest : float
        No curvature is above ``2 steepest (1 + value)``, which bounds the effect of rounding.
    """

    room = "losses"
    convex: ClassVar[bool] = True
    smooth: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    proper: ClassVar[bool] = True
    bounds_zero_one: ClassVar[bool] = True
    factorises: ClassVar[bool] = False
    hinge_power: ClassVar[int] = 0
    quadratic: ClassVar[bool] = False
    analytic: ClassVar[bool] = False
    at_zero: float = 1.0
    steepest: float = 1.0

    @abstractmethod
    def value(self, y: Labels, v: Floats) -> Floats:
        """Return ``l(y, v)``."""

    @abstractmethod
    def derivative(self, y: Labels, v: Floats) -> Floats:
        """Return the derivative (at a kink a subgradient) of ``l(y, v)`` with respect to ``v``."""

    @abstractmethod
    def curvature(self, y: Labels, v: Floats) -> Floats:
        """Return the second derivative of ``l(y, v)`` with respect to ``v``."""

    def link(self, eta: Floats) -> Floats:
        """Return the best score if the positive class has probability ``eta``."""
        raise self._lacks("link")

    def inverse_link(self, v: Floats) -> Floats:
        """Return the probability of the positive class at a score."""
        raise self._lacks("inverse link")

    def weight(self, c: Floats) -> Floats:
        """Return the weight ``w(c)`` over cost ratios (menon2014).

        ``l(1, link(q))`` is the integral of ``(1 - c) w(c)`` over [q, 1], and ``l(-1, link(q))``
        is that of ``c w(c)`` over [0, q].
        """
        raise self._lacks("weight function")

    def bayes_risk(self, eta: Floats) -> Floats:
        """Return the least ``eta l(1, v) + (1 - eta) l(-1, v)``; 0 at 0 and 1, NaN beyond."""
        eta = np.asarray(eta, dtype=np.float64)
        inside = np.clip(eta, np.finfo(np.float64).tiny, 1.0 - np.finfo(np.float64).epsneg)
        v = self.link(inside)
        risk = inside * self.value(1.0, v) + (1.0 - inside) * self.value(-1.0, v)
        ends = np.where((eta == 0.0) | (eta == 1.0), 0.0, np.nan)
        return np.where((eta > 0.0) & (eta < 1.0), risk, ends)

    def parts(self, of: Literal["pair", "positive"]) -> tuple["ScaledLoss", ...]:
        """Return margin losses that add up to a loss of score differences, with quick sums.

        That loss is ``½ [l(1, D) + l(-1, -D)]`` for a ``pair`` and ``l(1, D)`` for a ``positive``.
        Without such parts the result is empty, and pairs are summed one by one.
        """
        return ()

    def branches(self, v: Floats, order: int) -> tuple[Floats, Floats] | None:
        """Return two analytic functions that equal ``l(1, v)`` below and above v = 0, at any v.

        `order` 1 asks for their derivatives. None if no such functions are known.
        """
        return None

    def _lacks(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} has no {what}")


class LogitLinked(Loss):
    """A proper loss with link ``logit(eta) / rate``."""

    rate: float = 1.0

    def link(self, eta: Floats) -> Floats:
        """Return ``log(eta / (1 - eta)) / rate``; infinite at 0 and 1."""
        with np.errstate(divide="ignore"):
            return (np.log(eta) - np.log1p(-eta)) / self.rate

    def inverse_link(self, v: Floats) -> Floats:
        """Return ``1 / (1 + exp(-rate v))``; an overflow to infinity gives the right limit."""
        with np.errstate(over="ignore"):
            return 1.0 / (1.0 + np.exp(-self.rate * v))


class PartialLosses(LogitLinked):
    """A loss with two separate partial losses and the link ``logit(eta) / rate``."""

    bounds_zero_one = False

    @abstractmethod
    def partial(self, y: float, v: Floats, order: int) -> Floats:
        """Return the derivative of order 0, 1 or 2 of ``l(1, v)`` or of ``l(-1, v)``."""

    def _of(self, y: Labels, v: Floats, order: int) -> Floats:
        with np.errstate(over="ignore"):
            if isinstance(y, float):
                return self.partial(y, v, order)
            return np.where(y > 0, self.partial(1.0, v, order), self.partial(-1.0, v, order))

    def value(self, y: Labels, v: Floats) -> Floats:
        """Return ``l(y, v)``."""
        return self._of(y, v, 0)

    def derivative(self, y: Labels, v: Floats) -> Floats:
        """Return the derivative of ``l(y, v)`` with respect to ``v``."""
        return self._of(y, v, 1)

    def curvature(self, y: Labels, v: Floats) -> Floats:
        """Return the second derivative of ``l(y, v)`` with respect to ``v``."""
        return self._of(y, v, 2)


class MarginLoss(Loss):
    """A loss of the margin ``z = y v`` alone, so that ``l(1, v) = l(-1, -v)``."""

    @abstractmethod
    def of_margin(self, z: Floats) -> Floats:
        """Return the loss of margins."""

    @abstractmethod
    def margin_derivative(self, z: Floats) -> Floats:
        """Return the derivative with respect to the margin."""

    @abstractmethod
    def margin_curvature(self, z: Floats) -> Floats:
        """Return the second derivative with respect to the margin."""

    def value(self, y: Labels, v: Floats) -> Floats:
        """Return ``l(y v)``."""
        return self.of_margin(y * v)

    def derivative(self, y: Labels, v: Floats) -> Floats:
        """Return ``y l'(y v)``."""
        return y * self.margin_derivative(y * v)

    def curvature(self, y: Labels, v: Floats) -> Floats:
        """Return ``l''(y v)``."""
        return self.margin_curvature(y * v)

    def parts(self, of: Literal["pair", "positive"]) -> tuple["ScaledLoss", ...]:
        """Return the loss itself where its sums are quick."""
        return (ScaledLoss(1.0, 1.0, self),) if self.factorises or self.analytic else ()


class ScaledLoss(NamedTuple):
    """The term ``factor · loss(rate · D)`` of a loss of score differences D."""

    factor: float
    rate: float
    loss: MarginLoss


parse = Loss.parse
