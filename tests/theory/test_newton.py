"""Newton's method for functions of differences, whose values are only known up to rounding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankexp.studies.uematsu2010.theory.newton import FLAT, minimise


def log_sum(rows, shift, noise):
    """Return log sum_i exp(a_i . x) - shift, convex in the differences of x, and with noise."""

    def evaluate(x):
        logs = rows @ x
        top = logs.max()
        share = np.exp(logs - top)
        value = top + np.log(share.sum()) - shift
        share /= share.sum()
        gradient = share @ rows
        hessian = rows.T @ (share[:, None] * rows) - np.outer(gradient, gradient)
        return value + noise.uniform(-1e-15, 1e-15), gradient, hessian

    return evaluate


@given(st.integers(0, 2**32 - 1), st.integers(3, 6), st.booleans())
def test_rounding_of_a_value_ends_no_search(seed, m, near_zero):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(4 * m, m))
    rows = np.concatenate([rows, -rows.sum(axis=0)[None]])  # so that there is a minimum
    rows -= rows.mean(axis=1, keepdims=True)  # nothing changes where a constant is added
    exact = log_sum(rows, 0.0, np.random.default_rng(0))
    x = minimise(exact, np.zeros(m))
    shift = exact(x)[0] if near_zero else 0.0
    found = minimise(log_sum(rows, shift, rng), rng.normal(size=m))
    assert np.abs(exact(found)[1]).max() <= 1e-10
    np.testing.assert_allclose(found - found.mean(), x - x.mean(), rtol=1e-9, atol=1e-9)


def test_what_has_no_minimum_is_refused():
    rows = np.array([[1.0, -1.0], [2.0, -2.0]])
    with pytest.raises(ValueError, match=FLAT):
        minimise(log_sum(rows, 0.0, np.random.default_rng(0)), np.zeros(2))
