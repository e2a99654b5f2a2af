"""The risk of single examples."""

from rankexp.losses.base import Loss
from rankexp.risks.base import Risk, Task
from rankexp.solvers.result import PathResult
from rankexp.solvers.smooth.path import smooth_path

REGISTER = {"classification": "Classification"}


class Classification(Risk):
    """The (weighted) mean of ``l(y, w·x + b)`` over examples of two classes."""

    takes = frozenset({"sample_weight"})
    class_weight = True
    reason = "it is a mean over single examples, which form no pairs"

    def accepts(self, loss: Loss) -> str | None:
        """Return None for a convex loss that is smooth."""
        if not loss.convex:
            return "it is not convex"
        if not loss.smooth:
            return "it has kinks, and over single examples only smooth losses are solved"
        return None

    def solve(self, task: Task) -> PathResult:
        """Minimise ``lam/2 ||w||² + risk`` for each penalty."""
        return smooth_path(
            task.X,
            task.level > 0,
            task.loss,
            task.lams,
            fit_intercept=task.intercept,
            sample_weight=task.sample_weight,
            tol=task.tol,
            max_iter=task.max_iter,
        )
