"""The regression model of clemencon2017, Example 2: y = m(x) + noise, in any dimension."""

from dataclasses import dataclass
from math import pi, sqrt
from typing import Literal

import numpy as np

from rankexp.arrays import Floats
from rankexp.generators.base import check_count, check_number

REGISTER = {"regression": "Regression"}

Shape = Literal["linear", "waves"]


@dataclass(frozen=True)
class RegressionModel:
    """Features uniform on the unit cube, y = m(x) + Gaussian noise; m is an optimal scorer.

    The squares of the `weights` add up to 1; `phases` are in [0, 1], None where m is linear;
    `noise` is its SD, that of m(x) being 1.
    """

    weights: tuple[float, ...]
    phases: tuple[float, ...] | None
    noise: float

    levels = None

    def mean(self, X: Floats) -> Floats:
        """Return m(x) = E[y | x], (n,), added up feature by feature: bits depend on the row alone.

        Each feature's part has mean 0 and variance weight².
        """
        total = np.zeros(len(X))
        for j, weight in enumerate(self.weights):
            if self.phases is None:
                total += weight * sqrt(12) * (X[:, j] - 0.5)
            else:
                total += weight * sqrt(2) * np.sin(2 * pi * (X[:, j] + self.phases[j]))
        return total

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Draw X (n, d) and y (n,)."""
        X = rng.random((n, len(self.weights)))
        return X, self.mean(X) + self.noise * rng.standard_normal(n)


@dataclass(frozen=True)
class Regression:
    """y = m(x) + noise, m a weighted sum of lines or of sine waves, one a feature.

    Whatever the noise, m is an optimal scorer, and so is any strictly increasing function of it
    (clemencon2017, Example 2).

    Parameters
    ----------
    d : int
        Number of features.
    noise : float
        SD of the noise as a multiple of the SD of m(x), >= 0.
    shape : {"linear", "waves"}
        ``waves``: one period of a sine a feature, of random phase; not monotone in any.
    """

    d: int = 5
    noise: float = 0.5
    shape: Shape = "linear"

    levels = RegressionModel.levels

    def __post_init__(self) -> None:
        check_count("d", self.d)
        check_number("noise", self.noise, least=0.0)
        if self.shape not in ("linear", "waves"):
            raise ValueError(f"shape='{self.shape}': expected linear or waves")

    def draw_model(self, rng: np.random.Generator) -> RegressionModel:
        """Draw weights, uniform on the sphere, and phases."""
        weights = rng.standard_normal(self.d)
        weights /= np.sqrt(np.square(weights).sum())
        phases = tuple(rng.random(self.d).tolist()) if self.shape == "waves" else None
        return RegressionModel(tuple(weights.tolist()), phases, float(self.noise))
