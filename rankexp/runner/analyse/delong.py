"""Shares of pairs in order on one test set: their variances, covariances and differences.

The AUC is a two-sample U-statistic; its variance comes from the placements of the examples
(DeLong, DeLong and Clarke-Pearson, Biometrics 44, 1988), which ranks give in O(n log n) (Sun and
Xu, IEEE Signal Processing Letters 21, 2014). Here K levels take the place of two classes, so that
the same holds for U_pairs, and whole clusters of rows may take the place of single ones
(Obuchowski, Biometrics 53, 1997).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from rankexp.arrays import Floats, Ints
from rankexp.metrics.level_counts import coded, won
from rankexp.runner.analyse.paired import FEWEST, UNSEEN, Estimate


@dataclass(frozen=True)
class Orders:
    """How several methods order one test set: shares of pairs of different levels in order.

    Attributes
    ----------
    value : ndarray of shape (M,)
        The AUC; with more than two levels U_pairs.
    covariance : ndarray of shape (M, M)
        Over test sets with as many rows of each level.
    examples : int
        Rows of the smallest level, or clusters if they are fewer.
    levels, wins : ndarray of shape (n,), (M, n)
        Code of each row's level, and how many pairs it wins.
    """

    value: Floats
    covariance: Floats
    examples: int
    levels: Ints
    wins: Floats

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


def orders(y: npt.ArrayLike, scores: npt.ArrayLike, groups: npt.ArrayLike | None = None) -> Orders:
    """Return the shares of pairs in order of several methods on one test set.

    Parameters
    ----------
    y : array-like of shape (n,)
        Two or more levels as numbers, worst to best.
    scores : array-like of shape (n, M)
        One column a method, without NaN.
    groups : array-like of shape (n,), optional
        Clusters of rows that are alike; pairs of all rows count all the same. By default
        rows are independent.

    Raises
    ------
    ValueError
        For a single level, a level (or clusters) of a single row, NaN, other shapes.
    """
    levels = coded(np.asarray(y, dtype=np.float64), None).codes
    columns = np.asarray(scores, dtype=np.float64)
    if columns.ndim != 2 or len(columns) != len(levels):
        raise ValueError(f"scores must be (n, M) beside y of {len(levels)}, got {columns.shape}")
    if np.isnan(columns).any():
        raise ValueError("scores hold NaN; the scorer that made them has failed")
    return from_won(levels, np.array([won(levels, column) for column in columns.T]), groups)


def from_won(levels: Ints, wins: Floats, groups: npt.ArrayLike | None = None) -> Orders:
    """Return what `orders` does, from levels' codes and the pairs that rows won, (M, n)."""
    sizes = np.bincount(levels)
    if len(sizes) < 2 or sizes.min() < 2:
        raise ValueError(f"two levels or more need two rows each, there are {sizes.tolist()}")
    pairs = (sizes.sum() ** 2 - (sizes**2).sum()) / 2
    means = np.array([np.bincount(levels, row) for row in wins]) / sizes
    # To first order a share is the sum over rows of their wins less the mean of their level.
    apart = (wins - means[:, levels]) / pairs
    examples = int(sizes.min())
    if groups is None:
        apart *= np.sqrt(sizes / (sizes - 1.0))[levels]
    else:
        clusters = np.unique(np.asarray(groups), return_inverse=True)[1].ravel()
        apart = np.array([np.bincount(clusters, row) for row in apart])
        count = apart.shape[1]
        if count < 2:
            raise ValueError("a single cluster says nothing of how clusters differ")
        apart *= np.sqrt(count / (count - 1.0))
        examples = min(examples, count)
    value = wins.sum(axis=1) / (2.0 * pairs)
    return Orders(value, apart @ apart.T, examples, levels, wins)
