"""What every registered loss must keep."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from rankexp import registry

LOSSES = {name: registry.get("losses", name)() for name in registry.names("losses")}
V = np.linspace(-6.0, 6.0, 241) + 0.0123
ETA = np.linspace(0.02, 0.98, 25)


def having(flag):
    return pytest.mark.parametrize(
        "loss", [loss for loss in LOSSES.values() if getattr(loss, flag)], ids=repr
    )


every = pytest.mark.parametrize("loss", LOSSES.values(), ids=repr)
both = pytest.mark.parametrize("y", [1.0, -1.0])


def test_the_losses_of_the_first_study_are_there():
    assert {"logistic", "exponential", "hinge", "squared_hinge", "zero_one"} <= set(LOSSES)


@every
def test_values_are_equal_where_losses_are(loss):
    assert loss == type(loss)()
    assert hash(loss) == hash(type(loss)())
    assert loss != object()


@every
def test_labels_broadcast(loss):
    y = np.where(np.arange(V.size) % 3 == 0, 1.0, -1.0)
    each = [loss.value(sign, np.array([v]))[0] for sign, v in zip(y, V, strict=True)]
    np.testing.assert_array_equal(loss.value(y, V), each)


@every
@both
def test_values_are_not_negative_and_fall_with_the_right_sign(loss, y):
    values = loss.value(y, V)
    assert (values >= 0).all()
    assert (np.diff(values) * y <= 1e-15).all()


@having("convex")
@both
def test_the_derivative_is_the_slope(loss, y):
    h = 1e-6
    slope = (loss.value(y, V + h) - loss.value(y, V - h)) / (2 * h)
    np.testing.assert_allclose(loss.derivative(y, V), slope, rtol=1e-6, atol=1e-7)


@having("convex")
@both
def test_the_curvature_is_the_slope_of_the_derivative(loss, y):
    h = 1e-6
    slope = (loss.derivative(y, V + h) - loss.derivative(y, V - h)) / (2 * h)
    np.testing.assert_allclose(loss.curvature(y, V), slope, rtol=1e-6, atol=1e-7)


@having("convex")
@both
def test_convex(loss, y):
    assert (np.diff(loss.derivative(y, V)) >= 0).all()
    assert (loss.curvature(y, V) >= 0).all()


@having("smooth")
@both
def test_the_derivative_of_a_smooth_loss_has_no_jump(loss, y):
    at = np.linspace(-3.0, 3.0, 60_001)
    jumps = np.abs(np.diff(loss.derivative(y, at)))
    assert jumps.max() < 1e-4 * 4 * np.exp(3.0)


@having("proper")
def test_the_link_is_the_best_score(loss):
    for eta in ETA:

        def risk(v, eta=eta):
            return eta * loss.value(1.0, np.array(v)) + (1 - eta) * loss.value(-1.0, np.array(v))

        best = minimize_scalar(risk, bounds=(-10, 10), method="bounded", options={"xatol": 1e-9})
        assert loss.link(eta) == pytest.approx(best.x, abs=1e-5)


@having("proper")
def test_the_inverse_link_undoes_the_link(loss):
    np.testing.assert_allclose(loss.inverse_link(loss.link(ETA)), ETA, rtol=1e-12)


@having("proper")
def test_partial_losses_are_integrals_of_the_weight(loss):
    def weight(c):
        return float(loss.weight(np.array(c)))

    for q in (0.1, 0.35, 0.5, 0.8):
        up = quad(lambda c: (1 - c) * weight(c), q, 1)[0]
        down = quad(lambda c: c * weight(c), 0, q)[0]
        score = loss.link(np.array(q))
        assert loss.value(1.0, score) == pytest.approx(up, rel=1e-6)
        assert loss.value(-1.0, score) == pytest.approx(down, rel=1e-6)


@having("bounds_zero_one")
@both
def test_bounds_the_zero_one_loss(loss, y):
    errors = LOSSES["zero_one"].value(y, V)
    assert (loss.value(y, V) >= loss.at_zero * errors).all()
    assert loss.at_zero == loss.value(1.0, np.zeros(1))[0]


@having("smooth")
@pytest.mark.parametrize("v", [-1e4, -800.0, 800.0, 1e4])
@both
def test_far_scores_give_no_nan_and_no_warning(loss, y, v):
    v = np.array([v])
    for of in (loss.value, loss.derivative, loss.curvature):
        assert not np.isnan(of(y, v)).any()


@every
def test_what_a_loss_lacks_is_said(loss):
    if not loss.proper:
        for of in (loss.link, loss.inverse_link, loss.weight):
            with pytest.raises(NotImplementedError, match=type(loss).__name__):
                of(ETA)
