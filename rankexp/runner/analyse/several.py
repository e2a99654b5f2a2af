"""Several methods over many blocks (data sets or models): average ranks and what they tell.

Friedman's test with the F statistic of Iman and Davenport, then all pairs by Nemenyi's test or by
signed-rank tests with Holm's correction, as Demšar (JMLR 7, 2006, sec. 3.2) sets out.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from rankexp.runner.analyse.signed_rank import holm, settled, signed_rank

FEWEST = 3  # fewer blocks than this are no basis for a test
FEW = 10
"""Up to so many blocks the F distribution is no good approximation (it rejects 7 % of true null
hypotheses at 5 % with four or five blocks, and finds any three in one order significant)."""


class NotComparableError(ValueError):
    """Values that no test can be made of; the message says why."""


def ranks(values: npt.ArrayLike, higher: bool) -> np.ndarray:
    """Return the rank of each method in each block, 1 for the best, means of ranks for ties.

    `values` are (blocks, methods). Raises `NotComparableError` with fewer than two methods or
    three blocks, or where a value is not finite.
    """
    from scipy import stats

    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] < 2:
        raise NotComparableError("a single method cannot be ranked: name two or more")
    if len(array) < FEWEST:
        raise NotComparableError(f"ranks need at least {FEWEST} blocks, there are {len(array)}")
    if not np.isfinite(array).all():
        raise NotComparableError("a value is missing or not finite: nothing is ranked")
    own = settled(array)
    return np.asarray(stats.rankdata(-own if higher else own, axis=1))


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
    between = ((array.mean(axis=-2) - (k + 1) / 2) ** 2).sum(axis=-1)
    spread = ((array - (k + 1) / 2) ** 2).sum(axis=(-2, -1)) if ties else n * k * (k * k - 1) / 12
    with np.errstate(divide="ignore", invalid="ignore"):
        chi2 = n * n * (k - 1) * between / spread
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

    def between(ranks: np.ndarray) -> np.ndarray:
        return np.asarray((settled(ranks.mean(axis=-2)) ** 2).sum(axis=-1))

    extreme = between(drawn) >= between(array) * (1 - 1e-9)
    return float((1 + extreme.sum()) / (1 + draws))


def critical_difference(blocks: int, methods: int, alpha: float) -> float:
    """Return by how much two average ranks must differ (Nemenyi's test)."""
    from scipy import stats

    q = stats.studentized_range.ppf(1 - alpha, methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(methods * (methods + 1) / (6 * blocks)))


def nemenyi(ranked: npt.ArrayLike) -> np.ndarray:
    """Return Nemenyi's p-values of all pairs of methods, 1 on the diagonal."""
    from scipy import stats

    array = np.asarray(ranked, dtype=np.float64)
    n, k = array.shape
    means = array.mean(axis=0)
    q = np.abs(means[:, None] - means) / np.sqrt(k * (k + 1) / (6 * n))
    p = np.minimum(stats.studentized_range.sf(q * np.sqrt(2), k, np.inf), 1.0)
    np.fill_diagonal(p, 1.0)
    return np.asarray(p)


def pairwise(values: npt.ArrayLike) -> np.ndarray:
    """Return signed-rank p-values of all pairs of methods, by Holm, 1 on the diagonal."""
    array = np.asarray(values, dtype=np.float64)
    k = array.shape[1]
    pairs = list(combinations(range(k), 2))
    adjusted = holm([signed_rank(array[:, i] - array[:, j]).p for i, j in pairs])
    p = np.ones((k, k))
    for (i, j), value in zip(pairs, adjusted, strict=True):
        p[i, j] = p[j, i] = value
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
    omnibus = friedman(ranked)
    if np.isnan(omnibus.p):
        raise NotComparableError("all methods tie in every block: there is nothing to tell apart")
    if n <= FEW:
        omnibus = omnibus._replace(p=by_permutation(ranked))
    p = nemenyi(ranked) if posthoc == "nemenyi" else pairwise(values)
    differs = (p < alpha) & bool(omnibus.p < alpha)
    average = ranked.mean(axis=0)
    critical = critical_difference(n, k, alpha) if posthoc == "nemenyi" else float("nan")
    return Ranking(average, n, omnibus, p, critical, differs, groups(average, differs))
