"""Loss, derivative and dual variables of all pairs, from one sort of the scores.

With ``z = 1 - s_i + s_j`` for a positive i and a negative j, the hinge ``max(0, z)`` is smoothed
over a band ``|z| < h`` (Huber), and ``alpha = clip((z + h) / 2h, 0, 1)`` is its derivative, which
is also a feasible dual variable of the exact hinge. Scores become integers (fixed point) first:
prefix sums are then exact, where sums of floats would stall on ties or certify falsely.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, singledispatch
from typing import Any

import numpy as np

from rankexp.compiled import choose
from rankexp.solvers.hinge_data import BipartitePairs, Bools, Floats, Ints, Pairs

SMALLEST_BAND = 16  # units of the fixed point
FEW_ROWS = 20_000  # up to here numpy takes prefix sums over all rows
SAMPLED_PAIRS = 20_000  # also the longest list
ROWS_AT_ONCE = 256  # what stays in the cache
WIDE, WIDE_ROWS = 256, 2048  # from so many columns on, half of a symmetric product is saved


@dataclass
class Sweep(ABC):
    """One evaluation of all pairs (i, j), i the upper one.

    Attributes
    ----------
    pairs : Pairs
    h : float
        Half width of the band, as rounded to the fixed point.
    residual : ndarray of shape (n,)
        Derivative of the smoothed loss by each score: -mean alpha for upper rows, + for lower.
    hinge, alpha : float
        Means over all pairs of the exact hinge and of the dual variables.
    band_size : float
        Number of pairs in the band, with multiplicities (and costs).
    """

    pairs: Pairs
    h: float
    residual: Floats
    hinge: float
    alpha: float
    band_size: float

    @property
    @abstractmethod
    def midway(self) -> Floats:
        """Residual with every alpha of the band at one half, shape (n,)."""

    @property
    @abstractmethod
    def settled(self) -> Floats:
        """Residual with every alpha of the band at zero, shape (n,)."""

    @property
    @abstractmethod
    def settled_alpha(self) -> float:
        """Mean over all pairs of alpha, those of the band at zero."""

    @abstractmethod
    def listed(self, most: int) -> tuple[Ints, Ints] | None:
        """Return upper and lower rows of all pairs of the band, or None if more than ``most``."""

    @abstractmethod
    def laplacian(self) -> Floats:
        """Return the sum over the band of D D' (d, d), without listing pairs."""


