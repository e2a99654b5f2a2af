"""Shares of pairs in order on one test set: their variances, covariances and differences.

The AUC is a two-sample U-statistic; its variance comes from the placements of the examples
(DeLong, DeLong and Clarke-Pearson, Biometrics 44, 1988), which ranks give in O(n log n) (Sun and
Xu, IEEE Signal Processing Letters 21, 2014). Here K levels take the place of two classes, so that
the same holds for U_pairs.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rankexp.arrays import Floats, Ints
from rankexp.metrics.metric import Metric
from rankexp.runner.analyse.kept import Source, curves
from rankexp.runner.analyse.paired import FEWEST, UNSEEN, Estimate
from rankexp.runner.analyse.verdicts import Refusal

FEW_WRONG, WRONG = 3.0, 2.0
"""A share counts as one over at most `FEW_WRONG` + e / `WRONG` rows for each of those outside the
largest level, if e of these are out of order: found by simulation (docs/statistics.md)."""


@dataclass(frozen=True)
class Orders:
    """How M methods order n rows of a test set: shares of pairs of different levels in order."""

    value: Floats  # (M,): the AUC; with more than two levels U_pairs
    covariance: Floats  # (M, M): over test sets with as many rows of each level
    examples: int  # rows of the smallest level
    levels: Ints  # (n,): codes
    wins: Floats  # (M, n): pairs that each row wins

    def difference(self, first: int, second: int) -> Estimate:
        """Return the difference of two methods, normal in large samples.

        Each level's part of the variance is known as from its rows whose wins differ, so t has
        Satterthwaite's degrees of freedom. Where fewer than `FEWEST` rows may make the whole
        difference, the SE is at least what the test examples allow, as over folds.
        """
        own = self.covariance
        variance = own[first, first] + own[second, second] - 2.0 * own[first, second]
        mean, se = self.value[first] - self.value[second], np.sqrt(max(variance, 0.0))
        gained = self.wins[first] - self.wins[second]
        moved = np.bincount(self.levels, gained != 0)
        parts, df = _parts(gained, self.levels, np.maximum(moved - 1.0, 1.0))
        if _makers(moved) < FEWEST or not parts.any():
            return Estimate(float(mean), max(float(se), UNSEEN / self.examples), np.inf)
        return Estimate(float(mean), float(se), df)

    def interval(self, method: int, level: float) -> tuple[float, float]:
        """Return the interval of one method's share, which stays in [0, 1].

        It is that of Clopper and Pearson (Biometrika 26, 1934) for as many independent rows as
        give the share this variance, fewer by what Satterthwaite's t adds. Few rows out of order
        show too little variance, so this number has an upper limit.
        """
        value, sizes = float(self.value[method]), np.bincount(self.levels)
        pairs = (sizes.sum() ** 2 - (sizes**2).sum()) / 2
        rows = float(sizes.sum() - sizes.max())  # with two levels, of the smaller one
        parts, df = _parts(self.wins[method], self.levels, sizes - 1.0)
        if variance := float(parts.sum()) / pairs**2:
            tail = (1.0 + level) / 2.0
            shown = value * (1.0 - value) / variance
            shown *= float(special.ndtri(tail) / special.stdtrit(df, tail)) ** 2
            wrong = rows * min(value, 1.0 - value)
            rows = min(shown, rows * (FEW_WRONG + wrong / WRONG))
        right, wrong, tail = rows * value, rows * (1.0 - value), (1.0 - level) / 2.0
        low = float(special.betaincinv(right, wrong + 1.0, tail)) if right else 0.0
        return low, float(special.betaincinv(right + 1.0, wrong, 1.0 - tail)) if wrong else 1.0


def _parts(wins: Floats, levels: Ints, known: NDArray[np.floating]) -> tuple[Floats, float]:
    """Return each level's part of a variance times squared pairs, and the degrees of freedom.

    `known` (levels,): values less one from which each part is known.
    """
    sizes = np.bincount(levels)
    apart = wins - (np.bincount(levels, wins) / sizes)[levels]
    parts = np.bincount(levels, apart**2) * sizes / (sizes - 1.0)
    shares = parts / parts.sum() if parts.any() else parts
    return parts, float(1.0 / (shares**2 / known).sum()) if parts.any() else np.inf


def _makers(counts: Ints) -> int:
    """Return how many rows may make all pairs between so many rows of each level."""
    return int(counts.sum() - counts.max())


def from_won(levels: Ints, wins: Floats) -> Orders:
    """Return how M methods order a test set, from levels' codes, (n,), and pairs won, (M, n).

    ValueError for a single level, or a level of a single row.
    """
    sizes = np.bincount(levels)
    if len(sizes) < 2 or sizes.min() < 2:
        raise ValueError(f"each of two or more levels needs two rows; they have {sizes.tolist()}")
    pairs = (sizes.sum() ** 2 - (sizes**2).sum()) / 2
    means = np.array([np.bincount(levels, row) for row in wins]) / sizes
    # To first order a share is the sum over rows of their wins less the mean of their level.
    apart = (wins - means[:, levels]) / pairs
    apart *= np.sqrt(sizes / (sizes - 1.0))[levels]
    value = wins.sum(axis=1) / (2.0 * pairs)
    return Orders(value, apart @ apart.T, int(sizes.min()), levels, wins)


KEPT = "placements"
SIGNS = {"auc": 1.0, "u_pairs": 1.0, "rank_loss": -1.0}
"""Metrics whose variance over test examples is known: shares of pairs, in order or not."""


def alone(
    sources: Iterable[Source], metric: Metric, level: float
) -> dict[str, tuple[float, float, float, float]]:
    """Return value, SE and interval of each method of a problem, of those whose they are known."""
    made = {}
    for one in curves(sources, KEPT) if repr(metric) in SIGNS else ():
        if np.unique(one.x, return_counts=True)[1].min() < 2:
            continue
        orders = from_won(one.x.astype(np.int64), one.y[None, :])
        share, se = float(orders.value[0]), float(np.sqrt(orders.covariance[0, 0]))
        low, high = orders.interval(0, level)
        higher = SIGNS[repr(metric)] > 0
        made[one.method] = (share, se, low, high) if higher else (1 - share, se, 1 - high, 1 - low)
    return made


class Seen(NamedTuple):
    """A difference over test examples; where they show no variance, how many bound it."""

    estimate: Estimate
    n: int
    bound: int | None


def compare(
    sources: Iterable[Source], problem: str, pair: tuple[str, str], metric: Metric
) -> Seen | Refusal:
    """Return the difference of two methods, or why it has no test."""
    if repr(metric) not in SIGNS:
        why = f"there is one test set, and the variance of the {metric.label} over it is not known"
        return Refusal(why, problem)
    found = {one.method: one for one in curves(sources, KEPT) if one.problem == problem}
    if not found.keys() >= set(pair):
        return Refusal(
            f"there is one test set, and the records keep no {KEPT} (see 'keep')", problem
        )
    first, second = (found[name] for name in pair)
    if not np.array_equal(first.x, second.x):
        return Refusal("the two methods were tested on different rows", problem)
    sizes = np.unique(first.x, return_counts=True)[1]
    if sizes.min() < 2:
        why = "a level has a single row in the test set, so its variance is not known"
        return Refusal(why, problem)
    orders = from_won(first.x.astype(np.int64), np.array([first.y, second.y]))
    mean, se, df = orders.difference(0, 1)
    bound = orders.examples if se == UNSEEN / orders.examples else None
    return Seen(Estimate(SIGNS[repr(metric)] * mean, se, df), len(first.x), bound)
