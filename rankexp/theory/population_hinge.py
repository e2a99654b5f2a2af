"""Risks of pairs of a known distribution, and the scores of the lowest hinge risk.

Pair weights W (m, m) determine them: W[i, j] is the cost-weighted probability that a pair of
different levels has its better example at point i and its worse at point j.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import linprog

from rankexp.arrays import Floats
from rankexp.losses.loss import MarginLoss
from rankexp.metrics.level_counts import cost_matrix


def pair_weights(masses: npt.ArrayLike, costs: npt.ArrayLike | None = None) -> Floats:
    """Return the weights of pairs of points, (m, m), which add up to 1.

    `masses` (m, K) are P(y = level, x = point), worst level first, up to a factor.
    """
    M = np.asarray(masses, dtype=np.float64)
    if M.ndim != 2 or M.shape[1] < 2 or not (np.isfinite(M) & (M >= 0.0)).all():
        raise ValueError("masses must be numbers >= 0 of shape (m, K), K >= 2: a row a point")
    W = M @ cost_matrix(costs, M.shape[1]).T @ M.T
    if not (total := W.sum()) > 0.0:
        raise ValueError("no pair of different levels has any mass")
    return np.asarray(W / total)


def ranking_risk(scores: npt.ArrayLike, weights: Floats) -> float:
    """Return the expected ranking risk of scores (m,): pairs in the wrong order, ties half."""
    r = _checked(scores, weights)
    return float((weights * (np.less.outer(r, r) + 0.5 * np.equal.outer(r, r))).sum())


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
    how: dict[str, Any] = {"A_ub": A, "b_ub": -ones, "method": "highs-ds"}
    how["bounds"] = np.column_stack([least, most])
    how["options"] = {f"{side}_feasibility_tolerance": 1e-10 for side in ("dual", "primal")}
    found = linprog(np.r_[np.zeros(m), weights[i, j] / weights[i, j].max()], **how)
    if not found.success:
        raise ValueError(f"the linear program of the hinge loss was not solved: {found.message}")
    scores = found.x[:m]
    return np.asarray(scores - (scores.max() + scores.min()) / 2)


def _checked(scores: npt.ArrayLike, weights: Floats) -> Floats:
    if (r := np.asarray(scores, dtype=np.float64)).shape != weights.shape[:1]:
        raise ValueError(f"scores must be of shape ({len(weights)},), got {r.shape}")
    return r
