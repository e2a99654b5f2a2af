"""Quasi-Newton steps for easy data: with label noise the smoothed hinge is nearly quadratic.

BFGS on the inverse Hessian, started from one Hessian of a wide band; a band so narrow that the
smoothing fits into the tolerance, but holding enough pairs to be smooth. On noisy labels this
certifies after a few steps; elsewhere it stops early, and Newton takes over from a better point.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg.blas import dsymv, dsyr2
from scipy.linalg.lapack import dpotri

from rankexp.arrays import Floats
from rankexp.solvers.hinge.hessian import band_hessian, factor
from rankexp.solvers.hinge.iterate import Best, HingeIterate, S, line_search
from rankexp.solvers.hinge.pairs import HingePairs
from rankexp.solvers.hinge.sweep import SortedSweep

# Tuned on uniform data, n = 1000, d = 50, 15 % of labels flipped, lam from 1 to 1e-5:
WIDE_BAND = 0.2  # of the first Hessian
LONGEST = 12  # steps
STALL, STALLED = 4, 0.3  # stop where the gap stays above this share over so many steps
FEW = 4  # pairs a column in the band: fewer aren't smooth
SMOOTHING = 0.5  # share of the tolerated gap that smoothing may take
OTHER_BAND = 0.3  # change of the width, relative, from which a new sweep pays
ACCEPT = 0.5  # of the derivative after a line search


def quasi_newton(
    start: HingeIterate[S],
    inverse: Floats,
    lam: float,
    tol: float,
    best: Best,
    evaluate: Callable[[HingePairs, Floats, float], S],
) -> int:
    """Go down until the certificate holds or progress stalls; return the number of steps.

    `inverse` (d, d), upper triangle: about that of the Hessian; changed in place.
    """
    at, pairs = start, start.sweep.pairs
    gaps: list[float] = []
    for iteration in range(LONGEST):
        gaps.append(best.gap)
        if iteration >= STALL and gaps[-1] > STALLED * gaps[-STALL]:
            return iteration
        h = band_for(at, tol * best.primal)
        if iteration > 0 and at.sweep.band_size * h < FEW * at.w.size * at.sweep.h:
            return 0
        if abs(h - at.sweep.h) > OTHER_BAND * at.sweep.h:
            at = HingeIterate.at(lam, at.w, at.s, evaluate(pairs, at.s, h))
            best.update(at)
        if best.gap <= tol:
            return iteration
        step = line_search(lam, at, -dsymv(1.0, inverse, at.gradient), evaluate, ACCEPT)
        if step is None:
            return iteration
        last, at = at, at.moved(lam, step)
        best.update(at)
        if best.gap <= tol:
            return iteration + 1
        _update(inverse, step.t * step.p, at.gradient - last.gradient)
    return LONGEST


def band_for(at: HingeIterate[S], goal: float) -> float:
    """Return the half width at which smoothing costs its share of the goal; cost goes as h²."""
    share = SMOOTHING * goal / max(at.slack, 1e-300)
    return min(WIDE_BAND, at.sweep.h * float(np.sqrt(share)))


def inverse_hessian(swept: SortedSweep, lam: float) -> Floats | None:
    """Return the inverse Hessian over the band, upper triangle, or None if not definite."""
    upper = factor(band_hessian(swept), lam) if swept.band_size > 0.0 else None
    if upper is None:
        return None
    half, info = dpotri(upper)
    return np.asarray(half) if info == 0 else None


def _update(B: Floats, step: Floats, change: Floats) -> None:
    curvature = float(step @ change)
    if curvature <= 0.0:
        return
    v = dsymv(1.0, B, change)
    u = (0.5 * (1.0 + float(change @ v) / curvature) * step - v) / curvature
    dsyr2(1.0, step, u, a=B, overwrite_a=1)
