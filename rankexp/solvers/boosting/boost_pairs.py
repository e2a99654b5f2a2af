"""RankBoost: coordinate descent on a convex loss of pairs, over threshold base rankers.

The algorithm asks its pairs for three things: the charge of every example (the weight of the pairs
that it wins less that of those it loses when it alone is lifted), the shares of the weight that a
base ranker orders rightly and wrongly, and a step.
"""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from scipy.optimize import brentq

from rankexp.arrays import Floats, Groups, Ints, Listed
from rankexp.losses.loss import MarginLoss
from rankexp.losses.margin import Exponential
from rankexp.solvers.boosting.stumps import Binned, Factors, Stump, half_log_ratio, sums

LEAST = 1e-10  # mean weight of a pair below which sums, right to 1e-12, hold no edge any more
RISE = 1e-9  # of 1: an edge beyond the smooth margin by less is rounding of sums
ROOT = 1e-12  # relative: of a coefficient


class Shares(NamedTuple):
    """Shares of the weight of all pairs, under a base ranker h with values 0 and 1."""

    right: float  # e+ of mohri2018, (10.11)
    wrong: float  # e-
    tied: float  # e0
    upper: float  # of pairs whose upper example is above the threshold: e+ of Figure 10.2
    lower: float  # of pairs whose lower one is: e- of Figure 10.2


class WeightedPairs(Protocol):
    """Weighted pairs of training rows, an upper and a lower one each."""

    risk: float  # the mean loss of the pairs before the first round
    mass: float  # how many pairs there are, each counted by its weight

    def charges(self) -> Floats:
        """Return the charge of each row, (n,), as a share of all weight."""

    def shares(self, stump: Stump) -> Shares:
        """Return what a stump does to the pairs."""

    def step(self, stump: Stump, alpha: float, shares: Shares) -> float:
        """Add alpha to the scores above a stump; return the new mean loss over the old one."""


class Round(NamedTuple):
    """A round: base ranker, coefficient, mean loss over the old one (mohri2018's Z_t), shares."""

    stump: Stump
    alpha: float
    ratio: float
    shares: Shares


def normaliser(shares: Shares, alpha: float) -> float:
    """Return ``e+ exp(-alpha) + e- exp(alpha) + e0``."""
    return float(shares.right * np.exp(-alpha) + shares.wrong * np.exp(alpha) + shares.tied)


def coefficient(shares: Shares, rule: str, smoothing: float) -> float:
    """Return the coefficient by a rule: half the log ratio of two shares."""
    # "pairs" takes e+ and e- of mohri2018's Figure 10.1, "textbook" those of Figure 10.2; "bound"
    # adds half of e0 to each of the former, which bounds the loss.
    good, bad = shares.right, shares.wrong
    if rule == "textbook":
        good, bad = shares.upper, shares.lower
    elif rule == "bound":
        good, bad = good + shares.tied / 2, bad + shares.tied / 2
    return half_log_ratio(good, bad, smoothing, "orders no pair wrongly, or none rightly")


def boost(
    rows: Binned, pairs: WeightedPairs, n_rounds: int, rule: str, smoothing: float
) -> Iterator[Round]:
    """Yield at most `n_rounds` rounds; end if no base ranker has an edge."""
    # Each takes the steepest coordinate, the greatest ``|e+ - e-|``; a negative coefficient stands
    # for ``1[x_j <= t]``, which differs from ``-1[x_j > t]`` by a constant.
    for _ in range(n_rounds):
        if (stump := rows.best(pairs.charges())) is None:
            return
        shares = pairs.shares(stump)
        alpha = coefficient(shares, rule, smoothing)
        yield Round(stump, alpha, pairs.step(stump, alpha, shares), shares)


