"""The squared error that the best a s + b leaves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.metrics.continuous import unexplained_variance

SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=30)
@given(seed=SEEDS, n=st.integers(3, 30))
def test_it_is_the_residual_of_least_squares(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    s, m = rng.standard_normal((2, n))
    design = np.column_stack([s, np.ones(n)])
    fitted = design @ np.linalg.lstsq(design, m, rcond=None)[0]
    expected = np.mean((m - fitted) ** 2) / m.var()
    assert unexplained_variance(s, m) == pytest.approx(expected, abs=1e-12)
    assert unexplained_variance(-3 * s + 5, 2 * m) == pytest.approx(expected, abs=1e-12)


def test_its_ends() -> None:
    m = np.array([1.0, 2.0, 4.0])
    assert unexplained_variance(m * 7 - 1, m) == pytest.approx(0.0, abs=1e-15)
    assert unexplained_variance(np.zeros(3), m) == 1.0
    assert unexplained_variance(np.full(3, 0.1), m) == 1.0
    assert np.isnan(unexplained_variance(m, np.ones(3)))
    assert unexplained_variance(1e200 * m, m) == pytest.approx(0.0, abs=1e-15)
