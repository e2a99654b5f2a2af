"""A generator: a distribution over models, and a model."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class DiscModel:
    """Points of a square; those in a disc are mostly positive, the others mostly negative."""

    radius: float
    noise: float
    levels = (-1, 1)

    def sample(self, n, rng):
        """Draw n examples: X (n, 2) in [-1, 1]², y (n,) in {-1, 1}."""
        X = rng.uniform(-1.0, 1.0, (n, 2))
        return X, np.where(rng.random(n) < self.eta(X), 1, -1)

    def eta(self, X):
        """Return P(y = 1 | x), (n,): what the best scorer is, for metrics and reports."""
        inside = (X**2).sum(axis=1) < self.radius**2
        return np.where(inside, 1.0 - self.noise, self.noise)

    @property
    def prior(self):
        """Return P(y = 1)."""
        area = np.pi * self.radius**2 / 4
        return area * (1.0 - self.noise) + (1.0 - area) * self.noise


@dataclass(frozen=True)
class Disc:
    """A disc in a square; no line through the square tells its points from the others.

    Parameters
    ----------
    largest : float
        Radii are drawn from [largest / 2, largest]; at most 1.
    noise : float
        Share of labels that are wrong, below 1/2.
    """

    largest: float = 0.8
    noise: float = 0.1
    levels = DiscModel.levels

    def __post_init__(self):
        if not 0 < self.largest <= 1:
            raise ValueError(f"largest={self.largest}: expected a radius in (0, 1]")
        if not 0 <= self.noise < 0.5:
            raise ValueError(f"noise={self.noise}: expected a share in [0, 1/2)")

    def draw_model(self, rng):
        """Draw a radius."""
        return DiscModel(float(rng.uniform(self.largest / 2, self.largest)), self.noise)
