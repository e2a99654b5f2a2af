"""Measures of order over the examples tested: their variances, covariances and differences.

The AUC is a two-sample U-statistic; its variance comes from the placements of the examples
(DeLong, DeLong and Clarke-Pearson, Biometrics 44, 1988), which ranks give in O(n log n) (Sun and
Xu, IEEE Signal Processing Letters 21, 2014). Here K levels take the place of two classes, and the
test parts of a cross-validation that of one test set.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rankexp.arrays import Floats, Ints
from rankexp.statistics.paired import FEWEST, UNSEEN, Estimate

FEW_WRONG, WRONG = 3.0, 2.0
"""A share counts as one over at most `FEW_WRONG` + e / `WRONG` rows for each of those outside the
largest level, if e of these are out of order: found by simulation (docs/statistics.md)."""

EXTRA, EXTRA_FOLDS = 2.0, 0.5
"""Rows that are added to each level of a difference, as far out as the farthest one: on one test
set, and over folds; found by simulation (docs/statistics.md)."""

TRAINING = 0.2
"""The share of the variance over a whole pass of folds that is added for other training rows:
found by simulation (docs/statistics.md)."""
ROUNDING, DIGITS = 1e-14, 14  # sums of placements have no more than these


class PlacedPart(NamedTuple):
    """How M methods order one test part."""

    rows: Ints  # (n,): places in the data set
    levels: Ints  # (n,): codes
    placements: Floats  # (M, n): half of the sum of their means over levels is the value


@dataclass(frozen=True)
class Orders:
    """How M methods order n rows, in the mean over the test parts that these are in."""

    each: Floats  # (M, P): on each test part
    levels: Ints  # (n,): codes
    given: Floats  # (M, n): what each row gives to twice the value
    apart: Floats  # (M, n): the same, less the mean of its level: to first order the value's error
    share: float = 0.0  # of the rows that a test part has, where training parts overlap

    @property
    def value(self) -> Floats:
        """The mean over test parts, (M,)."""
        return np.asarray(self.each.mean(axis=1))

    @property
    def sizes(self) -> Ints:
        """The rows of each level."""
        return np.bincount(self.levels)

    @property
    def examples(self) -> float:
        """The rows that may move the value most: those of the smallest level."""
        return float(self.sizes.min())

    @property
    def covariance(self) -> Floats:
        """The covariance, (M, M), over other test examples, with as many rows of each level."""
        scaled = self.apart * np.sqrt(self.sizes / (self.sizes - 1.0))[self.levels]
        return np.asarray(scaled @ scaled.T)

    def of_means(self, sides: Sequence[Sequence[int]]) -> "Orders":
        """Return the same of means over some of the methods each."""
        each, given, apart = (
            np.array([values[list(side)].mean(axis=0) for side in sides])
            for values in (self.each, self.given, self.apart)
        )
        return replace(self, each=each, given=given, apart=apart)

    def se(self, method: int) -> float:
        """Return the standard error of one method's value."""
        parts, _ = self._parts(self.apart[method], self.sizes - 1.0)
        return float(np.sqrt(parts.sum() + self._training(self.each[method])))

    def difference(self, first: int, second: int) -> Estimate:
        """Return the difference of two methods, with Satterthwaite's degrees of freedom.

        Each level's part of the variance is known as from its rows that the methods place
        differently. Few rows may show too little of it, so some are added. Where fewer than
        `FEWEST` rows may make the whole difference, the SE is at least what the test examples
        allow, as over folds.
        """
        each = self.each[first] - self.each[second]
        mean = float(each.mean())
        sizes, gained = self.sizes, self.apart[first] - self.apart[second]
        moved = np.bincount(self.levels, self.given[first] != self.given[second])
        parts, df = self._parts(gained, np.maximum(moved - 1.0, 1.0))
        makers = moved.sum() - moved.max()  # so many rows may make all pairs that moved
        if makers < FEWEST or not parts.any():
            return Estimate(mean, max(np.sqrt(parts.sum()), UNSEEN / self.examples), np.inf)
        farthest = np.zeros(len(sizes))
        np.maximum.at(farthest, self.levels, np.abs(gained))
        farthest *= sizes / np.maximum(sizes - 2.0, 1.0)
        extra = EXTRA if len(each) < FEWEST else EXTRA_FOLDS
        variance = parts.sum() + extra * (farthest**2).sum() + self._training(each)
        return Estimate(mean, float(np.sqrt(variance)), df)

    def interval(self, method: int, level: float) -> tuple[float, float]:
        """Return the interval of one method's value, which stays in [0, 1].

        It is that of Clopper and Pearson (Biometrika 26, 1934) for as many independent rows as
        give a share this variance, fewer by what Satterthwaite's t adds. Few rows out of order
        show too little variance, so this number has an upper limit.
        """
        value, sizes = float(self.value[method]), self.sizes
        rows = float(sizes.sum() - sizes.max())  # with two levels, of the smaller one
        parts, df = self._parts(self.apart[method], sizes - 1.0)
        if variance := float(parts.sum()) + self._training(self.each[method]):
            tail = (1.0 + level) / 2.0
            shown = value * (1.0 - value) / variance
            shown *= float(special.ndtri(tail) / special.stdtrit(df, tail)) ** 2
            wrong = rows * min(value, 1.0 - value)
            rows = min(shown, rows * (FEW_WRONG + wrong / WRONG))
        right, wrong, tail = rows * value, rows * (1.0 - value), (1.0 - level) / 2.0
        low = float(special.betaincinv(right, wrong + 1.0, tail)) if right else 0.0
        return low, float(special.betaincinv(right + 1.0, wrong, 1.0 - tail)) if wrong else 1.0

    def _training(self, each: Floats) -> float:
        """Return the variance that other training rows add, from values on test parts, (P,)."""
        return TRAINING * self.share * float(each.var(ddof=1)) if len(each) >= FEWEST else 0.0

    def _parts(self, apart: Floats, known: NDArray[np.floating]) -> tuple[Floats, float]:
        """Return each level's part of the variance, and the degrees of freedom.

        `known` (levels,): values less one from which each part is known.
        """
        parts = np.bincount(self.levels, apart**2) * self.sizes / (self.sizes - 1.0)
        if not parts.any():
            return parts, np.inf
        return parts, float(1.0 / ((parts / parts.sum()) ** 2 / known).sum())


