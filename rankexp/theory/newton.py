"""Newton's method for convex functions of differences: adding a constant changes nothing."""

from collections.abc import Callable

import numpy as np

from rankexp.arrays import Floats

Evaluate = Callable[[Floats], tuple[float, Floats, Floats] | None]

STEPS, TOLERANCE = 100, 1e-12
SMALL = 1e-6  # of a step: from here on they shrink fast, or not at all
REACH = 4.0  # a step's largest change of a difference: beyond, exponentials are no parabolas
NOISE = 1e-14  # relative error of a value
FLAT = "no minimum found: levels overlap too little; bring them nearer to each other"


def minimise(evaluate: Evaluate, start: Floats) -> Floats:
    """Return where a smooth convex function of differences of its arguments is least.

    `evaluate` gives the value, the gradient (m,) and the Hessian (m, m) at arguments (m,), or
    None where the function is not defined.
    """
    x, found = start, evaluate(start)
    if found is None:
        raise ValueError("the function is not defined at the start")
    before = np.inf
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
        size = 1.0
        while True:
            trial = evaluate(x + size * step)
            if trial and trial[0] <= value + 1e-4 * size * slope + NOISE * abs(value):
                break
            size /= 2
            if size < SMALL:
                raise ValueError(FLAT)
        x, found = x + size * step, trial
    raise ValueError(FLAT)


def _step(gradient: Floats, hessian: Floats) -> Floats:
    """Solve in units in which all curvatures are 1, as they may differ by many powers of ten."""
    unit = np.sqrt(np.maximum(np.diag(hessian), 0.0))
    unit = np.maximum(unit, 1e-12 * unit.max()) + 1e-150
    scaled = hessian / unit[:, None] / unit
    scaled += np.outer(unit, unit) / (unit @ unit)  # of what adding a constant does not change
    scaled[np.diag_indices_from(scaled)] += 1e-14
    try:
        return np.asarray(np.linalg.solve(scaled, -gradient / unit) / unit)
    except np.linalg.LinAlgError:
        raise ValueError(FLAT) from None
