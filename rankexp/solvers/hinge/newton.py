"""Semismooth Newton on the smoothed pairwise hinge, the band shrinking as it converges."""

import numpy as np

from rankexp.solvers.hinge.data import Floats, Sweep
from rankexp.solvers.hinge.hessian import band_hessian, factor, solve
from rankexp.solvers.hinge.point import Best, Point, line_search, stand
from rankexp.solvers.hinge.polish import LISTED, MOST_LISTED, polish, rescue
from rankexp.solvers.hinge.sweep import FEW_ROWS, sweep

PATIENCE = 25  # steps until the gap must have fallen by a tenth
MANY_COLUMNS = 4  # where there is a column to fewer than so many rows
SMALL_REST = 1.0
POLISHED_GAP = 0.1  # before, the band holds too few of the right pairs


def newton(start: Point[Sweep], lam: float, tol: float, max_iter: int, best: Best) -> int:
    """Go down until the certificate holds; return the number of iterations.

    Parameters
    ----------
    start : Point
        Its band is the first one.
    lam : float
    tol : float
        Relative gap to reach.
    best : Best
        Updated at every point.
    """
    point, shrink, steps, narrowed = start, 0.1, 0, False
    before = best.gap, best.primal
    accept = 0.2 if point.sweep.pairs.X.shape[0] < FEW_ROWS else 0.25
    for iteration in range(max_iter):
        best.see(point)
        if best.gap <= tol:
            return iteration
        if iteration % PATIENCE == PATIENCE - 1:
            if not best.gap <= 0.9 * before[0]:
                rescue(lam, point.sweep.pairs, tol, best)
                if best.gap <= tol or not best.primal <= 0.999 * before[1]:
                    return iteration
                point = stand(lam, best.w, best.s, sweep(point.sweep.pairs, best.s, start.sweep.h))
            before = best.gap, best.primal
        H = band_hessian(point.sweep)
        p = -solve(_factor(H, lam), point.gradient)
        decrement = -float(point.gradient @ p)
        goal = tol * best.primal
        if decrement <= 0.2 * point.slack and point.slack > 0.6 * goal and _near(point):
            shrink = _adapt(shrink, steps) if narrowed else shrink
            steps, narrowed = 0, True
            share = min(0.5, max(shrink, 0.5 * goal / point.slack))
            if best.gap <= POLISHED_GAP and not polish(point, lam, tol, best):
                share = max(
                    0.03,
                    min(share, 0.8 * min(LISTED * p.size, MOST_LISTED) / point.sweep.band_size),
                )
            if best.gap <= tol:
                return iteration + 1
            point = _narrow(lam, point, H, share, accept)
            continue
        steps += 1
        q = point.sweep.pairs.scores(p)
        found = line_search(
            lam, point, p, q, sweep, h=point.sweep.h, slope=-decrement, accept=accept
        )
        if found is None:
            if point.slack <= 0.6 * goal:
                return iteration
            point = _narrow(lam, point, H, 0.5, accept)
            continue
        point = _move(lam, point, p, q, found)
    best.see(point)
    return max_iter


def _near(point: Point[Sweep]) -> bool:
    """Say whether the certificate, too, tells that the next band can be gone to.

    With few columns that costs more steps than it saves. With many, the gradient is long in
    directions of which the decrement tells nothing, and a band shrunk too soon loses its pairs.
    """
    n, d = point.sweep.pairs.X.shape
    rest = point.primal - point.dual - point.slack  # |gradient|² / (2 lam)
    return d * MANY_COLUMNS <= n or rest <= SMALL_REST * point.slack


def _adapt(shrink: float, steps: int) -> float:
    """Shrink faster after an easy stage, slower after a hard one."""
    if steps <= 2:
        return max(0.03, 0.5 * shrink)
    return min(0.4, 2.0 * shrink) if steps >= 5 else shrink


def _factor(H: Floats, lam: float) -> Floats:
    """Factor ``H + lam I``, adding to the diagonal where rounding has made it indefinite.

    Raises
    ------
    FloatingPointError
        If H isn't finite.
    """
    upper, ridge = factor(H, lam), lam
    while upper is None:
        if not np.all(np.isfinite(H)):
            raise FloatingPointError("the pairwise hinge overflowed; scale the features down")
        ridge = max(10.0 * ridge, 1e-14 * float(np.trace(H)))
        upper = factor(H, ridge)
    return upper


def _move(
    lam: float, point: Point[Sweep], p: Floats, q: Floats, found: tuple[float, Sweep]
) -> Point[Sweep]:
    t, swept = found
    return stand(lam, point.w + t * p, point.s + t * q, swept)


def _narrow(
    lam: float, point: Point[Sweep], H: Floats, share: float, accept: float
) -> Point[Sweep]:
    """Shrink the band to ``share`` of its width, with a predicted step.

    The pairs of the old band are taken to stay in the linear part: their alpha moves away
    from one half by the factor 1 / share, and the curvature grows by as much. Where the band
    would lose too many of its pairs, it is shrunk less.
    """
    swept = point.sweep
    pairs = swept.pairs
    enough = min(0.5 * swept.band_size, 1.5 * pairs.X.shape[1])
    while True:
        residual = swept.midway + (swept.residual - swept.midway) / share
        target = residual @ pairs.X + lam * point.w
        p = -solve(_factor(H / share, lam), target)
        q = pairs.scores(p)
        h = share * swept.h
        found = None
        if share >= 0.4 or sweep(pairs, point.s + q, h).band_size >= enough:
            narrow = sweep(pairs, point.s, h)
            slope = float(narrow.residual @ q) + lam * float(point.w @ p)
            if slope < 0.0:
                found = line_search(lam, point, p, q, sweep, h=h, slope=slope, accept=1.0)
            if share >= 0.4 or (found is not None and found[0] >= 0.3):
                break
        share = float(np.sqrt(share))
    if found is None:
        return stand(lam, point.w, point.s, narrow)
    return _move(lam, point, p, q, found)
