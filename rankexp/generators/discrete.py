"""Draw from finitely many points with given probabilities, where sums are exact."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

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

REGISTER = {"discrete": "Discrete"}


@dataclass(frozen=True)
class DiscreteModel(ClassModel):
    """K probability mass functions (K, m) on the same m points (m, d)."""

    points: Rows
    pmfs: Rows

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
            mine = codes == k
            rows[mine] = rng.choice(len(pmf), size=int(mine.sum()), p=pmf)
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
        points = numbers("points", self.points)
        if points.ndim not in (1, 2) or points.size == 0:
            raise ValueError(f"points={self.points}: expected numbers, or lists of d numbers")
        if len(np.unique(points, axis=0)) < len(points):
            raise ValueError(f"points={self.points}: a point occurs twice; add up its chances")
        pmfs = numbers("pmfs", self.pmfs)
        if pmfs.ndim != 2 or len(pmfs) < 2 or pmfs.shape[1] != len(points):
            raise ValueError(
                f"pmfs={self.pmfs}: expected two or more lists, one a class, of {len(points)} "
                "numbers, one a point"
            )
        totals = pmfs.sum(axis=1)
        if (pmfs < 0.0).any() or (np.abs(totals - 1.0) > 1e-6).any():
            raise ValueError(f"pmfs={self.pmfs}: expected numbers >= 0 that add up to 1 a class")
        if not (pmfs > 0.0).any(axis=0).all():
            raise ValueError(f"pmfs={self.pmfs}: leave out what has chance 0 in every class")
        object.__setattr__(self, "points", plain(points))
        object.__setattr__(self, "pmfs", plain(pmfs))
        object.__setattr__(self, "priors", checked_priors(self.priors, len(pmfs)))

    @property
    def levels(self) -> tuple[int, ...]:
        """The values of y: -1 and 1, or for more classes 0 to K - 1."""
        return levels_of(len(self.pmfs))

    def draw_model(self, rng: np.random.Generator) -> DiscreteModel:
        """Return the model; nothing about it is random."""
        points, pmfs = np.array(self.points), np.array(self.pmfs)
        shares = np.ones(len(pmfs)) if self.priors is None else np.array(self.priors)
        return DiscreteModel(
            tuple((shares / shares.sum()).tolist()),
            self.stratified,
            table(points.reshape(len(points), -1)),
            table(pmfs / pmfs.sum(axis=1, keepdims=True)),
        )
