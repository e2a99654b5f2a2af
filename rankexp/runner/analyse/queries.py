"""Means over the queries of test sets: their rows, bootstrap intervals, the randomisation test.

A method's value is the mean over folds of the mean over a fold's queries, as LETOR has it (Qin et
al., Information Retrieval 13, 2010). The folds' test sets have no query in common: queries are
what is independent, and folds are strata (:func:`rankexp.statistics.paired.stratified`).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from rankexp.arrays import Floats
from rankexp.runner.analyse.frame import NONE

QUERY = "query"  # a column of frames, and a level of indices: the query's number, NONE for none
SAME, RESAMPLES = 1e-9, 9999  # two ways to one mean differ by less; draws
SPLIT = ["problem", "method", "model", "rep", "fold", "grid"]
BATCH = 2_000_000  # numbers drawn at once


def are_pairs(splits: pd.DataFrame, values: pd.DataFrame) -> bool:
    """Tell whether splits are means over queries that no other fold has.

    If not (metrics over all rows, folds that share a test set), an error over queries is not that
    of their values. Both are of :func:`rankexp.runner.analyse.frame.scores`, `values` by query.
    """
    places = values[["problem", "fold", QUERY]].drop_duplicates()
    means = values.groupby(SPLIT).value.mean().rename("mean").reset_index()
    both = splits.merge(means, on=SPLIT, how="left").dropna(subset=["value"])
    close = (both.value - both["mean"]).abs() <= SAME * (1 + both.value.abs())
    return bool(close.all()) and not places.duplicated(["problem", QUERY]).any()


def spread(splits: pd.DataFrame, values: pd.DataFrame, problems: Sequence[str]) -> pd.DataFrame:
    """Return splits with a row a query in place of those of some problems, and the column `QUERY`.

    `splits` and `values` are as above; the query is the unit of the rows that are spread.
    """
    own = splits.problem.isin(list(problems))
    each = splits.loc[own, SPLIT].merge(values, on=SPLIT)
    each["unit"] = each[QUERY]
    return pd.concat([splits[~own].assign(**{QUERY: NONE}), each], ignore_index=True)


def bootstrap(
    differences: Floats,
    folds: npt.ArrayLike,
    level: float,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> tuple[float, float]:
    """Return the percentile interval of a mean over folds, the queries of each drawn anew.

    `differences`, (n,), are finite, one a query, and `folds`, (n,), the fold of each, of F.

    The level is raised as in :func:`rankexp.statistics.paired.bootstrap`: a plain interval is too
    short by ``sqrt((n - F) / n)`` and by a normal in place of a t quantile.

    >>> low, high = bootstrap(np.array([0.1, 0.2, 0.3, 0.0, 0.1, 0.2]), [0, 0, 0, 1, 1, 1], 0.95)
    >>> low < 0.15 < high
    True
    """
    values = np.asarray(differences, dtype=np.float64)
    codes = np.unique(folds, return_inverse=True)[1]
    rng, means = np.random.default_rng(seed), np.zeros(resamples)
    strata = [values[codes == code] for code in range(codes.max() + 1)]
    for own in strata:
        step = max(1, BATCH // len(own))
        for start in range(0, resamples, step):
            drawn = means[start : start + step]
            drawn += own[rng.integers(len(own), size=(len(drawn), len(own)))].mean(axis=1)
    n, free = len(values), len(values) - len(strata)
    quantile = special.stdtrit(free, (1 + level) / 2) * np.sqrt(n / free)
    tail = float(special.ndtr(-quantile))
    low, high = np.quantile(means / len(strata), [tail, 1 - tail]).tolist()
    return low, high


def randomisation(
    differences: Floats, folds: npt.ArrayLike, seed: int = 0, resamples: int = RESAMPLES
) -> float:
    """Return the p-value of the paired randomisation test: each query's sign is a coin.

    Arguments are those of `bootstrap`.

    The statistic is the mean over folds. With up to 13 differences that are not 0 all signs are
    counted; else `resamples` are drawn, and ``p = (1 + as far or farther) / (1 + drawn)``, which
    keeps the level whatever their number (Phipson and Smyth, Statistical Applications in Genetics
    and Molecular Biology 9, 2010; for queries Smucker et al., CIKM 2007).

    >>> randomisation(np.array([0.1, 0.2, 0.3]), [0, 0, 0])
    0.25
    """
    values = np.asarray(differences, dtype=np.float64)
    codes, sizes = np.unique(folds, return_inverse=True, return_counts=True)[1:]
    shares = values / sizes[codes]
    moving = shares[shares != 0]
    least = abs(moving.sum()) - 1e-12 * np.abs(moving).sum()  # sums in another order count, too
    if 2 ** len(moving) <= resamples:
        heads = np.arange(2 ** len(moving))[:, None] >> np.arange(len(moving)) & 1
        return float((np.abs(2.0 * (heads @ moving) - moving.sum()) >= least).mean())
    rng, farther, step = np.random.default_rng(seed), 0, max(1, BATCH // len(moving))
    for start in range(0, resamples, step):
        size = (min(step, resamples - start), len(moving))
        sums = 2.0 * (rng.integers(2, size=size, dtype=np.int8) @ moving) - moving.sum()
        farther += int(np.count_nonzero(np.abs(sums) >= least))
    return (1 + farther) / (1 + resamples)
