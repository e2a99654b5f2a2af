"""Values of single losses that must come out right to the last digits."""

import math

import numpy as np
import pytest

from rankexp.losses import Exponential, Hinge, Logistic, SquaredHinge, ZeroOne

Z = np.array([-40.0, -1.0, 0.0, 0.5, 1.0, 2.0, 40.0])


def test_logistic_keeps_its_tails():
    exact = [math.log1p(math.exp(-z)) for z in Z]
    np.testing.assert_allclose(Logistic().of_margin(Z), exact, rtol=1e-15)
    assert Logistic().of_margin(np.array([-1e5]))[0] == 1e5
    assert Logistic().of_margin(np.array([700.0]))[0] == pytest.approx(math.exp(-700), rel=1e-12)


def test_exponential_overflows_to_infinity_and_never_clips():
    with np.errstate(all="raise", over="raise"):
        assert Exponential().value(1.0, np.array([-800.0]))[0] == np.inf
        assert Exponential().derivative(1.0, np.array([-800.0]))[0] == -np.inf
    assert Exponential().of_margin(np.array([-700.0]))[0] == math.exp(700)


def test_hinges():
    np.testing.assert_array_equal(Hinge().of_margin(Z), [41, 2, 1, 0.5, 0, 0, 0])
    np.testing.assert_array_equal(Hinge().margin_derivative(Z), [-1, -1, -1, -1, 0, 0, 0])
    np.testing.assert_array_equal(SquaredHinge().of_margin(Z), [1681, 4, 1, 0.25, 0, 0, 0])


def test_a_margin_of_zero_is_an_error():
    np.testing.assert_array_equal(ZeroOne().of_margin(Z), [1, 1, 1, 0, 0, 0, 0])
    np.testing.assert_array_equal(ZeroOne().value(-1.0, np.array([-2.0, 0.0, 2.0])), [0, 1, 1])


def test_the_zero_one_loss_trains_nothing():
    for of in (ZeroOne().derivative, ZeroOne().curvature):
        with pytest.raises(NotImplementedError, match="evaluation only"):
            of(1.0, Z)
