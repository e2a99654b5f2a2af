"""All pairs of methods compared: on each data set, and over data sets where there are enough."""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from rankexp.arrays import Bools, Floats
from rankexp.charts.model import Better
from rankexp.runner.analyse.contrast import grown, ranked, tested
from rankexp.runner.config.asking import message
from rankexp.runner.leaderboard.asked import Unit, VerdictOptions
from rankexp.runner.leaderboard.table import OneSet, Results
from rankexp.statistics import paired, several
from rankexp.statistics.contrast import Contrast, Settings, sized, together
from rankexp.statistics.design import Design
from rankexp.statistics.paired import Estimate
from rankexp.statistics.verdicts import UNDECIDED, Refusal

Pair = tuple[int, int]
"""Places of two methods; what is compared is the second minus the first."""
UNITS: Mapping[Unit, str] = {"errors": "standard errors", "none": "values"}


@dataclass(frozen=True, eq=False)
class Panel:
    """Methods on one data set, or over all of them, the best first."""

    name: str  # empty over data sets
    order: list[int]  # places of methods
    means: Floats  # (methods,): their values here
    counts: Floats  # (methods,): the units that each has
    n: int  # units that means are over; 0 where each is over the method's own
    pairs: Mapping[Pair, Contrast]  # the first of each pair is further up
    settings: Settings
    unit: str = "data sets"
    ranks: Floats | None = None  # (methods,): over data sets, what the order is by
    few: Sequence[int] = ()  # methods that have less than half of the units, and stand last

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
    def places(self) -> dict[int, tuple[int, int]]:
        """The best and the worst place of each method that no comparison denies."""
        better = dict.fromkeys(self.order, 0)
        worse = dict.fromkeys(self.order, 0)
        for (first, second), own in self.pairs.items():
            ahead, behind = (first, second) if own.verdict.shown == "worse" else (second, first)
            if own.verdict.shown:
                worse[ahead] += 1
                better[behind] += 1
        last = len(self.order)
        return {one: (1 + better[one], last - worse[one]) for one in self.order}

    @property
    def better(self) -> Better:
        """Which values are better."""
        return "higher" if self.settings.higher else "lower"

    @property
    def tests(self) -> int:
        """How many comparisons the intervals hold for at once."""
        return max((own.tests for own in self.pairs.values()), default=1)

    @property
    def known(self) -> bool:
        """Whether any pair could be tested."""
        return any(not math.isnan(own.p) for own in self.pairs.values())


@dataclass(frozen=True, eq=False)
class Found:
    """What was found."""

    results: Results
    over: Panel | None  # where there are data sets enough
    sets: list[Panel]
    # Friedman's test, over the data sets that all of its methods have
    ranking: several.Ranking | None = None
    ranked: Sequence[int] = ()  # these methods

    @property
    def main(self) -> list[Panel]:
        """What the answer rests on: all data sets together, else each by itself."""
        return [self.over] if self.over else self.sets


def judge(results: Results, options: VerdictOptions, margin: float | None) -> Found:
    """Compare all pairs: those on data sets as one family, those over data sets as another."""
    settings = Settings(margin=margin, higher=results.higher, policy="drop", sized=False)
    found = [_on_set(one, design(results, one, options), settings) for one in results.sets]
    judged = together([(list(pairs.values()), settings) for pairs in found])
    sets = [
        _panel(one, dict(zip(pairs, own, strict=True)), settings)
        for one, pairs, own in zip(results.sets, found, judged, strict=True)
    ]
    if len(sets) < paired.FEWEST:
        return Found(results, None, list(map(_sized, sets)))
    return _over(results, sets, settings)


def design(results: Results, one: OneSet, options: VerdictOptions) -> Design:
    """Return what the pairs on a data set are, which decides the test."""
    unit, n = results.roles.unit, len(one.values)
    if unit == "items":
        return Design("items", examples=n)
    if unit == "folds" and one.folds > 1:
        return Design("folds", 1 / (one.folds - 1), math.nan)
    if unit == "splits" and options.test_share is not None:
        return Design("splits", options.test_share / (1 - options.test_share), math.nan)
    return Design(UNITS.get(unit, unit), examples=math.nan)


def _best_first(values: Floats, higher: bool, enough: Bools) -> list[int]:
    """Return places by value, NaN and methods with few values last, equal ones as in the table."""
    keys = np.where(np.isnan(values), np.inf, -values if higher else values)
    return [int(place) for place in np.lexsort([keys, ~enough])]


def shared(values: Floats) -> tuple[Bools, Bools]:
    """Return the methods that have half of the rows, and the rows that all of these have.

    A method with few values has them where it ran, so that its mean says little beside others.
    Where too few rows are left, none is.
    """
    has = np.isfinite(values)
    enough = 2 * has.sum(axis=0) >= len(values)
    if enough.sum() < 2:
        enough = has.any(axis=0)
    whole = has[:, enough].all(axis=1)
    return enough, whole & (whole.sum() >= min(paired.FEWEST, len(values)))


def _mean(values: Floats) -> Floats:
    """Return the mean of each column over what is no NaN."""
    counts = np.isfinite(values).sum(axis=0)
    return np.where(counts > 0, np.nansum(values, axis=0) / np.maximum(counts, 1), np.nan)


