"""The objective of given coefficients and their gap, with bounds on everything rounded away.

Weak duality holds for exact numbers. Here the primal value at ``w`` is off by what the scores are
off, and the dual value by what the gradient ``g = X' residual`` is off. Both errors are at most
a number of roundings times the same sums of absolute values, column by column:

- a sum of k products is off by at most ``k eps`` times the sum of their absolute values;
- the hinge of a pair changes by no more than its two scores do, so that the primal error is at
  most ``sum over columns |w_j| A_j``, ``A_j`` the mean over pairs of both ``|x_ij|``;
- the dual value ``mean alpha - |g|² / (2 lam)`` changes by ``sum over columns |g_j| e_j / lam``.

Where a bound of these sums by norms is small enough, they aren't worked out.

The reported gap is ``1 - (D - error) / (P + error)``, an upper bound on that of exact numbers.
"""

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankexp.arrays import Floats, Ints
from rankexp.solvers.hinge.iterate import BROKEN, OVERFLOWED, Best, exact_hinge, unit_of
from rankexp.solvers.hinge.pairs import ROWS_AT_ONCE, HingePairs, pull
from rankexp.solvers.hinge.sweep import sweep
from rankexp.solvers.rows import down, exact_product, is_sparse, largest_sizes, longest_sum

LongFloats = npt.NDArray[np.longdouble]

EPS = float(np.finfo(np.float64).eps)  # twice the unit roundoff: room for terms of second order
LONG_EPS = float(np.finfo(np.longdouble).eps)
MORE_ROUNDINGS = 16  # a score: centring, its fixed point, weights, costs, and their sum
OF_EXACT = 4  # roundings of a score worked out in twice the precision
AGREEMENT = 1e-9  # of the objective: what its bound of rounding may be
PRECISE = 0.5 * AGREEMENT  # from here on, long doubles take over: half is left to their own errors
SMALL = 1e-3  # of the tolerance: what the simplest bound of rounding may take of the gap
BLOCK = 2**17  # tuned: entries, whose centred copy stays in the cache
FEW_GROUPS = 2_000  # of pairs summed one by one in long doubles, in some 0.1 s


class Certificate(NamedTuple):
    """The objective at ``w``, a bound on its error, and a bound on the relative gap."""

    primal: float
    error: float
    gap: float


