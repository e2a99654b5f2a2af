"""Scores must not depend on the company a row is in."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.solvers.result import scores


@settings(max_examples=50)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 120),
    d=st.one_of(st.integers(1, 60), st.integers(200, 1500)),
    L=st.integers(1, 20),
)
def test_a_row_has_one_score(seed, n, d, L):
    rng = np.random.default_rng(seed)
    X, W, b = rng.normal(size=(n, d)), rng.normal(size=(d, L)), rng.normal(size=L)
    whole = scores(X, W, b)
    np.testing.assert_allclose(whole, X @ W + b, rtol=1e-9, atol=1e-11)
    assert whole.flags.c_contiguous
    rows = rng.integers(n, size=2 * n)
    np.testing.assert_array_equal(scores(X[rows], W, b), whole[rows])
    np.testing.assert_array_equal(scores(X[:1], W, b), whole[:1])
    k = int(rng.integers(L))
    np.testing.assert_array_equal(scores(X, W[:, [k]], b[k])[:, 0], whole[:, k])


@pytest.mark.parametrize("n", [9999, 40_000])
def test_duplicates_tie_in_large_batches(n):
    rng = np.random.default_rng(n)
    X = rng.uniform(size=(n, 50))
    rows = rng.integers(n, size=n)
    W = rng.normal(size=(50, 1))
    np.testing.assert_array_equal(scores(X[rows], W), scores(X, W)[rows])


def test_no_rows():
    assert scores(np.empty((0, 3)), np.ones((3, 2))).shape == (0, 2)
