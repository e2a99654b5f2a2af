"""What rankers in a feature space minimise: a risk of labels, or a loss of listed pairs.

Either is ``lam/2 |w|²`` plus a mean loss of pairs, and rows may be given in any columns.
"""

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.losses.base import Loss
from rankexp.risks.base import RiskOfPairs, Task
from rankexp.solvers.hinge.listed import listed_hinge
from rankexp.solvers.pairs.pair_list import ListedRisk, PairList
from rankexp.solvers.result import PathResult
from rankexp.solvers.smooth.descent import descend


@dataclass(frozen=True)
class OfLabels:
    """The risk of a task, for its one penalty."""

    task: Task

    def mass(self) -> Floats:
        """Return the share of each row's pairs in the weight of all, (n,)."""
        below, above = self.task.order.part()
        return (below + above) / self.task.order.total

    def solve(self, X: Floats, tol: float) -> PathResult:
        """Minimise it for rows in some columns, (n, r)."""
        task = replace(self.task, X=X, tol=tol)
        return task.risk.solve(task)

    def slope(self, X: Floats, found: PathResult) -> Floats:
        """Return the derivatives of the risk by each score that the gap uses, (n,)."""
        risk = cast(RiskOfPairs, self.task.risk)
        return risk.slope(replace(self.task, X=X), found)

    def __str__(self) -> str:
        return f"{self.task.loss!r} × {self.task.risk!r}"


@dataclass(frozen=True)
class OfList:
    """The mean loss of listed pairs, for one penalty."""

    pairs: PairList
    loss: Loss
    lam: float
    max_iter: int

    def on(self, place: Ints, n: int) -> "OfList":
        """Return the problem for renumbered rows; several may have become one."""
        upper, lower = place[self.pairs.upper], place[self.pairs.lower]
        return replace(self, pairs=PairList.of(upper, lower, self.pairs.share, n))

    def mass(self) -> Floats:
        """As for :class:`OfLabels`."""
        return self.pairs.mass()

    def solve(self, X: Floats, tol: float) -> PathResult:
        """As for :class:`OfLabels`."""
        if not self.loss.smooth:
            return listed_hinge(X, self.pairs, self.lam, tol=tol, max_iter=self.max_iter)
        lams, risk = np.array([self.lam]), ListedRisk(self.pairs, self.loss)
        return descend(X, risk, lams, tol=tol, max_iter=self.max_iter)

    def slope(self, X: Floats, found: PathResult) -> Floats:
        """As for :class:`OfLabels`."""
        if found.slope is not None:
            return found.slope[:, 0]
        return ListedRisk(self.pairs, self.loss).slope(X @ found.coef[:, 0])

    def __str__(self) -> str:
        return f"{self.loss!r} of listed pairs"


PairProblem = OfLabels | OfList
