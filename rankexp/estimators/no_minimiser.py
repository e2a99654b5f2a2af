"""Why a risk without a penalty may have no minimiser."""

import numpy as np

from rankexp.risks.base import Task
from rankexp.solvers.result import PathResult
from rankexp.solvers.scores import scores

TIED = (
    "the risk hardly falls while scores still grow: a direction seems to part some rows and to "
    "tie the others, so that no minimiser exists without a penalty: take lam > 0"
)


def no_minimiser(task: Task, found: PathResult, at: int) -> str | None:
    """Return what to say where a risk without a penalty goes to 0; None where it need not.

    If all is in order and scores four times as high, or 4, still cost something, no end is best.
    """
    if task.lams[at] > 0.0 or not task.loss.monotone:
        return None
    s = scores(task.X, found.coef, found.intercept)[:, at]
    if task.risk.class_weight and not task.intercept:
        least = float(np.where(task.level > 0, s, -s).min())
    else:
        least = task.order.differences(s)[0]
    if not least > 0.0:
        return TIED if np.isinf(found.gap[at]) else None
    if not task.loss.value(1.0, np.array(4.0 * min(least, 1.0))) > 0.0:
        return "the data are separable, and a risk of 0 is reached but for rounding"
    return "the data are separable, so that no minimiser exists without a penalty: take lam > 0"
