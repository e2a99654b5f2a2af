"""A comparison as values: how it is judged, what is found, and the verdicts of several at once."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy import special

from rankexp.statistics import paired, several
from rankexp.statistics.needed import Growth, Needed, needed
from rankexp.statistics.paired import Estimate
from rankexp.statistics.pooled import Pooled
from rankexp.statistics.verdicts import NOT_RUN, Kind, Refusal, Verdict, judge

Policy = Literal["refuse", "drop"]  # what is done where a block lacks a value
NAN = math.nan
MORE_UNITS, NOT_KNOWN = Growth(), Needed()


@dataclass(frozen=True)
class Settings:
    """How differences are judged."""

    # differences below it are of no importance; None: no equivalence is tested by it
    margin: float | None = 0.01
    # beside it: a share of the reference's loss, but no less than `least`
    relative: float = 0.1
    least: float = 0.001
    level: float = 0.95  # of intervals; one minus it is the level of tests
    power: float = 0.8  # of the smallest difference that would be seen; NaN: it is not asked for
    # for the number of problems of an experiment: equivalence by Holm, differences by Bonferroni
    adjust: Literal["holm", "none"] = "holm"
    policy: Policy = "refuse"  # for incomplete blocks
    higher: bool = False  # whether higher values of the metric are better
    seed: int = 0  # of the bootstrap
    most: float = math.inf  # the largest difference there can be: 1 of shares

    def interval(self, found: Estimate, level: float) -> tuple[float, float]:
        """Return the interval of a difference, cut where no difference can be."""
        ends = np.clip(paired.interval(found, level), -self.most, self.most)
        return float(ends[0]), float(ends[1])

    def loss(self, value: float) -> float:
        """Return what a value is short of the best; NaN where it is no share of anything."""
        loss = 1.0 - float(value) if self.higher else float(value)
        return loss if loss >= 0 else NAN

    def share(self, loss: float) -> float:
        """Return the relative margin beside a reference of this loss."""
        return NAN if math.isnan(loss) else max(self.relative * loss, self.least)


@dataclass(frozen=True)
class Contrast:
    """The difference of a method to a reference, on one problem or over several."""

    problem: str  # empty over several
    test: str = ""  # name of the test behind `p`
    unit: str = ""  # what `n` counts
    n: int = 0  # pairs used
    undefined: int = 0  # splits without a value by nature
    dropped: int = 0  # blocks left out by the policy
    # difference, se, low, high: method minus reference with its confidence interval; over data
    # sets the pseudo-median
    difference: float = NAN
    se: float = NAN
    low: float = NAN
    high: float = NAN
    df: float = NAN  # of the t distribution behind se
    loss: float = NAN  # the reference's mean, or 1 minus it where higher values are better
    # boot_low, boot_high: bootstrap interval by itself, where pairs are independent
    boot_low: float = NAN
    boot_high: float = NAN
    # beside placements over folds: the corrected resampled t-test
    se_resampled: float = NAN
    low_resampled: float = NAN
    high_resampled: float = NAN
    p_resampled: float = NAN
    effect: float = NAN  # Cohen's d_z; over data sets the rank-biserial correlation
    p: float = NAN
    p_random: float = NAN  # of the randomisation test, over queries
    p_equivalence: float = NAN  # against the margin
    margin_relative: float = NAN  # NaN over several problems, of which each has its own
    p_relative: float = NAN  # of equivalence within it
    # over data sets: interval at a level, where it is no multiple of se
    interval: Callable[[float], tuple[float, float]] | None = None
    growth: Growth = MORE_UNITS  # how the error falls with more data
    # From here to `needed`: what depends on the other tests, which `adjusted` fills.
    tests: int = 1  # that p-values are adjusted for
    # low_all, high_all: the interval that goes with the verdict: of all problems at once
    # (Bonferroni) where p-values are adjusted
    low_all: float = NAN
    high_all: float = NAN
    # low_near, high_near: it is equivalent where these lie within the margin
    low_near: float = NAN
    high_near: float = NAN
    p_adjusted: float = NAN
    p_random_adjusted: float = NAN
    p_equivalence_adjusted: float = NAN
    p_relative_adjusted: float = NAN
    within_relative: Literal["", "yes", "no", "undecided"] = ""
    detectable: float = NAN  # true difference shown by the adjusted test with the power asked for
    least_margin: float = NAN  # the smallest within which it is equivalent
    needed: Needed = NOT_KNOWN  # how much more would decide it
    decided: float = NAN  # over data sets: how many have a verdict by themselves
    pooled: Pooled | None = None  # over data sets: what they say with their errors
    verdict: Verdict = NOT_RUN
    refusal: Refusal | None = None  # why there is no test
    caveats: tuple[str, ...] = ()  # what was left out, or bounds the error

    @property
    def note(self) -> str:
        """Why there is no test, and what was left out."""
        refused = [] if self.refusal is None else [str(self.refusal)]
        return "; ".join([*refused, *self.caveats])

    @property
    def kind(self) -> Kind:
        """The kind of a note on what was left out."""
        return Kind.CAVEAT if self.refusal is None else self.refusal.kind

    def row(self) -> dict[str, Any]:
        """Return all of it as a line of a table in full precision."""
        known = vars(self) | {"verdict": str(self.verdict), "note": self.note}
        known |= self.needed._asdict() | {"se_is_least": self.growth.least}
        known |= vars(self.pooled) if self.pooled else {}
        apart = ("refusal", "caveats", "interval", "growth", "needed", "pooled")
        return {name: value for name, value in known.items() if name not in apart}


def adjusted(contrasts: Sequence[Contrast], settings: Settings) -> list[Contrast]:
    """Return contrasts with p-values adjusted for their number, and all that goes with these.

    Better and worse are read from the interval shown, which is Bonferroni's: it excludes 0 exactly
    where one of them is shown. Equivalence is by Holm's test and has its own interval.
    """
    return together([(contrasts, settings)])[0]


def together(families: Sequence[tuple[Sequence[Contrast], Settings]]) -> list[list[Contrast]]:
    """Return the contrasts of several tables, each judged by its own settings, as one family."""
    contrasts = [one for own, _ in families for one in own]
    given = [(c.p, c.p_equivalence, c.p_relative, c.p_random) for c in contrasts]
    count, p = 1, np.array(given, dtype=np.float64).reshape(-1, 4).T
    if all(settings.adjust == "holm" for _, settings in families):
        count = max(1, int(np.count_nonzero(~np.isnan(p[0]))))
        p[[0, 3]] = np.minimum(1.0, count * p[[0, 3]])  # as the intervals are, so that both agree
        p[[1, 2]] = [*map(several.holm, p[[1, 2]])]
    tests = iter(p.T.tolist())
    return [[_judged(one, next(tests), count, by) for one in own] for own, by in families]


def _judged(own: Contrast, p: Sequence[float], count: int, settings: Settings) -> Contrast:
    """Return one of `count` contrasts with its adjusted p-values and its verdict."""
    alpha, (one, same, share, random) = 1 - settings.level, p
    own = own if np.isnan(random) else replace(own, p_random_adjusted=random)
    if np.isnan(one):
        return own
    level, ends, seen = 1 - alpha / count, (own.low, own.high), NAN
    found, least = Estimate(own.difference, own.se, own.df), NAN
    # What Holm multiplied the p-value by makes the level of its own interval.
    times = same / own.p_equivalence if own.p_equivalence > 0 else count
    one_sided, near = 1 - 2 * alpha / times, (NAN, NAN)
    if own.interval is not None:
        ends, least = own.interval(level), max(map(abs, own.interval(2 * level - 1)))
        near = own.interval(one_sided)
        half = (own.high - own.low) / 2 / special.ndtri((1 + settings.level) / 2)
        found = Estimate(own.difference, half, math.inf)
    elif not np.isnan(own.se):
        ends = ends if count == 1 else settings.interval(found, level)
        near = settings.interval(found, one_sided)
        seen = paired.detectable(found, level, settings.power)
        least = abs(own.difference) + float(special.stdtrit(own.df, level) * own.se)
    within: Literal["", "yes", "no", "undecided"] = "" if np.isnan(share) else "undecided"
    if share < alpha:
        within = "yes"
    elif ends[0] > own.margin_relative or ends[1] < -own.margin_relative:
        within = "no"
    verdict = judge(own.difference, one, same, higher=settings.higher, alpha=alpha)
    if verdict.equivalent and settings.margin:  # Holm's test may show more than a single one
        least = min(least, settings.margin)
    more = needed(found, settings.margin, own.growth, alpha / count, settings.power)
    low, high = near if settings.margin else (NAN, NAN)
    own = replace(own, low_all=ends[0], high_all=ends[1], low_near=low, high_near=high)
    own = replace(own, p_adjusted=one, p_equivalence_adjusted=same, p_relative_adjusted=share)
    own = replace(own, tests=count, detectable=seen, least_margin=least, needed=more)
    return replace(own, verdict=verdict, within_relative=within)
