"""The hinge losses of examples against thresholds, and the best thresholds for their scores.

An example above a threshold loses ``max(0, 1 - s + theta)``, one below it
``max(0, 1 + s - theta)``. With the key s - 1 of the former and s + 1 of the latter, the loss is
least where as many keys are below the threshold as examples are: at an order statistic.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.solvers.rows import is_sparse
from rankexp.solvers.smooth.certificate import product

NO_SHIFT = np.zeros(1)
SAME = 1e-12  # relative: sums of weights in two orders differ by that much at most

Place = Callable[[Floats, Floats | None, float], float]  # of keys, their weights, and a rank


class Terms:
    """Examples at thresholds, listed threshold by threshold, and the side that each is on."""

    # `X` (n, d): by level (`order`), less the median: one outlier leaves all others near 0.
    # `sides`: (first, cut, last) of each threshold: rows first .. cut-1 are below it, cut ..
    # last-1 above. `sizes` (K - 1,): the terms of each. `sign` (N,): -1 below, 1 above.
    # `weight`: of each row (n,), at most 1, or None. `each` (N,): of each term. `total`: of rows.

    def __init__(self, X: Floats, codes: Ints, every: bool, weight: Floats | None = None) -> None:
        n, levels = codes.shape[0], np.bincount(codes)
        ends = levels.cumsum().tolist()
        self.order: Ints = codes.argsort(kind="stable")
        self.X: Floats = X[self.order]
        self.middle: Floats = np.zeros(X.shape[1])
        if not is_sparse(X):
            self.middle = np.median(self.X, axis=0)
            self.X -= self.middle
        self.sides = [
            (0, end, n) if every else (end - int(size), end, after)
            for size, end, after in zip(levels, ends, ends[1:], strict=False)
        ]
        self.sizes: Ints = np.array([last - first for first, _, last in self.sides])
        self.starts = self.sizes.cumsum() - self.sizes
        self.sign = np.tile([-1.0, 1.0], len(self.sides)).repeat(np.diff(self.sides).ravel())
        self.ordered = not every
        self.weight = None if weight is None else weight[self.order]
        rows = np.ones(n) if self.weight is None else self.weight
        self.each: Floats = np.concatenate([rows[first:last] for first, _, last in self.sides])
        self.total = float(rows.sum())

    def margins(self, s: Floats, theta: Floats) -> Floats:
        """Return ``s - theta`` above, ``theta - s`` below, of all terms."""
        m = np.concatenate([s[first:last] for first, _, last in self.sides])
        m -= theta.repeat(self.sizes)
        m *= self.sign
        return m

    def by_row(self, values: Floats) -> Floats:
        """Add up values of terms by example, (n,)."""
        total = np.zeros(self.X.shape[0])
        for start, (first, _, last) in zip(self.starts, self.sides, strict=True):
            total[first:last] += values[start : start + last - first]
        return total

    def by_threshold(self, values: Floats) -> Floats:
        """Add up values of terms by threshold, (K - 1,)."""
        return np.add.reduceat(values, self.starts)

    def best(self, s: Floats) -> Floats:
        """Return the thresholds, (K - 1,), with the least loss of scores in the order of X."""
        return values(best_thresholds(self, s))


class Pool(NamedTuple):
    """Thresholds with one value: how many, their keys, how many of these are below, where."""

    members: int
    keys: Floats
    weights: Floats | None  # of the keys; None if all are 1
    rank: float  # how many keys, or which weight of them, are below
    theta: float


def middle(keys: Floats, weights: Floats | None, rank: float) -> float:
    """Return where `rank` of the keys are below; in the middle of where that can be."""
    if weights is None:
        near = np.partition(keys, (int(rank) - 1, int(rank)))[int(rank) - 1 : int(rank) + 1]
    else:
        order = keys.argsort()
        ends = weights[order].cumsum().searchsorted((rank * (1.0 - SAME), rank * (1.0 + SAME)))
        near = keys[order[np.minimum(ends, keys.size - 1)]]
    return 0.5 * float(near[0] + near[1])


def best_thresholds(
    terms: Terms, s: Floats, shift: Floats | None = None, place: Place = middle
) -> list[Pool]:
    """Return the thresholds with the least loss of scores (n,), ascending, equal ones pooled."""
    # If those of two levels are in the wrong order, both become the best for the two together.
    # `shift` (N,): of the keys of terms. `place`: where a threshold is the best, by its keys.
    pools: list[Pool] = []
    for start, (first, cut, last) in zip(terms.starts, terms.sides, strict=True):
        keys = np.concatenate((s[first:cut] + 1.0, s[cut:last] - 1.0))
        if shift is not None:
            keys += shift[start : start + keys.size]
        w = None if terms.weight is None else terms.weight[first:last]
        rank = cut - first if w is None else float(w[: cut - first].sum())
        pool = Pool(1, keys, w, rank, place(keys, w, rank))
        while terms.ordered and pools and pools[-1].theta > pool.theta:
            lower = pools.pop()
            keys, rank = np.concatenate((lower.keys, pool.keys)), lower.rank + pool.rank
            if lower.weights is not None and pool.weights is not None:
                w = np.concatenate((lower.weights, pool.weights))
            pool = Pool(lower.members + pool.members, keys, w, rank, place(keys, w, rank))
        pools.append(pool)
    return pools


def values(pools: list[Pool]) -> Floats:
    """Return the thresholds one by one, (K - 1,)."""
    return np.repeat([pool.theta for pool in pools], [pool.members for pool in pools])


def centred(middle: Floats, w: Floats, theta: Floats) -> Floats:
    """Return thresholds (K - 1,) less ``middle @ w``, rounded once."""
    ends = np.column_stack((np.tile(-middle, (theta.size, 1)), theta))
    return product(ends, np.append(w, 1.0), NO_SHIFT)


def thresholds(s: Floats, codes: Ints, every: bool, weight: Floats | None = None) -> Floats:
    """Return the thresholds, (K - 1,), with the least loss of scores, (n,)."""
    terms = Terms(s[:, None], codes, every, weight)
    return terms.best(s[terms.order])


def balanced(terms: Terms, alpha: Floats) -> Floats:
    """Return alpha, (N,) in [0, weight], scaled down to be feasible in the dual if need be."""
    # All are multiples of a power of two, so that they balance without any rounding.
    bits = 53 - alpha.size.bit_length()
    kept = np.clip(np.nan_to_num(alpha), 0.0, terms.each)
    units = np.floor(np.ldexp(kept, bits)).astype(np.int64)
    sides = np.split(units, np.diff(terms.sides).cumsum()[:-1])  # below and above, in turns
    parts = [*zip(sides[::2], sides[1::2], strict=True)]
    for chain in [parts] if terms.ordered else [[part] for part in parts]:
        surplus = 0  # of the thresholds from one on
        for below, above in reversed(chain):
            surplus += int(above.sum())
            _take(below, int(below.sum()) - surplus)
            surplus -= int(below.sum())
        for _, above in chain:
            taken = min(int(above.sum()), surplus)
            _take(above, taken)
            surplus -= taken
    return np.ldexp(units.astype(np.float64), -bits)


def _take(units: Ints, excess: int) -> None:
    """Take so many units away, about the same share of each number, in place."""
    if excess <= 0:
        return
    total = int(units.sum())
    before = units.copy()
    units -= np.minimum(np.ceil(units * (excess / total)).astype(np.int64), units)
    while off := total - excess - int(units.sum()):  # for rounding a few too many or too few
        units[np.flatnonzero(units < before if off > 0 else units)[: abs(off)]] += np.sign(off)
