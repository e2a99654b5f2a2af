"""Gaussian classes, as in the numerical examples of uematsu2010."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import ndtr

from rankexp.arrays import Floats, Ints
from rankexp.generators.base import (
    ClassModel,
    Rows,
    checked_priors,
    levels_of,
    numbers,
    plain,
    table,
)

REGISTER = {"gaussian": "Gaussian"}

REACH, STEPS = 12.0, 16  # of the grid: SDs beyond the outer means, nodes per SD
MOST_NODES = 200_000


@dataclass(frozen=True)
class GaussianModel(ClassModel):
    """K classes, each normal with independent features: means and variances are (K, d)."""

    means: Rows
    variances: Rows

    def log_densities(self, X: Floats) -> Floats:
        """Return the log densities of x in each class, (n, K), added up feature by feature."""
        if X.shape[1] != len(self.means[0]):
            raise ValueError(f"X has {X.shape[1]} features; the model has {len(self.means[0])}")
        columns = []
        for mean, variance in zip(self.means, self.variances, strict=True):
            total = np.full(len(X), -0.5 * float(np.log(2 * np.pi * np.array(variance)).sum()))
            for j, (m, v) in enumerate(zip(mean, variance, strict=True)):
                total -= (X[:, j] - m) ** 2 / (2 * v)
            columns.append(total)
        return np.stack(columns, axis=1)

    def _draw(self, codes: Ints, rng: np.random.Generator) -> Floats:
        means, scales = np.array(self.means), np.sqrt(self.variances)
        noise = rng.standard_normal((len(codes), means.shape[1]))
        return np.asarray(means[codes] + scales[codes] * noise)

    @property
    def bayes_rank_risk(self) -> float:
        """Rank loss of the likelihood ratio, for two classes of equal variances."""
        self._needs("bayes_rank_risk", 2)
        if self.variances[0] != self.variances[1]:
            raise AttributeError("bayes_rank_risk is known for equal variances only")
        # The log of the ratio is linear in x: a positive's minus a negative's is normal.
        apart = np.diff(self.means, axis=0)[0] / np.sqrt(self.variances[0])
        return float(ndtr(-sqrt(float((apart**2).sum()) / 2)))

    @property
    def nodes(self) -> Callable[[], tuple[Floats, Floats]]:
        """The function () -> points (m, 1) and weights (m,), for one feature.

        Sums of weight times density times a smooth function are expectations: the trapezoidal
        rule, whose error vanishes exponentially fast for such integrands.
        """
        if len(self.means[0]) != 1:
            raise AttributeError("nodes are known for one feature only")
        return self._nodes

    def _nodes(self) -> tuple[Floats, Floats]:
        means, scales = np.array(self.means)[:, 0], np.sqrt(self.variances)[:, 0]
        low, high = (means - REACH * scales).min(), (means + REACH * scales).max()
        wanted = (high - low) * STEPS / scales.min()
        if not wanted < MOST_NODES:
            raise ValueError(
                f"expectations over x would take {wanted:.1e} points, more than {MOST_NODES}: "
                "choose variances nearer to each other, or nearer means"
            )
        count = int(np.ceil(wanted)) + 1
        x, step = np.linspace(low, high, count, retstep=True)
        return x[:, None], np.full(count, float(step))


@dataclass(frozen=True)
class Gaussian:
    """Classes with normal features, independent within a class; densities are known.

    Both numerical examples of uematsu2010, bipartite and tripartite, are of this kind.

    Parameters
    ----------
    means : sequence of K numbers, or of K lists of d numbers
        The classes' means, worst class first, K >= 2.
    variances : number, sequence of K numbers or of K lists of d numbers, or None
        > 0: the same for all, one a class, or one a class and feature. None: 1.
    priors : sequence of K positive numbers or None
        The classes' shares, scaled to add up to 1. None: equal.
    stratified : bool
        Whether a sample has exactly these shares, rounded: with ``n_train: 400`` two equal classes
        have 200 each.
    """

    means: Sequence[float] | Sequence[Sequence[float]] = (-1.0, 1.0)
    variances: float | Sequence[float] | Sequence[Sequence[float]] | None = None
    priors: Sequence[float] | None = None
    stratified: bool = False

    def __post_init__(self) -> None:
        means = numbers("means", self.means)
        if means.ndim not in (1, 2) or len(means) < 2 or means.size == 0:
            raise ValueError(
                f"means={self.means}: expected two or more numbers, or lists of d numbers, "
                "one a class"
            )
        object.__setattr__(self, "means", plain(means))
        object.__setattr__(self, "priors", checked_priors(self.priors, len(means)))
        if self.variances is not None:
            variances = numbers("variances", self.variances)
            table = means.reshape(len(means), -1).shape
            if variances.shape not in ((), table[:1], table) or not (variances > 0.0).all():
                raise ValueError(
                    f"variances={self.variances}: expected a number > 0, {table[0]} of them "
                    f"(one a class), or {table[0]} lists of {table[1]} (one a feature)"
                )
            object.__setattr__(self, "variances", plain(variances))

    @property
    def levels(self) -> tuple[int, ...]:
        """The values of y: -1 and 1, or for more classes 0 to K - 1."""
        return levels_of(len(self.means))

    def draw_model(self, rng: np.random.Generator) -> GaussianModel:
        """Return the model; nothing about it is random."""
        means = np.array(self.means).reshape(len(self.means), -1)
        variances = np.array(1.0 if self.variances is None else self.variances)
        if variances.ndim == 1:
            variances = variances[:, None]
        shares = np.ones(len(means)) if self.priors is None else np.array(self.priors)
        return GaussianModel(
            tuple((shares / shares.sum()).tolist()),
            self.stratified,
            table(means),
            table(np.broadcast_to(variances, means.shape)),
        )
