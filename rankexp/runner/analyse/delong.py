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
from scipy import special

from rankexp.arrays import Floats, Ints
from rankexp.metrics.metric import Metric
from rankexp.runner.analyse.kept import Source, curves
from rankexp.runner.analyse.paired import FEWEST, UNSEEN, Estimate
from rankexp.runner.analyse.verdicts import Refusal


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
        moved, sizes = np.bincount(self.levels, gained != 0), np.bincount(self.levels)
        apart = gained - (np.bincount(self.levels, gained) / sizes)[self.levels]
        parts = np.bincount(self.levels, apart**2) * sizes / (sizes - 1.0)
        if _makers(moved) < FEWEST or not parts.any():
            return Estimate(float(mean), max(float(se), UNSEEN / self.examples), np.inf)
        df = parts.sum() ** 2 / (parts**2 / np.maximum(moved - 1.0, 1.0)).sum()
        return Estimate(float(mean), float(se), float(df))

    def interval(self, method: int, level: float) -> tuple[float, float]:
        """Return the interval of one method's share, symmetric in its logit: it stays in [0, 1].

        Where hardly any row is in a pair out of order, it reaches at least to where so few of
        them become improbable.
        """
        value, se = float(self.value[method]), float(np.sqrt(self.covariance[method, method]))
        tail = 1.0 - ((1.0 - level) / 2.0) ** (1.0 / self.examples)
        if se == 0.0:
            return max(0.0, value - tail), min(1.0, value + tail)
        half = special.ndtri((1.0 + level) / 2.0) * se / (value * (1.0 - value))
        low, high = special.expit(special.logit(value) + np.array([-half, half])).tolist()
        pairs = (len(self.levels) - np.bincount(self.levels))[self.levels]
        if _makers(np.bincount(self.levels, self.wins[method] < pairs)) < FEWEST:
            low = max(0.0, min(low, value - tail))
        return low, high


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
