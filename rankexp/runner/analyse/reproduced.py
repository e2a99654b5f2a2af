"""Whether a published number is reproduced: one rule, whatever the design.

A number is called reproduced where 95 % of perfect reproductions are: where run and print are two
draws of one design, the print rounded. What differs by design is the noise between the two.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from rankexp.arrays import Floats
from rankexp.runner.analyse import compare
from rankexp.runner.config.published import Published
from rankexp.statistics.contrast import NAN
from rankexp.statistics.paired import stratified
from rankexp.statistics.verdicts import LEVEL, Reproduction

NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)
EQUAL = 1 - 1e-9  # binary fractions: .1225 - .1224 is not .0001
NOT_RUN = compare.Mean("", "", NAN, NAN, compare.OF_NOTHING, NAN, NAN, NAN, 0, 0, 0)


class Tolerance(NamedTuple):
    """How far apart a print and its perfect reproduction can be, both draws of one design."""

    se: float  # of their difference; NaN where it cannot be known
    reproduced: float  # the largest difference of this grade, passed by 95 % of reproductions
    near: float


class JudgedValue(NamedTuple):
    """A reproduced mean, and how it stands to the published value if there is one."""

    row: compare.Mean
    difference: float = NAN
    printed_units: float = NAN
    z: float = NAN
    tolerance: float = NAN
    verdict: Reproduction | None = None  # None where nothing is published


def tolerance(se: float, df: float, units: float, printed: float, last_digit: float) -> Tolerance:
    """Return how far apart noise puts a run and a print that averages over `printed` units.

    The run's mean over `units` (models, repeats, seeds) has the SE `se` with `df` degrees of
    freedom. A unit of the print has the same variance, so the difference over its SE has the t
    distribution with `df`. Rounding adds an error that is uniform within half of the last digit;
    equal digits are always within the tolerance.
    """
    both, rounding = se * math.sqrt(1.0 + units / printed), last_digit / 2
    if math.isnan(both) or both == 0:
        return Tolerance(both, rounding, rounding)
    noise = float(special.stdtrit(df, (1.0 + LEVEL) / 2.0)) * both
    low, high = 0.0, noise + rounding
    for _ in range(25):
        middle = (low + high) / 2
        inside = WEIGHTS @ special.stdtr(df, (middle + rounding * NODES) / both) - 1.0
        low, high = (low, middle) if inside > LEVEL else (middle, high)
    return Tolerance(both, max(high, rounding), max(high, rounding) + noise)


def central(runs: Floats, rounding: float) -> tuple[float, float] | None:
    """Return the ends between which the print of one more run lies in 95 % of cases.

    `runs`, (s,), are values of single runs. Interpolated order statistics hold their level for
    every distribution; with fewer than 39 runs there are none (None). Rounding adds an error that
    is uniform within `rounding`.
    """
    tail = (1 - LEVEL) / 2
    if tail * (len(runs) + 1) < 1 - 1e-9:
        return None
    shares = (np.arange(1000) + 0.5) / 1000
    errors = rounding * ((np.arange(16) + 0.5) / 8 - 1)
    next_one = np.quantile(runs, shares, method="weibull")[:, None] + errors
    low, high = np.quantile(next_one, [tail, 1 - tail]).tolist()
    return low, high


def paired_error(own: Floats, others: Floats, folds: npt.ArrayLike) -> float:
    """Return the median SE of the differences between a method and others over the same queries.

    `own`, (n,), has a method's values, `others`, (m, n), those of the others, which count where
    they have all; NaN where there is none. `folds`, (n,), are strata.
    """
    errors = stratified(own - others, folds).se
    known = errors[~np.isnan(errors)]
    return float(np.median(known)) if len(known) else NAN


def judged(
    row: compare.Mean,
    printed: Published,
    margin: float | None = None,
    runs: Floats | None = None,
    shared: float = NAN,
) -> JudgedValue:
    """Return how a mean over the units of a run stands to its published value.

    `runs` are the values of the units. `shared` is the SE of differences over the same queries,
    which counts where run and print have these. The margin does not count for the print of a
    single run, whose own noise no run makes smaller.
    """
    if math.isnan(row.mean):
        return JudgedValue(row, verdict=Reproduction.NOT_RUN)
    units, of_queries = max(int(row.units), 1), row.se_of == compare.OF_QUERIES
    shown, rounding = printed.units or units, printed.last_digit / 2
    free = units - (row.splits if of_queries else 1)
    df = math.inf if row.se_of == compare.OF_EXAMPLES else free
    same = of_queries and printed.units is None  # means over one sample of queries
    se, other = (shared, math.inf) if same else (row.se, float(shown))
    within = tolerance(se, df, units, other, printed.last_digit)
    difference = away = row.mean - printed.value
    if same and abs(difference) * EQUAL <= rounding:
        margin = None  # equal digits
    if printed.units == 1 < units and not of_queries:
        margin = None
        ends = None if runs is None else central(runs, rounding)
        if ends is not None:
            away = row.median - printed.value
            reach = max(row.median - ends[0] if away > 0 else ends[1] - row.median, rounding)
            within = within._replace(reproduced=reach, near=2 * reach)
    z = difference / within.se if within.se > 0 else NAN
    verdict = reproduction(away, within, margin)
    return JudgedValue(row, difference, shown, z, within.reproduced, verdict)


def reproduction(
    difference: float, within: Tolerance, margin: float | None = None
) -> Reproduction:
    """Return what to say of a reproduced number, given its difference to the published one.

    ``reproduced`` and ``near`` within their tolerance, else ``not reproduced``; ``not run`` for a
    NaN difference. ``cannot tell`` where a difference as large as the margin would pass as
    reproduced, too, or where the noise is unknown and the printed digits differ.
    """
    if math.isnan(difference):
        return Reproduction.NOT_RUN
    size = abs(difference) * EQUAL
    if size <= within.reproduced:
        blind = margin is not None and within.reproduced >= margin
        return Reproduction.UNDECIDED if blind else Reproduction.REPRODUCED
    if math.isnan(within.se):
        return Reproduction.UNDECIDED
    return Reproduction.NEAR if size <= within.near else Reproduction.APART
