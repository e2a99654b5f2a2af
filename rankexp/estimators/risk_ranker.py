"""What rankers with a choice of risk share: labels, predictions, checks of parameters."""

from numbers import Integral, Real
from typing import Any
from warnings import warn

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from rankexp.estimators.combinations import Combination, Target, combination
from rankexp.estimators.labels import few_levels, ordered_levels, two_classes
from rankexp.estimators.pair_data import group_numbers
from rankexp.estimators.risk_mixin import RiskMixin
from rankexp.metrics.costs import cost_matrix
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.result import Floats, PathResult


class RiskRanker(RiskMixin, BaseEstimator):  # type: ignore[misc]
    """A ranker with `risk`, of two classes or of ordered levels; base of two estimators."""

    loss: str
    lam: float
    costs: Any
    levels: Any
    tol: float
    max_iter: int
    threshold_: float

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the labels of rows, shape (n,): positive where the score is above 0.

        Under the multipartite risk these are the scores themselves.
        """
        s: Floats = self.decision_function(X)
        if self.risk == "multipartite":
            return s
        labels: npt.NDArray[Any] = self.classes_[(s > 0).astype(np.intp)]
        return labels

    def _check(self, cell: Combination, lam: float) -> None:
        """Raise ValueError where the parameters that all share are impossible."""
        if not (isinstance(lam, Real) and 0.0 <= lam < np.inf):
            raise ValueError(f"lam must be a finite number >= 0, got {lam!r}")
        if lam == 0 and not cell.zero_lam:
            raise ValueError(f"the {self.loss} loss needs lam > 0 (0 is for smooth losses)")
        if not (isinstance(self.tol, Real) and self.tol > 0):
            raise ValueError(f"tol must be a number > 0, got {self.tol!r}")
        if not (isinstance(self.max_iter, Integral) and self.max_iter >= 1):
            raise ValueError(f"max_iter must be an integer >= 1, got {self.max_iter!r}")

    def _target(self, y: npt.NDArray[Any], groups: Any) -> tuple[npt.NDArray[Any], Target]:
        """Return the two classes or the levels, and which rows are positive or pairs count."""
        if self.risk == "multipartite":
            levels, codes = few_levels(y, self.levels)
            groups = group_numbers(groups, codes.size)
            order = PartialOrder.of(codes, cost_matrix(self.costs, levels.shape[0]), groups)
            if not order.total > 0.0:
                raise ValueError(
                    "no pair counts: each needs two levels, a cost above 0, "
                    "and both rows in one group"
                )
            return levels, order
        if groups is not None:
            raise ValueError(
                f"pairs within groups need risk='multipartite' (two levels will do), "
                f"not risk={self.risk!r}"
            )
        if self.levels is None:
            return two_classes(y)
        levels, codes = ordered_levels(y, self.levels)
        here = np.unique(codes)
        if here.shape[0] > 2:
            two_classes(y)  # says what is wrong
        return levels[here], codes == here[-1]

    def _keep(self, labels: npt.NDArray[Any]) -> None:
        """Keep the classes, or the levels, and no others of an earlier fit."""
        kept, dropped = ("levels_", "classes_")[:: 1 if self.risk == "multipartite" else -1]
        setattr(self, kept, labels)
        if hasattr(self, dropped):
            delattr(self, dropped)

    def _warn(self, found: PathResult, lams: Floats, advice: str) -> None:
        for i in np.flatnonzero(~found.converged):
            warn(
                f"{self.loss} × {self.risk} did not converge at lam={lams[i]:g}: "
                f"relative gap {found.gap[i]:.1e} > tol {self.tol:g} after {found.n_iter[i]} "
                f"iterations; {advice}",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _cell(self, without: str = "") -> Combination:
        return combination(self.loss, self.risk, without)
