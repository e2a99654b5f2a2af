"""Minimise the hinge's risk of pairs on a grid: the best ranking function is a staircase."""

import numpy as np
from numpy.typing import ArrayLike

from rankexp.arrays import Floats, Ints
from rankexp.theory.models import KnownClasses, log_densities
from rankexp.theory.population_hinge import minimise_hinge, pair_weights

REGISTER = {"hinge_population": "hinge_population"}


def hinge_population(
    model: KnownClasses, X: ArrayLike, *, low: float = -3.0, high: float = 3.0, points: int = 41
) -> Floats:
    """Return the scores, (n,), of the least expected pairwise hinge loss on a grid.

    Each class has its density at the grid's points, scaled to add up to 1 there. The scores'
    differences are integers (uematsu2010, Theorem 3), and the middle of their range is 0.

    Parameters
    ----------
    model : object
        A model of two classes with known densities of one feature.
    X : array-like of shape (n, 1)
        Between the ends of the grid; a row gets the score of the nearest point.
    low, high, points : float, float, int
        Ends of the grid, and how many points it has, 2 or more.

    Raises
    ------
    ValueError
        For a model without known densities, not of two classes or of more features, a bad grid,
        or rows beyond its ends.
    """
    x, masses = grid_masses(model, low, high, points)
    nearest = _nearest(np.asarray(X, dtype=np.float64), x)
    return np.asarray(minimise_hinge(pair_weights(masses))[nearest])


def _nearest(rows: Floats, x: Floats) -> Ints:
    if rows.ndim != 2 or rows.shape[1] != 1:
        raise ValueError(f"X must be of shape (n, 1), got {rows.shape}")
    place = (rows[:, 0] - x[0]) / (x[1] - x[0])
    if not ((place >= -0.5) & (place <= len(x) - 0.5)).all():
        raise ValueError(f"X has rows beyond the grid, {x[0]:g} to {x[-1]:g}, or NaN")
    return np.asarray(np.clip(np.rint(place), 0, len(x) - 1), dtype=np.int64)


def grid_masses(
    model: KnownClasses, low: float, high: float, points: int
) -> tuple[Floats, Floats]:
    """Return a grid (m,) and the probabilities (m, 2) of its points in a model's two classes."""
    if not low < high or points < 2:
        raise ValueError(f"low={low}, high={high}, points={points}: expected a grid of 2 or more")
    x = np.linspace(low, high, points)
    logs = log_densities(model, x[:, None], classes=2)
    masses = np.exp(logs - logs.max(axis=0))
    return x, masses / masses.sum(axis=0)
