"""Declare what a generator and its models offer.

A generator is a frozen dataclass whose fields are its parameters, each with a default, so that
``dataclasses.asdict`` writes all that determines it into a record. Bad parameters raise
ValueError with the range allowed. All randomness comes from the `numpy.random.Generator` given.

A model also has what its distribution makes known, for a metric or a check, and no attribute
for what is unknown: ``prior`` P(y = 1), ``bayes_rank_risk``, ``eta(X)`` P(y = 1 | x) (two
classes); ``priors``, ``densities(X)``, ``posterior(X)``, ``ranking(X)`` (several classes, see
`ClassModel`); ``nodes()``, points and weights for integrals over x; ``mean(X)`` E[y | x]
(continuous y).
"""

from typing import Protocol

import numpy as np

from rankexp.arrays import Floats, Ints

__all__ = ["Generator", "Model"]


class Model(Protocol):
    """One distribution of examples (x, y); workers get it pickled."""

    @property
    def levels(self) -> tuple[int, ...] | None:
        """The values of y from worst to best; None where y is continuous."""

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Floats, Floats | Ints]:
        """Draw n examples: X (n, d) float64 in C order and y (n,)."""


class Generator(Protocol):
    """A distribution over models."""

    @property
    def levels(self) -> tuple[int, ...] | None:
        """The levels of every model that it draws: known before any is drawn."""

    def draw_model(self, rng: np.random.Generator) -> Model:
        """Draw a model."""
