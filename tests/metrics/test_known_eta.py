"""The AUC against eta: by brute force, and as the mean over drawn labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankexp.metrics import UndefinedMetricWarning, auc, expected_auc

TIED = {"expected": 0.5, "worst": 0.0, "best": 1.0}
probabilities = st.lists(
    st.tuples(st.integers(-3, 3), st.sampled_from([0.0, 0.01, 0.3, 0.5, 1.0])),
    min_size=2,
    max_size=12,
)


def brute(scores, eta, ties):
    """Return the share by its definition, a pair of different rows at a time."""
    right = total = 0.0
    for i, (s, p) in enumerate(zip(scores, eta, strict=True)):
        for j, (t, q) in enumerate(zip(scores, eta, strict=True)):
            if i != j:
                total += p * (1 - q)
                right += p * (1 - q) * (1.0 if s > t else TIED[ties] if s == t else 0.0)
    return right / total if total else np.nan


@pytest.mark.parametrize("ties", TIED)
@given(rows=probabilities)
def test_equals_its_definition(rows, ties):
    scores, eta = np.array(rows, dtype=float).T
    truth = brute(scores, eta, ties)
    if np.isnan(truth):
        with pytest.warns(UndefinedMetricWarning, match="no two examples"):
            assert np.isnan(expected_auc(scores, eta, ties))
    else:
        assert expected_auc(scores, eta, ties) == pytest.approx(truth, abs=1e-12)


def test_of_certain_labels_is_the_auc():
    rng = np.random.default_rng(3)
    y, scores = rng.integers(0, 2, 50), rng.integers(0, 9, (50, 3)).astype(float)
    assert expected_auc(scores, y) == pytest.approx(auc(y, scores), abs=1e-14)


def test_is_what_drawn_labels_have_in_the_mean():
    rng = np.random.default_rng(4)
    eta = rng.uniform(0.2, 0.8, 300)
    scores = eta + rng.normal(0, 0.2, 300)
    drawn = [auc(rng.random(300) < eta, scores) for _ in range(400)]
    error = np.std(drawn) / np.sqrt(len(drawn))
    assert abs(np.mean(drawn) - expected_auc(scores, eta)) < 4 * error
    assert expected_auc(eta, eta) > expected_auc(scores, eta)


@pytest.mark.parametrize(
    ("scores", "eta", "said"),
    [
        ([1.0, 2.0], [0.1, 1.2], "in \\[0, 1\\]"),
        ([1.0, 2.0], [0.1, np.nan], "in \\[0, 1\\]"),
        ([1.0, 2.0], [0.1], "must be"),
        ([np.nan, 2.0], [0.1, 0.4], "NaN"),
    ],
)
def test_refuses_what_is_none(scores, eta, said):
    with pytest.raises(ValueError, match=said):
        expected_auc(scores, eta)
