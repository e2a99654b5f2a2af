"""What pairs would be like if their differences were normal, and the columns independent.

If differences D of rows have a mean m and variances V, their scores ``u = w·D`` are normal. D is
``m + V w t / w·V w``, where ``t = u - w·m``, and a rest that does not depend on u. So the mean of
a loss of u, its gradient and its Hessian follow from sums over places on one axis. Descents begin
where it is least, with that Hessian: a guess, on which only the number of steps depends.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankexp.arrays import Floats
from rankexp.losses.loss import MarginLoss

PLACES = np.linspace(-6.0, 6.0, 61)  # in standard deviations
MASS = np.exp(-0.5 * PLACES**2)
MASS /= MASS.sum()
STEPS, ENOUGH = 20, 1e-3  # of Newton; of the objective, below which a step promises too little
SHORTEST = 1e-3  # of a step
LEAST = 1e-300  # of a variance, to divide by
Product = Callable[[Floats], Floats]
Moments = tuple[float, float, float]  # means of a curvature, and of it times t and t²


def variances(mean: Floats, squares: Floats) -> Floats:
    """Return those of differences with a mean (d,), of rows with these squares about theirs."""
    return np.maximum(2.0 * squares - 0.5 * mean * mean, squares)  # of classes of equal size


@dataclass(frozen=True)
class NormalPairs:
    """Differences of normal rows with independent columns, of mean (d,) and variances (d,)."""

    mean: Floats
    variances: Floats

    def _scores(self, w: Floats) -> tuple[float, float, Floats]:
        """Return the variance of the scores, their mean, and places about it."""
        variance = max(float(self.variances * w @ w), LEAST)
        return variance, float(w @ self.mean), np.sqrt(variance) * PLACES

    def inverse(self, w: Floats, lam: float, bend: Moments) -> tuple[Floats, Floats, Floats]:
        """Return the inverse Hessian as a, P, K of ``diag(a) - P K P'``, P of shape (d, 2)."""
        variance, (p, first, second) = self._scores(w)[0], bend
        a = 1.0 / (lam + p * self.variances)
        U = np.column_stack((self.mean, self.variances * w / variance))
        C = np.array([[p, first], [first, second - p * variance]])
        P = a[:, None] * U
        (e, f), (g, h) = np.eye(2) + (U.T @ P) @ C  # inverted here: without an error if singular
        return a, P, C @ np.array([[h, -f], [-g, e]]) / (e * h - f * g)

    def product(self, w: Floats, lam: float, bend: Moments) -> Product:
        """Return what multiplies the inverse Hessian by a vector (d,)."""
        a, P, K = self.inverse(w, lam, bend)
        return lambda g: a * g - P @ (K @ (P.T @ g))

    def written(self, w: Floats, lam: float, bend: Moments) -> Floats:
        """Return the inverse Hessian as a matrix (d, d), in Fortran order."""
        a, P, K = self.inverse(w, lam, bend)
        B: Floats = (P @ -K) @ P.T
        B.flat[:: a.size + 1] += a
        return B.T


@dataclass(frozen=True)
class NormalLoss(NormalPairs):
    """The mean loss of such pairs."""

    loss: MarginLoss

    @property
    def at_zero(self) -> float:
        return float(self.loss.of_margin(np.zeros(1))[0])

    def _value(self, w: Floats, lam: float) -> float:
        _, mean, t = self._scores(w)
        return 0.5 * lam * float(w @ w) + float(MASS @ self.loss.of_margin(mean + t))

    def _bend(self, w: Floats) -> Moments:
        _, mean, t = self._scores(w)
        h = MASS * self.loss.margin_curvature(mean + t)
        return float(h.sum()), float(h @ t), float(h @ (t * t))

    def inverse_at(self, w: Floats, lam: float) -> Floats:
        """Return the inverse Hessian where the loss curves as it does for such pairs."""
        return self.written(w, lam, self._bend(w))

    def solution(self, lam: float) -> Floats:
        """Return the coefficients (d,) with the least objective."""
        V, m = self.variances, self.mean
        w = m / (lam + float(V.mean()) + float(m @ m))
        value = self._value(w, lam)
        for _ in range(STEPS):
            variance, mean, t = self._scores(w)
            e = MASS * self.loss.margin_derivative(mean + t)
            g = lam * w + float(e.sum()) * m + float(e @ t) / variance * (V * w)
            p, share = self.product(w, lam, self._bend(w))(g), 1.0
            while (found := self._value(w - share * p, lam)) > value and share > SHORTEST:
                share *= 0.5
            if not found < value:
                break
            w, gained, value = w - share * p, float(g @ p), found
            if gained < ENOUGH * value:
                break
        return w
