"""Draw average ranks over data sets, to show how far the noise of the splits moves them."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from rankexp.arrays import Floats
from rankexp.runner.analyse.signed_rank import settled

Ties = Literal["average", "min"]


def noisy_ranks(
    values: Sequence[Floats],
    corrections: Sequence[float],
    draws: int,
    rng: np.random.Generator,
    *,
    higher: bool,
    ties: Ties = "average",
    decimals: int | None = None,
) -> tuple[Floats, Floats]:
    """Return average ranks (methods,) over data sets, each of (splits, methods), and their draws.

    Means are rounded to `decimals` before they are ranked, if given. A draw, one of (draws,
    methods), adds noise to the means with their covariance (multiplier bootstrap): that of two or
    more splits times 1/splits plus the data set's correction for overlapping training parts
    (Nadeau and Bengio, Machine Learning 52, 2003). The data sets stay as they are.
    """
    from scipy import stats

    made = []
    for own, correction in zip(values, corrections, strict=True):
        mean, count = own.mean(axis=0), len(own)
        factor = np.sqrt((1 / count + correction) / (count - 1))
        noise = factor * rng.standard_normal((draws, count)) @ (own - mean)
        made.append(np.vstack([mean, mean + noise]))
    means = settled(np.stack(made, axis=1)) * (-1 if higher else 1)
    means = means if decimals is None else np.round(means, decimals)
    average, *drawn = stats.rankdata(means, method=ties, axis=-1).mean(axis=1)
    return average, np.array(drawn)


def spearman(first: Floats, second: Floats) -> Floats:
    """Return Spearman's correlations along the last axis; NaN if a side is constant or NaN."""
    from scipy import stats

    ranks = [stats.rankdata(settled(one), axis=-1) for one in (first, second)]
    a, b = (one - one.mean(axis=-1, keepdims=True) for one in ranks)
    with np.errstate(invalid="ignore"):
        return np.asarray((a * b).sum(axis=-1) / np.sqrt((a**2).sum(-1) * (b**2).sum(-1)))