def from_won(levels: Ints, wins: Floats) -> Orders:
    """Return how M methods order a test set, from levels' codes, (n,), and pairs won, (M, n).

    ValueError for a single level, or a level of a single row.
    """
    if len(sizes := np.bincount(levels)) < 2:
        raise ValueError(f"each of two or more levels needs two rows; they have {sizes.tolist()}")
    return from_parts([PlacedPart(np.arange(len(levels)), levels, shares(levels, wins))])


def from_parts(parts: Sequence[PlacedPart], share: float = 0.0) -> Orders:
    """Return how M methods order the rows of one or more test parts.

    `share` is that of the rows that each part has, if they are of one data set. ValueError where a
    level has a single row in all parts together.
    """
    rows, at = np.unique(np.concatenate([part.rows for part in parts]), return_inverse=True)
    levels = np.zeros(len(rows), dtype=np.int64)
    levels[at] = np.concatenate([part.levels for part in parts])
    sizes = np.bincount(levels)
    if sizes[sizes > 0].min() < 2:
        raise ValueError(f"each level needs two rows; they have {sizes.tolist()}")
    each = np.empty((len(parts[0].placements), len(parts)))
    given, weight = np.zeros((len(each), len(rows))), np.zeros(len(rows))
    ends = np.cumsum([len(part.rows) for part in parts])
    for place, (part, own) in enumerate(zip(parts, np.split(at, ends[:-1]), strict=True)):
        counts = 1.0 / (np.bincount(part.levels)[part.levels] * len(parts))
        value = part.placements @ counts * len(parts) / 2.0
        each[:, place] = np.round(value, DIGITS)  # so that 1 is 1
        given[:, own] += part.placements * counts
        weight[own] += counts
    means = np.array([np.bincount(levels, row) for row in given]) / np.bincount(levels, weight)
    apart = given - weight * means[:, levels]
    apart[np.abs(apart) < ROUNDING * np.abs(given).max(initial=0.0)] = 0.0
    return Orders(each, levels, given, apart, share)


def shares(levels: Ints, wins: Floats) -> Floats:
    """Return placements in the share of pairs in order, from pairs won, (M, n)."""
    sizes = np.bincount(levels)
    return np.asarray(wins * (sizes[levels] / ((sizes.sum() ** 2 - (sizes**2).sum()) / 2)))
