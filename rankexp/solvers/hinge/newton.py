"""Semismooth Newton on the smoothed pairwise hinge, the band shrinking as it converges.

For easy data quasi-Newton comes first: with label noise the smoothed hinge is nearly quadratic.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg.blas import daxpy, dsymv, dsyr2
from scipy.linalg.lapack import dpotri

from rankexp.arrays import Floats
from rankexp.solvers.hinge import iterate
from rankexp.solvers.hinge.iterate import Best, Evaluate, HingeIterate, Point, S, line_search
from rankexp.solvers.hinge.pairs import pull
from rankexp.solvers.hinge.polish import LISTED, MOST_LISTED, polish, rescue
from rankexp.solvers.hinge.sweep import SortedSweep, sweep
from rankexp.solvers.pairs.normal import NormalPairs, Product, variances

# Tuned on uniform, binary and duplicated data with 0 and 2 % of labels flipped, n = 1000, d = 50,
# lam from 1 to 1e-5 (and n = 1e5): steps and time until a gap of 1e-6.

PATIENCE, PROGRESS = 25, 0.9  # steps, in which the gap must fall to this share
PRIMAL_PROGRESS = 0.999  # share to which a rescue must bring the objective, to go on
ACCEPT, ACCEPT_MANY = 0.2, 0.25  # derivative after a line search; with many rows
MANY_ROWS = 20_000
MANY_COLUMNS = 4  # where there is a column to fewer than so many rows
SMALL_REST = 1.0  # of the gap, beside its slack: a band for many columns may then shrink

# When the band shrinks: what smoothing costs (the slack S) should be what is left of the gap.
NEWTON_DONE = 0.2  # of S: a smaller Newton decrement says that this stage is at its end
SLACK_DONE = 0.6  # of the tolerated gap: a smaller S leaves room for the rest of the gap
SLACK_GOAL = 0.5  # of the tolerated gap: S goes as h or h², so that no narrower band is needed

# By how much: half at least; faster after an easy stage, slower after a hard one.
FIRST_SHARE, LARGEST_FIRST_SHARE = 0.1, 0.5
FEW_STEPS, FASTER, FASTEST = 2, 0.5, 0.03
MANY_STEPS, SLOWER, SLOWEST = 5, 2.0, 0.4
POLISHED_GAP = 0.1  # before, the band holds too few of the right pairs
LIST_ROOM = 0.8  # of the longest list: the next band should then be short enough for one

# The step that is predicted for a narrower band.
KEPT_PAIRS, KEPT_PAIRS_A_COLUMN = 0.5, 1.5  # a band with fewer was shrunk too much
GOOD_STEP = 0.3  # of the predicted step: a shorter one says so, too
ACCEPT_PREDICTED = 1.0  # any step downhill

Direction = Callable[[float, Floats], Floats]

# Of quasi-Newton, tuned on uniform data, n = 1000, d = 50, 15 % of labels flipped, lam 1 to 1e-5:
WIDE_BAND = 0.2  # of the first Hessian
LONGEST = 12  # steps
STALL, STALLED = 4, 0.3  # stop where the gap stays above this share over so many steps
TRIED, SLOW_OVER, SLOW = 100, 8, 0.8  # the same without a Hessian, which takes as long as many
WRITTEN = 200  # columns, up to which a matrix is faster than what steps changed. Tuned
FEW = 4  # pairs a column in the band: fewer aren't smooth
SMOOTHING = 0.35  # of the tolerated gap, what smoothing may take: with half, gaps end above it
HUBER = 6.0  # smoothing costs h²/6 for a pair a unit of differences
OTHER_BAND = 0.3  # change of the width, relative, from which a new sweep pays
ACCEPT_QUASI = 0.5  # of the derivative after a line search


def _directions(swept: SortedSweep, lam: float) -> Direction:
    """Return what gives the step for a gradient (d,), in a band of a share of the width."""
    pairs, inverse = swept.pairs, swept.pairs.precision
    if inverse is None:
        H = iterate.band_hessian(swept)
        return lambda share, g: -iterate.solve(iterate.ridged_factor(H / share, lam), g)
    # In the scores u = X p the step minimises over as many numbers as there are rows, and the
    # Hessian is that of the pairs themselves: no product of matrices is needed.
    L = swept.curvature()
    ridge = lam * inverse

    def direction(share: float, g: Floats) -> Floats:
        u = iterate.solve(iterate.ridged_factor(ridge + L / share, 0.0), inverse @ (pairs.X @ g))
        return -pull(pairs.X, inverse @ u)

    return direction


def newton(start: Point, lam: float, tol: float, max_iter: int, best: Best) -> int:
    """Go down from the band of `start` until the certificate holds; return how many steps."""
    at, narrowing = start, _Narrowing(lam, tol)
    before = best.gap, best.primal
    n, d = at.sweep.pairs.X.shape
    accept, few = ACCEPT if n < MANY_ROWS else ACCEPT_MANY, d * MANY_COLUMNS <= n
    for iteration in range(max_iter):
        best.update(at)
        if best.gap <= tol:
            return iteration
        if iteration % PATIENCE == PATIENCE - 1:
            if not best.gap <= PROGRESS * before[0]:
                rescue(lam, at.sweep.pairs, tol, best)
                if best.gap <= tol or not best.primal <= PRIMAL_PROGRESS * before[1]:
                    return iteration
                again = sweep(at.sweep.pairs, best.s, start.sweep.h)
                at = HingeIterate.at(lam, best.w, best.s, again)
            before = best.gap, best.primal
        direction = _directions(at.sweep, lam)
        p = direction(1.0, at.gradient)
        decrement = -float(at.gradient @ p)
        room = SLACK_DONE * tol * best.primal
        # With many columns the gradient is long in directions that the decrement does not show.
        near = few or at.primal - at.dual - at.slack <= SMALL_REST * at.slack
        if decrement <= NEWTON_DONE * at.slack and at.slack > room and near:
            share = narrowing.share(at, best)
            if best.gap <= tol:
                return iteration + 1
            at = _narrow(lam, at, direction, share)
            continue
        narrowing.steps += 1
        if (step := line_search(lam, at, p, sweep, accept, slope=-decrement)) is not None:
            at = at.moved(lam, step)
        elif at.slack <= room:
            return iteration
        else:
            at = _narrow(lam, at, direction, LARGEST_FIRST_SHARE)
    best.update(at)
    return max_iter


class _Narrowing:
    """The share of the next band, chosen by the steps that the last one took."""

    def __init__(self, lam: float, tol: float) -> None:
        self.lam, self.tol = lam, tol
        self.shrink, self.steps, self.first = FIRST_SHARE, 0, True

    def share(self, at: Point, best: Best) -> float:
        """Try to end by polishing; return the share of the band to go on with."""
        if not self.first and self.steps <= FEW_STEPS:
            self.shrink = max(FASTEST, FASTER * self.shrink)
        elif not self.first and self.steps >= MANY_STEPS:
            self.shrink = min(SLOWEST, SLOWER * self.shrink)
        self.steps, self.first = 0, False
        goal = SLACK_GOAL * self.tol * best.primal
        share = min(LARGEST_FIRST_SHARE, max(self.shrink, goal / at.slack))
        if best.gap <= POLISHED_GAP and not polish(at, self.lam, self.tol, best):
            room = LIST_ROOM * min(LISTED * at.w.size, MOST_LISTED) / at.sweep.band_size
            share = max(FASTEST, min(share, room))
        return share


def _narrow(lam: float, at: Point, direction: Direction, share: float) -> Point:
    """Shrink the band to a share of its width, or less if it loses many pairs; predict a step."""
    # The pairs of the old band are taken to stay in the linear part: their alpha moves away from
    # one half by the factor 1 / share, and the curvature grows by as much.
    swept = at.sweep
    pairs = swept.pairs
    enough = min(KEPT_PAIRS * swept.band_size, KEPT_PAIRS_A_COLUMN * pairs.X.shape[1])
    while True:
        residual = swept.midway + (swept.residual - swept.midway) / share
        target = residual @ pairs.X + lam * at.w
        p = direction(share, target)
        q, h, step = pairs.scores(p), share * swept.h, None
        if share >= SLOWEST or sweep(pairs, at.s + q, h).band_size >= enough:
            narrow = sweep(pairs, at.s, h)
            slope = float(narrow.residual @ q) + lam * float(at.w @ p)
            if slope < 0.0:
                step = line_search(lam, at, p, sweep, ACCEPT_PREDICTED, h=h, slope=slope)
            if share >= SLOWEST or (step is not None and step.t >= GOOD_STEP):
                break
        share = float(np.sqrt(share))
    return HingeIterate.at(lam, at.w, at.s, narrow) if step is None else at.moved(lam, step)


class Updated:
    """An inverse Hessian, upper triangle or a product with vectors, that steps change (BFGS)."""

    def __init__(self, known: Floats | Product, most: int = 0) -> None:
        self.known, self.scale, self.most = known, np.float64(1.0), most
        self.steps: list[tuple[Floats, Floats, float]] = []  # the last ones: of many columns

    def times(self, g: Floats) -> Floats:
        if isinstance(self.known, np.ndarray):
            return np.asarray(dsymv(self.scale, self.known, g))
        q, shares = g.copy(), list[float]()
        for moved, change, curvature in reversed(self.steps):  # two loops (Nocedal 1980)
            shares.append(float(moved @ q) / curvature)
            q = daxpy(change, q, a=-shares[-1])
        p = self.scale * self.known(q)
        for moved, change, curvature in self.steps:
            p = daxpy(moved, p, a=shares.pop() - float(change @ p) / curvature)
        return np.asarray(p)

    def learn(self, moved: Floats, change: Floats, scaled: bool) -> None:
        """Take in by what a step changed the gradient; that of a guess tells its scale, too."""
        if not (curvature := float(moved @ change)) > 0.0:
            return
        v = self.times(change) if scaled or isinstance(self.known, np.ndarray) else change
        if scaled:
            self.scale = curvature / np.float64(change @ v)
            v *= self.scale
        if isinstance(self.known, np.ndarray):
            u = (0.5 * (1.0 + (change @ v) / curvature) * moved - v) / curvature
            dsyr2(1.0 / self.scale, moved, u, a=self.known, overwrite_a=1)
        else:
            self.steps = [*self.steps, (moved, change, curvature)][-self.most :]


def quasi_newton(
    start: HingeIterate[S],
    B: Updated,
    lam: float,
    tol: float,
    best: Best,
    evaluate: Evaluate[S],
    most: int = 0,
) -> int:
    """Go down by BFGS on an inverse Hessian, in place, until done or stalled; count steps."""
    # If that comes from no Hessian, it is scaled by the first step, and `most` steps are taken.
    at, pairs, gaps = start, start.sweep.pairs, list[float]()
    over, share = (SLOW_OVER, SLOW) if most else (STALL, STALLED)
    for iteration in range(most or LONGEST):
        gaps.append(best.gap)
        if iteration >= over and gaps[-1] > share * gaps[-over]:
            return iteration
        h = band_for(at, tol * best.primal)
        few = at.sweep.band_size * h < FEW * at.w.size * at.sweep.h
        if iteration > 0 and few and not most:
            return 0
        if abs(h - at.sweep.h) > OTHER_BAND * at.sweep.h:
            at = HingeIterate.at(lam, at.w, at.s, evaluate(pairs, at.s, h))
            best.update(at)
        if best.gap <= tol:
            return iteration
        step = line_search(lam, at, -B.times(at.gradient), evaluate, ACCEPT_QUASI)
        if step is None:
            return iteration
        last, at = at, at.moved(lam, step)
        best.update(at)
        if best.gap <= tol:
            return iteration + 1
        B.learn(step.t * step.p, at.gradient - last.gradient, most > 0 and iteration == 0)
    return most or LONGEST


def band_for(at: HingeIterate[S], goal: float) -> float:
    """Return the half width at which smoothing costs its share of the goal; cost goes as h²."""
    share = SMOOTHING * goal / max(at.slack, 1e-300)
    return min(WIDE_BAND, at.sweep.h * float(np.sqrt(share)))


def from_columns(
    at: Point, squares: Floats, lam: float, tol: float, best: Best, most: int, kept: int
) -> int:
    """Go down from the mean squares of columns (d,), not a Hessian; count steps, `most` or one."""
    best.update(at)
    p = -Updated(_inverse_of_normal(at, squares, lam)).times(at.gradient)
    if (step := line_search(lam, at, p, sweep, ACCEPT_QUASI)) is None:
        return 0
    at = at.moved(lam, step)
    best.update(at)
    if best.gap <= tol or most <= 1:
        return 1
    B = Updated(_inverse_of_normal(at, squares, lam), kept)  # other pairs are at their kinks now
    return 1 + quasi_newton(at, B, lam, tol, best, sweep, min(TRIED, most) - 1)


def _inverse_of_normal(at: Point, squares: Floats, lam: float) -> Floats | Product:
    """Return the inverse Hessian as if columns were independent and normal."""
    swept, mean = at.sweep, at.sweep.pairs.mean_difference
    dense = swept.band_size / (2.0 * swept.h * swept.pairs.count)
    t = 1.0 - float(at.w @ mean)  # at the kink
    pairs = NormalPairs(mean, variances(mean, squares))
    give = pairs.written if mean.size <= WRITTEN else pairs.product
    return give(at.w, lam, (dense, dense * t, dense * t * t))


def inverse_hessian(swept: SortedSweep, lam: float) -> Floats | None:
    """Return the inverse Hessian over the band, upper triangle, or None if not definite."""
    upper = iterate.factor(iterate.band_hessian(swept), lam) if swept.band_size > 0.0 else None
    if upper is None:
        return None
    half, info = dpotri(upper)
    return np.asarray(half) if info == 0 else None
