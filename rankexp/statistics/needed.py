"""How much more data would decide a comparison: to show its difference, or equivalence."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy

from rankexp.arrays import Floats
from rankexp.statistics.paired import Estimate

NAN = math.nan
ENDS = 0.01, 1e6  # of what is looked for
MIDDLES = (np.arange(200) + 0.5) / 200


class Needed(NamedTuple):
    """How many times as much there must be; inf where no amount will do, NaN where not known."""

    data_to_show: float = NAN  # a difference of the size seen
    data_to_equate: float = NAN  # that there is none that matters, if there is none at all
    repeats_to_show: float = NAN  # the same by repeating splits of the same data
    repeats_to_equate: float = NAN


class Growth(NamedTuple):
    """How an error falls with more data, or with more repeats of a split."""

    units: bool = True  # whether more data makes more pairs, so that the SE is better known
    least: bool = False  # whether the SE is the least for so many examples: it falls as 1/n
    by_repeats: float = 0.0  # share of the variance that very many repeats would take away


def needed(
    found: Estimate, margin: float | None, growth: Growth, alpha: float, power: float
) -> Needed:
    """Return what shows the difference found, or equivalence, at a level with some power."""
    se, size, room = float(found.se), abs(float(found.mean)), margin or NAN
    if not 0 < se < math.inf or math.isnan(power):
        return Needed()

    def least(test: Callable[[float, float, float], float], by: float, repeated: bool) -> float:
        def short(log: float) -> float:
            times = math.exp(log)
            share = growth.by_repeats if repeated else 1.0
            fallen = times**-2 if growth.least else 1 - share + share / times
            df = found.df * times if growth.units or repeated else found.df
            return test(by / (se * math.sqrt(fallen)), max(1.0, float(df)), alpha) - power

        low, high = map(math.log, ENDS)
        if math.isnan(by) or (repeated and (growth.least or not growth.by_repeats)):
            return NAN
        if short(high) < 0:
            return math.inf
        if not short(low) < 0:
            return ENDS[0]
        return math.exp(scipy.optimize.brentq(short, low, high, xtol=1e-4))

    tests = ((shown, size), (same, room))
    return Needed(*(least(test, by, again) for again in (False, True) for test, by in tests))


def shown(size: float, df: float, alpha: float) -> float:
    """Return the power of a t-test to show a difference of a size, in standard errors."""
    edges = scipy.special.stdtrit(df, 1 - alpha / 2) * _factors(df)
    return float((scipy.special.ndtr(size - edges) + scipy.special.ndtr(-size - edges)).mean())


def same(margin: float, df: float, alpha: float) -> float:
    """Return the power of two one-sided tests against a margin if there is no difference."""
    room = margin - scipy.special.stdtrit(df, 1 - alpha) * _factors(df)
    return float(np.maximum(2 * scipy.special.ndtr(room) - 1, 0.0).mean())


@lru_cache(maxsize=4096)  # a search asks for the same again: all comparisons of a report may
def _factors(df: float) -> Floats:
    """Return what an estimated SE may be, divided by the true one."""
    return np.ones(1) if df > 1e6 else np.asarray(np.sqrt(scipy.special.chdtri(df, MIDDLES) / df))
