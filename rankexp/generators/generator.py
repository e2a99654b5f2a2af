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

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from rankexp.arrays import Floats, Ints

__all__ = ["Generator", "Model"]
Rows = tuple[tuple[float, ...], ...]


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


def check_count(name: str, value: int) -> None:
    """Raise ValueError unless a parameter is a whole number, 1 or more."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{name}={value}: expected a whole number, 1 or more")


def check_number(name: str, value: float, *, least: float, open_below: bool = False) -> None:
    """Raise ValueError unless a parameter is finite and at least (or above) a bound."""
    fine = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    if not fine or value < least or (open_below and value == least):
        bound = f"{'>' if open_below else '>='} {least:g}"
        raise ValueError(f"{name}={value}: expected a number {bound}")


def levels_of(classes: int) -> tuple[int, ...]:
    """Return the values of y, worst to best: -1 and 1, or for more classes 0 to K - 1."""
    return (-1, 1) if classes == 2 else tuple(range(classes))


def checked_priors(priors: Sequence[float] | None, classes: int) -> tuple[float, ...] | None:
    """Return the priors as given, None for equal ones; ValueError unless K are positive."""
    if priors is None:
        return None
    if (given := numbers("priors", priors)).shape != (classes,) or not (given > 0.0).all():
        raise ValueError(f"priors={priors}: expected {classes} positive numbers, one a class")
    return tuple(given.tolist())


def numbers(name: str, value: ArrayLike) -> Floats:
    """Return a parameter as an array of finite numbers; ValueError, naming it, for others."""
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        raise ValueError(f"{name}={value!r}: expected lists of the same length") from None
    if array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        raise ValueError(f"{name}={value!r}: expected finite numbers")
    return array.astype(np.float64)


def plain(array: Floats) -> Any:
    """Return an array as nested tuples of floats, which can be compared, hashed and written."""
    return tuple(map(plain, array)) if array.ndim else float(array)


def rounded(exact: Floats, total: int) -> Ints:
    """Return shares as whole numbers that add up to a total, by largest remainders."""
    counts = np.floor(exact + 1e-9).astype(np.int64)  # 3 * (1 / 3) is to be 1
    counts[np.argsort(counts - exact, kind="stable")[: total - counts.sum()]] += 1
    return counts


@dataclass(frozen=True)
class ClassModel(ABC):
    """A model whose K classes have known densities, and `priors` that add up to 1, worst first.

    If `stratified`, the classes' counts in a sample are their shares of n, rounded, and only
    the order of the rows is random; otherwise every row's class is drawn.
    """

    priors: tuple[float, ...]
    stratified: bool

    @property
    def levels(self) -> tuple[int, ...]:
        """The values of y from worst to best: -1 and 1, or for more classes 0 to K - 1."""
        return levels_of(len(self.priors))

    @abstractmethod
    def log_densities(self, X: Floats) -> Floats:
        """Return the log densities of x in each class, (n, K); -inf for a density of 0."""

    @abstractmethod
    def _draw(self, codes: Ints, rng: np.random.Generator) -> Floats:
        """Draw one x for each of these classes, (n, d)."""

    def densities(self, X: Floats) -> Floats:
        """Return the densities of x in each class, (n, K)."""
        return np.asarray(np.exp(self.log_densities(X)))

    def log_joint(self, X: Floats) -> Floats:
        """Return the logs of prior times density, (n, K)."""
        return self.log_densities(X) + np.log(self.priors)

    def posterior(self, X: Floats) -> Floats:
        """Return P(y = level | x), (n, K)."""
        joint = self.log_joint(X)
        share = np.exp(joint - joint.max(axis=1, keepdims=True))
        return np.asarray(share / share.sum(axis=1, keepdims=True))

    @property
    def prior(self) -> float:
        """P(y = 1), for two classes."""
        self._needs("prior", 2)
        return self.priors[1]

    @property
    def eta(self) -> Callable[[Floats], Floats]:
        """The function X (n, d) -> P(y = 1 | x) (n,), for two classes."""
        self._needs("eta", 2)
        return self._eta

    @property
    def ranking(self) -> Callable[[Floats], Floats]:
        """The function X (n, d) -> (n,) that ranks pairs of different levels best.

        For two classes the log of the likelihood ratio (uematsu2010, Theorem 1), for three the log
        of (P(3|x) + P(2|x)) / (P(1|x) + P(2|x)) (Theorem 4, all costs 1); not known for more.
        """
        self._needs("ranking", 2, 3)
        return self._ranking

    def _needs(self, name: str, *classes: int) -> None:
        if (have := len(self.priors)) not in classes:
            wanted = " or ".join(map(str, classes))
            raise AttributeError(f"{name} is known for {wanted} classes, not for {have}")

    def _eta(self, X: Floats) -> Floats:
        return np.ascontiguousarray(self.posterior(X)[:, 1])

    def _ranking(self, X: Floats) -> Floats:
        if len(self.priors) == 2:
            low, high = self.log_densities(X).T
            return np.asarray(high - low)
        joint = self.log_joint(X)
        above, below = np.logaddexp(joint[:, 1:2], joint[:, [2, 0]]).T
        return np.asarray(above - below)

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Floats, Ints]:
        """Draw X (n, d), float64 in C order, and y (n,) of `levels`."""
        shares = np.array(self.priors)
        if self.stratified:
            codes = rng.permutation(np.repeat(np.arange(len(shares)), rounded(n * shares, n)))
        else:
            codes = rng.choice(len(shares), size=n, p=shares)
        return self._draw(codes, rng), np.array(self.levels)[codes]
