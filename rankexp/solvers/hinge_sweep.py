"""Loss, derivative and dual variables of all pairs, from one sort of the scores.

With ``z = 1 - s_i + s_j`` for a positive i and a negative j, the hinge ``max(0, z)`` is smoothed
over a band ``|z| < h`` (Huber), and ``alpha = clip((z + h) / 2h, 0, 1)`` is its derivative, which
is also a feasible dual variable of the exact hinge. Scores become integers (fixed point) first:
prefix sums are then exact, where sums of floats would stall on ties or certify falsely.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankexp.compiled import choose
from rankexp.solvers.hinge_data import Bools, Floats, Ints, Pairs

SMALLEST_BAND = 16  # units of the fixed point


@dataclass
class Sweep:
    """One evaluation of all pairs.

    Rows are merged into one sorted list by ``key`` = score, less one for positives: a pair is
    in the loss where its negative comes after its positive, and in the band where their keys
    differ by less than the half width.

    Attributes
    ----------
    pairs : Pairs
    h : float
        Half width of the band, as rounded to the fixed point.
    residual : ndarray of shape (n,)
        Derivative of the smoothed loss by each score: -mean alpha for positives, + for negatives.
    hinge, alpha : float
        Means over all pairs of the exact hinge and of the dual variables.
    band_size : float
        Number of pairs in the band, with multiplicities.
    order : ndarray of shape (n,), int
        Rows in ascending order of key.
    low, high : ndarray of shape (n,), int
        The band of the row at each position: positions ``low`` to ``high - 1``, other class only.
    """

    pairs: Pairs
    h: float
    residual: Floats
    hinge: float
    alpha: float
    band_size: float
    order: Ints
    low: Ints
    high: Ints

    @cached_property
    def negatives_before(self) -> Ints:
        """Weight of negatives before each position, shape (n + 1,)."""
        p = self.pairs
        return _prefix((p.weight * ~p.positive)[self.order])

    @cached_property
    def positives_before(self) -> Ints:
        """Weight of positives before each position, shape (n + 1,)."""
        p = self.pairs
        return _prefix((p.weight * p.positive)[self.order])

    @cached_property
    def band_weight(self) -> Ints:
        """Weight of the other class in the band of the row at each position, shape (n,)."""
        before_n, before_p = self.negatives_before, self.positives_before
        return np.where(
            self.pairs.positive[self.order],
            before_n[self.high] - before_n[self.low],
            before_p[self.high] - before_p[self.low],
        )

    @cached_property
    def band_degree(self) -> Floats:
        """Multiplicity times weight of the band, by row, shape (n,)."""
        out = np.empty(self.order.size)
        out[self.order] = self.band_weight
        out *= self.pairs.weight
        return out

    @cached_property
    def midway(self) -> Floats:
        """Residual with every alpha of the band at one half, shape (n,)."""
        p, order = self.pairs, self.order
        before_n, before_p = self.negatives_before, self.positives_before
        twice = np.where(
            p.positive[order],
            before_n[self.high] + before_n[self.low] - 2 * before_n[-1],
            before_p[self.high] + before_p[self.low],
        )
        out = np.empty(order.size)
        out[order] = twice
        out *= p.weight
        out *= 0.5 / p.count
        return out


def sweep(pairs: Pairs, s: Floats, h: float) -> Sweep:
    """Evaluate all pairs at scores ``s`` (n,) with band half width ``h``, in O(n log n)."""
    if pairs.use_numba:
        fix, join = loops().fixed_keys, loops().merge
    else:
        fix, join = fixed_keys, merge
    keys, scale = fix(s, pairs.positive, pairs.bits)
    order = keys.argsort()
    half = max(SMALLEST_BAND, round(h * scale))
    residual, hinge, alpha, band, low, high = join(keys, order, pairs.positive, pairs.weight, half)
    residual *= 0.5 / (half * pairs.count)
    return Sweep(
        pairs=pairs,
        h=half / scale,
        residual=residual,
        hinge=hinge / (scale * pairs.count),
        alpha=alpha / (2.0 * half * pairs.count),
        band_size=band,
        order=order,
        low=low,
        high=high,
    )


def loops() -> Any:
    """Return the module of compiled loops."""
    return choose("rankexp.solvers.hinge_numba", True)


def _prefix(values: Ints) -> Ints:
    out = np.zeros(values.size + 1, dtype=np.int64)
    np.add.accumulate(values, out=out[1:])
    return out


def fixed_keys(s: Floats, positive: Bools, bits: int) -> tuple[Ints, float]:
    """Return scores in fixed point, positives less one, and the scale.

    The scale is a power of two, such that no sum over 2^bits rows overflows.
    """
    reach = math.frexp(2.0 + max(float(s.max()), -float(s.min())))[1]
    scale = math.ldexp(1.0, min(50 - reach, 61 - bits - reach))
    keys = s - positive
    keys *= scale
    return np.rint(keys, out=keys).astype(np.int64), scale


def merge(
    keys: Ints, order: Ints, positive: Bools, weight: Ints, half: int
) -> tuple[Floats, float, float, float, Ints, Ints]:
    """Sum over the pairs of each row, all in integers.

    Parameters
    ----------
    keys : ndarray of shape (n,), int
        Scores in fixed point, positives less one.
    order : ndarray of shape (n,), int
        Ascending order of ``keys``.
    positive, weight : ndarray of shape (n,)
    half : int
        Half width of the band in units of the fixed point.

    Returns
    -------
    residual : ndarray of shape (n,)
        By row: weight times the sum of ``2 half alpha`` over the pairs, negative for positives.
    hinge, alpha, band : float
        Sum of the hinge in units; sum of ``2 half alpha``; number of pairs in the band.
    low, high : ndarray of shape (n,), int
        Band by position.
    """
    k = keys.take(order)
    pos = positive.take(order)
    wt = weight.take(order)
    low = k.searchsorted(k - half, side="right")
    high = k.searchsorted(k + half, side="left")
    w_pos = wt * pos
    w_neg = wt - w_pos
    out = np.empty(k.size)

    at = pos.nonzero()[0]
    a, lo, hi, w = k.take(at), low.take(at), high.take(at), wt.take(at)
    count, total = _prefix(w_neg), _prefix(w_neg * k)
    count_high = count.take(hi)
    inside = count_high - count.take(lo)
    units = total.take(hi) - total.take(lo)
    units += (half - a) * inside
    units += (2 * half) * (count[-1] - count_high)
    weighted = w * units.astype(np.float64)
    out[order.take(at)] = -weighted
    beyond = total[-1] - total.take(at)
    beyond -= a * (count[-1] - count.take(at))
    hinge = float(w @ beyond.astype(np.float64))
    alpha, band = float(weighted.sum()), float(w @ inside)

    at = (~pos).nonzero()[0]
    b, lo, hi, w = k.take(at), low.take(at), high.take(at), wt.take(at)
    count, total = _prefix(w_pos), _prefix(w_pos * k)
    count_low = count.take(lo)
    units = total.take(lo) - total.take(hi)
    units += (half + b) * (count.take(hi) - count_low)
    units += (2 * half) * count_low
    out[order.take(at)] = w * units.astype(np.float64)
    return out, hinge, alpha, band, low, high
