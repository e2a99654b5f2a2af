"""0/1 loss of the classifier that comes with a ranking, against scikit-learn's."""

import numpy as np
import pytest
from sklearn import metrics as sk

from rankexp.metrics import UndefinedMetricWarning, parse, rank_loss, zero_one_loss
from rankexp.metrics.by_example import binomial

RNG = np.random.default_rng(3)
Y = np.where(RNG.random(60) < 0.4, 1, -1)
S = np.round(Y[:, None] * 0.3 + RNG.standard_normal((60, 4)), 1)
CUTS = np.array([0.0, 0.3, -0.5, 0.1])


@pytest.mark.parametrize("y", [Y, (Y + 1) // 2, Y > 0, np.where(Y > 0, 7.0, 2.5)])
@pytest.mark.parametrize("weight", [None, np.arange(60) % 3])
def test_it_is_that_of_scikit_learn(y, weight):
    found = zero_one_loss(y, S, {"threshold": CUTS}, sample_weight=weight)
    top = y == np.max(y)
    expected = [sk.zero_one_loss(top, S[:, j] > CUTS[j], sample_weight=weight) for j in range(4)]
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    alone = zero_one_loss(y, S[:, 1], {"threshold": [0.3]}, sample_weight=weight)
    assert isinstance(alone, float) and alone == found[1]


def test_each_kind_of_threshold_has_a_name_and_0_is_the_default():
    fitted = {"threshold": 0.3, "training_threshold": CUTS}
    own, training = (parse(f"zero_one_loss{text}") for text in ("", "(threshold=training)"))
    data = {"y": Y, "scores": S, "fitted": fitted}
    np.testing.assert_array_equal(own(**data), zero_one_loss(Y, S, {"threshold": np.full(4, 0.3)}))
    np.testing.assert_array_equal(training(**data), zero_one_loss(Y, S, {"threshold": CUTS}))
    assert not np.array_equal(own(**data), training(**data))
    np.testing.assert_array_equal(zero_one_loss(Y, S, {}), zero_one_loss(Y, S, {"threshold": 0}))


def test_a_score_at_the_threshold_means_negative():
    assert zero_one_loss([0, 1, 1], [0.0, 0.0, 1.0], {}) == pytest.approx(1 / 3)


def test_the_best_scorer_has_no_value_as_nothing_says_its_threshold():
    assert parse("zero_one_loss").needs == {"y", "scores", "fitted"}


def test_what_has_no_value_is_nan_and_what_cannot_be_is_refused():
    with pytest.warns(UndefinedMetricWarning, match="single class"):
        assert np.isnan(zero_one_loss(np.ones(3), np.zeros((3, 2)), {})).all()
    with pytest.raises(ValueError, match="two values, got 3"):
        zero_one_loss([0, 1, 2], np.zeros(3), {})
    with pytest.raises(ValueError, match="expected one of own, training"):
        zero_one_loss([0, 1], [0, 1], {}, "best")
    with pytest.raises(ValueError, match="sample_weight must be finite"):
        zero_one_loss([0, 1], [0, 1], {}, sample_weight=[1, -1])
    with pytest.raises(ValueError, match="not all 0"):
        zero_one_loss([0, 1], [0, 1], {}, sample_weight=[0, 0])


def test_the_standard_error_is_that_of_a_share():
    assert binomial(0.2, [60, 40]) == pytest.approx(0.04)
    assert np.isnan(binomial(np.nan, [60, 40]))


@pytest.mark.parametrize(
    "scores, lost", [([-2, -1, 3, 4, 1, 2, 5, 6], 4), ([-2, -1, 5, 6, 1, 2, 3, 4], 8)]
)
def test_as_many_errors_can_rank_differently(scores, lost):
    """The example of uematsu2010, "How is ranking different from classification?"."""
    y = [-1] * 4 + [1] * 4
    assert zero_one_loss(y, scores, {}) == 2 / 8 and rank_loss(y, scores) == lost / 16
