"""The risk of points: the mean loss of single examples."""

from dataclasses import replace
from typing import Any

import numpy as np

from rankexp.losses.loss import Loss
from rankexp.risks.risk import Risk, Task, unfit
from rankexp.solvers.result import PathResult, bearable
from rankexp.solvers.rows import is_sparse
from rankexp.solvers.smooth.path import smooth_path

REGISTER = {"classification": "Classification"}


class Classification(Risk):
    """The (weighted) mean of ``l(y, w·x + b)`` over examples of two classes.

    With the hinge this is the linear support vector machine with an unpenalised intercept.

    Parameters
    ----------
    balanced : bool
        Whether both classes weigh alike, as with ``class_weight="balanced"``.
    """

    takes = frozenset({"sample_weight"})
    class_weight = True
    reason = "it is a mean over points, which form no pairs"

    def __init__(self, balanced: bool = False) -> None:
        self.balanced = balanced

    def accepts(self, loss: Loss) -> str | None:
        """Return None for a convex loss that is smooth, and for the hinge."""
        return unfit(loss, "points")

    def solve(self, task: Task) -> PathResult:
        """Minimise ``lam/2 ||w||² + risk`` for each penalty."""
        if not task.loss.smooth:
            return _support_vectors(task)
        how: dict[str, Any] = {"tol": task.tol, "max_iter": task.max_iter, "norms": task.norms}
        how |= {"fit_intercept": task.intercept, "sample_weight": task.sample_weight}
        return smooth_path(task.X, task.level > 0, task.loss, task.lams, **how)


def _support_vectors(task: Task) -> PathResult:
    """Minimise ``lam/2 |w|² + (weighted) mean of max(0, 1 - y (w·x + b))``: the linear SVM."""
    # A threshold between two levels is a free intercept, ``b = -theta``. Without an intercept each
    # row also counts as its opposite, so that 0 is the best threshold.
    from rankexp.solvers.ordinal.threshold_hinge import threshold_hinge_path

    if is_sparse(task.X) and not task.intercept:
        text = "the hinge of points takes sparse X with an intercept only"
        raise ValueError(f"{text}: set fit_intercept=True, take another loss, or X.toarray()")
    X, codes, w = task.X, task.level, task.sample_weight
    w = None if w is None else w / w.max()
    if not task.intercept:
        X, codes = np.concatenate((X, -X)), np.concatenate((codes, 1 - codes))
        w = None if w is None else np.concatenate((w, w))
    how: dict[str, Any] = {"tol": task.tol, "max_iter": task.max_iter, "settle": task.intercept}
    found = threshold_hinge_path(X, codes, task.lams, weight=w, **how)
    if found.thresholds is None:
        return found
    intercept = 0.0 - found.thresholds[0]
    offset = bearable(X, found.coef, intercept)
    return replace(found, intercept=intercept, bearable=offset, thresholds=None)
