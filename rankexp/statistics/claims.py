"""Whether a claim in words holds: numbers that must lie in ranges, all tests of a claim at once.

Each number is tested twice, for lying in its range and for lying outside, by the tests of
comparisons: the t-test that the design asks for, over data sets signed ranks. P-values of either
kind are adjusted by Holm for the numbers of the claim.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

import numpy as np

from rankexp.arrays import Floats
from rankexp.statistics import paired, several

Range = tuple[float, float]


class Standing(StrEnum):
    """What may be said of a claim, worst first."""

    FAILS = "does not hold"
    NOT_RUN = "not run"
    UNDECIDED = "undecided"
    HOLDS = "holds"
    UNTESTED = "not tested here"


@dataclass(frozen=True)
class Finding:
    """A number, the range that a claim puts it in, and what tests say."""

    label: str
    limits: Range = (-math.inf, math.inf)
    value: float = math.nan
    low: float = math.nan  # interval at the level of the adjusted test
    high: float = math.nan
    p_holds: float = math.nan  # of "it lies outside"; NaN without a test
    p_fails: float = math.nan  # of "it lies within"
    one_sided: bool = False  # whether the test of lying within is
    standing: Standing = Standing.UNDECIDED
    why: str = ""  # there is no test
    shown: str = ""  # what it is called on pages, if not as its label
    interval: Callable[[float], Range] | None = None  # at a level


def of_estimate(label: str, limits: Range, found: paired.Estimate, *, one_sided: bool) -> Finding:
    """Test a mean with its standard error; `one_sided` for ranges that test equivalence."""
    if math.isnan(found.se):
        return Finding(label, limits, float(found.mean), why="a single value has no error")
    mean, interval = float(found.mean), partial(paired.interval, found)
    made = Finding(label, limits, mean, one_sided=one_sided, interval=interval)
    return _tested(made, lambda null: float(paired.p_value(found, null)))


def of_ranks(label: str, limits: Range, values: Floats, *, one_sided: bool) -> Finding:
    """Test the pseudo-median of values, one a data set."""
    found = Finding(label, limits, several.centre(values, 0.95)[0], one_sided=one_sided)
    found = replace(found, interval=lambda level: several.centre(values, level)[1:])
    return _tested(found, lambda null: several.signed_rank(values - null).p)


def of_every(label: str, limits: Range, values: Floats) -> Finding:
    """Look whether every value lies in a range, its ends included; nothing is estimated."""
    low, high = float(np.min(values)), float(np.max(values))
    said = Standing.HOLDS if limits[0] <= low and high <= limits[1] else Standing.FAILS
    return Finding(label, limits, float(np.mean(values)), low, high, standing=said)


def _tested(one: Finding, p: Callable[[float], float]) -> Finding:
    """Return a finding with its p-values, from two-sided ones of the ends of its range."""
    low, high = one.limits
    if low < one.value < high:
        largest = max(p(end) for end in one.limits if math.isfinite(end))
        return replace(one, p_holds=largest / (2 if one.one_sided else 1), p_fails=1.0)
    return replace(one, p_holds=1.0, p_fails=p(low if one.value <= low else high))


def judged(findings: Sequence[Finding], level: float) -> list[Finding]:
    """Return the findings of one claim with adjusted p-values, intervals and standings."""
    holds = several.holm([one.p_holds for one in findings]).tolist()
    fails = several.holm([one.p_fails for one in findings]).tolist()
    made = list(findings)
    for place, (one, within, outside) in enumerate(zip(findings, holds, fails, strict=True)):
        if one.interval is None:
            continue
        inside = one.p_holds < one.p_fails
        raw, adjusted = (one.p_holds, within) if inside else (one.p_fails, outside)
        times = adjusted / raw if raw > 0 else len(findings)  # what Holm multiplied it by
        alpha = (1 - level) / times * (2 if inside and one.one_sided else 1)
        low, high = map(float, one.interval(1 - alpha))
        said = Standing.HOLDS if inside else Standing.FAILS
        said = said if adjusted < 1 - level else Standing.UNDECIDED
        known = {"p_holds": within, "p_fails": outside, "low": low, "high": high}
        made[place] = replace(one, **known, standing=said)
    return made


def together(standings: Sequence[Standing], share: float = 1.0) -> Standing:
    """Return the standing of a share of several, all by default: the worst, if none is spare."""
    least = math.ceil(share * len(standings) - 1e-9)  # that must hold
    if sum(one is not Standing.FAILS for one in standings) < least:
        return Standing.FAILS
    if sum(one is Standing.HOLDS for one in standings) >= least:
        return Standing.HOLDS
    return Standing.NOT_RUN if Standing.NOT_RUN in standings else Standing.UNDECIDED
