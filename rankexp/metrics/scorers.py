"""Metrics as scorers of scikit-learn: ``scoring=`` of `GridSearchCV`, `cross_val_score` and more.

A scorer is called with a fitted estimator, X and y, and returns a number, the greater the better:
a metric of which lower is better gets a minus, as `sklearn.metrics.make_scorer` has it.

>>> import numpy as np
>>> from sklearn.model_selection import cross_val_score
>>> from rankexp.estimators import LinearRanker, ProportionalOdds
>>> from rankexp.metrics import RankScorer, rank_loss_scorer, u_pairs_scorer
>>> X = np.arange(12.0)[:, None]
>>> cross_val_score(LinearRanker(), X, np.arange(12) % 2, scoring=rank_loss_scorer, cv=2).shape
(2,)
>>> levels = ["bad", "fair", "good"]  # worst to best
>>> scorer = u_pairs_scorer(levels=levels)
>>> model, y = ProportionalOdds(levels=levels), np.repeat(levels, 4)
>>> float(scorer(model.fit(X, y), X, y))
1.0
>>> RankScorer("pair_risk(costs=1 2 1)", levels)(model, X, y)
-0.0
"""

from dataclasses import dataclass, field, replace
from typing import Self
from warnings import catch_warnings

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import UNCHANGED, MetadataRequest

from rankexp.arrays import Labels, PerRow
from rankexp.blas import one_thread
from rankexp.categories import Levels, has_own_order, in_order
from rankexp.metrics.level_counts import group_numbers
from rankexp.metrics.metric import Metric, UndefinedMetricWarning, mean_over_groups, parse
from rankexp.warn import warn_ungrouped

__all__ = [
    "RankScorer",
    "auc_scorer",
    "d_tau_scorer",
    "iauc_scorer",
    "rank_loss_scorer",
    "u_pairs_scorer",
]

Request = bool | str | None
"""Whether to ask for something, under which other name, or None: undecided."""


@dataclass(frozen=True)
class RankScorer:
    """A metric as a scorer.

    Of two classes the positive one is ``classes_[1]``, which a `decision_function` or the last
    column of `predict_proba` is high for, or the last of `levels`: scores and classes then turn
    round together, which changes measures of the top of a list, but none of pairs. A classifier of
    K > 2 classes is ranked by the expected place of its class among `levels`. All else is ranked
    by its `decision_function`, or by what it predicts, against `levels`, or the numbers in y.

    Parameters
    ----------
    metric : str or Metric
        Any of `rankexp.metrics`, also with parameters, as ``rank_loss(ties=worst)``.
    levels : sequence, optional
        The labels in y, worst to best. Of words that aren't two classes they are needed, unless y
        is an ordered Categorical or the estimator has `levels_`, as a pipeline has not.
    """

    metric: str | Metric
    levels: Levels | None = None
    _asked: tuple[Request, Request] = field(default=(None, None), repr=False, kw_only=True)

    def __call__(
        self,
        estimator: BaseEstimator,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: PerRow = None,
        groups: PerRow = None,
    ) -> float:
        """Return the score of a fitted estimator on rows X (n, d) and targets y (n,).

        With `groups` (n,) it is the mean over groups that have a value; a warning counts others.
        ValueError for an estimator that gives no scores, labels without an order, or weights that
        the metric does not take.
        """
        metric = parse(self.metric) if isinstance(self.metric, str) else self.metric
        if sample_weight is not None and "sample_weight" not in metric.takes:
            raise ValueError(f"the metric {metric!r} takes no sample_weight")
        warn_ungrouped(estimator, groups)
        scores, levels = _ranked(estimator, X, self.levels, has_own_order(y))
        target = in_order(y, levels)
        data = {"y": target, "scores": scores, "reference": target, "sample_weight": sample_weight}
        given = {name: np.asarray(value) for name, value in data.items() if value is not None}
        value = _value(metric, given, None if levels is None else len(levels), groups)
        return value if metric.direction == "higher" else -value

    def set_score_request(
        self, *, groups: Request = UNCHANGED, sample_weight: Request = UNCHANGED
    ) -> Self:
        """Return a scorer that asks a search for groups or weights, as estimators' method does.

        It needs ``sklearn.set_config(enable_metadata_routing=True)``.
        """
        new = zip(self._asked, (groups, sample_weight), strict=True)
        first, second = (old if value == UNCHANGED else value for old, value in new)
        return replace(self, _asked=(first, second))

    def get_metadata_routing(self) -> MetadataRequest:
        """Return what it asks a search for, for scikit-learn."""
        found = MetadataRequest(owner=type(self).__name__)
        for name, asked in zip(("groups", "sample_weight"), self._asked, strict=True):
            found.score.add_request(param=name, alias=asked)
        return found


def _value(metric: Metric, data: dict[str, Labels], levels: int | None, groups: PerRow) -> float:
    """Return a metric of all rows, or the mean over groups, as in a study."""
    if groups is None or "groups" in metric.takes:
        return float(metric(**data, levels=levels, groups=groups))
    numbers = np.asarray(group_numbers(groups, len(data["y"])))
    with catch_warnings(action="ignore", category=UndefinedMetricWarning):
        parts = ({k: v[numbers == g] for k, v in data.items()} for g in range(numbers.max() + 1))
        values = [float(metric(**own, levels=levels)) for own in parts]
    return float(mean_over_groups(np.array(values)[:, None], repr(metric))[0])


def _ranked(
    estimator: BaseEstimator, X: ArrayLike, levels: Levels | None, own: bool
) -> tuple[Labels, Levels | None]:
    """Return scores of rows, (n,), and the labels that they are in the order of, if told."""
    classes = getattr(estimator, "classes_", None)
    sign = 1.0
    if classes is not None and np.shape(classes) == (2,):
        if levels is not None and list(levels) == list(classes)[::-1]:
            sign = -1.0
        else:
            levels = classes
    elif levels is None and not own:
        levels = getattr(estimator, "levels_", None)
    if hasattr(estimator, "decision_function"):
        scores = np.asarray(estimator.decision_function(X))
        if scores.ndim == 1:
            return sign * scores, levels
    if hasattr(estimator, "predict_proba"):
        places = np.asarray(in_order(np.asarray(classes), levels), dtype=np.float64)
        shares = np.asarray(estimator.predict_proba(X))
        with one_thread:
            return shares @ places, levels
    if classes is not None:
        raise ValueError(f"{estimator!r} gives no scores to rank by, only classes")
    return np.asarray(estimator.predict(X)), levels


auc_scorer = RankScorer("auc")
rank_loss_scorer = RankScorer("rank_loss")
iauc_scorer = RankScorer("iauc")
d_tau_scorer = RankScorer("d_tau")


def u_pairs_scorer(levels: Levels | None = None) -> RankScorer:
    """Return a scorer by U_pairs; `levels` are the labels in y, worst to best."""
    return RankScorer("u_pairs", levels)
