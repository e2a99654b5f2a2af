"""The ROC curve against the AUC and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_curve

from rankexp.metrics import auc
from rankexp.metrics.roc import roc

laws = settings(max_examples=60)
TIES = ["expected", "best", "worst"]


def draw(seed, n=25, K=2):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % K)
    return y, np.round(y + rng.normal(size=n), rng.integers(0, 3)), rng.integers(0, 4, n)


@laws
@given(seed=st.integers(0, 10**6), ties=st.sampled_from(TIES), weighted=st.booleans())
def test_the_area_is_the_auc(seed, ties, weighted):
    y, s, weight = draw(seed)
    weight[:2], y[:2] = 1, (0, 1)
    given_ = {"sample_weight": weight} if weighted else {}
    false, true, thresholds = roc(y, s, ties, **given_)
    assert np.trapezoid(true, false) == pytest.approx(auc(y, s, ties, **given_), abs=1e-14)
    assert (false[0], true[0], false[-1], true[-1]) == (0.0, 0.0, 1.0, 1.0)
    assert (np.diff(false) >= 0).all()
    assert (np.diff(true) >= 0).all()
    if ties != "expected":  # one step at a time
        assert not ((np.diff(false) > 0) & (np.diff(true) > 0)).any()
    theirs = roc_curve(y, s, drop_intermediate=False, **given_)
    for mine, other in zip(roc(y, s, **given_), theirs, strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-14)
    assert thresholds.shape == false.shape


def test_thresholds_give_the_rates():
    y, s, _ = draw(3)
    for false, true, threshold in zip(*roc(y, s), strict=True):
        assert (s[y == 1] >= threshold).mean() == true
        assert (s[y == 0] >= threshold).mean() == false
    ends = roc([0, 1, 0, 1], [-np.inf, 0.0, 1.0, np.inf])
    assert ends[2].tolist() == [np.inf, np.inf, 1.0, 0.0, -np.inf]
    assert ends[1].tolist() == [0.0, 0.5, 0.5, 1.0, 1.0]
    words = np.array(["good", "bad"])[1 - y]
    assert (roc(words, s, levels=["bad", "good"])[1] == roc(y, s)[1]).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": [1, 1, 1]}, "single class"),
        ({"y": [0, 1, 2]}, "two values"),
        ({"scores": [0.0, np.nan, 1.0]}, "NaN"),
        ({"scores": [0.0, 1.0]}, "must be"),
        ({"ties": "half"}, "expected one of"),
        ({"sample_weight": [1.0, 0.0, 0.0]}, "single class"),
        ({"y": ["a", "b", "a"]}, "no order of their own"),
    ],
)
def test_no_curve(change, message):
    with pytest.raises(ValueError, match=message):
        roc(**{"y": [0, 1, 0], "scores": [0.0, 1.0, 2.0], **change})
