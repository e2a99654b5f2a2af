"""Thresholds between two classes, for metrics of the classifier that comes with a ranking."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

from rankexp.arrays import Floats
from rankexp.estimators.labels import best_threshold
from rankexp.metrics.bipartite import NAN
from rankexp.metrics.by_example import NAMES
from rankexp.runner.protocols.protocol import Part

NONE = float("nan")  # of an estimator that fits no threshold of its own


def of_model(model: Any) -> float:
    """Return the threshold of a fitted estimator's scores that it was fitted with, or `NONE`.

    An intercept comes first: a linear ranker's `decision_function` is relative to the threshold
    of `predict`, which has the least training error whatever the loss is.
    """
    if separates(model):
        return -float(model.threshold_)
    if not is_classifier(model):
        return NONE
    return 0.0 if hasattr(model, "decision_function") else 0.5


def known(scores: Floats, train: Part, own: Floats) -> dict[str, Floats]:
    """Return both kinds of thresholds, (G,) each, from the scores of training rows, (n, G).

    There are none unless the training part has two classes.
    """
    if len(np.unique(train.y)) != 2:
        return {}
    if np.isnan(scores).any():
        raise ValueError(NAN)
    positive = train.y == train.y.max()
    least = np.array([best_threshold(s, positive, sample_weight=train.weights) for s in scores.T])
    return dict(zip(NAMES.values(), (np.where(np.isnan(own), least, own), least), strict=True))


def separates(model: BaseEstimator) -> bool:
    """Tell whether an intercept is fitted: along a path of penalties the threshold is then 0."""
    return bool(getattr(model, "separates", bool)())
