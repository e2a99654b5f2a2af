"""A point of the primal with its certificate, and the line search along a direction."""

from dataclasses import dataclass

import numpy as np

from rankexp.solvers.hinge_data import Floats
from rankexp.solvers.hinge_sweep import Sweep, sweep

LONGEST_SEARCH = 12


@dataclass
class Point:
    """Where the solver stands for one ``lam``.

    Attributes
    ----------
    w, s : ndarray of shape (d,), (n,)
        Coefficients and scores.
    sweep : Sweep
    gradient : ndarray of shape (d,)
        Of the smoothed objective.
    primal, dual : float
        Exact objective at ``w``; dual objective at the ``alpha`` of the sweep.
    slack : float
        What smoothing costs: ``primal - dual = slack + |gradient|² / (2 lam)``.
    """

    w: Floats
    s: Floats
    sweep: Sweep
    gradient: Floats
    primal: float
    dual: float
    slack: float


def stand(lam: float, w: Floats, s: Floats, swept: Sweep) -> Point:
    """Complete a sweep at ``w`` to a point, with one product by X."""
    slope = swept.residual @ swept.pairs.X
    ridge = 0.5 * lam * float(w @ w)
    return Point(
        w=w,
        s=s,
        sweep=swept,
        gradient=slope + lam * w,
        primal=swept.hinge + ridge,
        dual=swept.alpha - float(slope @ slope) / (2.0 * lam),
        slack=swept.hinge - swept.alpha - float(swept.residual @ s),
    )


@dataclass
class Best:
    """The best primal and dual values seen for one ``lam``.

    Any pair of them certifies: weak duality doesn't ask that they come from one point.
    """

    primal: float = np.inf
    dual: float = -np.inf
    w: Floats | None = None
    s: Floats | None = None

    def see(self, point: Point) -> None:
        """Take what is better."""
        self.dual = max(self.dual, point.dual)
        if point.primal < self.primal:
            self.primal, self.w, self.s = point.primal, point.w, point.s

    @property
    def gap(self) -> float:
        """Relative duality gap; infinite where rounding has broken weak duality."""
        if not np.isfinite(self.primal) or self.primal <= 0.0:
            return np.inf
        gap = (self.primal - self.dual) / self.primal
        if gap < -1e-10:
            return np.inf
        return max(gap, 0.0)


def line_search(
    lam: float, start: Point, p: Floats, q: Floats, *, h: float, slope: float, accept: float
) -> tuple[float, Sweep] | None:
    """Find a step at which the derivative of the smoothed objective is small.

    The derivative ``residual · q + lam (w + t p) · p`` rises with t and needs no product by X.

    Parameters
    ----------
    lam : float
    start : Point
    p, q : ndarray of shape (d,), (n,)
        Direction and its scores.
    h : float
        Half width of the band.
    slope : float
        Derivative at zero, negative.
    accept : float
        Accepted ratio of the absolute derivative to that at zero.

    Returns
    -------
    step, sweep : float, Sweep
        Or None where no step goes down.
    """
    pairs, s = start.sweep.pairs, start.s
    wp, pp = lam * float(start.w @ p), lam * float(p @ p)
    left, slope_left, right, slope_right = 0.0, slope, np.inf, np.inf
    t, swept, same_side = 1.0, None, 0
    for _ in range(LONGEST_SEARCH):
        swept = sweep(pairs, s + t * q, h)
        now = float(swept.residual @ q) + wp + t * pp
        if abs(now) <= -accept * slope:
            return t, swept
        if now < 0.0:
            if np.isinf(right):
                reach = (t - left) * now / min(slope_left - now, -1e-300)
                left, slope_left = t, now
                t += min(max(reach, t), 9.0 * t)
                continue
            left, slope_left = t, now
            same_side = max(same_side, 0) + 1
            slope_right *= 0.5 if same_side > 1 else 1.0
        else:
            right, slope_right = t, now
            same_side = min(same_side, 0) - 1
            slope_left *= 0.5 if same_side < -1 else 1.0
        share = slope_left / (slope_left - slope_right)
        t = left + (right - left) * min(max(share, 0.02), 0.98)
    if left > 0.0 or (swept is not None and right < 1e-3):
        t = left if left > 0.0 else right
        return t, sweep(pairs, s + t * q, h)
    return None
