"""The counter-example of clemencon2017, Example 1: it has no optimal scorer."""

from dataclasses import dataclass
from math import pi, sqrt

import numpy as np

from rankexp.arrays import Floats

REGISTER = {"folded": "Folded"}

ROWS = 4096  # integrated at once
NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)


def _mass(x: Floats, low: float, high: float) -> Floats:
    """Integrate the normal density with mean u and SD u at x over u in [low, high], (n,).

    The integral is in ``v = log u``, over at most 40 units: below, the integrand is 0 unless x is.
    """
    if high <= low:
        return np.zeros(len(x))
    start, end = np.log(max(low, high * np.exp(-40.0))), np.log(high)
    u = np.exp(start + (end - start) * (NODES + 1) / 2)
    z = x[:, None] / u - 1
    density = np.exp(-z * z / 2) / sqrt(2 * pi)  # times u from du = u dv, over u
    return np.asarray(density @ WEIGHTS * (end - start) / 2)


def _ratio(x: Floats, t: float) -> Floats:
    """Return Phi_t(x) for t <= 1/2."""
    fold = 1 - 2 * t
    outer = _mass(x, fold, 1.0) / 2  # y < t, and as much in y > 1 - t
    above = (_mass(x, 0.0, fold) + outer) / (1 - t)
    return np.asarray(above / (outer / t))


@dataclass(frozen=True)
class FoldedModel:
    """y uniform on [0, 1], x given y normal with mean |2y - 1| and variance (2y - 1)².

    (x, 1 - y) is distributed like (x, y), so the best scorer of y > t is the worst of y > 1 - t.
    """

    levels = None

    def mean(self, X: Floats) -> Floats:
        """Return E[y | x] = 1/2, (n,)."""
        return np.full(len(X), 0.5)

    def ratio(self, X: Floats, t: float) -> Floats:
        """Return Phi_t(x), (n,), 0 < t < 1: the best scorer, p(x | y > t) / p(x | y < t)."""
        if t > 0.5:
            return np.asarray(1.0 / self.ratio(X, 1 - t))
        blocks = [_ratio(X[i : i + ROWS, 0], t) for i in range(0, len(X), ROWS)]
        return np.concatenate([np.empty(0), *blocks])

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Draw X (n, 1) and y (n,)."""
        y = rng.random(n)
        u = np.abs(2 * y - 1)
        return (u + u * rng.standard_normal(n))[:, None], y


@dataclass(frozen=True)
class Folded:
    """Example 1 of clemencon2017: the target folded at 1/2, so that high and low look alike."""

    levels = FoldedModel.levels

    def draw_model(self, rng: np.random.Generator) -> FoldedModel:
        """Return the model; nothing about it is random."""
        return FoldedModel()
