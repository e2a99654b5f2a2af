"""Classes with known densities: Gaussian, or on finitely many points, where sums are exact."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import ndtr

from rankexp.arrays import Floats, Ints
from rankexp.generators import generator

REGISTER = {"gaussian": "Gaussian", "discrete": "Discrete"}

REACH, STEPS = 12.0, 16  # of the grid: SDs beyond the outer means, nodes per SD
MOST_NODES = 200_000


@dataclass(frozen=True)
class GaussianModel(generator.ClassModel):
    """K classes, each normal with independent features: means and variances are (K, d)."""

    means: generator.Rows
    variances: generator.Rows

    def log_densities(self, X: Floats) -> Floats:
        """Return the log densities of x in each class, (n, K), added up feature by feature."""
        if X.shape[1] != len(self.means[0]):
            raise ValueError(f"X has {X.shape[1]} features; the model has {len(self.means[0])}")
        means, variances = np.array(self.means), np.array(self.variances)
        total = np.tile(-0.5 * np.log(2 * np.pi * variances).sum(axis=1), (len(X), 1))
        for j in range(X.shape[1]):
            total -= (X[:, [j]] - means[:, j]) ** 2 / (2 * variances[:, j])
        return total

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
        if not (wanted := (high - low) * STEPS / scales.min()) < MOST_NODES:
            text = f"expectations over x would take {wanted:.1e} points, more than {MOST_NODES}"
            raise ValueError(f"{text}: choose variances nearer to each other, or nearer means")
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
        means = generator.numbers("means", self.means)
        if means.ndim not in (1, 2) or len(means) < 2 or means.size == 0:
            text = f"means={self.means}: expected two or more numbers"
            raise ValueError(f"{text}, or lists of d numbers, one a class")
        object.__setattr__(self, "means", generator.plain(means))
        object.__setattr__(self, "priors", generator.checked_priors(self.priors, len(means)))
        if self.variances is not None:
            variances = generator.numbers("variances", self.variances)
            shape = means.reshape(len(means), -1).shape
            if variances.shape not in ((), shape[:1], shape) or not (variances > 0.0).all():
                text = f"variances={self.variances}: expected a number > 0, {shape[0]} of them"
                more = f"or {shape[0]} lists of {shape[1]} (one a feature)"
                raise ValueError(f"{text} (one a class), {more}")
            object.__setattr__(self, "variances", generator.plain(variances))

    @property
    def levels(self) -> tuple[int, ...]:
        """The values of y: -1 and 1, or for more classes 0 to K - 1."""
        return generator.levels_of(len(self.means))

    def draw_model(self, rng: np.random.Generator) -> GaussianModel:
        """Return the model; nothing about it is random."""
        means = np.array(self.means).reshape(len(self.means), -1)
        variances = np.array(1.0 if self.variances is None else self.variances)
        variances = variances[:, None] if variances.ndim == 1 else variances
        shares = np.ones(len(means)) if self.priors is None else np.array(self.priors)
        each = generator.plain(means), generator.plain(np.broadcast_to(variances, means.shape))
        return GaussianModel(generator.plain(shares / shares.sum()), self.stratified, *each)


@dataclass(frozen=True)
class DiscreteModel(generator.ClassModel):
    """K probability mass functions (K, m) on the same m points (m, d)."""

    points: generator.Rows
    pmfs: generator.Rows

    def log_densities(self, X: Floats) -> Floats:
        """Return the log probabilities of x in each class, (n, K); each row must be a point."""
        place = {point: i for i, point in enumerate(self.points)}
        rows = [place.get(tuple(row), -1) for row in np.asarray(X).tolist()]
        if -1 in rows:
            raise ValueError(f"row {rows.index(-1)} of X is none of the {len(place)} points")
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.array(self.pmfs).T[rows]))

    def _draw(self, codes: Ints, rng: np.random.Generator) -> Floats:
        rows = np.empty(len(codes), dtype=np.int64)
        for k, pmf in enumerate(self.pmfs):
            rows[codes == k] = rng.choice(len(pmf), size=np.count_nonzero(codes == k), p=pmf)
        return np.array(self.points)[rows]

    def nodes(self) -> tuple[Floats, Floats]:
        """Return the points (m, d) and weights (m,) of 1: sums over them are expectations."""
        return np.array(self.points), np.ones(len(self.points))


@dataclass(frozen=True)
class Discrete:
    """Classes on finitely many points, with given probability mass functions.

    Those of uematsu2010, "Toy example for possible ties under hinge loss", are of this kind.

    Parameters
    ----------
    points : sequence of m numbers, or of m lists of d numbers
        All different.
    pmfs : sequence of K lists of m numbers
        The probability of each point in each class, worst class first, K >= 2. Those of a class
        add up to 1 within 1e-6, and are scaled to do so exactly.
    priors : sequence of K positive numbers or None
        The classes' shares, scaled to add up to 1. None: equal.
    stratified : bool
        Whether a sample has exactly these shares, rounded.
    """

    points: Sequence[float] | Sequence[Sequence[float]] = (1.0, 2.0, 3.0)
    pmfs: Sequence[Sequence[float]] = ((0.5, 0.3, 0.2), (0.2, 0.3, 0.5))
    priors: Sequence[float] | None = None
    stratified: bool = False

    def __post_init__(self) -> None:
        points = generator.numbers("points", self.points)
        if points.ndim not in (1, 2) or points.size == 0:
            raise ValueError(f"points={self.points}: expected numbers, or lists of d numbers")
        if len(np.unique(points, axis=0)) < len(points):
            raise ValueError(f"points={self.points}: a point occurs twice; add up its chances")
        pmfs = generator.numbers("pmfs", self.pmfs)
        if pmfs.ndim != 2 or len(pmfs) < 2 or pmfs.shape[1] != len(points):
            text = f"pmfs={self.pmfs}: expected two or more lists, one a class"
            raise ValueError(f"{text}, of {len(points)} numbers, one a point")
        if (pmfs < 0.0).any() or (np.abs(pmfs.sum(axis=1) - 1.0) > 1e-6).any():
            raise ValueError(f"pmfs={self.pmfs}: expected numbers >= 0 that add up to 1 a class")
        if not (pmfs > 0.0).any(axis=0).all():
            raise ValueError(f"pmfs={self.pmfs}: leave out what has chance 0 in every class")
        object.__setattr__(self, "points", generator.plain(points))
        object.__setattr__(self, "pmfs", generator.plain(pmfs))
        object.__setattr__(self, "priors", generator.checked_priors(self.priors, len(pmfs)))

    @property
    def levels(self) -> tuple[int, ...]:
        """The values of y: -1 and 1, or for more classes 0 to K - 1."""
        return generator.levels_of(len(self.pmfs))

    def draw_model(self, rng: np.random.Generator) -> DiscreteModel:
        """Return the model; nothing about it is random."""
        points, pmfs = np.array(self.points).reshape(len(self.points), -1), np.array(self.pmfs)
        shares = np.ones(len(pmfs)) if self.priors is None else np.array(self.priors)
        each = generator.plain(points), generator.plain(pmfs / pmfs.sum(axis=1, keepdims=True))
        return DiscreteModel(generator.plain(shares / shares.sum()), self.stratified, *each)
