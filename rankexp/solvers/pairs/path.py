"""Smooth losses of pairs along a path of penalties: two classes, or K levels with costs."""

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats
from rankexp.losses.base import Loss, MarginLoss
from rankexp.solvers.pairs.panels import BlockPairs, PanelPairs
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.risk import SQUARED, ExponentialPairs, PairLoss, PairRisk, SquaredPairs
from rankexp.solvers.pairs.squared_hinge import SquaredHingePairs
from rankexp.solvers.result import PathResult
from rankexp.solvers.smooth.descent import descend
from rankexp.solvers.smooth.path import check_smooth, penalties


def pair_risk(loss: Loss, order: PartialOrder) -> PairRisk:
    """Return the quickest form of the pair risk of a loss that its properties allow."""
    margin = loss if isinstance(loss, MarginLoss) else PairLoss(loss)
    if margin.factorises:
        return ExponentialPairs(order, margin)
    if margin.quadratic:
        return SquaredPairs(order, margin)
    if margin.hinge_power == SQUARED:
        return SquaredHingePairs(order, margin)
    if loss.analytic:
        return PanelPairs(order, margin)
    return PartPairs(order, margin) if margin.parts("pair") else BlockPairs(order, margin)


class PartPairs(PairRisk):
    """A sum of losses of pairs, each of which has quick sums: of ``factor · risk(rate · s)``."""

    def __init__(self, order: PartialOrder, loss: MarginLoss) -> None:
        super().__init__(order, loss)
        self.parts = [(part, pair_risk(part.loss, order)) for part in loss.parts("pair")]
        self.noise = sum(part.factor * risk.noise for part, risk in self.parts)
        panels = any(
            isinstance(risk, PanelPairs) and part.rate == 1.0 for part, risk in self.parts
        )
        self.whole = PanelPairs(order, loss) if panels else None

    def exact(self) -> PairRisk:
        same = all(risk.exact() is risk for _, risk in self.parts)
        return self if same else BlockPairs(self.order, self.loss)

    def value(self, s: Floats) -> float:
        return float(sum(part.factor * risk.value(part.rate * s) for part, risk in self.parts))

    def slope(self, s: Floats) -> Floats:
        r = np.zeros(s.size)
        for part, risk in self.parts:
            r += part.factor * part.rate * risk.slope(part.rate * s)
        return r

    def hessian(self, X: Floats, s: Floats) -> Floats:
        """Return the second derivative in w, or that of scores rounded to panels."""
        if self.whole is not None:
            return self.whole.hessian(X, s)
        H = np.zeros((X.shape[1], X.shape[1]))
        for part, risk in self.parts:
            H += part.factor * part.rate**2 * risk.hessian(X, part.rate * s)
        return H


def pair_path(
    X: npt.ArrayLike,
    order: PartialOrder,
    loss: Loss,
    lams: npt.ArrayLike,
    *,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> PathResult:
    """Minimise ``lam/2 ||w||² + (1/C) sum over pairs of costs l(w·(x_i - x_j))`` along a path.

    C is the sum of the costs of all pairs, and two classes are two levels. Under a loss that isn't
    one of margins, a pair counts ``½ [l(1, D) + l(-1, -D)]``. Intercepts are 0. Raises ValueError
    for a loss that isn't smooth and convex, a penalty below 0, or no pair.
    """
    check_smooth(loss)
    if not order.total > 0.0:
        raise ValueError("a pair risk needs pairs of different levels; there is none")
    X = np.ascontiguousarray(X, dtype=np.float64)
    used = order.in_pairs()
    if used is not None:
        X, order = X[used], order.take(used)
    return descend(X, pair_risk(loss, order), penalties(lams), tol=tol, max_iter=max_iter)
