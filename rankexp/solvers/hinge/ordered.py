"""The sweep of pairs of K ordered levels with costs, all of them or within groups.

Rows are sorted once, by group and score. A row is the upper one of pairs with rows around
``s - 1``, and the lower one of pairs with rows around ``s + 1``: two windows a row, sums by level,
O(n log n + K n) an evaluation. Groups lie so far apart in the sorted keys that no window leaves
its group. The fixed point is that of :mod:`rankexp.solvers.hinge.sweep`.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankexp.compiled import choose
from rankexp.solvers.hinge.data import CENTRED_ROWS, Floats, Ints, Pairs, Sweep, gather
from rankexp.solvers.hinge.sweep import (
    SMALLEST_BAND,
    fixed_keys,
    in_blocks,
    prefix,
)
from rankexp.solvers.pairs.partial_order import PartialOrder

LOOPS = "rankexp.solvers.hinge.ordered_numba"


@dataclass(frozen=True)
class OrderedPairs(Pairs):
    """All pairs of a partial order.

    Attributes
    ----------
    order : PartialOrder
        Of the distinct rows; the largest cost is 1.
    """

    order: PartialOrder

    @cached_property
    def bounds(self) -> Ints:
        """Number of distinct rows in the groups before each one, by level, (G + 1, K)."""
        G, K = self.order.counts.shape
        out = np.zeros((G + 1, K), dtype=np.int64)
        counts = np.bincount(self.order.cell, minlength=G * K).reshape(G, K)
        np.cumsum(counts, axis=0, out=out[1:])
        return out

    @cached_property
    def starts(self) -> Ints:
        """First position of each group among the sorted rows, and the end, (G + 1,)."""
        return np.asarray(self.bounds.sum(axis=1))

    def differences(self, s: Floats) -> tuple[float, float]:
        """Return the smallest and the largest ``s_i - s_j`` of all pairs."""
        return self.order.differences(s)

    def multiplicity(self, i: Ints, j: Ints) -> Floats:
        """Return what the pairs (i[k], j[k]) count, shape (M,)."""
        level = self.order.level
        out: Floats = self.order.costs[level[j], level[i]] * (self.weight[i] * self.weight[j])
        return out

    def sweep(self, s: Floats, h: float) -> "OrderedSweep":
        """Evaluate all pairs at scores ``s`` (n,) with band half width ``h``."""
        rows = self.order
        keys, scale = fixed_keys(s, np.zeros(s.size, dtype=bool), self.bits)
        one, half = round(scale), max(SMALLEST_BAND, round(h * scale))
        apart = keys
        if self.starts.size > 2:
            apart = keys + rows.group * (int(keys.max()) - int(keys.min()) + one + half + 1)
        order = apart.argsort()
        join = _loops().merge if self.use_numba else _merge
        residual, beyond, tilt, degree, hinge, alpha, settled, band = join(
            *(keys.take(order), apart.take(order), order, rows.level, self.weight),
            *(rows.costs, self.starts, self.bounds, one, half),
        )
        residual *= 0.5 / (half * self.count)
        beyond *= 1.0 / self.count
        return OrderedSweep(
            pairs=self,
            h=half / scale,
            residual=residual,
            hinge=hinge / (scale * self.count),
            alpha=alpha / (2.0 * half * self.count),
            band_size=band,
            order=order,
            keys=apart.take(order),
            one=one,
            half=half,
            beyond=beyond,
            tilt=tilt,
            degree=degree,
            beyond_alpha=settled / self.count,
        )

    def sample(self, rows: int) -> "OrderedPairs":
        """Return the pairs of a sample of about ``rows`` rows, always the same ones."""
        taken, order = self.order.sample(rows)
        return ordered_pairs(self.X[taken], order, self.use_numba)


def ordered_pairs(X: Floats, order: PartialOrder, use_numba: bool = False) -> OrderedPairs:
    """Return the pairs of a partial order, without the rows that are in none.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    order : PartialOrder

    Raises
    ------
    ValueError
        If there is no pair, or X isn't finite.
    """
    below, above = order.part()
    used = np.flatnonzero(below + above)
    if not used.size:
        raise ValueError("the pairwise hinge needs pairs of different levels; there is none")
    if used.size < below.size:
        X, order, below, above = X[used], order.take(used), below[used], above[used]
    most = max(cost for *_, cost in order.level_pairs())
    order = replace(order, costs=order.costs / most)
    n, K = X.shape[0], order.costs.shape[0]
    side = (below - above) * order.weight / (most * order.total)
    rows = gather(X, order.cell, side, order.weight)
    merged = PartialOrder(rows.label % K, rows.label // K, order.costs, rows.weight)
    return OrderedPairs(
        X=rows.X,
        weight=rows.weight,
        count=order.total,
        mean_difference=rows.difference,
        rotation=rows.rotation,
        bits=int(np.ceil(np.log2(float(rows.weight.sum())))),
        use_numba=use_numba,
        centred=n <= CENTRED_ROWS,
        rows=used[rows.rows],
        order=merged,
    )


@dataclass
class OrderedSweep(Sweep):
    """One evaluation of all pairs of a partial order.

    Attributes
    ----------
    order : ndarray of shape (n,), int
        Rows by group, then by score.
    keys : ndarray of shape (n,), int
        At each position, the score in fixed point, groups far apart.
    one, half : int
        The margin and half the band in units of the fixed point.
    beyond : ndarray of shape (n,)
        Residual with every alpha of the band at zero.
    tilt, degree : ndarray of shape (n,)
        What the band counts by row: as upper less as lower row; as either.
    beyond_alpha : float
        Mean over all pairs of alpha, those of the band at zero.
    """

    pairs: OrderedPairs
    order: Ints
    keys: Ints
    one: int
    half: int
    beyond: Floats
    tilt: Floats
    degree: Floats
    beyond_alpha: float

    @property
    def midway(self) -> Floats:
        """Residual with every alpha of the band at one half, shape (n,)."""
        return self.beyond - (0.5 / self.pairs.count) * self.tilt

    @property
    def settled(self) -> Floats:
        """Residual with every alpha of the band at zero, shape (n,)."""
        return self.beyond

    @property
    def settled_alpha(self) -> float:
        """Mean over all pairs of alpha, those of the band at zero."""
        return self.beyond_alpha

    @cached_property
    def at(self) -> list[Ints]:
        """Positions of the rows of each level."""
        level = self.pairs.order.level[self.order]
        return [np.flatnonzero(level == k) for k in range(self.pairs.order.costs.shape[0])]

    def band(self, low: int, up: int) -> tuple[Ints, Ints]:
        """Return where the lower rows of each upper one's band begin and end, in ``at[low]``."""
        lower, upper = self.keys[self.at[low]], self.keys[self.at[up]] - self.one
        if self.pairs.use_numba:
            found: tuple[Ints, Ints] = _loops().windows(lower, upper, self.half)
            return found
        return (
            lower.searchsorted(upper - self.half, side="right"),
            lower.searchsorted(upper + self.half, side="left"),
        )

    def listed(self, most: int) -> tuple[Ints, Ints] | None:
        """Return upper and lower rows of all pairs of the band, or None if more than ``most``."""
        upper, lower, total = [], [], 0
        for low, up, _ in self.pairs.order.level_pairs():
            begin, end = self.band(low, up)
            size = end - begin
            total += int(size.sum())
            if total > most:
                return None
            offset = np.repeat(begin - np.cumsum(size) + size, size)
            upper.append(np.repeat(self.order[self.at[up]], size))
            lower.append(self.order[self.at[low]][np.arange(offset.size) + offset])
        return np.concatenate(upper), np.concatenate(lower)

    def laplacian(self) -> Floats:
        """Return the sum over the band of D D' (d, d), by windows over the sorted rows."""
        p, d = self.pairs, self.pairs.X.shape[1]
        if p.use_numba:
            order = self.order, p.order.level, p.weight, p.order.costs
            given = p.X, p.centre, self.keys, *order, self.one, self.half
            K = p.order.costs.shape[0]
            window = np.zeros((2, K, d)), np.zeros((2, K)), np.zeros((2, 2), dtype=np.int64)
            return in_blocks(p, _loops().laplacian_rows, given, window)
        Y = p.X * np.sqrt(self.degree)[:, None]
        H: Floats = Y.T @ Y
        for low, at in enumerate(self.at):
            rows = self.order[at]
            sums = np.zeros((rows.size + 1, d))
            np.cumsum(p.X[rows] * p.weight[rows, None], axis=0, out=sums[1:])
            for of, up, cost in p.order.level_pairs():
                if of == low:
                    begin, end = self.band(low, up)
                    upper = self.order[self.at[up]]
                    A = p.X[upper].T @ ((sums[end] - sums[begin]) * p.weight[upper, None])
                    H -= cost * (A + A.T)
        return H


