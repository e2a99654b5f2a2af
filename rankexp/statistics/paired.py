"""Paired differences of two methods: mean, standard error, tests, intervals, what could be seen.

What was paired decides the standard error. Models of a generator, or queries, are independent:
the paired t-test. Folds and repeats on one data set share training rows, so that the plain
variance is far too small: the corrected resampled t-test (Nadeau and Bengio, Machine Learning 52,
2003, sec. 3; for repeated folds Bouckaert and Frank, PAKDD 2004). Queries of folds that the data
names are strata: the stratified mean and its error.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy import special

from rankexp.statistics.design import QUERIES, Design

Floats = Any  # a float, or an array of them, one a study

FEWEST = 3  # fewer pairs than this are no basis for a test
BATCH = 2_000_000  # numbers drawn at once

UNSEEN = 2.0
"""The least SE of a mean over m test examples in which nothing was seen, times m.

An event of probability q is missed in m examples with probability (1 - q)^m: what is seen in none
may have q = -log(a)/m at level a, 3.0/m one-sided at 5 % (the rule of three) and 3.7/m two-sided.
A normal interval of this SE is as wide: 3.3/m and 3.9/m, and wide enough up to a level of 98 %.
"""


class Estimate(NamedTuple):
    """A mean that, less its expectation and over its SE, has a t distribution."""

    mean: Floats
    se: Floats  # NaN where it cannot be known
    df: Floats


def estimate(differences: Floats, correction: float = 0.0) -> Estimate:
    """Return the mean difference with the standard error of the design.

    `differences` are (..., n), one a pair; leading axes are studies of their own. `correction` is
    as in `Design`: the variance of the mean is ``(1/n + correction) s²``.
    """
    values = np.asarray(differences, dtype=np.float64)
    n, mean = values.shape[-1], values.mean(axis=-1)
    if n < 2:
        return Estimate(mean, np.full_like(mean, np.nan), n - 1)
    # Exactly constant differences have no spread: their mean's rounding must not give them one.
    spread = np.where(np.ptp(values, axis=-1) == 0, 0.0, values.std(axis=-1, ddof=1))
    return Estimate(mean, spread * np.sqrt(1.0 / n + correction), n - 1)


def stratified(differences: Floats, strata: ArrayLike) -> Estimate:
    """Return the mean over strata of their mean differences, those within a stratum independent.

    `differences` are (..., n), `strata` (n,). With n_f of them in each of F strata the variance is
    ``sum of s_f²/n_f over F²`` with n - F degrees of freedom; NaN where a stratum has one only.

    >>> mean, se, df = stratified([0.0, 0.2, 0.1, 0.3], [1, 1, 2, 2])
    >>> f"{mean:.3f} {se:.4f} {df}"
    '0.150 0.0707 2'
    """
    values = np.asarray(differences, dtype=np.float64)
    codes = np.unique(strata, return_inverse=True)[1]
    own = [estimate(values[..., codes == code]) for code in range(codes.max() + 1)]
    se = np.sqrt(np.sum([each.se**2 for each in own], axis=0)) / len(own)
    return Estimate(np.mean([each.mean for each in own], axis=0), se, values.shape[-1] - len(own))


def of_design(
    differences: Floats, design: Design, folds: ArrayLike | None = None
) -> tuple[Estimate, bool]:
    """Return the estimate from differences, (n,), and whether its SE is the least there can be.

    `differences` are in the order of splits; over queries `folds`, (n,), are those of each. Where
    more than half are equal, and fewer than `FEWEST` in each pass over the data are not, their
    spread says nothing: methods without an error in the sample have none, however small it is.
    Then the SE is at least `UNSEEN` over the examples tested, with a normal interval, and NaN if
    their number is unknown.
    """
    values = np.asarray(differences, dtype=np.float64)
    n = len(values)
    if design.pairs == QUERIES and folds is not None:
        found = stratified(values, folds)
    else:
        found = estimate(values, design.correction)
    share, passes = 1.0, 1.0  # of all examples: tested by any pair; how often on average
    if not design.independent:
        part = design.correction / (1.0 + design.correction)
        passes = n * part
        share = min(1.0, passes) if design.pairs == "folds" else 1.0 - (1.0 - part) ** n
    common, counts = np.unique(values, return_counts=True)
    differs = np.array_split(values != common[counts.argmax()], max(1, round(passes)))
    if n < 2 or counts.max() <= n / 2 or max(map(np.count_nonzero, differs)) >= FEWEST:
        return found, False
    if found.se >= (least := UNSEEN / (share * design.examples)):
        return found, False
    return found._replace(se=least, df=np.inf), bool(least > 0)


def average(estimates: list[Estimate]) -> Estimate:
    """Return the mean of independent estimates, each of equal weight.

    The strata (settings of a generator) are taken as they are, not as drawn at random; the
    degrees of freedom are those of Satterthwaite (Biometrics Bulletin 2, 1946).
    """
    means, errors, df = (np.array(part, dtype=np.float64) for part in zip(*estimates, strict=True))
    variances = (errors / len(errors)) ** 2
    total = variances.sum()
    weight = (variances**2 / df).sum()
    free = total**2 / weight if weight > 0 else df.sum()
    return Estimate(float(means.mean()), float(np.sqrt(total)), float(free))


def statistic(found: Estimate, null: float = 0.0) -> Floats:
    """Return t; 0 where both the difference and its SE are 0, infinite where the SE alone is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.divide(np.subtract(found.mean, null), found.se)
    return np.where((found.mean == null) & (found.se == 0), 0.0, t)[()]


