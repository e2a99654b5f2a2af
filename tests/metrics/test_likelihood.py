"""The log loss of scores, beside scikit-learn's of probabilities."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import log_loss as of_probabilities

from rankexp.metrics import UndefinedMetricWarning, log_loss


def test_is_that_of_probabilities():
    rng = np.random.default_rng(0)
    y, scores, weight = rng.integers(0, 2, 80), rng.normal(0, 3, (80, 2)), rng.random(80)
    for column, value in zip(scores.T, log_loss(y, scores, sample_weight=weight), strict=True):
        truth = of_probabilities(y, expit(column), sample_weight=weight)
        assert value == pytest.approx(truth, rel=1e-12)


def test_overflows_nowhere():
    assert log_loss([0, 1], [1e4, -1e4]) == pytest.approx(1e4)
    assert log_loss([0, 1], [-1e4, 1e4]) == 0.0


def test_turns_with_labels_and_scores():
    rng = np.random.default_rng(1)
    y, scores = rng.integers(0, 2, 40), rng.normal(size=40)
    assert log_loss(1 - y, -scores) == pytest.approx(log_loss(y, scores), rel=1e-14)


def test_one_class_has_none():
    with pytest.warns(UndefinedMetricWarning, match="single class"):
        assert np.isnan(log_loss([1, 1], [0.1, 0.2]))


def test_more_classes_have_none():
    with pytest.raises(ValueError, match="two values"):
        log_loss([0, 1, 2], [0.1, 0.2, 0.3])
