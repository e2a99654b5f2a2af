"""Margins against all pairs, listed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.studies.mohri2018.margins import least_margin, margin_loss

laws = settings(max_examples=60)


@laws
@given(seed=st.integers(0, 10**6), K=st.sampled_from([2, 4]))
def test_margins_are_of_all_pairs(seed, K):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(25) % K)
    s = np.round(y + rng.normal(size=25), rng.integers(0, 3))
    i, j = np.nonzero(y[:, None] > y)
    z = s[i] - s[j]
    assert least_margin(y, s) == z.min()
    at = np.array([0.25, 0.5, 2.0])
    ramp = [np.clip(1 - z / rho, 0, 1).mean() for rho in at]
    np.testing.assert_allclose(margin_loss(y, s + 1e6, at), ramp, atol=1e-8)
    np.testing.assert_allclose(margin_loss(y, s, at), ramp, atol=1e-13)
    step = [(s[i] - rho <= s[j]).mean() for rho in (0.0, *at)]
    np.testing.assert_allclose(margin_loss(y, s, [0.0, *at], "step"), step, atol=1e-15)
    assert (margin_loss(y, s, at) <= margin_loss(y, s, at, "step") + 1e-15).all()
    assert margin_loss(y, s, 0.5).shape == ()


@pytest.mark.parametrize("kind", ["ramp", "step"])
def test_margins_of_scores_of_any_size(kind):
    y, s = [0, 0, 1, 1], np.array([-1.9, 1.5, 0.25, 1.9])
    at = np.array([0.5, 1.0])
    for size in (2.0**1023, 2.0**-900):  # scores up to 1.7e308
        found = margin_loss(y, size * s, size * at, kind)
        np.testing.assert_array_equal(found, margin_loss(y, s, at, kind))
    assert margin_loss(y, 2.0**1023 * s, 1e-300, kind) == margin_loss(y, s, 1e-300, kind) == 0.25


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": [1, 1]}, "single value"),
        ({"scores": [0.0, np.inf]}, "finite"),
        ({"rho": 0.0}, "> 0"),
        ({"rho": [-1.0], "kind": "step"}, ">= 0"),
        ({"rho": np.nan}, "finite"),
        ({"kind": "hinge"}, "expected 'ramp'"),
    ],
)
def test_no_margin(change, message):
    with pytest.raises(ValueError, match=message):
        margin_loss(**{"y": [0, 1], "scores": [0.0, 1.0], "rho": 1.0, **change})
