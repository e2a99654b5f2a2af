"""The toy of clemencon2017, section 6: a polynomial, nearly flat where most examples are."""

from dataclasses import dataclass

import numpy as np

from rankexp.arrays import Floats

REGISTER = {"polynomial": "Polynomial"}

EDGES = np.array([0.0, 0.415, 0.51, 1.0])
CHANCES = np.array([0.1, 0.8, 0.1])


def polynomial(x: Floats) -> Floats:
    """Return P(z), z = 25 (x - 1/2): z² (z + 1) (z + 1.5) (z + 2)."""
    z = 25.0 * (x - 0.5)
    return z * z * (z + 1.0) * (z + 1.5) * (z + 2.0)


LOW, HIGH = polynomial(np.array([0.0, 1.0])).tolist()


@dataclass(frozen=True)
class PolynomialModel:
    """y = m(x) without noise, x in [0, 1]; there is only one such model."""

    levels = None

    def mean(self, X: Floats) -> Floats:
        """Return m(x) = E[y | x], (n,), in [0, 1]: also an optimal scorer.

        On [.415, .51] it varies by 1.1e-6 in all: never round it, nor compare with a tolerance.
        """
        return np.asarray((polynomial(X[:, 0]) - LOW) / (HIGH - LOW))

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Draw X (n, 1) and y (n,)."""
        piece = rng.choice(3, size=n, p=CHANCES)
        x = EDGES[piece] + rng.random(n) * np.diff(EDGES)[piece]
        X = x[:, None]
        return X, self.mean(X)


@dataclass(frozen=True)
class Polynomial:
    """The polynomial toy: x uniform on [0, .415], [.415, .51], [.51, 1] with chances .1, .8, .1.

    It is that of clemencon2017, section 6 and supplement, "Numerical experiments".
    """

    levels = PolynomialModel.levels

    def draw_model(self, rng: np.random.Generator) -> PolynomialModel:
        """Return the model; nothing about it is random."""
        return PolynomialModel()
