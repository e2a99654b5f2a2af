"""Compute proper losses from their weights by quadrature."""

from collections.abc import Callable

import numpy as np

from rankexp.arrays import Floats
from rankexp.losses.loss import Labels, Loss

STEPS = np.array([-2e-3, -1e-3, 1e-3, 2e-3])
FACTORS = np.array([1.0, -8.0, 8.0, -1.0]) / 12e-3  # of a difference quotient: 1e-12 is lost
ANGLES = np.arange(-86, 52) / 16.0
SHARES = 1.0 / (1.0 + np.exp(-np.pi * np.sinh(ANGLES)))
"""Nodes in (0, 1), from 1e-150 on, of the double exponential rule (Takahasi and Mori 1974)."""
MASSES = np.pi / 16.0 * np.cosh(ANGLES) * SHARES / (1.0 + np.exp(np.pi * np.sinh(ANGLES)))

Function = Callable[[Floats], Floats]


class Composite(Loss):
    """A proper loss from its weight over cost ratios and its link, by quadrature (menon2014).

    Use it to try out weights and to check formulas: each value evaluates the weight at some 280
    points. If the weight is smooth on either side of ½, values are right to about 1e-12,
    derivatives to 1e-11 and curvatures to 1e-8. A probability within 1e-5 of 1 loses digits.

    Parameters
    ----------
    weight : callable
        ``weight(c, d)`` of arrays c in (0, 1) and ``d = 1 - c``. Write a weight that is infinite
        at 1 with d, so that it loses no digit near there.
    link, inverse_link : callable
        From probabilities to scores, rising, and back.

    Examples
    --------
    >>> from rankexp.losses import Logistic
    >>> loss = Composite(lambda c, d: 1 / (c * d), Logistic().link, Logistic().inverse_link)
    >>> loss.value(1.0, np.array([0.0, 2.0])).round(6)
    array([0.693147, 0.126928])
    """

    bounds_zero_one = False

    def __init__(
        self, weight: Callable[[Floats, Floats], Floats], link: Function, inverse_link: Function
    ) -> None:
        self._weight, self._link, self._inverse_link = weight, link, inverse_link

    def link(self, eta: Floats) -> Floats:
        """Return the score of a probability."""
        return self._link(eta)

    def inverse_link(self, v: Floats) -> Floats:
        """Return the probability of a score."""
        return self._inverse_link(v)

    def value(self, y: Labels, v: Floats) -> Floats:
        """Return the integral of ``(1 - c) w(c)`` over [q, 1], or of ``c w(c)`` over [0, q]."""
        y, v = np.broadcast_arrays(y, np.asarray(v, dtype=np.float64))
        q = self.inverse_link(v)
        b = np.where(y > 0, 1.0 - q, q)[..., None]
        rest = np.where(y > 0, q, 1.0 - q)[..., None]
        low, beyond = np.minimum(b, 0.5), np.log(0.5 / np.maximum(rest, 1e-300))
        near, far = np.maximum(low * SHARES, 1e-300), 0.5 * np.exp(-beyond * (1.0 - SHARES))
        y = y[..., None]
        with np.errstate(over="ignore"):
            inner = near * self._at(y, near, 1.0 - near) @ MASSES * low[..., 0]
            outer = far * (1.0 - far) * self._at(y, 1.0 - far, far) @ MASSES
        return np.where(beyond[..., 0] > 0.0, inner + beyond[..., 0] * outer, inner)

    def _at(self, y: Floats, a: Floats, rest: Floats) -> Floats:
        """Return the weight at ``1 - a`` for positive examples, at ``a`` for negative ones."""
        return self._weight(np.where(y > 0, rest, a), np.where(y > 0, a, rest))

    def derivative(self, y: Labels, v: Floats) -> Floats:
        """Return ``-(1 - q) w(q) q'(v)``, or ``q w(q) q'(v)``."""
        v = np.asarray(v, dtype=np.float64)
        q = self.inverse_link(v)
        rise = self.inverse_link(v[..., None] + STEPS) @ FACTORS
        return np.where(np.asarray(y) > 0, q - 1.0, q) * self.weight(q) * rise

    def curvature(self, y: Labels, v: Floats) -> Floats:
        """Return a difference quotient of the derivative."""
        v = np.asarray(v, dtype=np.float64)
        return self.derivative(np.asarray(y)[..., None], v[..., None] + STEPS) @ FACTORS

    def weight(self, c: Floats) -> Floats:
        """Return ``weight(c, 1 - c)``."""
        return self._weight(c, 1.0 - c)