def means(values: Floats) -> tuple[Floats, Bools, int]:
    """Return the mean of each method, which methods have enough rows, and how many all of these.

    Means are over these rows if there are any, else over a method's own.
    """
    enough, whole = shared(values)
    if not whole.any():
        return _mean(values), enough, 0
    return np.where(enough, _mean(values[whole]), _mean(values)), enough, int(whole.sum())


def _on_set(one: OneSet, own: Design, settings: Settings) -> dict[Pair, Contrast]:
    """Compare all pairs on a data set."""
    values, enough, _ = means(one.values)
    order = _best_first(values, settings.higher, enough)
    return {pair: _of_pair(one, pair, own, settings) for pair in combinations(order, 2)}


def _of_pair(one: OneSet, pair: Pair, own: Design, settings: Settings) -> Contrast:
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
        why = message("leaderboard.few", n=n, unit=own.pairs, least=paired.FEWEST)
        return replace(base, refusal=Refusal(why, one.name))
    examples = n if own.pairs == "items" else math.nan
    made, _ = paired.of_design(values, replace(own, examples=examples))
    if np.isnan(made.se):
        return replace(base, refusal=Refusal(message("report.unbounded"), one.name))
    base = tested(replace(base, effect=paired.effect_size(values)), made, settings)
    return replace(base, growth=grown(base, own))


def _of_errors(base: Contrast, errors: Floats, settings: Settings) -> Contrast:
    """Take the errors that the table gives as independent and normal."""
    base = replace(base, test="z-test of given standard errors")
    if len(errors) != 1 or not np.isfinite(errors).all() or not errors.any():
        why = message("leaderboard.no_error", n=len(errors))
        return replace(base, refusal=Refusal(why, base.problem))
    made = Estimate(base.difference, float(np.hypot(*errors[0])), math.inf)
    return tested(base, made, settings)


def _panel(one: OneSet, pairs: Mapping[Pair, Contrast], settings: Settings) -> Panel:
    values, enough, n = means(one.values)
    order = _best_first(values, settings.higher, enough)
    unit = next((own.unit for own in pairs.values()), "")
    counts = len(one.values) - one.missing
    few = np.flatnonzero(~enough & (counts > 0))
    return Panel(one.name, order, values, counts, n, pairs, settings, unit, few=few.tolist())


def _sized(panel: Panel) -> Panel:
    """Add how much more data would decide the comparisons with the best."""
    own = {pair: one for pair, one in panel.pairs.items() if pair[0] == panel.order[0]}
    more = {p: sized(one, panel.settings) for p, one in own.items() if not math.isnan(one.p)}
    return replace(panel, pairs={**panel.pairs, **more})


def _over(results: Results, sets: Sequence[Panel], settings: Settings) -> Found:
    """Compare all pairs over data sets by signed ranks, and all methods at once by Friedman's."""
    table = np.array([one.means for one in sets])  # (data sets, methods)
    shown, enough, n = means(table)
    ranks, ranked = _average_ranks(table, settings.higher), np.flatnonzero(enough).tolist()
    ranking = None
    if n:
        rows = shared(table)[1]
        ranks[enough] = _average_ranks(table[np.ix_(rows, enough)], settings.higher)
        with suppress(several.NotComparableError):
            ranking = several.ranking(
                table[np.ix_(rows, enough)],
                higher=settings.higher,
                posthoc="nemenyi",
                alpha=1 - settings.level,
            )
    order = _best_first(ranks, False, enough)
    # What the errors of data sets say together takes long: of those with the best alone.
    pairs = {
        pair: _over_sets(pair, sets, replace(settings, sized=order[0] in pair))
        for pair in combinations(order, 2)
    }
    (judged,) = together([(list(pairs.values()), settings)])
    pairs = dict(zip(pairs, judged, strict=True))
    counts = np.isfinite(table).sum(axis=0)
    few = np.flatnonzero(~enough).tolist()
    over = Panel("", order, shown, counts, n, pairs, settings, ranks=ranks, few=few)
    return Found(results, _sized(over), list(sets), ranking, ranked)


def _average_ranks(table: Floats, higher: bool) -> Floats:
    """Return the average rank of each method over the data sets that it has a value on."""
    from scipy import stats

    own = np.where(np.isfinite(table), -table if higher else table, np.nan)
    return _mean(np.array([stats.rankdata(row, nan_policy="omit") for row in own]))


def _over_sets(pair: Pair, sets: Sequence[Panel], settings: Settings) -> Contrast:
    """Compare two methods over the data sets on which both have values."""
    back = pair[1], pair[0]
    found = [
        one.pairs[pair]
        if pair in one.pairs
        else replace(one.pairs[back], difference=-one.pairs[back].difference)
        for one in sets
    ]
    found = [own for own in found if own.n]
    known = [Estimate(own.difference, own.se, own.df) for own in found if not math.isnan(own.p)]
    base = Contrast("", unit="data sets", n=len(found), verdict=UNDECIDED)
    base = replace(base, dropped=len(sets) - len(found))
    if len(found) < paired.FEWEST:
        why = message("leaderboard.few", n=len(found), unit="data sets", least=paired.FEWEST)
        return replace(base, refusal=Refusal(why))
    values = np.array([own.difference for own in found])
    unknown = np.full(len(values), math.nan)  # no share of a loss is a margin
    return ranked(base, values, unknown, known, found, settings)
