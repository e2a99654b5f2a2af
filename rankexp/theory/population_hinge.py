"""Minimise risks of pairs of a known distribution: that of the hinge on a grid is a staircase.

Pair weights W (m, m) determine them: W[i, j] is the cost-weighted probability that a pair of
different levels has its better example at point i and its worse at point j.
"""

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.optimize import linprog

from rankexp.arrays import Floats, Ints
from rankexp.losses.loss import MarginLoss
from rankexp.metrics.level_counts import cost_matrix
from rankexp.theory.models import KnownClasses, log_densities


def pair_weights(masses: npt.ArrayLike, costs: npt.ArrayLike | None = None) -> Floats:
    """Return the weights of pairs of points, (m, m), which add up to 1.

    `masses` (m, K) are P(y = level, x = point), worst level first, up to a factor.
    """
    M = np.asarray(masses, dtype=np.float64)
    if M.ndim != 2 or M.shape[1] < 2 or not (np.isfinite(M) & (M >= 0.0)).all():
        raise ValueError("masses must be numbers >= 0 of shape (m, K), K >= 2: a row a point")
    W = M @ cost_matrix(costs, M.shape[1]).T @ M.T
    total = W.sum()
    if not total > 0.0:
        raise ValueError("no pair of different levels has any mass")
    return np.asarray(W / total)


def ranking_risk(scores: npt.ArrayLike, weights: Floats) -> float:
    """Return the expected ranking risk of scores (m,): pairs in the wrong order, ties half."""
    r = _checked(scores, weights)
    below = np.less.outer(r, r) + 0.5 * np.equal.outer(r, r)
    return float((weights * below).sum())


def surrogate_risk(scores: npt.ArrayLike, weights: Floats, loss: MarginLoss) -> float:
    """Return the expected pairwise risk of scores (m,) under a loss of margins."""
    r = _checked(scores, weights)
    return float((weights * loss.of_margin(np.subtract.outer(r, r))).sum())


def minimise_hinge(weights: Floats) -> Floats:
    """Return scores (m,) of the least expected pairwise hinge loss, centred at 0."""
    # sum W[i, j] xi[i, j] is least with xi >= 0 and xi[i, j] >= 1 - (r_i - r_j): its matrix is
    # totally unimodular, so all differences are integers (uematsu2010, Theorem 3), if not unique.
    m = len(weights)
    i, j = np.nonzero(weights * ~np.eye(m, dtype=np.bool_))
    if not len(i):
        return np.zeros(m)
    pairs, ones = np.arange(len(i)), np.ones(len(i))
    rows, columns = np.tile(pairs, 3), np.concatenate([i, j, m + pairs])
    A = sparse.csr_array((np.concatenate([-ones, ones, -ones]), (rows, columns)))
    free = np.r_[np.zeros(1), np.full(m - 1, np.inf)]
    least, most = np.r_[-free, np.zeros(len(i))], np.r_[free, np.full(len(i), np.inf)]
    cost = weights[i, j]
    found = linprog(  # type: ignore[call-overload]  # of sparse matrices the stubs know nothing
        np.r_[np.zeros(m), cost / cost.max()],
        A_ub=A,
        b_ub=-ones,
        bounds=np.column_stack([least, most]),
        method="highs-ds",
        options={"dual_feasibility_tolerance": 1e-10, "primal_feasibility_tolerance": 1e-10},
    )
    if not found.success:
        raise ValueError(f"the linear program of the hinge loss was not solved: {found.message}")
    scores = found.x[:m]
    return np.asarray(scores - (scores.max() + scores.min()) / 2)


def _checked(scores: npt.ArrayLike, weights: Floats) -> Floats:
    r = np.asarray(scores, dtype=np.float64)
    if r.shape != weights.shape[:1]:
        raise ValueError(f"scores must be of shape ({len(weights)},), got {r.shape}")
    return r


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
