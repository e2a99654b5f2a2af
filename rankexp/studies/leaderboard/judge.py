"""All pairs of methods compared: on each data set, and over data sets where there are enough."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations

import numpy as np
import pandas as pd

from rankexp.arrays import Bools, Floats
from rankexp.runner.analyse.contrast import grown, ranked, tested
from rankexp.runner.config.asking import message
from rankexp.statistics import paired, several
from rankexp.statistics.contrast import Contrast, Settings, together
from rankexp.statistics.design import Design
from rankexp.statistics.paired import Estimate
from rankexp.statistics.verdicts import UNDECIDED, Refusal
from rankexp.studies.leaderboard.table import OneSet, Results

Pair = tuple[int, int]
"""Places of two methods; what is compared is the second minus the first."""


@dataclass(frozen=True, eq=False)
class Panel:
    """Methods on one data set, or over all of them, the best first."""

    name: str  # empty over data sets
    unit: str
    order: list[int]  # places of methods
    means: Floats  # (methods,): their values here
    counts: Floats  # (methods,): the units that each has
    n: int  # units that means are over; 0 where each is over the method's own
    settings: Settings
    few: Sequence[int] = ()  # methods that have less than half of the units, and stand last
    ranks: Floats | None = None  # (methods,): over data sets, what the order is by
    pairs: Mapping[Pair, Contrast] = field(default_factory=dict)  # the first is further up

    @cached_property
    def tiers(self) -> list[list[int]]:
        """Groups of methods: one begins with the first method shown worse than its leader."""
        made: list[list[int]] = []
        for method in self.order:
            if made and self.pairs[made[-1][0], method].verdict.shown != "worse":
                made[-1].append(method)
            else:
                made.append([method])
        return made

    @cached_property
    def tier(self) -> dict[int, int]:
        """The tier of each method, 1 for the first."""
        return {one: place for place, own in enumerate(self.tiers, 1) for one in own}

    @cached_property
    def places(self) -> dict[int, tuple[int, int]]:
        """The best and the worst place of each method that no comparison denies."""
        told = {pair: own.verdict.shown for pair, own in self.pairs.items() if own.verdict.shown}
        ahead = [pair if shown == "worse" else pair[::-1] for pair, shown in told.items()]
        above, below = (Counter(pair[end] for pair in ahead) for end in (0, 1))
        return {one: (1 + below[one], len(self.order) - above[one]) for one in self.order}

    @property
    def tests(self) -> int:
        """How many comparisons the intervals hold for at once."""
        return max((own.tests for own in self.pairs.values()), default=1)

    @property
    def known(self) -> bool:
        """Whether any pair could be tested."""
        return any(not math.isnan(own.p) for own in self.pairs.values())

    @property
    def strict(self) -> Settings:
        """How each pair is judged so that verdicts hold for all of them at once."""
        return replace(self.settings, level=1 - (1 - self.settings.level) / self.tests)

    @property
    def lacks(self) -> int:
        """How many data sets signed ranks need to tell a pair apart, where there are fewer."""
        least = math.ceil(1 - math.log2(1 - self.strict.level))
        told = any(math.isfinite(own.low_all) for own in self.pairs.values())
        return 0 if told or self.ranks is None or max(self.counts) >= least else least

    @property
    def size(self) -> float:
        """How large differences are: their median."""
        return float(np.median([abs(own.difference) for own in self.pairs.values() if own.n] or 0))

    def by(self, pair: Pair) -> Settings:
        """Return how a pair is judged: what would tell takes long, so of the best alone."""
        quick = replace(self.settings, power=math.nan)
        return self.settings if pair[0] == self.order[0] else quick

    def between(self, pair: Pair) -> Contrast:
        """Return the difference of two methods, of which either may be further up."""
        if pair in self.pairs:
            return self.pairs[pair]
        turned = self.pairs[pair[1], pair[0]]
        return replace(turned, difference=-turned.difference)


@dataclass(frozen=True, eq=False)
class Found:
    """What was found."""

    results: Results
    over: Panel | None  # where there are data sets enough
    sets: list[Panel]
    # Friedman's test, over the data sets that all methods have but those with few values
    ranking: several.Ranking | None = None

    @property
    def main(self) -> list[Panel]:
        """What the answer rests on: all data sets together, else each by itself."""
        return [self.over] if self.over else self.sets


def judge(results: Results, margin: float | None) -> Found:
    """Compare all pairs: those on data sets as one family, those over data sets as another."""
    settings, sets = Settings(margin=margin, higher=results.asked.better == "higher"), []
    many = len(results.sets) >= paired.FEWEST
    on_one = replace(settings, power=math.nan) if many else settings
    for one in results.sets:
        own = Design(results.asked.unit, one.overlap, math.nan)
        sets.append(_panel(one, own.pairs, on_one, partial(_on_set, one, own)))
    sets = _judged(sets)
    return _over(results, sets, settings) if many else Found(results, None, sets)


def _panel(
    one: OneSet,
    unit: str,
    settings: Settings,
    compared: Callable[[Pair, Settings], Contrast],
    ranks: Floats | None = None,
) -> Panel:
    """Return methods by their means or ranks, those with few values last, and all their pairs."""
    means, enough, whole = averaged(one.values)
    keys = ranks if ranks is not None else -means if settings.higher else means
    order = np.lexsort([np.where(np.isnan(keys), np.inf, keys), ~enough]).tolist()
    counts, few = len(one.values) - one.missing, np.flatnonzero(~enough).tolist()
    known = Panel(one.name, unit, order, means, counts, int(whole.sum()), settings, few, ranks)
    pairs = {pair: compared(pair, known.by(pair)) for pair in combinations(order, 2)}
    return replace(known, pairs=pairs)


def averaged(values: Floats) -> tuple[Floats, Bools, Bools]:
    """Return the mean of each column, which columns have enough rows, and those all of them have.

    `values` are (rows, methods). Enough is half of the rows: a method with fewer has them where it
    ran, so that its mean says little beside others. Means are over the rows that all others have;
    where these are too few, none is taken, and means are over a method's own.
    """
    has, most = np.isfinite(values), len(values)
    enough: Bools = np.asarray(2 * has.sum(axis=0) >= most)
    enough = enough if enough.sum() > 1 else np.asarray(has.any(axis=0))
    whole = np.asarray(has[:, enough].all(axis=1))
    whole &= whole.sum() >= min(paired.FEWEST, most)
    taken = whole[:, None] | ~enough | ~whole.any()
    return np.asarray(pd.DataFrame(values).where(taken).mean()), enough, whole


def _judged(panels: Sequence[Panel]) -> list[Panel]:
    """Judge all pairs of some panels as one family."""
    families = [([own], one.by(pair)) for one in panels for pair, own in one.pairs.items()]
    judged = iter(together(families))
    return [replace(one, pairs={pair: next(judged)[0] for pair in one.pairs}) for one in panels]


def _refused(base: Contrast, why: str = "") -> Contrast:
    """Return a comparison without a test: by default there are too few values."""
    why = why or message("leaderboard.few", n=base.n, unit=base.unit, least=paired.FEWEST)
    return replace(base, refusal=Refusal(why, base.problem))


def _on_set(one: OneSet, own: Design, pair: Pair, settings: Settings) -> Contrast:
    """Return the difference of two methods on the units that both have, and its test."""
    first, second = one.values[:, pair[0]], one.values[:, pair[1]]
    both = np.isfinite(first) & np.isfinite(second)
    values = several.settled(second[both] - first[both])
    n = len(values)
    base = Contrast(one.name, own.test, own.pairs, n, len(both) - n, verdict=UNDECIDED)
    if n:
        base = replace(base, difference=float(values.mean()))
    if one.errors is not None:
        return _of_errors(base, one.errors[both][:, list(pair)], settings)
    if n < paired.FEWEST:
        return _refused(base)
    examples = n if own.pairs == "items" else math.nan
    made, _ = paired.of_design(values, replace(own, examples=examples))
    if np.isnan(made.se):
        return _refused(base, message("report.unbounded"))
    base = tested(replace(base, effect=paired.effect_size(values)), made, settings)
    return replace(base, growth=grown(base, own))


def _of_errors(base: Contrast, errors: Floats, settings: Settings) -> Contrast:
    """Take the errors that the table gives as independent and normal."""
    base = replace(base, test="z-test of given standard errors")
    if len(errors) != 1 or not np.isfinite(errors).all() or not errors.any():
        return _refused(base, message("leaderboard.no_error", n=len(errors)))
    return tested(base, Estimate(base.difference, float(np.hypot(*errors[0])), math.inf), settings)


def _over(results: Results, sets: Sequence[Panel], settings: Settings) -> Found:
    """Compare all pairs over data sets by signed ranks, and all methods at once by Friedman's."""
    table, ranking = np.array([one.means for one in sets]), None  # (data sets, methods)
    _, enough, whole = averaged(table)
    ranks = _average_ranks(table, settings.higher)
    if whole.any():
        known = table[np.ix_(whole, enough)]
        ranks[enough] = _average_ranks(known, settings.higher)
        higher, alpha = settings.higher, 1 - settings.level
        with suppress(several.NotComparableError):
            ranking = several.ranking(known, higher=higher, posthoc="nemenyi", alpha=alpha)
    over = _panel(OneSet("", table), "data sets", settings, partial(_over_sets, sets), ranks)
    return Found(results, _judged([over])[0], list(sets), ranking)


def _average_ranks(table: Floats, higher: bool) -> Floats:
    """Return the average rank of each method over the data sets that it has a value on."""
    return pd.DataFrame(table).rank(axis=1, ascending=not higher).mean().to_numpy(copy=True)


def _over_sets(sets: Sequence[Panel], pair: Pair, settings: Settings) -> Contrast:
    """Compare two methods over the data sets on which both have values."""
    found = [own for one in sets if (own := one.between(pair)).n]
    n, lack = len(found), len(sets) - len(found)
    base = Contrast("", unit="data sets", n=n, dropped=lack, verdict=UNDECIDED)
    if n < paired.FEWEST:
        return _refused(base)
    values = np.array([own.difference for own in found])
    return ranked(base, values, np.full(n, math.nan), found, settings)  # losses are not known
