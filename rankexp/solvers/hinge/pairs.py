"""The pairs of a sample, without ever listing them: merged rows, weights, products."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.sparse import csr_array

from rankexp.arrays import Bools, Floats, Integers, Ints
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.rows import as_rows, entries, is_sparse
from rankexp.solvers.smooth.objective import some_rows, spread

EPS = float(np.finfo(np.float64).eps)
ROWS_AT_ONCE = 2**13  # tuned: of a sum over rows, which rounds as often
SCALED = 200  # powers of 2: sums of squares within them are far from over- and underflow
SINGULAR = 1e-5  # of the largest pivot of a Cholesky factor: rows that hardly span their space
LARGEST_SQUARE = 1e290  # of a feature, over lam: the dual value, a sum of d such, stays finite
SPARSE_RANGE = "squares of sparse X over lam leave the range of numbers: scale the features"
CENTRED_ROWS = 20_000  # tuned: up to here a centred copy of X costs little beside the solution
PROBED_ROWS = 2_000  # tuned: show repeated rows of large data
SOME_ROWS = 1_000  # tuned: for scales of columns; fewer mislead where tails are long
FAR, FAR_OF_MANY = 3.0, 1e3  # standard deviations: then centring saves half a digit; or three
REPEATED = 0.9  # tuned: with more rows distinct, merging saves less than it costs


@dataclass(frozen=True)
class HingePairs:
    """All pairs (upper row, lower row) of a partial order, made ready for the hinge."""

    # With more columns than rows ``X = given @ rotation``, and the solution is ``rotation @ w``.

    X: Floats  # (n, d): distinct rows, no wider than long; centred if far from 0
    order: PartialOrder  # of these rows, with multiplicities; the largest cost is 1
    levels: list[tuple[int, int, float]]  # (lower level, upper level, cost) of pairs that count
    count: float  # sum of the costs of all pairs, with multiplicities
    mean_difference: Floats  # (d,): mean over pairs of the upper row minus the lower one
    given: Floats  # (n, D): the rows in the caller's columns, shifted and scaled like X
    rotation: Floats | None  # (D, d): orthonormal basis of the row space
    centred: bool  # whether the columns of X have mean zero
    power: int  # the columns are 2^-power times the caller's
    square: float  # sum of the squares of ``given``, or a bound of it
    rows: Integers  # (n,): the caller's rows; of equal ones, one

    @property
    def weight(self) -> Ints:
        return cast(Ints, self.order.weight)

    @cached_property
    def weight_or_none(self) -> Floats | None:
        return None if self.weight.max() == 1 else self.weight.astype(np.float64)

    @cached_property
    def bits(self) -> int:
        """Sum of the weights in bits, for the fixed point of the scores."""
        return math.ceil(math.log2(self.weight.sum()))

    @cached_property
    def upper(self) -> Bools | None:
        """The upper rows (n,) of two levels without groups; else None."""
        if self.bounds.shape[0] > 2 or len(self.levels) != 1 or self.order.share is not None:
            return None
        return np.asarray(self.order.level == self.levels[0][1])

    @cached_property
    def bounds(self) -> Ints:
        """Number of distinct rows in the groups before each one, by level, (G + 1, K)."""
        G, K = int(self.order.group.max()) + 1, self.order.costs.shape[0]
        return np.bincount(self.order.cell + K, minlength=G * K + K).reshape(-1, K).cumsum(axis=0)

    @cached_property
    def starts(self) -> list[int]:
        """Where each level begins, and the last one ends, among rows sorted by level."""
        return [0, *np.cumsum(self.bounds[-1]).tolist()]

    @cached_property
    def layout(self) -> tuple[Ints, Ints, Floats, Ints, Floats]:
        """Level, weight, costs, bounds and shares of groups, as compiled loops take them."""
        order = self.order
        return order.level, self.weight, order.costs, self.bounds, order.shares

    @cached_property
    def charge(self) -> Floats | Ints:
        """What each row counts as one of the two rows of its pairs, (n,): with the share."""
        if self.order.share is None:
            return self.weight
        return np.asarray(self.weight * self.order.share[self.order.group])

    @cached_property
    def paired(self) -> Bools:
        counts = self.order.costs > 0.0
        return np.array((counts.any(axis=0), counts.any(axis=1)))

    @cached_property
    def centre(self) -> Floats:
        """The mean of the rows (d,), or 0 if they are centred."""
        n, d = self.X.shape
        return np.zeros(d) if self.centred else np.full(n, 1.0 / n) @ self.X

    def squares(self) -> Floats:
        """Return the mean squares of the columns (d,), about their means, of some rows or all."""
        if not is_sparse(self.X):
            return spread(some_rows(self.X, SOME_ROWS), None if self.centred else self.centre)
        from rankexp.solvers.row_loops import sums_of_columns

        rows = cast(csr_array, self.X)
        mean, squares = sums_of_columns(rows.data, rows.indices, rows.shape[1]).T / rows.shape[0]
        return np.asarray(np.maximum(squares - mean**2, 0.0))

    @cached_property
    def precision(self) -> Floats | None:
        """The inverse of the products of all rows, (n, n); None where rows are no fewer than d."""
        if self.X.shape[1] < self.X.shape[0] or not self.centred:
            return None
        K: Floats = self.X @ self.X.T
        K += float(np.trace(K)) / K.shape[0]  # as by a constant feature, which no pair sees
        lower, failed = dpotrf(K, lower=1)
        if failed or not lower.diagonal().min() > SINGULAR * lower.diagonal().max():
            return None
        half: Floats = dpotri(lower, lower=1, overwrite_c=1)[0]
        return np.asarray(np.tril(half) + np.tril(half, -1).T)

    @cached_property
    def together(self) -> tuple[Floats, float]:
        """Scores of the mean difference, and the least penalty with all pairs in the loss."""
        u = self.scores(self.mean_difference)
        return u, self.order.differences(u)[1]

    def scores(self, w: Floats) -> Floats:
        """Return the scores ``X @ w`` of shape (n,), shifted to be centred."""
        s: Floats = self.X @ w
        if not self.centred:
            s -= np.add.reduce(s) / s.size
        return s

    def original(self, w: Floats) -> Floats:
        """Return coefficients of the columns that the caller gave, scaled like X."""
        return w if self.rotation is None else np.asarray(self.rotation @ w)

    def multiplicity(self, i: Ints, j: Ints) -> Floats | None:
        """Return what the pairs (i[k], j[k]) count, shape (M,); None where all count 1."""
        out = None
        if self.weight_or_none is not None or self.order.share is not None:
            out = (self.charge[i] * self.weight[j]).astype(np.float64)
        if len(self.levels) > 1:
            costs = self.order.costs[self.order.level[j], self.order.level[i]]
            out = costs if out is None else costs * out
        return out

    def sample(self, rows: int) -> "HingePairs":
        """Return the pairs of a sample of about ``rows`` rows, always the same ones."""
        if self.upper is None:
            taken, order = self.order.sample(rows)
            return hinge_pairs(self.X[taken], order)
        rng = np.random.default_rng(0)
        chosen = []  # half of each level, by weight
        for side in (self.upper, ~self.upper):
            at = np.flatnonzero(side)
            ends = np.cumsum(self.weight[at])
            ticks = rng.integers(0, ends[-1], rows // 2)
            chosen.append(at[np.unique(np.searchsorted(ends, ticks, side="right"))])
        taken = np.sort(np.concatenate(chosen))
        once = replace(self.order.take(taken), weight=np.ones(taken.size, dtype=np.int64))
        return hinge_pairs(self.X[taken], once)


def pull(X: Floats, residual: Floats, centre: Floats | None = None) -> Floats:
    """Return ``residual @ (X - centre)``; in parts, so that few roundings add up."""
    n, total = residual.size, np.zeros(X.shape[1])
    if is_sparse(X) or (n <= ROWS_AT_ONCE and centre is None):
        return np.asarray(residual @ X)
    for start in range(0, n, ROWS_AT_ONCE):
        part = slice(start, start + ROWS_AT_ONCE)
        total += residual[part] @ (X[part] if centre is None else X[part] - centre)
    return total


def hinge_pairs(
    X: Floats,
    order: PartialOrder,
    power: int = 0,
    square: float | None = None,
    norms: Floats | None = None,
) -> HingePairs:
    """Return the pairs of an order, without rows in none; ValueError if there is no pair."""
    # Equal rows of a cell are merged. Data far from zero, or with as many columns as rows, are
    # centred; with more, rotated. Columns are divided by 2^power. `square`: sum of squares of X;
    # `norms`: of the rows, if known.
    used, order, levels = _in_pairs(order)
    X = X if used.size == X.shape[0] else X[used]
    (below, above), count = order.parts(), order.total
    side = ((below - above) / count).take(order.cell) * order.weight
    if power and is_sparse(X):
        raise FloatingPointError(SPARSE_RANGE)
    if power:
        X, square = np.ldexp(X, -power), None
    if is_sparse(X):  # as they are
        known = as_rows(X), order, levels, count, np.asarray(side @ X)
        return HingePairs(*known, as_rows(X), None, False, 0, square or 0.0, used)
    if square is not None:
        square *= 1.0 + X.size * EPS  # a bound, rounded up
    if centred := power != 0 or X.shape[0] <= X.shape[1] or far_from_zero(X):
        mean = np.full(X.shape[0], 1.0 / X.shape[0]) @ X  # half the time of a mean
        X = X - mean
        if square is not None:
            square -= X.shape[0] * float(mean @ mean)
    difference = side @ X
    alike = norms is None or norms.size > CENTRED_ROWS or _repeats(norms)
    if alike and _repeats(_projections(_probe(X))):
        X, order, kept = merge_duplicates(X, order)
        used = used[kept]
    given, rotation = X, None
    if X.shape[1] > X.shape[0]:
        rotation, triangle = np.linalg.qr(X.T)
        X, difference = np.ascontiguousarray(triangle.T), difference @ rotation
    square = float(np.vdot(given, given)) if square is None else square
    known = X, order, levels, count, difference
    return HingePairs(*known, given, rotation, centred, power, square, used)


def _in_pairs(order: PartialOrder) -> tuple[Integers, PartialOrder, list[tuple[int, int, float]]]:
    levels = list(order.level_pairs())
    most = max((cost for *_, cost in levels), default=1.0)
    costs = np.zeros_like(order.costs)
    levels = [(low, up, cost / most) for low, up, cost in levels]
    for low, up, cost in levels:  # no others: what isn't there takes no time
        costs[low, up] = cost
    known = {"counts": order.counts, "cell": order.cell}
    order = replace(order, costs=costs)
    vars(order).update(known)
    if (used := order.in_pairs()) is None:
        return np.arange(order.level.size), order, levels
    if not used.size:  # of different groups
        raise ValueError("the pairwise hinge needs pairs of different levels; there is none")
    return used, order.take(used), levels


def common_power(X: Floats, lam: float, norms: Floats | None = None) -> tuple[int, float]:
    """Return a power of 2 to divide features by, usually 0, and the sum of squares of X."""
    # Products then neither over- nor underflow. ValueError if X isn't finite; FloatingPointError
    # if squares over the least penalty ``lam`` overflow all the same.
    X = entries(X)
    if not X.size:  # sparse rows of zeros
        return 0, 0.0
    with np.errstate(all="ignore"):
        square = float(np.vdot(X, X) if norms is None else norms @ norms)
        if 2.0**-SCALED < square < 2.0**SCALED and square < LARGEST_SQUARE * lam:
            return 0, square
        reach = 0.5 * X.max(axis=0) - 0.5 * X.min(axis=0)
    if not np.isfinite(reach).all():
        raise ValueError("X holds NaN or infinite values; impute or drop them first")
    if not reach.any():
        return 0, square
    column = int(np.argmax(reach))
    digits = 2.0 * math.log10(reach[column]) - math.log10(lam)
    if digits > math.log10(LARGEST_SQUARE):
        text = f"half the range of column {column} of X is {reach[column]:.3g}, and its square"
        advice = "divide the column by a power of 10, drop its outliers, or take a larger lam"
        raise FloatingPointError(f"{text} over lam={lam:g} overflows; {advice}")
    return math.frexp(reach[column])[1], square


def _repeats(keys: Floats) -> bool:
    ordered = np.sort(keys)
    return bool((ordered[1:] == ordered[:-1]).any())


def _probe(X: Floats) -> Floats:
    if X.shape[0] <= CENTRED_ROWS:
        return X
    return X[np.random.default_rng(0).choice(X.shape[0], PROBED_ROWS, replace=False)]


def far_from_zero(X: Floats) -> bool:
    """Say whether a column has a mean much larger than its standard deviation."""
    few, far = some_rows(X, SOME_ROWS), FAR if X.shape[0] <= CENTRED_ROWS else FAR_OF_MANY
    mean = np.full(few.shape[0], 1.0 / few.shape[0]) @ few
    variance, squares, rounded = spread(few, mean), mean * mean, few.shape[0] * EPS
    return bool(((squares > far * far * variance) & (variance > rounded**2 * squares)).any())


def _projections(X: Floats) -> Floats:
    d = X.shape[1]
    return np.asarray((X @ np.cos(np.arange(2.0 * d)).reshape(d, 2))[:, 0])


def merge_duplicates(X: Floats, order: PartialOrder) -> tuple[Floats, PartialOrder, Integers]:
    """Keep one row of each set of equal rows of one cell, and say which."""
    label = order.cell
    key = _projections(X)
    at = np.lexsort((label, key))
    n = at.size
    new = np.ones(n, dtype=bool)
    for start in range(1, n, CENTRED_ROWS):  # in blocks: never a sorted copy of X
        here = at[start : start + CENTRED_ROWS]
        before = at[start - 1 : start - 1 + here.size]
        same = (label[here] == label[before]) & (key[here] == key[before])
        same[same] = np.all(X[here[same]] == X[before[same]], axis=1)
        new[start : start + here.size] = ~same
    first = np.flatnonzero(new)
    if first.size > REPEATED * n:
        return X, order, np.arange(n)
    rows = at[first]
    weight = np.add.reduceat(order.weight[at], first)
    merged = replace(order, level=order.level[rows], group=order.group[rows], weight=weight)
    return np.ascontiguousarray(X[rows]), merged, rows
