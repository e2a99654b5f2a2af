"""Products in twice the precision, against fractions."""

from fractions import Fraction

import numpy as np
import pytest

from rankexp.solvers.exact import EPS, exact_product, rounding


def fractions(X, w):
    """Return each sum of products, and that of the absolute ones, without rounding."""
    w = [Fraction(v) for v in w.tolist()]
    parts = [[Fraction(x) * v for x, v in zip(row, w, strict=True)] for row in X.tolist()]
    return [(sum(row), sum(map(abs, row))) for row in parts]


@pytest.mark.parametrize("shape", [(7, 1), (5, 30), (3, 301), (1, 2000)])
def test_products_of_16_decades_that_cancel(shape):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal(shape) * 10.0 ** rng.uniform(-8, 8, shape[1])
        w = rng.standard_normal(shape[1]) * 10.0 ** rng.uniform(-8, 8, shape[1])
        w[-1] = -(X[0, :-1] @ w[:-1]) / X[0, -1]
        for found, plain, (value, size) in zip(
            exact_product(X, w).tolist(), (X @ w).tolist(), fractions(X, w), strict=True
        ):
            square = (shape[1] * EPS) ** 2
            assert abs(Fraction(found) - value) <= EPS * abs(value) + square * size
            assert abs(Fraction(plain) - value) <= rounding(shape[1]) * size


def test_many_products_are_taken_in_blocks(monkeypatch):
    X, w = np.random.default_rng(0).standard_normal((50, 40)), np.arange(40.0)
    whole = exact_product(X, w)
    monkeypatch.setattr("rankexp.solvers.exact.BLOCK", 150)
    np.testing.assert_allclose(exact_product(X, w), whole, rtol=1e-15)
