"""What scikit-learn sees of rankers with a choice of risk."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from rankexp.risks.base import Risk


def ranks_levels(ranker: Any) -> bool:
    """Tell whether a ranker's risk is one of K ordered levels; not where there is no such risk."""
    try:
        return Risk.parse(ranker.risk).several_levels
    except ValueError:
        return False


class RiskMixin(ClassifierMixin):  # type: ignore[misc]
    """A ranker with `risk`: of two classes, a classifier; of ordered levels, neither."""

    risk: str | Risk

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if ranks_levels(self):
            tags.estimator_type = tags.classifier_tags = None
        else:
            tags.classifier_tags.multi_class = False
        return tags

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the labels of rows, shape (n,): positive where the score is above 0.

        Where it was not fitted to two classes these are the scores themselves.
        """
        s: npt.NDArray[Any] = self.decision_function(X)
        if not hasattr(self, "classes_"):
            return s
        return np.asarray(self.classes_[(s > 0).astype(np.intp)])

    def _forget(self, *attributes: str) -> None:
        """Delete what an earlier fit of another kind may have left."""
        for name in attributes:
            if hasattr(self, name):
                delattr(self, name)

    @available_if(lambda self: not ranks_levels(self))  # type: ignore[untyped-decorator]
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of labels that `predict` gets right; not of ordered levels."""
        return float(super().score(X, y, sample_weight))
