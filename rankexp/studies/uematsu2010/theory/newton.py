"""Newton's method for convex functions of differences, known up to rounding."""

from collections.abc import Callable
from contextlib import suppress

import numpy as np

from rankexp.arrays import Floats

Evaluate = Callable[[Floats], tuple[float, Floats, Floats] | None]

STEPS, TOLERANCE = 100, 1e-12
SMALL = 1e-6  # of a step: from here on they shrink fast, or not at all
REACH = 4.0  # a step's largest change of a difference: beyond, exponentials are no parabolas
DAMPINGS = (1e-14, 1e-9, 1e-4, 1.0)  # in units of the curvatures
NOISE = 1e-14  # error of a value, which is a sum whose terms are of size 1, or of its own size
FLAT = "no minimum found: levels overlap too little; bring them nearer to each other"


def minimise(evaluate: Evaluate, start: Floats) -> Floats:
    """Return the minimiser of a convex function of differences; ValueError if there is none."""
    # `evaluate` gives value, gradient and Hessian, or None where it is not defined. A step is cut
    # until the value falls enough. If a fall is too small to be seen, the slope at the step's end
    # decides: unless the step halves it, only rounding is left.
    x, found, before = start, evaluate(start), np.inf
    assert found is not None
    for _ in range(STEPS):
        value, gradient, hessian = found
        step = _step(gradient, hessian)
        far = float(np.ptp(step))
        stalled = before <= SMALL and far > before / 2  # only rounding is left of the gradient
        if stalled or far <= TOLERANCE * (1.0 + np.ptp(x)):
            return x
        before = far
        step *= min(1.0, REACH / far)
        slope = float(gradient @ step)
        if far <= REACH and -slope <= NOISE * (1.0 + abs(value)):
            trial = evaluate(x + step)
            if trial is None or abs(float(trial[1] @ step)) > -slope / 2:
                return x
            x, found = x + step, trial
        else:
            size, found = _shortened(evaluate, x, step, value, slope)
            x = x + size * step
    raise ValueError(FLAT)


def _shortened(
    evaluate: Evaluate, x: Floats, step: Floats, value: float, slope: float
) -> tuple[float, tuple[float, Floats, Floats]]:
    """Return the part of a step that lowers the value as its slope promises, and what is there."""
    size = 1.0
    while size >= SMALL:
        trial = evaluate(x + size * step)
        if trial and trial[0] <= value + 1e-4 * size * slope + NOISE * (1.0 + abs(value)):
            return size, trial
        size /= 2
    raise ValueError(FLAT)


def _step(gradient: Floats, hessian: Floats) -> Floats:
    """Solve in units in which all curvatures are 1, as they may differ by many powers of ten."""
    # Where rounding of nearly dependent curvatures turns the step uphill, they are damped.
    unit = np.sqrt(np.maximum(np.diag(hessian), 0.0))
    unit = np.maximum(unit, 1e-12 * unit.max()) + 1e-150
    scaled = hessian / unit[:, None] / unit
    scaled += np.outer(unit, unit) / (unit @ unit)  # of what adding a constant does not change
    for damping in DAMPINGS:
        with np.errstate(over="ignore", invalid="ignore"), suppress(np.linalg.LinAlgError):
            damped = scaled + damping * np.eye(len(unit))
            step = np.asarray(np.linalg.solve(damped, -gradient / unit) / unit)
            if np.isfinite(step).all() and gradient @ step <= 0.0:
                return step
    raise ValueError(FLAT)
