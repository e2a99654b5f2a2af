"""A point of the primal with its certificate, and the line search along a direction."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs
from scipy.special import ndtr

from rankexp.arrays import Floats
from rankexp.solvers.hinge.pairs import HingePairs, pull
from rankexp.solvers.hinge.sweep import BEYOND, LISTED_PAIRS, SortedSweep, Sweep, in_order, sweep

LONGEST_SEARCH = 12  # tuned: evaluations; hard data rarely take more than 6
BACKTRACK = 0.1  # tuned: of the way that turned out too long
EXPANSION = 9.0  # tuned: at most so many times the step that was too short
NEAREST_END = 0.02  # tuned: of an interval, so that no secant step gets stuck at its end
ILLINOIS = 0.5  # the secant's rule of that name: halves the slope of an end that stays
SMOOTHING = 0.25  # the Huber function exceeds the hinge by h/4 at most
AROUND = 0.05  # of the margin, in which pairs tell how the loss curves along the scores
CLOSE = 0.01  # of the slope at 0: what is left of it at a guess
ROUNDING = 1e-12  # of the objective: far above its rounding, far below any tolerance
USELESS_STEP = 1e-3  # a step to the right of which the objective rises, and which is still taken
BEYOND_MARGIN = 1.0 + 1e-12  # by more than rounding, so that no pair is left in the loss
BROKEN = 1e-10  # of the objective: the dual exceeds the primal by more than rounding can do

S = TypeVar("S", bound=Sweep)
OVERFLOWED = "the pairwise hinge overflowed; divide the columns of X by their largest values"
Along = tuple[float, float, float]  # the hinge there, its slope along the scores, its curvature
AtLength = Callable[[float], Along]
Evaluate = Callable[[HingePairs, Floats, float], S]
Solved = tuple["Best", int]  # the best values, with coefficients, and iterations
Solve = Callable[[float], Solved]  # for a penalty
LISTED_ROWS = 2  # tuned: pairs a row, up to which a list is faster than prefix sums over rows
NARROW = 0.02  # half a band, where any does
RIDGE = 1e-14  # of the trace: some times the rounding of a matrix of 50 columns
RIDGE_GROWTH = 10.0  # tuned: few factorisations, and not much more ridge than is needed


@dataclass
class HingeIterate(Generic[S]):
    """Coefficients for one ``lam``, with all that a sweep there gives."""

    w: Floats  # (d,)
    s: Floats  # (n,): scores
    sweep: S
    slope: Floats  # of the smoothed loss, (d,)
    gradient: Floats  # of the smoothed objective, (d,)
    primal: float  # exact objective at w
    dual: float  # dual objective at the alpha of the sweep
    slack: float  # cost of smoothing: primal - dual = slack + |gradient|² / (2 lam)

    @classmethod
    def at(cls, lam: float, w: Floats, s: Floats, swept: S) -> "HingeIterate[S]":
        """Complete a sweep at ``w``, with one product by X."""
        slope = pull(swept.pairs.X, swept.residual)
        ridge = 0.5 * lam * float(w @ w)
        primal, dual = swept.hinge + ridge, swept.alpha - float(slope @ slope) / (2.0 * lam)
        slack = swept.hinge - swept.alpha - float(swept.residual @ s)
        return cls(w, s, swept, slope, slope + lam * w, primal, dual, slack)

    def moved(self, lam: float, step: "Step[S]") -> "HingeIterate[S]":
        t, p, q, swept = step
        return HingeIterate.at(lam, self.w + t * p, self.s + t * q, swept)


Point = HingeIterate[SortedSweep]


class Step(NamedTuple, Generic[S]):
    """A step of length ``t`` along ``p`` (d,), with scores ``q`` (n,), and the sweep there."""

    t: float
    p: Floats
    q: Floats
    sweep: S


@dataclass
class Best:
    """The best primal and dual values found for one ``lam``: any pair of them certifies."""

    primal: float = np.inf
    dual: float = -np.inf
    w: Floats = field(default_factory=lambda: np.empty(0))
    s: Floats = field(default_factory=lambda: np.empty(0))
    residual: Floats = field(default_factory=lambda: np.empty(0))
    alpha: float = 0.0
    measured: tuple[float, float] | None = None  # the hinge at w, and how far fixed point is off
    slope: Floats | None = None
    h: float = 0.0  # of the band at w
    unit: float = np.inf  # of fixed point, if the hinge at w is exact but for it

    def update(self, at: HingeIterate[S]) -> None:
        """Take over what is better at a point."""
        swept = at.sweep
        known = at.primal, at.dual, at.w, at.s, swept.residual, swept.alpha
        unit = unit_of(swept.one) if isinstance(swept, SortedSweep) else np.inf
        self.take(Best(*known, slope=at.slope, h=swept.h, unit=unit))

    def scaled(self, pairs: HingePairs, lam: float, larger: float) -> "Best":
        """Return what the best values for a larger penalty say, at a margin of 1."""
        margin, share = pairs.order.differences(self.s)[0], lam / larger
        longer = BEYOND_MARGIN / margin if margin > 0.0 else np.inf
        w, s, residual = longer * self.w, longer * self.s, share * self.residual
        primal, dual, alpha = 0.5 * lam * float(w @ w), share * self.dual, share * self.alpha
        return Best(primal, dual, w, s, residual, alpha, h=self.h)

    def take(self, other: "Best") -> None:
        """Take over what is better."""
        if other.dual > self.dual:
            self.dual, self.residual, self.alpha = other.dual, other.residual, other.alpha
            self.slope = other.slope
        if other.primal < self.primal:
            self.primal, self.w, self.s = other.primal, other.w, other.s
            self.h, self.unit = other.h, other.unit

    @property
    def gap(self) -> float:
        """Relative duality gap; infinite if rounding has broken weak duality."""
        if not np.isfinite(self.primal) or self.primal <= 0.0:
            return np.inf
        gap = (self.primal - self.dual) / self.primal
        return np.inf if gap < -BROKEN else max(gap, 0.0)


def together(pairs: HingePairs, lam: float, h: float = NARROW) -> Best | None:
    """Return the solution for a penalty so large that every pair is in the loss at once."""
    u, least = pairs.together
    if least > lam:
        return None
    w, s, from_all = pairs.mean_difference / lam, u / lam, sweep(pairs, 0.0 * u, h)
    value = 1.0 - 0.5 * lam * float(w @ w)
    return Best(value, value, w, s, from_all.residual, 1.0, exact_hinge(pairs, s))


class Bracket:
    """An interval that holds the zero of a rising derivative, and the next step to try."""

    def __init__(self, slope: float) -> None:
        self.left, self.at_left = 0.0, slope
        self.right, self.at_right = np.inf, np.inf
        self.side = 0  # how often the same end has moved, with a sign

    def next(self, t: float, slope: float) -> float:
        """Return the next step after one with this derivative."""
        if slope < 0.0 and np.isinf(self.right):
            reach = (t - self.left) * slope / min(self.at_left - slope, -1e-300)
            self.left, self.at_left = t, slope
            return t + min(max(reach, t), EXPANSION * t)
        if slope < 0.0:
            self.left, self.at_left = t, slope
            self.side = max(self.side, 0) + 1
            self.at_right *= ILLINOIS if self.side > 1 else 1.0
        else:
            self.right, self.at_right = t, slope
            self.side = min(self.side, 0) - 1
            self.at_left *= ILLINOIS if self.side < -1 else 1.0
        share = self.at_left / (self.at_left - self.at_right)
        share = min(max(share, NEAREST_END), 1.0 - NEAREST_END)
        return self.left + (self.right - self.left) * share


def line_search(
    lam: float,
    start: HingeIterate[S],
    p: Floats,
    evaluate: Evaluate[S],
    accept: float,
    *,
    h: float | None = None,
    slope: float | None = None,
) -> Step[S] | None:
    """Find a step at which the derivative of the smoothed objective is small, or return None."""
    # The derivative ``residual · q + lam (w + t p) · p`` rises with t and needs no product by X.
    # `accept`: accepted ratio of its absolute value to that at zero. `h`, `slope`: half width of
    # the band and the derivative at zero, by default those of ``start``.
    pairs, s = start.sweep.pairs, start.s
    q = pairs.scores(p)
    h = start.sweep.h if h is None else h
    if not (math.isfinite(h) and math.isfinite(float(np.abs(q).max()))):
        raise FloatingPointError(BEYOND)
    slope = float(start.gradient @ p) if slope is None else slope
    wp, pp = lam * float(start.w @ p), lam * float(p @ p)
    ww = lam * float(start.w @ start.w)
    # Beyond this the smoothed objective has risen for sure.
    smoothing = SMOOTHING * start.sweep.h * start.sweep.band_size / pairs.count
    ceiling = (start.primal + smoothing) * (1.0 + ROUNDING)
    bracket, t = Bracket(slope), 1.0
    for _ in range(LONGEST_SEARCH):
        swept = evaluate(pairs, s + t * q, h)
        now = float(swept.residual @ q) + wp + t * pp
        if swept.hinge + 0.5 * ww + t * wp + 0.5 * t * t * pp > ceiling:
            bracket.right, bracket.at_right = t, now
            t = bracket.left + BACKTRACK * (t - bracket.left)
        elif abs(now) <= -accept * slope:
            return Step(t, p, q, swept)
        else:
            t = bracket.next(t, now)
    if bracket.left > 0.0 or bracket.right < USELESS_STEP:
        t = bracket.left if bracket.left > 0.0 else bracket.right
        return Step(t, p, q, evaluate(pairs, s + t * q, h))
    return None


def longer(pairs: HingePairs, s: Floats, around: float = 0.0) -> tuple[int, AtLength]:
    """Return units of 1, and what gives the hinge of t >= 1 times the scores, and its curve."""
    # Their order stays, so that one sort does: t times the scores are these at a margin of 1 / t.
    from rankexp.solvers.hinge.sweep_loops import ranked, sums

    keys, order, scale, (apart, one, most) = in_order(pairs, s, around)
    known, unused = ranked(keys, order, pairs.layout, apart), np.zeros(s.size)

    def at(t: float) -> Along:
        half = max(round(most / t), 1)
        units = apart, round(scale / t), half
        hinge, alpha, band = sums(known, pairs.layout, units, unused, False)
        hinge, alpha = hinge / (scale * pairs.count), alpha / (2.0 * half * pairs.count)
        return t * hinge, hinge - alpha / t, band * scale / (2.0 * half * t * pairs.count)

    return one, at


def unit_of(one: int) -> float:
    """Return how far fixed point may be off; infinite where it holds no margin of 1."""
    return 1.0 / one if one else np.inf


def exact_hinge(pairs: HingePairs, s: Floats) -> tuple[float, float]:
    """Return the mean hinge at scores (n,), and how far fixed point may be off."""
    one, at = longer(pairs, s)
    return at(1.0)[0], unit_of(one)


def along(pairs: HingePairs, s: Floats, ridge: float, accept: float) -> Along:
    """Return how many times as long scores (n,) should be, the hinge there, and how it curves."""
    # `ridge`: lam |w|². The curvature is the number of pairs a unit of their differences there.
    _, at = longer(pairs, s, AROUND)
    t, (value, slope, bend) = 1.0, at(1.0)
    bracket, bound = Bracket(slope + ridge), -accept * (slope + ridge)
    for _ in range(LONGEST_SEARCH if bound > 0.0 else 0):
        t = 1.0 + bracket.next(t - 1.0, slope + t * ridge) if t > 1.0 else 2.0
        value, slope, bend = at(t)
        if abs(slope + t * ridge) <= bound:
            break
    return t, value, bend


def as_if_normal(mean: float, square: float, ridge: float) -> Along:
    """Return the same if differences of scores, whose mean square is `square`, were normal."""
    deviation = math.sqrt(max(2.0 * square - 0.5 * mean * mean, square))  # as in `variances`
    bracket, t = Bracket(-mean), 1.0 / mean
    for _ in range(LONGEST_SEARCH):
        z = (1.0 / t - mean) / deviation
        inside, density = float(ndtr(z)), math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        slope = deviation * density - mean * inside + t * ridge
        if not abs(slope) > CLOSE * mean:
            break
        t = bracket.next(t, slope)
    return t, (1.0 - t * mean) * inside + t * deviation * density, density / (deviation * t)


def band_hessian(swept: SortedSweep) -> Floats:
    """Return the Hessian of the loss, without the penalty, shape (d, d)."""
    p = swept.pairs
    n, d = p.X.shape
    if swept.band_size == 0.0:
        return np.zeros((d, d))
    if (listed := swept.listed(min(LISTED_ROWS * n, LISTED_PAIRS))) is None:
        return swept.laplacian() / (2.0 * swept.h * p.count)
    i, j = listed
    D = p.X[i]
    D -= p.X[j]
    if (m := p.multiplicity(i, j)) is not None:
        D *= np.sqrt(m)[:, None]
    return np.asarray(1.0 / (2.0 * swept.h * p.count) * (D.T @ D))


def factor(H: Floats, lam: float) -> Floats | None:
    """Return the Cholesky factor of ``H + lam I``, or None if it isn't positive definite."""
    M = H.copy()
    M.flat[:: M.shape[0] + 1] += lam
    upper, info = dpotrf(M)
    return upper if info == 0 else None


def ridged_factor(H: Floats, lam: float) -> Floats:
    """Factor ``H + lam I``, adding to the diagonal if rounding has made it indefinite."""
    upper, ridge = factor(H, lam), lam
    while upper is None:
        if not (np.all(np.isfinite(H)) and ridge < np.inf):
            raise FloatingPointError(OVERFLOWED)
        ridge = max(RIDGE_GROWTH * ridge, RIDGE * float(np.trace(H)))
        upper = factor(H, ridge)
    return upper


def solve(upper: Floats, b: Floats) -> Floats:
    """Solve with a factor from :func:`factor`."""
    x, _ = dpotrs(upper, b)
    return np.asarray(x)
