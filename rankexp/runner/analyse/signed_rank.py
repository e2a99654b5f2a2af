"""Two methods over several data sets or models: the signed-rank test and its interval.

Wilcoxon's test as Demšar (JMLR 7, 2006, sec. 3.1.3) recommends it: ranks of zero differences are
split between the signs. P-values are exact whatever the ties: under the null each sign is a coin,
given the sizes. Holm's correction for several tests at once.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

MOST_EXACT = 200  # with more differences than this, the normal approximation

DIGITS = 12  # values that agree to so many digits of the largest are ties, not float noise


def settled(values: npt.ArrayLike) -> np.ndarray:
    """Return values without float noise, so that equal ones are equal."""
    array = np.asarray(values, dtype=np.float64)
    largest = np.max(np.abs(array), initial=0.0)
    if not (largest > 0 and np.isfinite(largest)):
        return array
    return np.round(array, int(DIGITS - 1 - np.floor(np.log10(largest)))) + 0.0


class SignedRank(NamedTuple):
    """The test's result."""

    above: float  # sum of the ranks of positive differences and of half of the zeros'
    below: float  # of the negative ones and of the other half
    p: float  # two-sided
    p_greater: float  # against differences above zero
    p_less: float  # against differences below zero

    @property
    def effect(self) -> float:
        """Matched-pairs rank-biserial correlation: -1 where all are below, 1 where all above."""
        total = self.above + self.below
        return (self.above - self.below) / total if total else 0.0


def signed_rank(differences: npt.ArrayLike) -> SignedRank:
    """Test whether finite differences, (n,), are symmetric about zero."""
    from scipy import stats

    values = settled(differences)
    ranks = stats.rankdata(np.abs(values))
    zeros = float(ranks[values == 0].sum()) / 2
    moving = ranks[values != 0]
    above = float(ranks[values > 0].sum())
    total = float(moving.sum())
    greater, less = _tails(moving, above)
    p = min(1.0, 2 * min(greater, less))
    return SignedRank(above + zeros, total - above + zeros, p, greater, less)


def _tails(ranks: np.ndarray, above: float) -> tuple[float, float]:
    """Return P(sum >= above) and P(sum <= above), the sum over ranks with fair signs."""
    if len(ranks) == 0:
        return 1.0, 1.0
    if len(ranks) > MOST_EXACT:
        centre, spread = ranks.sum() / 2, np.sqrt((ranks**2).sum()) / 2
        # Continuity: sums of tied ranks come in steps of a half or one.
        z = (above - centre) / spread
        half = 0.5 / spread
        return float(special.ndtr(half - z)), float(special.ndtr(half + z))
    chances = _distribution(np.rint(2 * ranks).astype(np.int64))
    place = round(2 * above)
    return float(chances[place:].sum()), float(chances[: place + 1].sum())


def _distribution(steps: np.ndarray) -> np.ndarray:
    """Return the chances of each sum of whole steps, each taken with chance one half."""
    chances = np.ones(1)
    for step in steps:
        longer = np.zeros(len(chances) + step)
        longer[: len(chances)] += chances / 2
        longer[step:] += chances / 2
        chances = longer
    return chances


def equivalence(differences: npt.ArrayLike, margin: float) -> float:
    """Return the p-value of "margin or more, either way": two one-sided signed-rank tests."""
    values = np.asarray(differences, dtype=np.float64)
    return max(signed_rank(values + margin).p_greater, signed_rank(values - margin).p_less)


def centre(differences: npt.ArrayLike, level: float) -> tuple[float, float, float]:
    """Return the pseudo-median of the differences and its confidence interval (low, high).

    The median of the means of all pairs, each difference with itself included (Hodges and Lehmann,
    1963); the interval holds the values that the exact test would not reject. It is unbounded
    where the differences are too few for the level.
    """
    values = np.asarray(differences, dtype=np.float64)
    n, tail = len(values), (1 - level) / 2
    pairs = np.sort(((values[:, None] + values) / 2)[np.triu_indices(n)])
    if n > MOST_EXACT:
        spread = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        cut = int(n * (n + 1) / 4 + special.ndtri(tail) * spread)
    else:
        chances = np.cumsum(_distribution(np.arange(1, n + 1)))
        cut = int(np.searchsorted(chances, tail, side="right"))
    if cut == 0:
        return float(np.median(pairs)), -np.inf, np.inf
    return float(np.median(pairs)), float(pairs[cut - 1]), float(pairs[-cut])


def holm(p_values: npt.ArrayLike) -> np.ndarray:
    """Return p-values adjusted for their number (Holm, 1979); NaN is no test and is kept."""
    given = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(given.shape, np.nan)
    order = np.argsort(given)  # NaN comes last
    known = order[: np.count_nonzero(~np.isnan(given))]
    factors = len(known) - np.arange(len(known))
    adjusted[known] = np.minimum(1.0, np.maximum.accumulate(given[known] * factors))
    return adjusted
