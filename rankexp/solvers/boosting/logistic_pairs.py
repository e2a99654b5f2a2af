"""All pairs of rows of different levels under the logistic loss, without listing any."""

import numpy as np

from rankexp.arrays import Floats, Groups, Ints
from rankexp.losses.loss import MarginLoss
from rankexp.losses.margin import Exponential, Logistic
from rankexp.solvers.boosting import boost_pairs
from rankexp.solvers.boosting.stumps import NOTHING, Binned, Stump
from rankexp.solvers.pairs.convolution import CellSums, Convolution, ScorePanels
from rankexp.solvers.pairs.partial_order import equal_shares

LISTED = 16  # tuned: as many pairs a row are quicker listed under the logistic loss
SPARSE = 5  # tuned: as many cells a pair cost more than a list under the exponential loss


def all_pairs(
    rows: Binned, codes: Ints, costs: Floats, groups: Groups, loss: MarginLoss, each: bool = False
) -> boost_pairs.WeightedPairs:
    """Return all pairs in the quickest form; with `each`, groups that have pairs count alike."""
    groups = np.zeros_like(codes) if groups is None else groups
    counts, pairs = boost_pairs.pair_mass(codes, (costs > 0.0).astype(np.float64), groups)
    exponential = isinstance(loss, Exponential)
    cells = counts.size * counts.shape[1]
    mass = boost_pairs.pair_mass(codes, costs, groups, rows.weight)[0] if each else None
    share = None if mass is None else equal_shares(mass, costs)
    if SPARSE * pairs <= cells if exponential else pairs <= LISTED * rows.size:
        upper, lower, cost = boost_pairs.list_pairs(codes, costs, groups)
        if rows.weight is not None:
            cost = cost * rows.weight[upper] * rows.weight[lower]
        if share is not None:
            cost = cost * share[groups[upper]]
        return boost_pairs.ListedPairs(rows, upper, lower, cost, loss)
    form = boost_pairs.FactorisedPairs if exponential else LogisticPairs
    return form(rows, codes, costs, groups, share)


class LogisticPairs:
    """All pairs of rows of different levels, within groups, under the logistic loss."""

    # O(n + groups · K · (range of scores) log) a round; sums are right to 1e-12 of the pairs.

    def __init__(
        self, rows: Binned, codes: Ints, costs: Floats, groups: Ints, share: Floats | None = None
    ) -> None:
        self.rows, self.factor = rows, rows.weight
        if share is not None:
            self.factor = np.sqrt(share)[groups] * (1.0 if rows.weight is None else rows.weight)
        counts, self.mass = boost_pairs.pair_mass(codes, costs, groups, self.factor)
        self.sums = CellSums(groups * costs.shape[0] + codes, counts.shape[0], costs)
        self.s = np.zeros(rows.size)
        self.loss = Convolution(Logistic().of_margin)
        self.weight = Convolution(lambda z: -Logistic().margin_derivative(z))
        self._sum()

    def _sum(self) -> None:
        self.panels = ScorePanels(self.s, weight=self.factor)
        M = self.sums.moments(self.panels)
        self.as_upper, self.as_lower = self.sums.seen_by_both(self.weight, M)
        self.total = float((M * self.as_upper).sum())
        self.risk = max(self.sums.total(self.loss, M) / self.mass, 0.0)  # rounding

    def charges(self) -> Floats:
        """Return the charge of each row, (n,); all 0 where all pairs are right beyond doubt."""
        if self.total <= boost_pairs.LEAST * self.mass:
            return np.zeros(self.rows.size)
        found = self.panels.values((self.as_upper - self.as_lower) / self.total, self.sums.cell)
        return found if self.factor is None else found * self.factor

    def shares(self, stump: Stump) -> boost_pairs.Shares:
        M = self.sums.moments(self.panels, np.flatnonzero(self.rows.above(stump)))
        upper, lower = float((M * self.as_upper).sum()), float((M * self.as_lower).sum())
        high = self.sums.total(self.weight, M)
        least = NOTHING * self.total  # below it a difference is only rounding
        right, wrong = (part if part > least else 0.0 for part in (upper - high, lower - high))
        parts = right, wrong, self.total - right - wrong, upper, lower
        return boost_pairs.Shares(*(part / self.total for part in parts))

    def step(self, stump: Stump, alpha: float, shares: boost_pairs.Shares) -> float:
        before = self.risk
        self.s[self.rows.above(stump)] += alpha
        self._sum()
        return self.risk / before
