"""Several methods over many blocks (data sets or models): average ranks and what they tell.

Friedman's test with the F statistic of Iman and Davenport, then all pairs by Nemenyi's test or by
signed-rank tests with Holm's correction, as Demšar (JMLR 7, 2006, sec. 3.2) sets out.
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy  # which loads its parts when they are first used: `scipy.stats` takes long
from scipy import special

MOST_EXACT = 200  # with more differences than this, the normal approximation

DIGITS = 12  # values that agree to so many digits of the largest are ties, not float noise
FEWEST = 3  # fewer blocks than this are no basis for a test
FEW = 10
"""Up to so many blocks the F distribution is no good approximation (it rejects 7 % of true null
hypotheses at 5 % with four or five blocks, and finds any three in one order significant)."""


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
    values = settled(differences)
    ranks = scipy.stats.rankdata(np.abs(values))
    zeros = float(ranks[values == 0].sum()) / 2
    moving = ranks[values != 0]
    above = float(ranks[values > 0].sum())
    # P(sum >= above) and P(sum <= above), the sum over ranks with fair signs.
    if len(moving) > MOST_EXACT:
        spread = np.sqrt((moving**2).sum()) / 2
        # Continuity: sums of tied ranks come in steps of a half or one.
        z, half = (above - moving.sum() / 2) / spread, 0.5 / spread
        greater, less = float(special.ndtr(half - z)), float(special.ndtr(half + z))
    else:
        chances, place = _distribution(np.rint(2 * moving).astype(np.int64)), round(2 * above)
        greater, less = float(chances[place:].sum()), float(chances[: place + 1].sum())
    p = min(1.0, 2 * min(greater, less))
    return SignedRank(above + zeros, float(moving.sum()) - above + zeros, p, greater, less)


def _distribution(steps: np.ndarray) -> np.ndarray:
    """Return the chances of each sum of whole steps, each taken with chance one half."""
    chances = np.ones(1)
    for step in steps:
        half, none = chances / 2, np.zeros(step)
        chances = np.concatenate((half, none)) + np.concatenate((none, half))
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
        cut = int(n * (n + 1) / 4 + special.ndtri(tail) * np.sqrt(n * (n + 1) * (2 * n + 1) / 24))
    else:
        cut = int(np.cumsum(_distribution(np.arange(1, n + 1))).searchsorted(tail, "right"))
    if cut == 0:
        return float(np.median(pairs)), -np.inf, np.inf
    return float(np.median(pairs)), float(pairs[cut - 1]), float(pairs[-cut])


def holm(p_values: npt.ArrayLike) -> np.ndarray:
    """Return p-values adjusted for their number (Holm, 1979); NaN is no test and is kept."""
    given = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(given.shape, np.nan)
    known = np.argsort(given)[: np.count_nonzero(~np.isnan(given))]  # NaN comes last
    factors = len(known) - np.arange(len(known))
    adjusted[known] = np.minimum(1.0, np.maximum.accumulate(given[known] * factors))
    return adjusted


class NotComparableError(ValueError):
    """Values that no test can be made of; the message says why."""


def ranks(values: npt.ArrayLike, higher: bool) -> np.ndarray:
    """Return the rank of each method in each block, 1 for the best, means of ranks for ties.

    `values` are (blocks, methods). Raises `NotComparableError` with fewer than two methods or
    three blocks, or where a value is not finite.
    """
    if (array := np.asarray(values, dtype=np.float64)).ndim != 2 or array.shape[1] < 2:
        raise NotComparableError("a single method cannot be ranked: name two or more")
    if len(array) < FEWEST:
        raise NotComparableError(f"ranks need at least {FEWEST} blocks, there are {len(array)}")
    if not np.isfinite(array).all():
        raise NotComparableError("a value is missing or not finite: nothing is ranked")
    own = settled(array)
    return np.asarray(scipy.stats.rankdata(-own if higher else own, axis=1))


class Friedman(NamedTuple):
    """Friedman's statistic with the F statistic of Iman and Davenport and its p-value."""

    chi2: Any  # NaN, as `p`, where all methods tie in every block
    f: Any
    p: Any
    df: tuple[int, int]  # degrees of freedom of `f`


def friedman(ranked: npt.ArrayLike, *, ties: bool = True) -> Friedman:
    """Test whether all methods have the same expected rank.

    `ranked` are (..., blocks, methods); leading axes are studies of their own. The variance is
    that of the ranks at hand; without `ties` that of Demšar's formula, which is conservative.
    """
    array = np.asarray(ranked, dtype=np.float64)
    n, k = array.shape[-2:]
    spread = ((array - (k + 1) / 2) ** 2).sum(axis=(-2, -1)) if ties else n * k * (k * k - 1) / 12
    with np.errstate(divide="ignore", invalid="ignore"):
        chi2 = n * n * (k - 1) * ((array.mean(axis=-2) - (k + 1) / 2) ** 2).sum(axis=-1) / spread
        # Where every block has the same order, F is infinite.
        f = (n - 1) * chi2 / np.maximum(n * (k - 1) - chi2, 0.0)
    df = (k - 1, (k - 1) * (n - 1))
    p = np.where(np.isinf(f), 0.0, special.fdtrc(*df, np.where(np.isinf(f), 1.0, f)))
    return Friedman(chi2, f, p[()], df)