class Certifier:
    """Certifies coefficients for one set of pairs, of rows X (n, D), solved to a tolerance."""

    def __init__(self, pairs: HingePairs, X: Floats, tol: float) -> None:
        self.pairs, self.X = pairs, X
        n, d = pairs.given.shape
        more = d + pairs.order.costs.shape[0] + MORE_ROUNDINGS
        self.sparse, k = is_sparse(X), longest_sum(X)
        self.of_scores = (k + MORE_ROUNDINGS) * EPS
        self.of_sums = (n + more) * EPS
        parts = n if self.sparse else min(n, ROWS_AT_ONCE) + n // ROWS_AT_ONCE
        self.of_slope = (parts + more) * EPS
        self.small = SMALL * tol

    @cached_property
    def _size(self) -> float:
        """Bound the norm of the mean sizes of columns, by Cauchy and Schwarz."""
        order = self.pairs.order
        squares = (np.add(*order.parts()) / self.pairs.count) ** 2 * order.counts
        mass = float(order.weight.max()) * float(squares.sum())
        return float((1.0 + self.of_sums) * math.sqrt(mass * self.pairs.square))

    @cached_property
    def _mass(self) -> Floats:
        order = self.pairs.order
        return np.asarray(sum(order.part()) * order.weight / self.pairs.count)

    def _parts(self) -> list[slice]:
        n, d = self.pairs.given.shape
        size = max(BLOCK // d, 1)
        return [slice(start, start + size) for start in range(0, n, size)]

    @cached_property
    def _sizes(self) -> tuple[Floats, Floats]:
        return self._sizes_from(None)

    def _sizes_from(self, centre: Floats | None) -> tuple[Floats, Floats]:
        """Return the mean over pairs of both ``|x_j|``, and the largest, by column, both (d,)."""
        mean, largest = np.zeros((2, self.pairs.given.shape[1]))
        if self.sparse:
            return down(self.pairs.given, self._mass), largest_sizes(self.pairs.given)
        for rows in self._parts():
            block = self.pairs.given[rows]
            sizes = np.abs(block if centre is None else block - centre)
            mean += self._mass[rows] @ sizes
            np.maximum(largest, sizes.max(axis=0), out=largest)
        return mean, largest

    def certify(self, lam: float, best: Best) -> Certificate:
        """Return the certificate of the best coefficients and dual variables for a penalty."""
        w = self.pairs.original(best.w)
        ridge = 0.5 * lam * float(w @ w)
        hinge, error = self._hinge(w, best, ridge)
        error += self.of_scores * ridge
        if not (error <= PRECISE * (hinge + ridge) or self.sparse):
            hinge, error = self._precise_hinge(w, hinge, error)
        primal = hinge + ridge
        dual = self._dual(lam, best, primal)
        if not np.isfinite(primal):
            raise FloatingPointError(OVERFLOWED)
        gap = 1.0 - max(dual, 0.0) / (primal + error) if primal + error > 0.0 else 1.0
        return Certificate(primal, error, float("inf") if gap < -BROKEN else max(gap, 0.0))

    def _hinge(self, w: Floats, best: Best, ridge: float) -> tuple[float, float]:
        """Return the mean hinge at the scores of the solver, and a bound on its error."""
        pairs = self.pairs
        known = best.measured if pairs.rotation is None else None
        hinge, unit = known or exact_hinge(pairs, pairs.given @ w)
        rounded = self.of_scores * math.sqrt(float(w @ w)) * self._size
        if not rounded <= min(self.small, 0.1 * AGREEMENT) * (hinge + ridge):
            rounded = self.of_scores * float(np.abs(w) @ self._sizes[0])
        if self.sparse and not rounded <= PRECISE * (hinge + ridge):
            s = exact_product(pairs.given, w)
            swept = sweep(pairs, s, 0.0)  # the fixed point rounds pairs in the loss, or nearly so
            share = min(swept.settled_alpha + swept.band_size / pairs.count, 1.0)
            rounded = EPS * (rounded + OF_EXACT * float(self._mass @ np.abs(s)))
            hinge, unit = swept.hinge, share * unit_of(swept.one)
        return hinge, rounded + unit + self.of_sums * hinge

    def _dual(self, lam: float, best: Best, primal: float) -> float:
        """Return a lower bound on the dual value; a sharper one only if that counts."""
        pairs, slope = self.pairs, best.slope
        if slope is None or pairs.rotation is not None:
            slope = pull(pairs.given, best.residual)
        error = self.of_slope * self._size
        lost = error * (math.sqrt(float(slope @ slope)) + error) / lam
        if lost <= self.small * primal:
            return self._lower(lam, best.alpha, slope, lost)
        lost = self._lost(lam, best, slope, self._sizes)
        lower = self._lower(lam, best.alpha, slope, lost)
        if pairs.centred or self.sparse or lost <= AGREEMENT * primal:
            return lower
        centre = np.asarray(pairs.given.mean(axis=0))
        slope = pull(pairs.given, best.residual, centre)
        lost = self._lost(lam, best, slope, self._sizes_from(centre))
        return max(lower, self._lower(lam, best.alpha, slope, lost))

    def _lost(self, lam: float, best: Best, slope: Floats, sizes: tuple[Floats, Floats]) -> float:
        """Return what rounding of a gradient takes off the dual value."""
        mean, largest = sizes
        # Of each row, upper and lower: the residuals are sums of alpha, 2 mean alpha in all.
        error = self.of_slope * np.minimum(mean, 2.0 * best.alpha * largest)
        return float(np.dot(np.abs(slope) + error, error)) / lam

    def _lower(self, lam: float, alpha: float, slope: Floats, lost: float) -> float:
        square = float(slope @ slope) / (2.0 * lam)
        return float(alpha - square - lost - self.of_sums * (alpha + square))

    def _precise_hinge(self, w: Floats, hinge: float, error: float) -> tuple[float, float]:
        """Return the mean hinge in long doubles, and a bound on its error."""
        pairs, order = self.pairs, self.pairs.order
        groups, K = pairs.bounds.shape[0] - 1, order.costs.shape[0]
        if groups > FEW_GROUPS:
            return hinge, error
        s, sizes = self._precise_scores(w)
        place = np.lexsort((s, order.cell))
        ends = np.searchsorted(order.cell[place], np.arange(groups * K + 1))
        total = np.longdouble(0.0)
        for group in range(groups):
            for low, up, cost in pairs.levels:
                cells = group * K + up, group * K + low
                i, j = (place[ends[cell] : ends[cell + 1]] for cell in cells)
                found = _pairs_hinge(s[i], pairs.weight[i], s[j], pairs.weight[j])
                total += cost * order.shares[group] * found
        value = total / pairs.count
        n, d = pairs.given.shape
        rounded = (d + MORE_ROUNDINGS) * float(self._mass @ sizes)
        summed = n * float(value + 2.0 * np.abs(s).max())
        return float(value), LONG_EPS * (rounded + summed) + EPS * float(value)

    def _precise_scores(self, w: Floats) -> tuple[LongFloats, Floats]:
        """Return scores in long doubles, less that of a first row, and sums of their sizes."""
        X, pairs = self.X, self.pairs
        long = np.ldexp(w.astype(np.longdouble), -pairs.power)
        size = np.abs(long).astype(np.float64)
        centre = X[pairs.rows[0]].astype(np.longdouble)
        s, sizes = [], []
        for part in self._parts():
            block = X[pairs.rows[part]] - centre
            s.append(block @ long)
            sizes.append(np.abs(block).astype(np.float64) @ size)
        return np.concatenate(s), np.concatenate(sizes)


def _pairs_hinge(upper: LongFloats, weight: Ints, lower: LongFloats, other: Ints) -> np.longdouble:
    if not (upper.size and lower.size):
        return np.longdouble(0.0)
    first = np.searchsorted(lower, upper - 1.0)
    after = np.concatenate((np.cumsum((other * lower)[::-1])[::-1], [0.0]))
    count = np.concatenate((np.cumsum(other[::-1])[::-1], [0]))
    return np.longdouble(np.sum(weight * (after[first] - (upper - 1.0) * count[first])))
