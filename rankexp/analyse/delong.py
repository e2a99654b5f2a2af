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

from rankexp.analyse.paired import UNSEEN, Estimate
from rankexp.arrays import Floats, Ints
from rankexp.metrics.level_counts import coded
from rankexp.metrics.placements import won


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
    """

    value: Floats
    covariance: Floats
    examples: int

    def difference(self, first: int, second: int) -> Estimate:
        """Return the difference of two methods, normal in large samples.

        Methods that win the same pairs of every row have no variance in the sample: the SE is
        then the least that the test examples allow.
        """
        own = self.covariance
        variance = own[first, first] + own[second, second] - 2.0 * own[first, second]
        noise = 4.0 * np.finfo(np.float64).eps * max(own[first, first], own[second, second])
        se = np.sqrt(variance) if variance > noise else UNSEEN / self.examples
        return Estimate(float(self.value[first] - self.value[second]), float(se), np.inf)

    def interval(self, method: int, level: float) -> tuple[float, float]:
        """Return the interval of one method's share, symmetric in its logit: it stays in [0, 1].

        Where no pair, or every pair, is in order it ends where as many examples without an error
        become improbable.
        """
        value, se = float(self.value[method]), float(np.sqrt(self.covariance[method, method]))
        if se == 0.0 or not 0.0 < value < 1.0:
            tail = 1.0 - ((1.0 - level) / 2.0) ** (1.0 / self.examples)
            return max(0.0, value - tail), min(1.0, value + tail)
        half = special.ndtri((1.0 + level) / 2.0) * se / (value * (1.0 - value))
        low, high = special.expit(special.logit(value) + np.array([-half, half]))
        return float(low), float(high)


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
    return Orders(wins.sum(axis=1) / (2.0 * pairs), apart @ apart.T, examples)