def by_permutation(ranked: npt.ArrayLike, draws: int = 20_000, seed: int = 0) -> float:
    """Return the p-value of Friedman's test from orders drawn at random within the blocks.

    Valid for any number of blocks and methods and any ties; the same for the same seed.
    """
    array = np.asarray(ranked, dtype=np.float64)
    rng = np.random.default_rng(seed)
    drawn = rng.permuted(np.broadcast_to(array, (draws, *array.shape)), axis=-1)
    between, own = ((settled(r.mean(axis=-2)) ** 2).sum(axis=-1) for r in (drawn, array))
    return float((1 + (between >= own * (1 - 1e-9)).sum()) / (1 + draws))


def critical_difference(blocks: int, methods: int, alpha: float) -> float:
    """Return by how much two average ranks must differ (Nemenyi's test)."""
    q = scipy.stats.studentized_range.ppf(1 - alpha, methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(methods * (methods + 1) / (6 * blocks)))


def nemenyi(ranked: npt.ArrayLike) -> np.ndarray:
    """Return Nemenyi's p-values of all pairs of methods, 1 on the diagonal."""
    array = np.asarray(ranked, dtype=np.float64)
    n, k = array.shape
    means = array.mean(axis=0)
    q = np.abs(means[:, None] - means) / np.sqrt(k * (k + 1) / (6 * n))
    p = np.minimum(scipy.stats.studentized_range.sf(q * np.sqrt(2), k, np.inf), 1.0)
    np.fill_diagonal(p, 1.0)
    return np.asarray(p)


def pairwise(values: npt.ArrayLike) -> np.ndarray:
    """Return signed-rank p-values of all pairs of methods, by Holm, 1 on the diagonal."""
    array = np.asarray(values, dtype=np.float64)
    i, j = np.triu_indices(array.shape[1], 1)
    p = np.ones((array.shape[1], array.shape[1]))
    p[i, j] = p[j, i] = holm([signed_rank(own).p for own in (array[:, i] - array[:, j]).T])
    return p


def groups(average: npt.ArrayLike, differs: npt.ArrayLike) -> list[tuple[int, ...]]:
    """Return the bars of a critical-difference diagram, of indices of methods, best first.

    A bar joins methods that follow each other in average rank and of which no two differ; bars
    within other bars, and of one method, are left out.
    """
    order = np.argsort(average, kind="stable")
    table = np.asarray(differs, dtype=bool)[np.ix_(order, order)]
    bars: list[tuple[int, int]] = []
    for start in range(len(order)):
        stop = start + 1
        while stop < len(order) and not table[start : stop + 1, start : stop + 1].any():
            stop += 1
        if stop - start > 1 and (not bars or stop > bars[-1][1]):
            bars.append((start, stop))
    return [tuple(int(place) for place in order[start:stop]) for start, stop in bars]


@dataclass(frozen=True)
class Ranking:
    """Several methods over blocks: everything that a table or a diagram shows."""

    average: np.ndarray  # (methods,): average ranks
    blocks: int
    omnibus: Friedman
    p: np.ndarray  # (methods, methods): of all pairs, corrected for their number
    critical: float  # critical difference; NaN for signed-rank tests, which have none
    # (methods, methods): pairs that differ; none does where Friedman's test finds nothing
    differs: np.ndarray
    bars: list[tuple[int, ...]]  # groups that do not differ


def ranking(
    values: npt.ArrayLike, *, higher: bool, posthoc: Literal["nemenyi", "wilcoxon"], alpha: float
) -> Ranking:
    """Rank methods over blocks, test all at once, and then all pairs, at level `alpha`.

    `values` are (blocks, methods). Raises `NotComparableError` as :func:`ranks` does, and where
    all methods tie in every block.
    """
    ranked = ranks(values, higher)
    n, k = ranked.shape
    if np.isnan((omnibus := friedman(ranked)).p):
        raise NotComparableError("all methods tie in every block: there is nothing to tell apart")
    if n <= FEW:
        omnibus = omnibus._replace(p=by_permutation(ranked))
    p = nemenyi(ranked) if posthoc == "nemenyi" else pairwise(values)
    differs = (p < alpha) & bool(omnibus.p < alpha)
    average = ranked.mean(axis=0)
    critical = critical_difference(n, k, alpha) if posthoc == "nemenyi" else float("nan")
    return Ranking(average, n, omnibus, p, critical, differs, groups(average, differs))
