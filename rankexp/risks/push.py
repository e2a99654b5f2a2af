"""The p-norm push: a risk of pairs in which negatives at the top weigh most."""

import numpy as np

from rankexp.losses.asymmetric import power
from rankexp.losses.loss import Loss
from rankexp.risks.risk import Risk, Task
from rankexp.solvers.pairs.push_panels import push_risk
from rankexp.solvers.result import PathResult
from rankexp.solvers.rows import as_rows
from rankexp.solvers.smooth.descent import descend
from rankexp.solvers.smooth.path import penalties

REGISTER = {"push": "Push"}


class Push(Risk):
    """The mean over negatives x' of (the mean over positives x of ``l(1, w·(x - x'))``)^p.

    There is no intercept. Only ``l(1, ·)`` of a loss matters. With ``p = 1`` and a loss of the
    margin this is the bipartite risk. Row weights make the means weighted ones. Without a penalty
    the push of the exponential loss has the same minimisers as the classification risk of
    `p_classification` with the same p.

    Parameters
    ----------
    p : float
        At least 1: the larger p, the more the top of the ranking matters. No root is taken, so
        mean losses above 1 grow with p and those below 1 vanish (like ``log(2)^p`` of the logistic
        loss at 0). The right penalty depends on p, and a large p can shrink coefficients to 0.

    References
    ----------
    C. Rudin. The p-norm push. JMLR 10, 2009. Equivalence: Ş. Ertekin and C. Rudin. JMLR 12, 2011.
    """

    takes = frozenset({"sample_weight"})
    reason = "it is a mean over the negatives of all rows"

    def __init__(self, p: float = 4.0) -> None:
        self.p = power("push", p, 1.0)

    def accepts(self, loss: Loss) -> str | None:
        """Return None for a convex loss that is smooth."""
        if not loss.convex:
            return "it is not convex"
        return None if loss.smooth else "it has kinks, and the push is solved for smooth losses"

    def solve(self, task: Task) -> PathResult:
        """Minimise ``lam/2 ||w||² + risk`` for each penalty."""
        start = float(task.loss.value(1.0, np.zeros(1))[0])
        if 0.0 < start < 1.0 and self.p * np.log(start) < np.log(np.finfo(np.float64).tiny):
            text = f"push(p={self.p:g}) of {task.loss!r}: the risk of equal scores, {start:.2g}"
            advice = "lower p, or use the exponential loss"
            raise ValueError(f"{text} to the power p, underflows: {advice}")
        risk = push_risk(task.loss, task.level > 0, self.p, task.sample_weight)
        X = as_rows(task.X)
        return descend(X, risk, penalties(task.lams), tol=task.tol, max_iter=task.max_iter)
