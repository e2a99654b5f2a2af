"""Average ranks over data sets as draws: how far the noise of the splits moves them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from rankexp.analyse.signed_rank import settled
from rankexp.arrays import Floats

Ties = Literal["average", "min"]


@dataclass(frozen=True, eq=False)
class NoisyRanks:
    """Average ranks (methods,), and as many as are drawn, (draws, methods)."""

    average: Floats
    draws: Floats

    @cached_property
    def others(self) -> Floats:
        """Further draws, each independent of that in its place."""
        return np.roll(self.draws, 1, axis=0)

    def interval(self, level: float) -> Floats:
        """Return the ends of each method's interval, (2, methods)."""
        return np.asarray(np.quantile(self.draws, [(1 - level) / 2, (1 + level) / 2], axis=0))

    def apart(self, level: float) -> Floats:
        """Return how far two runs like this are apart at most, with this chance, (methods,)."""
        return np.asarray(np.quantile(np.abs(self.draws - self.others), level, axis=0))


def drawn(
    values: Sequence[Floats],
    corrections: Sequence[float],
    *,
    higher: bool,
    ties: Ties,
    decimals: int | None = None,
    draws: int,
    rng: np.random.Generator,
) -> NoisyRanks:
    """Return average ranks over data sets, each with values (splits, methods), two or more.

    Means are rounded to `decimals` before they are ranked, if given. A draw adds to the means
    noise of the covariance that they have (multiplier bootstrap): that of the splits times
    1/splits plus the data set's correction for training parts that overlap (Nadeau and Bengio,
    Machine Learning 52, 2003). The data sets stay as they are.
    """
    means, noisy = [], []
    for own, correction in zip(values, corrections, strict=True):
        mean, count = own.mean(axis=0), len(own)
        factor = np.sqrt((1 / count + correction) / (count - 1))
        noisy.append(mean + factor * rng.standard_normal((draws, count)) @ (own - mean))
        means.append(mean)
    every = [np.stack(means), np.stack(noisy, axis=1)]
    every = every if decimals is None else [np.round(one, decimals) for one in every]
    return NoisyRanks(*(average_ranks(one, higher, ties) for one in every))


def average_ranks(means: Floats, higher: bool, ties: Ties) -> Floats:
    """Return the mean over data sets of the ranks, 1 the best, of (..., data sets, methods)."""
    from scipy import stats

    signed = settled(-means if higher else means)
    return np.asarray(stats.rankdata(signed, method=ties, axis=-1).mean(axis=-2))


def spearman(first: Floats, second: Floats) -> Floats:
    """Return Spearman's correlations along the last axis; NaN where one side is constant."""
    from scipy import stats

    sides = [stats.rankdata(settled(one), axis=-1) for one in (first, second)]
    a, b = (one - one.mean(axis=-1, keepdims=True) for one in sides)
    with np.errstate(invalid="ignore"):
        found = (a * b).sum(axis=-1) / np.sqrt((a**2).sum(axis=-1) * (b**2).sum(axis=-1))
    return np.asarray(found)
