"""What an evaluation of all pairs holds, and what it says of the pairs of the band."""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.compiled import choose
from rankexp.solvers.hinge.pairs import HingePairs

LOOPS = "rankexp.solvers.hinge.sweep_numba"
FEW_ROWS = 20_000  # tuned: up to here numpy takes prefix sums over all rows
SAMPLED_PAIRS = 20_000  # tuned: of the band, without numba; also the longest list
ROWS_AT_ONCE = 256  # tuned: what stays in the cache
WIDE, WIDE_ROWS = 256, 2048  # tuned: from so many columns on, half of a symmetric product is saved
BEYOND = (
    "hinge of pairs: scores leave the range of floating-point numbers; scale the features, or "
    "take a larger lam"
)
STRIPS = 8  # tuned: of columns, whose products with those before them are left out


@dataclass
class Sweep:
    """One evaluation of all pairs (i, j), i the upper one.

    `h`: half width of the band, as rounded to the fixed point. `residual` (n,): derivative of the
    smoothed loss by each score: -mean alpha for upper rows, + for lower. `hinge`, `alpha`: means
    over all pairs of the exact hinge and of the dual variables. `band_size`: number of pairs in
    the band, with multiplicities and costs.
    """

    pairs: HingePairs
    h: float
    residual: Floats
    hinge: float
    alpha: float
    band_size: float