def _merge(
    k: Ints,
    apart: Ints,
    order: Ints,
    level: Ints,
    weight: Ints,
    costs: Floats,
    starts: Ints,
    bounds: Ints,
    one: int,
    half: int,
) -> tuple[Floats, Floats, Floats, Floats, float, float, float, float]:
    """Sum over the pairs of each row, for each pair of levels, all but costs in integers.

    Parameters
    ----------
    k, apart : ndarray of shape (n,), int
        Sorted scores in fixed point, as they are and with the groups far apart.
    order : ndarray of shape (n,), int
        Rows by position.
    level, weight : ndarray of shape (n,)
        By row.
    costs : ndarray of shape (K, K)
    starts, bounds : ndarray of shape (G + 1,), (G + 1, K)
        See `OrderedPairs`.
    one, half : int
        The margin and half the band in units.

    Returns
    -------
    residual, beyond, tilt, degree : ndarray of shape (n,)
        By row: sums of ``2 half alpha`` over the pairs; of pairs beyond the band; of pairs in the
        band, those as upper row less those as lower row; of both. Negative residuals and beyond
        are those of upper rows.
    hinge, alpha, settled, band : float
        Sum of the hinge in units; of ``2 half alpha``; of pairs beyond and in the band.
    """
    ranked, wt = level.take(order), weight.take(order)
    group = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    at = [np.flatnonzero(ranked == j) for j in range(costs.shape[0])]
    sums = [(prefix(wt[a]), prefix(wt[a] * k[a])) for a in at]
    out = np.zeros((4, k.size))
    hinge = alpha = settled = band = 0.0
    for low, up in np.argwhere(costs > 0.0).tolist():
        i, j, cost = at[up], at[low], float(costs[low, up])
        if not (i.size and j.size):
            continue
        key, sought, end = k[i] - one, apart[i] - one, bounds[group[i] + 1, low]
        count, total = sums[low]
        at_lo, at_hi, keys = _window(sums[low], apart[j], sought, half)
        inside, after = at_hi - at_lo, count[end] - at_hi
        units = keys + (half - key) * inside + 2 * half * after
        terms = (cost * wt[i]) * np.array([units, after, inside], dtype=np.float64)
        out[:2, i] -= terms[:2]
        out[2:, i] += terms[2]
        alpha, settled, band = np.array([alpha, settled, band]) + terms.sum(axis=1)
        middle = apart[j].searchsorted(sought, side="left")
        rest = total[end] - total[middle] - key * (count[end] - count[middle])
        hinge += cost * float(wt[i] @ rest.astype(np.float64))

        key, sought, first = k[j] + one, apart[j] + one, bounds[group[j], up]
        at_lo, at_hi, keys = _window(sums[up], apart[i], sought, half)
        inside, before = at_hi - at_lo, at_lo - sums[up][0][first]
        units = (half + key) * inside - keys + 2 * half * before
        terms = (cost * wt[j]) * np.array([units, before, inside], dtype=np.float64)
        out[:2, j] += terms[:2]
        out[2, j] -= terms[2]
        out[3, j] += terms[2]
    by_row = np.empty_like(out)
    by_row[:, order] = out
    return by_row[0], by_row[1], by_row[2], by_row[3], hinge, alpha, settled, band


def _window(
    sums: tuple[Ints, Ints], keys: Ints, sought: Ints, half: int
) -> tuple[Ints, Ints, Ints]:
    """Return the weight before windows of sorted keys, and up to their ends, and sums within."""
    lo = keys.searchsorted(sought - half, side="right")
    hi = keys.searchsorted(sought + half, side="left")
    count, total = sums
    return count[lo], count[hi], total[hi] - total[lo]


def _loops() -> Any:
    """Return the module of compiled loops."""
    return choose(LOOPS, True)
