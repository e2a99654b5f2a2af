"""Pairs given one by one, and smooth losses of their score differences.

The differences of rows, (m, d), need not be written out: products go by the n rows, and the
curvature is ``X' B X`` with B the sparse Laplacian of the pairs.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

from rankexp.arrays import Floats, Ints
from rankexp.losses.loss import Loss, MarginLoss
from rankexp.solvers.pairs.pair_risk import PairLoss
from rankexp.solvers.smooth.objective import SmoothRisk

DENSE = 2**23  # numbers of a matrix of differences that is written out: 64 MB. Tuned
ADDED = 500  # tuned: pairs at once; in the first program those that a guess of w ranks worst
LONGEST = 200  # programs; some 10 are usual
FEASIBLE = 1e-10  # what HiGHS is asked for, the least that it takes


@dataclass(frozen=True)
class PairList:
    """Pairs of rows 0 .. n-1, and what each counts as a share of all (m,); equal ones are one."""

    upper: Ints
    lower: Ints
    share: Floats
    n: int

    @classmethod
    def of(cls, upper: Ints, lower: Ints, weight: Floats, n: int) -> Self:
        """Return the pairs (upper[k], lower[k]) and weights > 0, those of equal pairs added up."""
        key, which = np.unique(upper * n + lower, return_inverse=True)
        share = np.bincount(which, weight / weight.max())
        return cls(key // n, key % n, share / share.sum(), n)

    @cached_property
    def incidence(self) -> csr_array:
        """The matrix (m, n) with 1 at the upper row of each pair and -1 at the lower one."""
        m, rows = self.upper.size, np.column_stack((self.upper, self.lower)).ravel()
        entries = np.tile([1.0, -1.0], m), rows, np.arange(0, 2 * m + 1, 2)
        return csr_array(entries, shape=(m, self.n))

    def differences(self, s: Floats) -> Floats:
        """Return the score of the upper row less that of the lower one, (m,)."""
        return s[self.upper] - s[self.lower]

    def spread(self, a: Floats) -> Floats:
        """Return the sum over pairs of a (m,) by upper row, less that by lower row, (n,)."""
        return np.asarray(a @ self.incidence)

    def mass(self) -> Floats:
        rows = np.concatenate((self.upper, self.lower))
        return np.asarray(np.bincount(rows, np.tile(self.share, 2), self.n))

    def curvature(self, X: Floats, c: Floats) -> Floats:
        """Return the sum over pairs of ``c D D'``, D being differences of rows X, (d, d)."""
        return np.asarray(X.T @ np.asarray((self.incidence.T * c) @ self.incidence @ X))


class Differences:
    """The differences of the rows X of pairs as a matrix (m, d) that is never written out."""

    __array_ufunc__ = None  # a product of an array by it is its own

    def __init__(self, X: Floats, pairs: PairList) -> None:
        self.X, self.pairs = X, pairs
        self.shape = (pairs.upper.size, X.shape[1])

    def __matmul__(self, v: Floats) -> Floats:
        return self.pairs.differences(self.X @ v)

    def __rmatmul__(self, a: Floats) -> Floats:
        return np.asarray(self.pairs.spread(a) @ self.X)


def differences(X: Floats, pairs: PairList) -> Floats | Differences:
    """Return the differences of rows: written out where they are few, or fewer than columns."""
    m, d = pairs.upper.size, X.shape[1]
    return X[pairs.upper] - X[pairs.lower] if m * d <= DENSE or m < d else Differences(X, pairs)


