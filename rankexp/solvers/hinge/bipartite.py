"""Pairs of a positive and a negative row, and their sweep: one sorted list of all rows."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankexp.solvers.hinge.data import CENTRED_ROWS, Bools, Floats, Ints, Pairs, Sweep, gather
from rankexp.solvers.hinge.sweep import (
    FEW_ROWS,
    ROWS_AT_ONCE,
    SAMPLED_PAIRS,
    SMALLEST_BAND,
    WIDE,
    fixed_keys,
    in_blocks,
    loops,
    prefix,
)


@dataclass(frozen=True)
class BipartitePairs(Pairs):
    """All pairs (positive row, negative row).

    Attributes
    ----------
    positive : ndarray of shape (n,), bool
    """

    positive: Bools

    def differences(self, s: Floats) -> tuple[float, float]:
        """Return the smallest and the largest ``s_i - s_j`` of all pairs."""
        up, down = s[self.positive], s[~self.positive]
        return float(up.min() - down.max()), float(up.max() - down.min())

    def multiplicity(self, i: Ints, j: Ints) -> Floats | None:
        """Return what the pairs (i[k], j[k]) count, shape (M,); None where all count 1."""
        if self.weight_or_none is None:
            return None
        return (self.weight[i] * self.weight[j]).astype(np.float64)

    def sweep(self, s: Floats, h: float) -> "BipartiteSweep":
        """Evaluate all pairs at scores ``s`` (n,) with band half width ``h``, in O(n log n)."""
        if self.use_numba:
            fix, join = loops().fixed_keys, loops().merge
        else:
            fix, join = fixed_keys, merge
        keys, scale = fix(s, self.positive, self.bits)
        order = keys.argsort()
        half = max(SMALLEST_BAND, round(h * scale))
        residual, hinge, alpha, band, low, high = join(
            keys, order, self.positive, self.weight, half
        )
        residual *= 0.5 / (half * self.count)
        return BipartiteSweep(
            pairs=self,
            h=half / scale,
            residual=residual,
            hinge=hinge / (scale * self.count),
            alpha=alpha / (2.0 * half * self.count),
            band_size=band,
            order=order,
            low=low,
            high=high,
        )

    def sample(self, rows: int) -> "BipartitePairs":
        """Return the pairs of a sample of about ``rows`` rows, half of each class."""
        rng = np.random.default_rng(0)
        chosen = []
        for side in (self.positive, ~self.positive):
            at = np.flatnonzero(side)
            ends = np.cumsum(self.weight[at])
            ticks = rng.integers(0, ends[-1], rows // 2)
            chosen.append(at[np.unique(np.searchsorted(ends, ticks, side="right"))])
        taken = np.sort(np.concatenate(chosen))
        return make_pairs(self.X[taken], self.positive[taken], self.use_numba)


def make_pairs(X: Floats, positive: Bools, use_numba: bool = False) -> BipartitePairs:
    """Return the pairs of two classes; see :func:`gather`.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    positive : ndarray of shape (n,), bool
        Both classes must occur.

    Raises
    ------
    ValueError
        If a class is missing, or X isn't finite.
    """
    n = X.shape[0]
    n_positive = int(np.count_nonzero(positive))
    if n_positive in (0, n):
        raise ValueError("the pairwise hinge needs examples of both classes; y has one only")
    side = np.where(positive, 1.0 / n_positive, -1.0 / (n - n_positive))
    rows = gather(X, positive, side, np.ones(n, dtype=np.int64))
    return BipartitePairs(
        X=rows.X,
        positive=rows.label,
        weight=rows.weight,
        count=float(n_positive) * float(n - n_positive),
        mean_difference=rows.difference,
        rotation=rows.rotation,
        bits=int(np.ceil(np.log2(n))),
        use_numba=use_numba,
        centred=n <= CENTRED_ROWS,
        rows=rows.rows,
    )


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

    @cached_property
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
