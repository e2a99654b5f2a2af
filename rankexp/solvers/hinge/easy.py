"""Quasi-Newton steps for easy data: with label noise the smoothed hinge is nearly quadratic.

BFGS on the inverse Hessian, started from one Hessian of a wide band; a band so narrow that the
smoothing fits into the tolerance, but holding enough pairs to be smooth. On noisy labels this
certifies after a few steps; elsewhere it stops early, and Newton takes over from a better point.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg.lapack import dpotri

from rankexp.solvers.hinge.data import Floats, Pairs, Sweep
from rankexp.solvers.hinge.hessian import band_hessian, factor
from rankexp.solvers.hinge.point import Best, Point, S, line_search, stand

WIDE_BAND = 0.2
LONGEST = 12
STALL, STALLED = 4, 0.3  # stop where the gap lasts: fell less than this in so many steps
FEW = 4  # pairs a column in the band: fewer aren't smooth
SMOOTHING = 0.5  # share of the tolerated gap that smoothing may take


def quasi_newton(
    start: Point[S],
    inverse: Floats,
    lam: float,
    tol: float,
    best: Best,
    evaluate: Callable[[Pairs, Floats, float], S],
) -> int:
    """Go down until the certificate holds or progress stalls; return the number of steps.

    Parameters
    ----------
    start : Point
    inverse : ndarray of shape (d, d)
        Of the Hessian, about; changed in place.
    lam : float
    tol : float
        Relative gap to reach.
    best : Best
        Has seen the start; updated at every point.
    evaluate : callable
        The kind of sweep: ``(pairs, scores, h) -> sweep``.
    """
    point, pairs = start, start.sweep.pairs
    gaps: list[float] = []
    for iteration in range(LONGEST):
        gaps.append(best.gap)
        if iteration >= STALL and gaps[-1] > STALLED * gaps[-STALL]:
            return iteration
        h = band_for(point, tol * best.primal)
        if iteration > 0 and point.sweep.band_size * h < FEW * point.w.size * point.sweep.h:
            return 0
        if abs(h - point.sweep.h) > 0.3 * point.sweep.h:
            point = stand(lam, point.w, point.s, evaluate(pairs, point.s, h))
            best.see(point)
        if best.gap <= tol:
            return iteration
        p = -(inverse @ point.gradient)
        q = pairs.scores(p)
        slope = float(point.gradient @ p)
        found = line_search(lam, point, p, q, evaluate, h=point.sweep.h, slope=slope, accept=0.5)
        if found is None:
            return iteration
        t, swept = found
        last, point = point, stand(lam, point.w + t * p, point.s + t * q, swept)
        best.see(point)
        if best.gap <= tol:
            return iteration + 1
        _update(inverse, t * p, point.gradient - last.gradient)
    return LONGEST


def band_for(point: Point[S], goal: float) -> float:
    """Return the half width at which smoothing costs its share of the goal; cost goes as h²."""
    share = SMOOTHING * goal / max(point.slack, 1e-300)
    return min(WIDE_BAND, point.sweep.h * float(np.sqrt(share)))


def inverse_hessian(swept: Sweep, lam: float) -> Floats | None:
    """Return the inverse of the Hessian over the band, (d, d); None where rounding forbids."""
    upper = factor(band_hessian(swept), lam) if swept.band_size > 0.0 else None
    if upper is None:
        return None
    half, info = dpotri(upper)
    return np.triu(half) + np.triu(half, 1).T if info == 0 else None


def _update(B: Floats, step: Floats, change: Floats) -> None:
    """Apply the BFGS formula to the inverse Hessian in place."""
    curvature = float(step @ change)
    if curvature <= 0.0:
        return
    v = B @ change
    u = (0.5 * (1.0 + float(change @ v) / curvature) * step - v) / curvature
    outer = np.outer(step, u)
    B += outer
    B += outer.T