class ListedRisk(SmoothRisk):
    """The mean of a smooth loss of score differences over listed pairs."""

    def __init__(self, pairs: PairList, loss: Loss) -> None:
        self.pairs, self.loss = pairs, loss if isinstance(loss, MarginLoss) else PairLoss(loss)
        self.steepest = loss.steepest

    def value(self, s: Floats) -> float:
        return float(self.pairs.share @ self.loss.of_margin(self.pairs.differences(s)))

    def slope(self, s: Floats) -> Floats:
        each = self.loss.margin_derivative(self.pairs.differences(s))
        return self.pairs.spread(self.pairs.share * each)

    def hessian(self, X: Floats, s: Floats) -> Floats:
        each = self.loss.margin_curvature(self.pairs.differences(s))
        return self.pairs.curvature(X, self.pairs.share * each)

    def sample(self, size: int) -> tuple[Ints, "ListedRisk"]:
        """Return all rows: the curvature takes a term a pair and no more, however many rows."""
        return np.arange(self.pairs.n), self

    def subset(self, rows: Ints) -> tuple["ListedRisk", float]:
        place = np.full(self.pairs.n, -1)
        place[rows] = np.arange(rows.size)
        upper, lower = place[self.pairs.upper], place[self.pairs.lower]
        kept = (upper >= 0) & (lower >= 0)
        share = self.pairs.share[kept]
        total = float(share.sum())
        some = PairList(upper[kept], lower[kept], share / (total or 1.0), rows.size)
        return ListedRisk(some, self.loss), total


def margins(X: Floats, upper: Ints, lower: Ints, w: Floats) -> Floats:
    """Return ``w·(x - x')`` of pairs of rows, (m,): differences first, in which less is lost."""
    size = max(DENSE // X.shape[1], 1)
    parts = [slice(start, start + size) for start in range(0, upper.size, size)]
    return np.concatenate([(X[upper[part]] - X[lower[part]]) @ w for part in parts])


class Margin(NamedTuple):
    """Coefficients (d,), their margin, and a bound on the greatest one; programs solved."""

    w: Floats
    margin: float
    bound: float
    n_iter: int


def max_margin(X: Floats, pairs: PairList, tol: float, enough: float) -> Margin:
    """Return the coefficients, ``|w|_1 <= 1``, with the greatest margin, to a tolerance."""
    # The dual puts weights p >= 0 on pairs: it minimises ``|D' p|_inf`` over ``sum p = 1``. It is
    # solved for few pairs, to which those short of the margin are added, until both values meet.
    guess = np.sign(pairs.spread(pairs.share) @ X) / X.shape[1]
    taken = np.sort(np.argsort(margins(X, pairs.upper, pairs.lower, guess), kind="stable")[:ADDED])
    best = Margin(np.zeros(X.shape[1]), 0.0, np.inf, 0)
    for n_iter in range(1, LONGEST + 1):
        w, level, bound = _program(X[pairs.upper[taken]] - X[pairs.lower[taken]])
        z = margins(X, pairs.upper, pairs.lower, w)
        margin = float(z.min())
        best = best._replace(bound=min(bound, best.bound), n_iter=n_iter)
        if margin > best.margin:
            best = best._replace(w=w, margin=margin)
        if best.bound - best.margin <= tol * best.bound or best.bound <= enough:
            break
        short = np.setdiff1d(np.flatnonzero(z < level), taken, assume_unique=True)
        if not short.size:
            break
        taken = np.union1d(taken, short[np.argsort(z[short])[: max(ADDED, taken.size // 2)]])
    return best


def _program(D: Floats) -> tuple[Floats, float, float]:
    """Solve the dual for some pairs; return w, the margin level, and a bound."""
    # The bound is worked out from the weights, so it holds whatever the solver's tolerance is.
    m, d = D.shape
    found = linprog(
        np.append(np.zeros(m), 1.0),
        A_ub=np.column_stack((np.vstack((D.T, -D.T)), -np.ones(2 * d))),
        b_ub=np.zeros(2 * d),
        A_eq=np.append(np.ones(m), 0.0)[None],
        b_eq=[1.0],
        bounds=(0.0, None),
        method="highs",
        options={"primal_feasibility_tolerance": FEASIBLE, "dual_feasibility_tolerance": FEASIBLE},
    )
    if found.x is None:
        raise FloatingPointError(f"HiGHS found no solution ({found.message}): scale the features")
    p = np.maximum(found.x[:m], 0.0)
    w = np.asarray(found.ineqlin.marginals[d:] - found.ineqlin.marginals[:d])
    size = float(np.abs(w).sum()) or 1.0
    return w / size, float(found.eqlin.marginals[0]) / size, float(np.abs((p / p.sum()) @ D).max())
