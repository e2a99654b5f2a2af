"""Quasi-Newton steps for easy data: with label noise the smoothed hinge is nearly quadratic.

BFGS on the inverse Hessian, started from one Hessian of a wide band; a band so narrow that the
smoothing fits into the tolerance, but holding enough pairs to be smooth. On noisy labels this
certifies after a few steps; elsewhere it stops early, and Newton takes over from a better point.
"""

import numpy as np
from scipy.linalg.lapack import dpotri

from rankexp.solvers.hinge_data import Floats
from rankexp.solvers.hinge_hessian import band_hessian, factor
from rankexp.solvers.hinge_point import Best, Point, line_search, stand
from rankexp.solvers.hinge_sweep import sweep

WIDE_BAND = 0.2
LONGEST = 12
FEW = 4
SMOOTHING = 0.5  # share of the tolerated gap that smoothing may take


def quasi_newton(start: Point, lam: float, tol: float, best: Best) -> tuple[Point, int]:
    """Go down until the certificate holds or progress stalls; return the last point and steps.

    Parameters
    ----------
    start : Point
        With a wide band.
    lam : float
    tol : float
        Relative gap to reach.
    best : Best
        Updated at every point.
    """
    pairs = start.sweep.pairs
    best.see(start)
    inverse = _inverse(band_hessian(start.sweep), lam)
    if inverse is None:
        return start, 0
    h = _band(start, tol * best.primal)
    if start.sweep.band_size * h / start.sweep.h < FEW * pairs.X.shape[1]:
        return start, 0
    point = start
    for iteration in range(LONGEST):
        h = _band(point, tol * best.primal)
        if abs(h / point.sweep.h - 1) > 0.3:
            point = stand(lam, point.w, point.s, sweep(pairs, point.s, h))
            best.see(point)
        if best.gap <= tol:
            return point, iteration
        p = -(inverse @ point.gradient)
        slope = float(point.gradient @ p)
        found = line_search(
            lam, point, p, pairs.scores(p), h=point.sweep.h, slope=slope, accept=0.5
        )
        if found is None:
            return point, iteration
        t, swept = found
        step = t * p
        q = pairs.scores(step)
        last, point = point, stand(lam, point.w + step, point.s + q, swept)
        best.see(point)
        if best.gap <= tol:
            return point, iteration + 1
        _update(inverse, step, point.gradient - last.gradient)
    return point, LONGEST


def _band(point: Point, goal: float) -> float:
    """Return the half width at which smoothing costs its share of the goal; cost goes as h²."""
    share = SMOOTHING * goal / max(point.slack, 1e-300)
    return min(WIDE_BAND, point.sweep.h * float(np.sqrt(share)))


def _inverse(H: Floats, lam: float) -> Floats | None:
    upper = factor(H, lam)
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
