"""All pairs of rows of different levels under the logistic loss, without listing any."""

import numpy as np

from rankexp.arrays import Complexes
from rankexp.losses.base import MarginLoss
from rankexp.losses.exponential import Exponential
from rankexp.losses.logistic import Logistic
from rankexp.solvers.boosting.boost_pairs import (
    LEAST,
    FactorisedPairs,
    Ints,
    ListedPairs,
    Pairs,
    Shares,
    list_pairs,
    pair_mass,
)
from rankexp.solvers.boosting.stumps import NOTHING, Binned, Stump
from rankexp.solvers.pairs.kernel import PairKernel, Panels
from rankexp.solvers.result import Floats

LISTED = 16  # as many pairs a row are quicker listed under the logistic loss
SPARSE = 5  # as many cells a pair cost more than a list under the exponential loss


def all_pairs(
    rows: Binned, codes: Ints, costs: Floats, groups: Ints | None, loss: MarginLoss
) -> Pairs:
    """Return all pairs under the exponential or logistic loss in the quickest form.

    Parameters and errors are those of `FactorisedPairs`.
    """
    groups = np.zeros_like(codes) if groups is None else groups
    counts, pairs = pair_mass(codes, (costs > 0.0).astype(np.float64), groups)
    exponential = isinstance(loss, Exponential)
    cells = counts.size * counts.shape[1]
    few = SPARSE * pairs <= cells if exponential else pairs <= LISTED * rows.size
    if few:
        return ListedPairs(rows, *list_pairs(codes, costs, groups), loss)
    form = FactorisedPairs if exponential else LogisticPairs
    return form(rows, codes, costs, groups)


class LogisticPairs:
    """All pairs of rows of different levels, within groups, under the logistic loss.

    A round is O(n), and O(groups · K · (range of scores) log) beside. Sums over pairs are right
    to about 1e-12 of the number of pairs.

    Parameters
    ----------
    rows : Binned
    codes : ndarray of shape (n,), int
    costs : ndarray of shape (K, K)
    groups : ndarray of shape (n,), int
        0 .. G-1.
    """

    def __init__(self, rows: Binned, codes: Ints, costs: Floats, groups: Ints) -> None:
        counts, self.mass = pair_mass(codes, costs, groups)
        self.rows, self.costs = rows, costs
        self.groups = counts.shape[0]
        self.cell = groups * costs.shape[0] + codes
        self.s = np.zeros(rows.size)
        loss = Logistic()
        self.loss = PairKernel(loss.of_margin)
        self.weight = PairKernel(lambda z: -loss.margin_derivative(z))
        self._sum()

    def _moments(self, rows: Ints | None = None) -> Floats:
        return self.panels.moments(self.cell, self.groups * self.costs.shape[0], rows)

    def _paid(self, hats: Complexes, costs: Floats) -> Complexes:
        """Return, for each level of a group, the sum of transforms over levels, with costs."""
        by_group = hats.reshape(*hats.shape[:-1], self.groups, -1)
        return (by_group @ costs).reshape(hats.shape)

    def _sum(self) -> None:
        self.panels = Panels(self.s)
        count = self.panels.count
        M = self._moments()
        hats = self.weight.transform(M)
        lower, upper = self._paid(hats, self.costs), self._paid(hats, self.costs.T)
        self.as_upper = self.weight.seen_by_upper(lower, count)
        self.as_lower = self.weight.seen_by_lower(upper, count)
        self.total = float((M * self.as_upper).sum())
        lower = self._paid(self.loss.transform(M), self.costs)
        risk = float((M * self.loss.seen_by_upper(lower, count)).sum()) / self.mass
        self.risk = max(risk, 0.0)  # rounding

    def charges(self) -> Floats:
        """Return the charge of each row, (n,); all 0 where all pairs are right beyond doubt."""
        if self.total <= LEAST * self.mass:
            return np.zeros(self.rows.size)
        return self.panels.values((self.as_upper - self.as_lower) / self.total, self.cell)

    def shares(self, stump: Stump) -> Shares:
        """Return what a stump does to the pairs."""
        M = self._moments(np.flatnonzero(self.rows.above(stump)))
        upper, lower = float((M * self.as_upper).sum()), float((M * self.as_lower).sum())
        hats = self._paid(self.weight.transform(M), self.costs)
        high = float((M * self.weight.seen_by_upper(hats, self.panels.count)).sum())
        right, wrong = upper - high, lower - high
        least = NOTHING * self.total  # below it a difference is only rounding
        right, wrong = (part if part > least else 0.0 for part in (right, wrong))
        tied = self.total - right - wrong
        return Shares(*(part / self.total for part in (right, wrong, tied, upper, lower)))

    def step(self, stump: Stump, alpha: float, shares: Shares) -> float:
        """Add alpha to the scores above a stump."""
        before = self.risk
        self.s[self.rows.above(stump)] += alpha
        self._sum()
        return self.risk / before