@dataclass
class SortedSweep(Sweep):
    """An evaluation from sorted scores, which also knows the band.

    `order` (n,), int: rows by group, then by score. `rows` (n,), int: those of each level in this
    order, one level after the other. `keys` (n,), int: by row, the score in fixed point, groups
    far apart. `one`, `half`: the margin and half the band in units of the fixed point. `bands`:
    where those asked for before begin and end.
    """

    order: Ints
    rows: Ints
    keys: Ints
    one: int
    half: int
    bands: dict[tuple[int, int], tuple[Ints, Ints]] = field(default_factory=dict)

    @cached_property
    def at(self) -> list[Ints]:
        """Rows of each level, in the order of the keys."""
        return [self.rows[start:stop] for start, stop in pairwise(self.pairs.starts)]

    @cached_property
    def counted(self) -> tuple[Floats, Floats, Floats, float]:
        """What each row counts, three of shape (n,), and the number of pairs beyond the band.

        Pairs beyond the band, as lower less as upper row; pairs in the band, as upper less as
        lower row; and as either.
        """
        p, before = self.pairs, [prefix(self.pairs.weight[rows]) for rows in self.at]
        beyond, tilt, degree = np.zeros((3, self.order.size))
        total = 0.0
        for low, up, cost in p.levels:
            for level, other in ((up, low), (low, up)):
                rows, count = self.at[level], before[other]
                begin, end = self.band(level, other)
                w, inside = cost * p.charge[rows], count[end] - count[begin]
                group = p.order.group[rows]
                if level == up:
                    after = w * (count[p.bounds[group + 1, low]] - count[end])
                    beyond[rows] -= after
                    tilt[rows] += w * inside
                    total += float(after.sum())
                else:
                    beyond[rows] += w * (count[begin] - count[p.bounds[group, up]])
                    tilt[rows] -= w * inside
                degree[rows] += w * inside
        return beyond, tilt, degree, total

    @property
    def settled(self) -> Floats:
        """Residual with every alpha of the band at zero, shape (n,)."""
        return self.counted[0] / self.pairs.count

    @property
    def midway(self) -> Floats:
        """Residual with every alpha of the band at one half, shape (n,)."""
        return self.settled - (0.5 / self.pairs.count) * self.counted[1]

    @property
    def settled_alpha(self) -> float:
        """Mean over all pairs of alpha, those of the band at zero."""
        return self.counted[3] / self.pairs.count

    def band(self, level: int, other: int) -> tuple[Ints, Ints]:
        """Return where the band of each row of a level begins and ends in ``at[other]``."""
        found = self.bands.get((level, other))
        if found is None:
            away = self.one if other > level else -self.one
            if self.pairs.use_numba:
                rows, units = (self.at[other], self.at[level]), (away, self.half)
                found = loops().windows(self.keys, *rows, units)
            else:
                keys = self.keys.take(self.at[other])
                sought = self.keys.take(self.at[level]) + away
                found = (
                    keys.searchsorted(sought - self.half, side="right"),
                    keys.searchsorted(sought + self.half, side="left"),
                )
            self.bands[level, other] = found
        return found

    def listed(self, most: int) -> tuple[Ints, Ints] | None:
        """Return upper and lower rows of all pairs of the band, or None if more than ``most``."""
        if self.pairs.weight_or_none is None and self.band_size > most:  # costs are 1 at most
            return None
        upper, lower, total = [], [], 0
        for low, up, _ in self.pairs.levels:
            begin, end = self.band(up, low)
            size = end - begin
            here = int(size.sum())
            total += here
            if total > most:
                return None
            if self.pairs.use_numba:
                i, j = np.empty((2, here), dtype=np.int64)
                loops().spread(begin, end, self.at[up], self.at[low], (i, j))
            else:
                offset = np.repeat(begin - np.cumsum(size) + size, size)
                i = np.repeat(self.at[up], size)
                j = self.at[low][np.arange(here) + offset]
            upper.append(i)
            lower.append(j)
        if len(upper) == 1:
            return upper[0], lower[0]
        return np.concatenate(upper), np.concatenate(lower)

    def laplacian(self) -> Floats:
        """Return the sum over the band of D D' (d, d); of many rows, numpy takes a sample."""
        if self.pairs.use_numba:
            return self._compiled_laplacian()
        if self.order.size <= FEW_ROWS:
            return self._windows()
        i, j, mass = self._sampled_pairs(SAMPLED_PAIRS)
        D = self.pairs.X[i]
        D -= self.pairs.X[j]
        H: Floats = D.T @ D
        H *= mass / SAMPLED_PAIRS
        return H

    def _sampled_pairs(self, sampled: int) -> tuple[Ints, Ints, float]:
        """Return rows of pairs evenly spaced along the band, and what all of it counts."""
        weight, charge, bands = self.pairs.weight, self.pairs.charge, []
        for low, up, cost in self.pairs.levels:
            begin, end = self.band(up, low)
            before = prefix(weight[self.at[low]])
            size = before[end] - before[begin]
            bands.append((low, up, before, before[begin], size, cost))
        ends = np.cumsum(
            np.concatenate([c * size * charge[self.at[up]] for _, up, _, _, size, c in bands])
        )
        ticks = (np.arange(sampled) + 0.5) * (ends[-1] / sampled)
        which = np.minimum(np.searchsorted(ends, ticks, side="right"), ends.size - 1)
        rest = ticks - np.concatenate(([0.0], ends))[which]
        upper, lower, first = [], [], 0
        for low, up, before, begin, size, cost in bands:
            here = slice(*np.searchsorted(which, (first, first + size.size)))
            k = which[here] - first
            one = cost * self.pairs.order.shares[self.pairs.order.group[self.at[up][k]]]
            offset = np.minimum((rest[here] / one % size[k]).astype(np.int64), size[k] - 1)
            j = np.searchsorted(before, begin[k] + offset, side="right") - 1
            upper.append(self.at[up][k])
            lower.append(self.at[low][j])
            first += size.size
        return np.concatenate(upper), np.concatenate(lower), float(ends[-1])

    def _windows(self) -> Floats:
        """Return the sum over the band of D D' (d, d) by prefix sums over the sorted rows."""
        p = self.pairs
        first, second = p.workspace
        Y = np.multiply(p.X, np.sqrt(self.counted[2])[:, None], out=first[:-1])
        H: Floats = Y.T @ Y
        for low, lower in enumerate(self.at):
            above = [(up, cost) for below, up, cost in p.levels if below == low]
            if not above:
                continue
            rows = self._weighted(lower, p.weight, second)
            sums = first[: lower.size + 1]
            sums[0] = 0.0
            np.cumsum(rows, axis=0, out=sums[1:])
            for up, cost in above:
                begin, end = self.band(up, low)
                upper = self.at[up]
                inside = sums[end]
                inside -= np.take(sums, begin, axis=0, out=second[: upper.size], mode="clip")
                A = self._weighted(upper, p.charge, second).T @ inside
                A *= cost
                H -= A
                H -= A.T
        return H

    def _weighted(self, rows: Ints, weight: Floats | Ints, out: Floats) -> Floats:
        """Return rows of X times weights (n,), written to the start of ``out``."""
        found = np.take(self.pairs.X, rows, axis=0, out=out[: rows.size], mode="clip")
        if self.pairs.weight_or_none is not None or weight.dtype.kind == "f":
            found *= weight[rows, None]
        return found

    def _compiled_laplacian(self) -> Floats:
        """Return the sum over the band of D D' (d, d) from ``X' L X``, in blocks of rows.

        Of many columns, only the lower triangle is worked out.
        """
        p, (n, d) = self.pairs, self.pairs.X.shape
        keys, order, one = self.keys, self.order, self.one
        if p.upper is not None:  # shifted, the rows of a pair are close in memory, too
            keys, one = (keys - one * p.upper).take(self.rows), 0
            merged = keys.argsort(kind="stable")  # of two sorted runs: linear
            keys, order = keys.take(merged), self.rows.take(merged)
        else:
            keys = keys.take(order)
        charge = p.charge.take(order).astype(np.float64)
        ranked = keys, order, p.order.level.take(order), p.weight.take(order), charge
        given, units = (p.X, p.centre, ranked, p.order.costs, p.paired), (one, self.half)
        if d < WIDE:
            product: Floats = loops().laplacian(given, units, min(n, ROWS_AT_ONCE))
            return product
        window, size = loops().empty_window(p.order.costs.shape[0], d), min(n, WIDE_ROWS)
        block, LX = np.empty((size, d)), np.empty((size, d))
        H, step = np.zeros((d, d)), -(-d // STRIPS)
        for start in range(0, n, size):
            A, B = block[: n - start], LX[: n - start]
            loops().laplacian_rows(given, units, start, window, (A, B))
            for k in range(0, d, step):
                H[k:, k : k + step] += A[:, k:].T @ B[:, k : k + step]
        return np.tril(H) + np.tril(H, -1).T


def loops() -> Any:
    """Return the module of compiled loops."""
    return choose(LOOPS, True)


def prefix(values: Ints) -> Ints:
    """Return the sums of the first 0, 1, ..., n values."""
    out = np.zeros(values.size + 1, dtype=np.int64)
    np.add.accumulate(values, out=out[1:])
    return out
