"""Smooth losses of pairs along a path of penalties: two classes, or K levels with costs."""

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Bools
from rankexp.losses.base import Loss, MarginLoss
from rankexp.losses.exponential import Exponential
from rankexp.losses.logistic import Logistic
from rankexp.losses.squared_hinge import SquaredHinge
from rankexp.metrics.costs import cost_matrix
from rankexp.solvers.pairs.bipartite import ExponentialPairs, SquaredHingePairs
from rankexp.solvers.pairs.blocks import BlockOrder
from rankexp.solvers.pairs.ordered import ExponentialOrder, SquaredHingeOrder
from rankexp.solvers.pairs.panels import PanelOrder
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.result import PathResult
from rankexp.solvers.smooth.descent import descend
from rankexp.solvers.smooth.path import check_smooth, penalties, signs
from rankexp.solvers.smooth.problem import Risk


def pair_risk(loss: Loss, positive: Bools) -> Risk:
    """Return the quickest form of the pair risk of a loss."""
    match loss:
        case Exponential():
            return ExponentialPairs(positive)
        case SquaredHinge():
            return SquaredHingePairs(positive)
    order = PartialOrder.of(positive, cost_matrix(None, 2))
    return ordered_risk(loss, order)


def pairwise_path(
    X: npt.ArrayLike,
    positive: npt.ArrayLike,
    loss: Loss,
    lams: npt.ArrayLike,
    *,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> PathResult:
    """Minimise ``lam/2 ||w||² + mean over pairs of l(w·(x_i - x_j))`` along a path.

    Parameters
    ----------
    X : array-like of shape (n, d)
    positive : array-like of shape (n,)
        True (or a number > 0) for the positive class.
    loss : Loss
        A convex loss of margins with a continuous derivative.
    lams : array-like of shape (L,)
        Penalties >= 0, in any order.
    tol : float
        Relative suboptimality to reach: certified for ``lam > 0``, estimated for ``lam = 0``.
    max_iter : int
        Steps at most for each penalty.

    Returns
    -------
    PathResult
        With intercepts 0: a pair risk has none.

    Raises
    ------
    ValueError
        For a loss that isn't smooth and convex, a penalty below 0, or one class only.
    """
    check_smooth(loss)
    X = np.ascontiguousarray(X, dtype=np.float64)
    mask = signs(positive) > 0
    if mask.all() or not mask.any():
        raise ValueError("a pair risk needs examples of both classes; there is only one class")
    return descend(X, pair_risk(loss, mask), penalties(lams), tol=tol, max_iter=max_iter)


def ordered_risk(loss: Loss, order: PartialOrder) -> Risk:
    """Return the quickest form of the risk of a loss over the pairs of a partial order."""
    match loss:
        case Exponential():
            return ExponentialOrder(order)
        case SquaredHinge():
            return SquaredHingeOrder(order)
        case Logistic():
            return PanelOrder(order, loss)
        case MarginLoss():
            return BlockOrder(order, loss)
    raise ValueError(f"{loss!r} isn't a loss of margins; its pair risk isn't implemented")


def ordered_path(
    X: npt.ArrayLike,
    order: PartialOrder,
    loss: Loss,
    lams: npt.ArrayLike,
    *,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> PathResult:
    """Minimise ``lam/2 ||w||² + (1/C) sum over pairs of costs l(w·(x_i - x_j))`` along a path.

    Parameters
    ----------
    X : array-like of shape (n, d)
    order : PartialOrder
        Of the rows; C is the sum of the costs of all pairs. Two levels without groups are solved
        as the bipartite problem they are.
    loss, lams, tol, max_iter
        As for `pairwise_path`.

    Returns
    -------
    PathResult
        With intercepts 0: a pair risk has none.

    Raises
    ------
    ValueError
        For a loss that isn't smooth and convex, a penalty below 0, or no pair.
    """
    check_smooth(loss)
    if not order.total > 0.0:
        raise ValueError("a pair risk needs pairs of different levels; there is none")
    positive = order.two_classes()
    if positive is not None:
        return pairwise_path(X, positive, loss, lams, tol=tol, max_iter=max_iter)
    X = np.ascontiguousarray(X, dtype=np.float64)
    used = np.flatnonzero(sum(order.part()))
    risk = ordered_risk(loss, order.take(used))
    return descend(X[used], risk, penalties(lams), tol=tol, max_iter=max_iter)
