"""The contract of losses."""

from functools import partial
from itertools import product

import numpy as np

from rankexp import registry
from rankexp.losses.loss import Loss
from rankexp.losses.margin import ZeroOne
from rankexp.risks.risk import Risk
from rankexp.testing.contract import ContractError, is_a_value, keep, near, need, raises
from rankexp.testing.risks import trains

__all__ = ["check_loss"]

SIGNS = (1.0, -1.0)
V = np.linspace(-6.0, 6.0, 241) + 0.0123
"""Scores; none is at a kink of a usual loss."""
ETA = np.linspace(0.02, 0.98, 25)
STEP = 1e-6
FAR = np.array([-1e4, -800.0, 800.0, 1e4])
STEEPEST = 4.0
"""The curvature of a smooth loss on [-3, 3], as a multiple of exp(3), is below this."""


def check_loss(loss: Loss | str) -> None:
    """Check that a loss is what it says of itself, and trains under each risk that accepts it.

    Parameters
    ----------
    loss : Loss or str
        Made with the parameters to check, or the text of a registered one: ``p_norm(p=4)``.
    """
    made = Loss.parse(loss) if isinstance(loss, str) else loss
    if not isinstance(made, Loss):
        raise ContractError(f"{made!r} is not a rankexp.plugin.Loss: derive its class from it")
    laws = [is_a_value, broadcasts, is_never_negative, knows_what_it_lacks]
    laws += [has_its_slope, has_its_curvature, is_convex] if made.convex else []
    laws += [is_smooth, bears_far_scores] if made.smooth else []
    laws += [has_its_link, inverts_its_link, has_its_weight] if made.proper else []
    laws += [bounds_errors] if made.bounds_zero_one else []
    laws += [falls] if made.monotone else []
    keep(f"loss {made!r}", [*laws, trains_where_accepted], made)


def broadcasts(loss: Loss) -> None:
    """Labels may be one number or an array."""
    y = np.where(np.arange(V.size) % 3 == 0, 1.0, -1.0)
    each = [loss.value(sign, np.array([v]))[0] for sign, v in zip(y, V, strict=True)]
    near(loss.value(y, V), each, V, rtol=0.0, atol=0.0)


def is_never_negative(loss: Loss) -> None:
    """Its values are at least 0."""
    for y in SIGNS:
        near(np.minimum(loss.value(y, V), 0.0), 0.0, V, rtol=0.0, atol=0.0)


def falls(loss: Loss) -> None:
    """Its values fall as a score gets the right sign; else say ``monotone = False``."""
    for y in SIGNS:
        rises = np.flatnonzero(np.diff(loss.value(y, V)) * y > 1e-15)
        need(not rises.size, f"for y = {y:g} the value turns at {V[rises[:1]]}")


def has_its_slope(loss: Loss) -> None:
    """Its derivative is the slope of its value."""
    for y in SIGNS:
        slope = (loss.value(y, V + STEP) - loss.value(y, V - STEP)) / (2 * STEP)
        near(loss.derivative(y, V), slope, V)


def has_its_curvature(loss: Loss) -> None:
    """Its curvature is the slope of its derivative."""
    for y in SIGNS:
        slope = (loss.derivative(y, V + STEP) - loss.derivative(y, V - STEP)) / (2 * STEP)
        near(loss.curvature(y, V), slope, V)


def is_convex(loss: Loss) -> None:
    """A loss that is `convex` has a rising derivative; else say ``convex = False``."""
    for y in SIGNS:
        falls = np.flatnonzero(np.diff(loss.derivative(y, V)) < 0)
        need(not falls.size, f"for y = {y:g} the derivative falls at {V[falls[:1]]}")
        need((loss.curvature(y, V) >= 0).all(), f"for y = {y:g} a curvature is negative")


def is_smooth(loss: Loss) -> None:
    """The derivative of a `smooth` loss has no jump; else say ``smooth = False``."""
    at, width = np.linspace(-3.0, 3.0, 60_001, retstep=True)
    for y in SIGNS:
        jumps = np.abs(np.diff(loss.derivative(y, at)))
        bound = width * max(STEEPEST * np.exp(3.0), 1.01 * loss.curvature(y, at).max())
        k = int(jumps.argmax())
        need(jumps[k] < bound, f"for y = {y:g} it jumps by {jumps[k]:.3g} at {at[k]:.3g}")


def bears_far_scores(loss: Loss) -> None:
    """Scores far away give no NaN and no warning."""
    with np.errstate(all="raise", under="ignore"):
        for of, y in product((loss.value, loss.derivative, loss.curvature), SIGNS):
            try:
                found = of(y, FAR)
            except FloatingPointError as error:
                text = f"{of.__name__}({y:g}, v) warns: {error}; see numpy.errstate"
                raise ContractError(text) from None
            need(not np.isnan(found).any(), f"{of.__name__}({y:g}, {FAR.tolist()}) has a NaN")


def has_its_link(loss: Loss) -> None:
    """The link of a `proper` loss is the best score; else say ``proper = False``."""
    from scipy.optimize import minimize_scalar

    for eta in ETA:

        def risk(v: float, eta: float = eta) -> float:
            score = np.array(v)
            return float(eta * loss.value(1.0, score) + (1 - eta) * loss.value(-1.0, score))

        best = minimize_scalar(risk, bounds=(-10, 10), method="bounded", options={"xatol": 1e-9})
        near(loss.link(eta), best.x, eta, rtol=0.0, atol=1e-5)


def inverts_its_link(loss: Loss) -> None:
    """The inverse link undoes the link."""
    near(loss.inverse_link(loss.link(ETA)), ETA, ETA, rtol=1e-12, atol=0.0)


def has_its_weight(loss: Loss) -> None:
    """The partial losses are integrals of the weight."""
    from scipy.integrate import quad

    def weight(c: float) -> float:
        return float(loss.weight(np.array(c)))

    for q in (0.1, 0.35, 0.5, 0.8):
        up = quad(lambda c: (1 - c) * weight(c), q, 1)[0]
        down = quad(lambda c: c * weight(c), 0, q)[0]
        score = loss.link(np.array(q))
        near(loss.value(1.0, score), up, q)
        near(loss.value(-1.0, score), down, q)


def bounds_errors(loss: Loss) -> None:
    """A loss that says `bounds_zero_one` is at least ``at_zero`` times the 0/1 loss."""
    near(loss.at_zero, loss.value(1.0, np.zeros(1)), 0.0, rtol=0.0, atol=0.0)
    for y in SIGNS:
        below = loss.value(y, V) < loss.at_zero * ZeroOne().value(y, V)
        need(not below.any(), f"for y = {y:g} it is below at {V[below][:1]}")


def knows_what_it_lacks(loss: Loss) -> None:
    """A loss that is not `proper` says that it has no link, inverse link or weight."""
    for of in () if loss.proper else (loss.link, loss.inverse_link, loss.weight):
        raises(NotImplementedError, type(loss).__name__, partial(of, ETA))


def trains_where_accepted(loss: Loss) -> None:
    """Under each risk that accepts it, training finds the minimum of the sum as it is defined."""
    for name in registry.names("risks"):
        risk = Risk.parse(name)
        if risk.accepts(loss) is None:
            trains(risk, loss)
