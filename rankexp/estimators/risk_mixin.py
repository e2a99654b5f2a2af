"""What scikit-learn sees of rankers with a choice of risk."""

from typing import Any

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

    @available_if(lambda self: not ranks_levels(self))  # type: ignore[untyped-decorator]
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of labels that `predict` gets right; not of ordered levels."""
        return float(super().score(X, y, sample_weight))