def p_value(found: Estimate, null: float = 0.0) -> Floats:
    """Return the two-sided p-value of ``mean = null``."""
    return 2 * special.stdtr(found.df, -np.abs(statistic(found, null)))


def equivalence(found: Estimate, margin: float) -> Floats:
    """Return the p-value of "the difference is margin or more, either way".

    Two one-sided tests (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987):
    small where the ``1 - 2 alpha`` interval lies within the margin.
    """
    above = special.stdtr(found.df, -statistic(found, -margin))
    below = special.stdtr(found.df, statistic(found, margin))
    return np.maximum(above, below)


def interval(found: Estimate, level: Floats) -> tuple[Floats, Floats]:
    """Return the two-sided confidence interval of the mean difference."""
    half = special.stdtrit(found.df, (1 + level) / 2) * found.se
    return found.mean - half, found.mean + half


def detectable(found: Estimate, level: float, power: float) -> float:
    """Return the smallest true difference that the two-sided test finds with this power.

    From the SE at hand and the noncentral t distribution, as a mean over its chi factor (which
    is computable for any shift, unlike the distribution's series).
    """
    se, df = float(found.se), float(found.df)
    if not se * power > 0:
        return se * power  # 0, or NaN where one of them is not known
    bound = float(special.stdtrit(df, (1 + level) / 2))
    middles = (np.arange(2000) + 0.5) / 2000
    known = np.isinf(df)  # the variance, or nearly so
    edges = bound * (np.ones(1) if known else np.sqrt(special.chdtri(df, middles) / df))

    def short(shift: float) -> float:
        missed = special.ndtr(edges - shift) - special.ndtr(-edges - shift)
        return float(missed.mean()) - (1 - power)

    return se * float(scipy.optimize.brentq(short, 0.0, edges.max() + 10))


def effect_size(differences: Floats) -> float:
    """Return the mean difference in standard deviations of the differences (Cohen's d_z)."""
    values = np.asarray(differences, dtype=np.float64)
    return float(statistic(estimate(values)) / np.sqrt(len(values)))


def bootstrap(
    differences: Floats, level: float, seed: int = 0, resamples: int = 9999
) -> tuple[Floats, Floats]:
    """Return the bootstrap interval (BCa) of the mean of independent differences, (..., n).

    The level is raised so that the interval keeps its word with few pairs: the plain one is too
    short by ``sqrt((n - 1)/n)`` and a normal in place of a t quantile (Hesterberg, The American
    Statistician 69, 2015, sec. 3.3). The same differences and seed give the same interval.
    """
    values = np.asarray(differences, dtype=np.float64)
    n = values.shape[-1]
    if np.all(np.ptp(values, axis=-1) == 0):
        return values.mean(axis=-1), values.mean(axis=-1)
    quantile = special.stdtrit(n - 1, (1 + level) / 2) * np.sqrt(n / (n - 1))
    raised = float(1 - 2 * special.ndtr(-quantile))
    how: dict[str, Any] = {"n_resamples": resamples, "confidence_level": raised, "method": "BCa"}
    how |= {"batch": max(1, min(500, BATCH // values.size)), "rng": np.random.default_rng(seed)}
    found = scipy.stats.bootstrap((values,), np.mean, axis=-1, **how).confidence_interval
    return found.low, found.high


def stratified_bootstrap(
    differences: Floats, strata: ArrayLike, level: float, seed: int = 0, resamples: int = 9999
) -> tuple[float, float]:
    """Return the percentile interval of a mean over strata, the pairs of each drawn anew.

    `differences`, (n,), are finite, and `strata`, (n,), say which of F each is in. The level is
    raised as in `bootstrap`: a plain interval is too short, by ``sqrt((n - F) / n)``, too.

    >>> low, high = stratified_bootstrap([0.1, 0.3, 0.2, 0.0, 0.2, 0.1], [0, 0, 0, 1, 1, 1], 0.95)
    >>> low < 0.15 < high
    True
    """
    values = np.asarray(differences, dtype=np.float64)
    codes = np.unique(strata, return_inverse=True)[1]
    rng, means = np.random.default_rng(seed), np.zeros(resamples)
    parts = [values[codes == code] for code in range(codes.max() + 1)]
    for own in parts:
        step = max(1, BATCH // len(own))
        for start in range(0, resamples, step):
            drawn = means[start : start + step]
            drawn += own[rng.integers(len(own), size=(len(drawn), len(own)))].mean(axis=1)
    n, free = len(values), len(values) - len(parts)
    tail = float(special.ndtr(-special.stdtrit(free, (1 + level) / 2) * np.sqrt(n / free)))
    low, high = np.quantile(means / len(parts), [tail, 1 - tail])
    return float(low), float(high)


def randomisation(
    differences: Floats, strata: ArrayLike, seed: int = 0, resamples: int = 9999
) -> float:
    """Return the p-value of the paired randomisation test: the sign of each pair is a coin.

    Arguments are those of `stratified_bootstrap`; the statistic is the mean over strata. With up
    to 13 differences that are not 0 all signs are counted; else `resamples` are drawn, and ``p =
    (1 + as far or farther) / (1 + drawn)`` keeps the level whatever their number (Phipson and
    Smyth, Stat. Appl. Genet. Mol. Biol. 9, 2010; for queries Smucker et al., CIKM 2007).

    >>> randomisation([0.1, 0.2, 0.3], [0, 0, 0])
    0.25
    """
    codes, sizes = np.unique(strata, return_inverse=True, return_counts=True)[1:]
    shares = np.asarray(differences, dtype=np.float64) / sizes[codes]
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
