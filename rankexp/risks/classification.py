"""The risk of points: the mean loss of single examples."""

from typing import Any

from rankexp.losses.loss import Loss
from rankexp.risks.risk import Risk, Task, unfit
from rankexp.solvers.result import PathResult
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
        more: dict[str, Any] = {
            "fit_intercept": task.intercept,
            "sample_weight": task.sample_weight,
            "tol": task.tol,
            "max_iter": task.max_iter,
        }
        if task.loss.smooth:
            return smooth_path(task.X, task.level > 0, task.loss, task.lams, **more)
        from rankexp.solvers.ordinal.threshold_hinge import hinge_classes_path

        return hinge_classes_path(task.X, task.level, task.lams, **more)