def pair_mass(
    codes: Ints, costs: Floats, groups: Ints, weight: Floats | None = None
) -> tuple[Floats, float]:
    """Return the number, or weight, of rows by group and level, (G, K), and the cost of pairs."""
    K, G = costs.shape[0], int(groups.max()) + 1
    found = np.bincount(groups * K + codes, weight, minlength=G * K)
    counts = np.asarray(found.reshape(G, K), dtype=np.float64)
    if (mass := float(np.einsum("gb,ba,ga->", counts, costs, counts))) == 0.0:
        text = "there is no pair to rank"
        raise ValueError(f"{text}: no group has examples of two levels with a cost between them")
    return counts, mass


class FactorisedPairs:
    """All pairs of rows of different levels, within groups, under the exponential loss."""

    # The weight of a pair, ``costs[b, a] exp(-(s_i - s_j))`` for levels a above b, is a product,
    # so sums over pairs are sums over cells (group, level), and a round is O(n) + O(groups · K²)
    # (mohri2018, section 10.5.1, for K = 2). `share` (G,), if any: what pairs of a group count.

    risk = 1.0

    def __init__(
        self, rows: Binned, codes: Ints, costs: Floats, groups: Ints, share: Floats | None = None
    ) -> None:
        counts, _ = pair_mass(codes, costs, groups)
        self.shape = counts.shape
        self.costs = costs if share is None else share[:, None, None] * costs
        self.factors = Factors(rows, groups * costs.shape[0] + codes, counts.size)
        self._couple()
        self.mass = self.total * float(np.exp(self.scale))

    def _couple(self) -> None:
        least, most = (a.reshape(self.shape) for a in (self.factors.least, self.factors.most))
        with np.errstate(divide="ignore"):
            scale = np.log(self.costs) + most[:, :, None] - least[:, None, :]
        self.scale = float(scale.max())
        self.coupling = np.exp(scale - self.scale)
        self._sum()

    def _sum(self) -> None:
        ups, downs = (a.reshape(self.shape) for a in (self.factors.ups, self.factors.downs))
        self.of_up = np.einsum("gba,gb->ga", self.coupling, downs)
        self.of_down = np.einsum("gba,ga->gb", self.coupling, ups)
        self.total = float((self.of_up * ups).sum())

    def charges(self) -> Floats:
        of_up, of_down = self.of_up.ravel() / self.total, self.of_down.ravel() / self.total
        return self.factors.charges(of_up, of_down)

    def shares(self, stump: Stump) -> Shares:
        """Return what a stump does to the pairs: each share is a sum without a difference."""
        self.parts = self.factors.split(stump)
        up, down = (part.reshape(2, *self.shape) for part in self.parts)
        table = np.einsum("gba,pgb,qga->pq", self.coupling, down, up) / self.total
        (low, right), (wrong, high) = table.tolist()
        return Shares(right, wrong, low + high, right + high, wrong + high)

    def step(self, stump: Stump, alpha: float, shares: Shares) -> float:
        """Add alpha to the scores above the stump that `shares` was last asked about."""
        if self.factors.advance(stump, alpha, self.parts):
            self._couple()
        else:
            self._sum()
        return normaliser(shares, alpha)


class ListedPairs:
    """Pairs given one by one, each with a weight, under any convex loss of margins."""

    # Under another loss than the exponential a pair's weight is minus the loss's derivative at its
    # margin. For the logistic loss the same coefficient then lowers the risk in every round, as
    # ``log(1 + q (e^-a - 1)) <= q (e^-a - 1)`` (Collins, Schapire and Singer, 2002, Logistic
    # Regression, AdaBoost and Bregman Distances).

    def __init__(
        self, rows: Binned, upper: Ints, lower: Ints, weights: Floats, loss: MarginLoss
    ) -> None:
        self.rows, self.upper, self.lower, self.loss = rows, upper, lower, loss
        self.mass = float(weights.sum())
        self.cost = weights / self.mass
        self.margins = np.zeros(upper.size)
        self.risk = 1.0
        self._weigh()

    def _weigh(self) -> None:
        if isinstance(self.loss, Exponential):  # relative to the greatest: nothing overflows
            with np.errstate(divide="ignore"):
                log = np.log(self.cost) - self.margins
            weight = np.exp(log - log.max())
        else:
            weight = -self.cost * self.loss.margin_derivative(self.margins)
            self.risk = float(self.cost @ self.loss.of_margin(self.margins))
        total = float(weight.sum())
        self.weight = weight / total if total > LEAST else np.zeros_like(weight)

    def charges(self) -> Floats:
        n = self.rows.size
        return sums(self.upper, self.weight, n) - sums(self.lower, self.weight, n)

    def shares(self, stump: Stump) -> Shares:
        above = self.rows.above(stump)
        key = 2 * above[self.lower] + above[self.upper]
        low, right, wrong, high = sums(key, self.weight, 4).tolist()
        return Shares(right, wrong, low + high, right + high, wrong + high)

    def step(self, stump: Stump, alpha: float, shares: Shares) -> float:
        h, before = self.rows.above(stump).astype(np.float64), self.risk
        self.margins += alpha * (h[self.upper] - h[self.lower])
        self._weigh()
        exponential = isinstance(self.loss, Exponential)
        return normaliser(shares, alpha) if exponential else self.risk / before


