"""What a loss offers: value, derivative, curvature, and, where it is proper, link and weight."""

import inspect
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from rankexp.arrays import Floats
from rankexp.names import Named

Labels = Floats | float


class Loss(Named, ABC):
    """A pair of partial losses ``l(1, v)`` and ``l(-1, v)`` of a score ``v``.

    Every method takes labels ``y`` in {-1, +1}, one number or an array, and scores ``v``, and
    broadcasts. A loss need not be symmetric: ``l(1, v)`` and ``l(-1, -v)`` may differ. It may have
    parameters: those of ``__init__``, kept under their names.

    Attributes
    ----------
    convex : bool
        Both partial losses are convex.
    smooth : bool
        Both have a continuous derivative: the smooth solvers take the loss.
    proper : bool
        ``eta l(1, v) + (1 - eta) l(-1, v)`` is least at ``v = link(eta)``.
    bounds_zero_one : bool
        The loss is nowhere below the 0/1 loss, up to the factor ``at_zero``.
    factorises : bool
        ``l(1, v) = l(-1, -v) = exp(-v)``: sums over pairs are products of sums.
    hinge_power : int
        The k of ``l(y, v) = max(0, 1 - y v)^k``; 0 for another loss.
    analytic : bool
        Both are analytic where the imaginary part of ``v`` is below 3, and grow there at most
        as fast as ``|v|``: quick sums over pairs by polynomials on short intervals.
    at_zero : float
        ``l(1, 0)``.
    """

    room = "losses"
    convex: ClassVar[bool] = True
    smooth: ClassVar[bool] = True
    proper: ClassVar[bool] = True
    bounds_zero_one: ClassVar[bool] = True
    factorises: ClassVar[bool] = False
    hinge_power: ClassVar[int] = 0
    analytic: ClassVar[bool] = False
    at_zero: ClassVar[float] = 1.0

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
        """Return the score that is best where the positive class has probability ``eta``."""
        raise self._lacks("link")

    def inverse_link(self, v: Floats) -> Floats:
        """Return the probability of the positive class that a score stands for."""
        raise self._lacks("inverse link")

    def weight(self, c: Floats) -> Floats:
        """Return the weight ``w(c)`` over cost ratios (menon2014).

        ``l(1, link(q))`` is the integral of ``(1 - c) w(c)`` over [q, 1], ``l(-1, link(q))`` that
        of ``c w(c)`` over [0, q].
        """
        raise self._lacks("weight function")

    def _lacks(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} has no {what}")


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


parse = Loss.parse


def unfit(found: Any) -> str | None:
    """Return why something that another package registers is no loss; None where it is one."""
    good = inspect.isclass(found) and issubclass(found, Loss) and not inspect.isabstract(found)
    return None if good else f"{found!r} is no complete subclass of rankexp.losses.Loss"