@dataclass
class BipartiteSweep(Sweep):
    """One evaluation of all pairs of a positive and a negative row.

    Rows are merged into one sorted list by ``key`` = score, less one for positives: a pair is
    in the loss where its negative comes after its positive, and in the band where their keys
    differ by less than the half width.

    Attributes
    ----------
    order : ndarray of shape (n,), int
        Rows in ascending order of key.
    low, high : ndarray of shape (n,), int
        The band of the row at each position: positions ``low`` to ``high - 1``, other class only.
    """

    pairs: BipartitePairs
    order: Ints
    low: Ints
    high: Ints

    @cached_property
    def negatives_before(self) -> Ints:
        """Weight of negatives before each position, shape (n + 1,)."""
        p = self.pairs
        return prefix((p.weight * ~p.positive)[self.order])

    @cached_property
    def positives_before(self) -> Ints:
        """Weight of positives before each position, shape (n + 1,)."""
        p = self.pairs
        return prefix((p.weight * p.positive)[self.order])

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

    @property
    def settled(self) -> Floats:
        """Residual with every alpha of the band at zero, shape (n,)."""
        half = self.band_degree * (0.5 / self.pairs.count)
        return self.midway + np.where(self.pairs.positive, half, -half)

    @property
    def settled_alpha(self) -> float:
        """Mean over all pairs of alpha, those of the band at zero."""
        return -float(np.sum(self.settled, where=self.pairs.positive))

    def listed(self, most: int) -> tuple[Ints, Ints] | None:
        """Return rows of all pairs of the band, or None if there are more than ``most``."""
        p, order = self.pairs, self.order
        if p.use_numba:
            rows = loops().listed(order, p.positive, self.low, self.high, most)
            return rows if rows[0].size else None
        positive = p.positive[order]
        at = np.flatnonzero(positive)
        negatives = order[~positive]
        before = np.zeros(order.size + 1, dtype=np.int64)
        np.cumsum(~positive, out=before[1:])
        first = before[self.low[at]]
        size = before[self.high[at]] - first
        total = int(size.sum())
        if total > most:
            return None
        ends = np.cumsum(size)
        offset = np.repeat(first - ends + size, size)
        return np.repeat(order[at], size), negatives[np.arange(total) + offset]

    def _sampled_differences(self, sampled: int) -> Floats:
        """Return ``x_i - x_j`` (sampled, d) of pairs evenly spaced along the band."""
        p, order = self.pairs, self.order
        at = np.flatnonzero(p.positive[order])
        ends = np.cumsum(self.band_degree[order[at]])
        ticks = (np.arange(sampled) + 0.5) * (ends[-1] / sampled)
        which = np.minimum(np.searchsorted(ends, ticks, side="right"), at.size - 1)
        i = at[which]
        degree = self.band_weight[i]
        rest = ticks - (ends[which] - degree * p.weight[order[i]])
        before = self.negatives_before
        inside = np.minimum((rest % degree).astype(np.int64), degree - 1)
        j = np.searchsorted(before, before[self.low[i]] + inside, side="right") - 1
        D: Floats = p.X[order[i]]
        D -= p.X[order[j]]
        return D

    def laplacian(self) -> Floats:
        """Return the sum over the band of D D' (d, d); of many rows, numpy takes a sample."""
        if self.order.size <= FEW_ROWS or self.pairs.use_numba:
            return self._windows()
        D = self._sampled_differences(SAMPLED_PAIRS)
        H: Floats = D.T @ D
        H *= self.band_size / SAMPLED_PAIRS
        return H

    def _windows(self) -> Floats:
        """Return the sum over the band of D D' (d, d) by prefix sums over the sorted rows."""
        p, order = self.pairs, self.order
        if p.use_numba:
            given = p.X, p.centre, order, p.positive, p.weight, self.low, self.high
            d = p.X.shape[1]
            if d < WIDE:
                product: Floats = loops().laplacian(*given, ROWS_AT_ONCE)
                return product
            window = np.zeros((2, d)), np.zeros(2), np.zeros(2, dtype=np.int64)
            return in_blocks(p, loops().laplacian_rows, given, window)
        positive = p.positive[order]
        at = np.flatnonzero(positive)
        negatives = order[~positive]
        before = np.zeros(order.size + 1, dtype=np.int64)
        np.cumsum(~positive, out=before[1:])
        first, second = p.workspace
        weighted = p.weight_or_none is not None
        rows = np.take(p.X, negatives, axis=0, out=second[: negatives.size], mode="clip")
        if weighted:
            rows *= p.weight[negatives][:, None]
        C = first[: negatives.size + 1]
        C[0] = 0.0
        np.cumsum(rows, axis=0, out=C[1:])
        inside = C[before[self.high[at]]]
        inside -= np.take(C, before[self.low[at]], axis=0, out=second[: at.size], mode="clip")
        if weighted:
            inside *= p.weight[order[at]][:, None]
        rows = np.take(p.X, order[at], axis=0, out=second[: at.size], mode="clip")
        A = rows.T @ inside
        Y = np.multiply(p.X, np.sqrt(self.band_degree)[:, None], out=first[: order.size])
        H: Floats = Y.T @ Y
        H -= A
        H -= A.T
        return H


def in_blocks(
    pairs: Pairs, rows_of: Callable[..., None], given: tuple[Any, ...], window: tuple[Any, ...]
) -> Floats:
    """Return ``X' L X`` (d, d) from a compiled loop that writes sorted rows and L times them.

    Of many columns, only the lower triangle is worked out.
    """
    n, d = pairs.X.shape
    size = min(n, ROWS_AT_ONCE if d < WIDE else WIDE_ROWS)
    step = d if d < WIDE else -(-d // 8)
    rows, LX, H = np.empty((size, d)), np.empty((size, d)), np.zeros((d, d))
    for start in range(0, n, size):
        stop = min(n, start + size)
        rows_of(*given, start, stop, window, rows, LX)
        A, B = rows[: stop - start], LX[: stop - start]
        for k in range(0, d, step):
            H[k:, k : k + step] += A[:, k:].T @ B[:, k : k + step]
    return np.tril(H) + np.tril(H, -1).T


@singledispatch
def sweep(pairs: Pairs, s: Floats, h: float) -> Sweep:
    """Evaluate all pairs at scores ``s`` (n,) with band half width ``h``, in O(n log n)."""
    raise TypeError(f"no sweep for {type(pairs).__name__}")


@sweep.register
def _bipartite(pairs: BipartitePairs, s: Floats, h: float) -> BipartiteSweep:
    if pairs.use_numba:
        fix, join = loops().fixed_keys, loops().merge
    else:
        fix, join = fixed_keys, merge
    keys, scale = fix(s, pairs.positive, pairs.bits)
    order = keys.argsort()
    half = max(SMALLEST_BAND, round(h * scale))
    residual, hinge, alpha, band, low, high = join(keys, order, pairs.positive, pairs.weight, half)
    residual *= 0.5 / (half * pairs.count)
    return BipartiteSweep(
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


def prefix(values: Ints) -> Ints:
    """Return the sums of the first 0, 1, ..., n values."""
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
    count, total = prefix(w_neg), prefix(w_neg * k)
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
    count, total = prefix(w_pos), prefix(w_pos * k)
    count_low = count.take(lo)
    units = total.take(lo) - total.take(hi)
    units += (half + b) * (count.take(hi) - count_low)
    units += (2 * half) * count_low
    out[order.take(at)] = w * units.astype(np.float64)
    return out, hinge, alpha, band, low, high
