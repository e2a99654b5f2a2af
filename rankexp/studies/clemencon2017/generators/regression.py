"""Models of a continuous y of clemencon2017: its Examples 1 and 2, and its polynomial."""

from dataclasses import dataclass
from math import pi, sqrt
from typing import Literal

import numpy as np
from scipy.special import ndtr

from rankexp.arrays import Floats
from rankexp.generators.generator import check_count, check_number

REGISTER = {
    "regression": "Regression",
    "exponential_family": "ExponentialFamily",
    "folded": "Folded",
    "polynomial": "Polynomial",
}

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


ROWS = 4096  # integrated at once
NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)


def _mass(x: Floats, low: float, high: float) -> Floats:
    """Integrate the normal density with mean u and SD u at x over u in [low, high], (n,)."""
    # In ``v = log u``, over at most 40 units: below, the integrand is 0 unless x is.
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