def list_pairs(codes: Ints, costs: Floats, groups: Groups = None) -> Listed:
    """Return the upper row, the lower row and the cost of every pair that costs anything."""
    K = costs.shape[0]
    cell = codes if groups is None else groups * K + codes
    by_cell = np.argsort(cell, kind="stable")
    sizes = np.bincount(cell, minlength=K)
    starts = np.cumsum(sizes) - sizes
    found = []
    for low in range(K - 1):
        mine = np.flatnonzero(costs[low, codes] > 0.0)
        theirs = cell[mine] - codes[mine] + low  # the cell of that level in the same group
        many, start = sizes[theirs], starts[theirs]
        place = np.arange(many.sum()) + np.repeat(start - (np.cumsum(many) - many), many)
        cost = np.repeat(costs[low, codes[mine]], many)
        found.append((np.repeat(mine, many), by_cell[place], cost))
    upper, lower, cost = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return upper, lower, cost


def smooth_margin_rounds(
    rows: Binned, pairs: WeightedPairs, n_rounds: int, smoothing: float
) -> Iterator[Round]:
    """Yield at most `n_rounds` rounds; end if no base ranker raises the smooth margin."""
    # It is ``G = -log F / |alpha|_1`` of coefficients alpha >= 0, F the sum over pairs of
    # ``exp(-margin)``: at most the least margin, and within ``log(pairs) / |alpha|_1`` of it. Each
    # takes the greatest ``|e+ - e-|``, for which it grows fastest, and the coefficient that
    # maximises it; RankBoost's one until the margin is above 0.
    log_f, size = float(np.log(pairs.mass)), 0.0
    for _ in range(n_rounds):
        if (stump := rows.best(pairs.charges())) is None:
            return
        shares = pairs.shares(stump)
        if size == 0.0 or log_f >= 0.0:
            alpha = coefficient(shares, "pairs", smoothing)
        elif abs(shares.right - shares.wrong) > -log_f / size + RISE:
            alpha = highest(shares, log_f, size, coefficient(shares, "pairs", smoothing))
        else:
            return
        ratio = pairs.step(stump, alpha, shares)
        log_f, size = log_f + float(np.log(ratio)), size + abs(alpha)
        yield Round(stump, alpha, ratio, shares)


def highest(shares: Shares, log_f: float, size: float, longest: float) -> float:
    """Return the coefficient at which ``-(log F + log Z) / (size + |alpha|)`` is greatest."""
    # ``-log Z`` is concave, so the derivative's numerator has one zero between 0 and RankBoost's
    # coefficient, `longest`, at which the normaliser Z is least.
    sign = np.sign(longest)

    def rise(alpha: float) -> float:
        right, wrong = shares.right * np.exp(-alpha), shares.wrong * np.exp(alpha)
        z = right + wrong + shares.tied
        return float(sign * (right - wrong) / z * (size + abs(alpha)) + log_f + np.log(z))

    return longest if rise(longest) >= 0.0 else float(brentq(rise, 0.0, longest, rtol=ROOT))
