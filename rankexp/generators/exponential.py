"""The exponential family of clemencon2017, Example 2, with a Gaussian base measure."""

from dataclasses import dataclass
from math import pi, sqrt

import numpy as np
from scipy.special import ndtr

from rankexp.arrays import Floats
from rankexp.generators.base import check_count, check_number

REGISTER = {"exponential_family": "ExponentialFamily"}


@dataclass(frozen=True)
class ExponentialModel:
    """y uniform on [0, 1], x given y with density exp(kappa(y) T(x) - psi(y)) f(x).

    f is the standard normal density in d dimensions, T(x) = u·x with a unit vector u, the
    direction, and kappa(y) = strength (2y - 1): x given y is N(kappa(y) u, I), psi is kappa²/2.
    """

    direction: tuple[float, ...]
    strength: float

    levels = None

    def statistic(self, X: Floats) -> Floats:
        """Return T(x), (n,), an optimal scorer."""
        total = np.zeros(len(X))
        for j, part in enumerate(self.direction):
            total += part * X[:, j]
        return total

    def mean(self, X: Floats) -> Floats:
        """Return m(x) = E[y | x], (n,), a strictly increasing function of T(x).

        Given x, kappa is normal around T(x) with variance 1, cut to [-strength, strength].
        """
        t, a = self.statistic(X), self.strength
        far = np.minimum(np.abs(t), a + 30.0)  # beyond, the masses below underflow
        mass = ndtr(a - far) - ndtr(-a - far)
        density = (np.exp(-((a + far) ** 2) / 2) - np.exp(-((a - far) ** 2) / 2)) / sqrt(2 * pi)
        kappa = np.copysign(far + density / mass, t)
        return np.asarray(0.5 + kappa / (2 * a))

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Draw X (n, d) and y (n,)."""
        y = rng.random(n)
        X = rng.standard_normal((n, len(self.direction)))
        X += (self.strength * (2 * y - 1))[:, None] * np.array(self.direction)
        return X, y


@dataclass(frozen=True)
class ExponentialFamily:
    """Normal features whose mean moves along a random direction as y grows.

    It is Example 2 of clemencon2017 with a Gaussian base measure.

    Parameters
    ----------
    d : int
        Number of features.
    strength : float
        Half the way that the mean moves, in SDs of the features; > 0.
    """

    d: int = 5
    strength: float = 2.0

    levels = ExponentialModel.levels

    def __post_init__(self) -> None:
        check_count("d", self.d)
        check_number("strength", self.strength, least=0.0, open_below=True)

    def draw_model(self, rng: np.random.Generator) -> ExponentialModel:
        """Draw the direction, uniform on the sphere."""
        u = rng.standard_normal(self.d)
        u /= np.sqrt(np.square(u).sum())
        return ExponentialModel(tuple(u.tolist()), float(self.strength))
