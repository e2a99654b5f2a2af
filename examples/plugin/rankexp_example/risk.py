"""A risk, solved by a solver of rankexp."""

import numpy as np

from rankexp.risks import Classification
from rankexp.solvers.smooth.path import smooth_path


class Balanced(Classification):
    """Half the mean over positives and half that over negatives, whatever their shares."""

    takes = frozenset()
    class_weight = False
    reason = "it weighs the classes alike"

    def solve(self, task):
        """Minimise ``lam/2 ||w||² + risk`` for each penalty."""
        positive = task.level > 0
        weights = np.where(positive, 0.5 / positive.mean(), 0.5 / (1.0 - positive.mean()))
        return smooth_path(
            task.X,
            positive,
            task.loss,
            task.lams,
            fit_intercept=task.intercept,
            sample_weight=weights,
            tol=task.tol,
            max_iter=task.max_iter,
        )
