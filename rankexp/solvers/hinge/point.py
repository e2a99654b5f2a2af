"""A point of the primal with its certificate, and the line search along a direction."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

import numpy as np

from rankexp.solvers.hinge.data import Floats, Pairs

LONGEST_SEARCH = 12


class AnySweep(Protocol):
    """What a sweep, sorted or on a grid, tells about all pairs."""

    pairs: Pairs
    h: float
    residual: Floats
    hinge: float
    alpha: float
    band_size: float


S = TypeVar("S", bound=AnySweep)


@dataclass
class Point(Generic[S]):
    """Where the solver stands for one ``lam``.

    Attributes
    ----------
    w, s : ndarray of shape (d,), (n,)
        Coefficients and scores.
    sweep : Sweep or GridSweep
    gradient : ndarray of shape (d,)
        Of the smoothed objective.
    primal, dual : float
        Exact objective at ``w``; dual objective at the ``alpha`` of the sweep.
    slack : float
        What smoothing costs: ``primal - dual = slack + |gradient|² / (2 lam)``.
    """

    w: Floats
    s: Floats
    sweep: S
    gradient: Floats
    primal: float
    dual: float
    slack: float


def stand(lam: float, w: Floats, s: Floats, swept: S) -> Point[S]:
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
    ``residual`` is that of the dual value.
    """

    primal: float = np.inf
    dual: float = -np.inf
    w: Floats = field(default_factory=lambda: np.empty(0))
    s: Floats = field(default_factory=lambda: np.empty(0))
    residual: Floats = field(default_factory=lambda: np.empty(0))

    def see(self, point: Point[S]) -> None:
        """Take what is better."""
        if point.dual > self.dual:
            self.dual, self.residual = point.dual, point.sweep.residual
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
    lam: float,
    start: Point[S],
    p: Floats,
    q: Floats,
    evaluate: Callable[[Pairs, Floats, float], S],
    *,
    h: float,
    slope: float,
    accept: float,
) -> tuple[float, S] | None:
    """Find a step at which the derivative of the smoothed objective is small.

    The derivative ``residual · q + lam (w + t p) · p`` rises with t and needs no product by X.

    Parameters
    ----------
    lam : float
    start : Point
    p, q : ndarray of shape (d,), (n,)
        Direction and its scores.
    evaluate : callable
        The kind of sweep: ``(pairs, scores, h) -> sweep``.
    h : float
        Half width of the band.
    slope : float
        Derivative at zero, negative.
    accept : float
        Accepted ratio of the absolute derivative to that at zero.

    Returns
    -------
    step, sweep : float, sweep
        Or None where no step goes down.
    """
    pairs, s = start.sweep.pairs, start.s
    wp, pp = lam * float(start.w @ p), lam * float(p @ p)
    left, slope_left, right, slope_right = 0.0, slope, np.inf, np.inf
    t, same_side = 1.0, 0
    # Smoothing adds at most h/4 a pair: beyond this the smoothed objective has risen for sure.
    ceiling = start.primal + 0.25 * start.sweep.h * start.sweep.band_size / pairs.count
    ww = lam * float(start.w @ start.w)
    swept: S | None = None
    for _ in range(LONGEST_SEARCH):
        swept = evaluate(pairs, s + t * q, h)
        now = float(swept.residual @ q) + wp + t * pp
        if swept.hinge + 0.5 * ww + t * wp + 0.5 * t * t * pp > ceiling * (1.0 + 1e-12):
            right, slope_right = t, now
            t = left + 0.1 * (right - left)
            continue
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
        return t, evaluate(pairs, s + t * q, h)
    return None
