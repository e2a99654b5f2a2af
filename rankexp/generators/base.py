"""What a generator offers, in two levels: a distribution over models, and a model.

A generator is a frozen dataclass whose fields are its parameters, each with a default, so that
``dataclasses.asdict`` says in a record all that determines it. Bad parameters raise ValueError
with the range allowed. Whatever is random comes from the `numpy.random.Generator` handed in.

Beyond `Model`, a model has what its distribution makes known, for a metric or a check to use, and
nothing under the name of what is not known: ``prior`` P(y = 1), ``bayes_rank_risk``, ``eta(X)``
P(y = 1 | x) (two classes); ``priors``, ``densities(X)``, ``posterior(X)``, ``ranking(X)`` (several
classes, see `ClassModel`); ``nodes()``, points and weights for integrals over x; ``mean(X)``
E[y | x] (continuous y).
"""

from typing import Protocol

import numpy as np

from rankexp.arrays import Floats, Ints

__all__ = ["Generator", "Model"]


class Model(Protocol):
    """One distribution of examples (x, y); can be pickled, so that workers can have it."""

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
