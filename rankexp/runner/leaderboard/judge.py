"""All pairs of methods compared: on each data set, and over data sets where there are enough."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from rankexp.arrays import Floats
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
    means: Floats  # (methods,): their values here; average ranks over data sets
    counts: Floats  # (methods,): what they are over
    n: int  # units that all methods have
    unit: str
    pairs: Mapping[Pair, Contrast]  # the first of each pair is further up
    settings: Settings

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
    def known(self) -> bool:
        """Whether any pair could be tested."""
        return any(not math.isnan(own.p) for own in self.pairs.values())


@dataclass(frozen=True, eq=False)
class Found:
    """What was found."""

    results: Results
    over: Panel | None  # where there are data sets enough
    sets: list[Panel]
    ranking: several.Ranking | None  # Friedman's test over the data sets that all methods have
    ranked: list[str]  # these data sets

    @property
    def main(self) -> list[Panel]:
        """What the answer rests on: all data sets together, else each by itself."""
        return [self.over] if self.over else self.sets


def judge(results: Results, options: VerdictOptions, margin: float | None) -> Found:
    """Compare all pairs: those on data sets as one family, those over data sets as another."""
    settings = Settings(margin=margin, higher=results.higher, policy="drop", sized=False)
    designs = [design(results, one, options) for one in results.sets]
    found = [_on_set(one, own, settings) for one, own in zip(results.sets, designs, strict=True)]
    judged = together([(list(pairs.values()), settings) for pairs, _ in found])
    sets = [
        _panel(one, dict(zip(pairs, own, strict=True)), settings)
        for one, (pairs, _), own in zip(results.sets, found, judged, strict=True)
    ]
    if len(sets) < paired.FEWEST:
        return Found(results, None, list(map(_sized, sets)), None, [])
    return _over(results, sets, [errors for _, errors in found], settings)


def design(results: Results, one: OneSet, options: VerdictOptions) -> Design:
    """Return what the pairs on a data set are, which decides the test."""
    unit, n = results.roles.unit, len(one.values)
    if unit == "items":
        return Design("items", examples=n)
    if unit == "folds" and one.folds > 1:
        return Design("folds", 1 / (one.folds - 1), math.nan)
    if unit == "splits" and options.test_share:
        return Design("splits", options.test_share / (1 - options.test_share), math.nan)
    return Design(UNITS.get(unit, unit), examples=math.nan)


def _best_first(values: Floats, higher: bool) -> list[int]:
    """Return places by value, NaN last, equal ones in the order of the table."""
    keys = np.where(np.isnan(values), np.inf, -values if higher else values)
    return [int(place) for place in np.argsort(keys, kind="stable")]


def _mean(values: Floats) -> Floats:
    """Return the mean of each column over what is no NaN."""
    counts = np.isfinite(values).sum(axis=0)
    sums = np.nansum(values, axis=0)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def means(one: OneSet) -> tuple[Floats, int]:
    """Return the mean of each method over the units that all have, and how many these are.

    Where these are too few, each mean is over the method's own.
    """
    whole = one.whole
    if whole.sum() >= min(paired.FEWEST, len(one.values)) and whole.any():
        return _mean(one.values[whole]), int(whole.sum())
    return _mean(one.values), 0


def _on_set(
    one: OneSet, own: Design, settings: Settings
) -> tuple[dict[Pair, Contrast], dict[Pair, Estimate]]:
    """Compare all pairs on a data set; the estimates are those with an error."""
    order = _best_first(means(one)[0], settings.higher)
    pairs, known = {}, {}
    for pair in combinations(order, 2):
        base, estimate = _of_pair(one, pair, own)
        if estimate is not None:
            base, known[pair] = tested(base, estimate, settings), estimate
            base = replace(base, growth=grown(base, own))
        pairs[pair] = base
    return pairs, known


def _of_pair(one: OneSet, pair: Pair, own: Design) -> tuple[Contrast, Estimate | None]:
    """Return the difference of two methods on the units that both have, and its error."""
    first, second = one.values[:, pair[0]], one.values[:, pair[1]]
    both = np.isfinite(first) & np.isfinite(second)
    values = several.settled(second[both] - first[both])
    n = len(values)
    base = Contrast(one.name, own.test, own.pairs, n, len(both) - n, verdict=UNDECIDED)
    if n:
        base = replace(base, difference=float(values.mean()))
    if one.errors is not None:
        return _of_errors(base, one.errors[both][:, list(pair)])
    if n < paired.FEWEST:
        why = message("leaderboard.few", n=n, unit=own.pairs, least=paired.FEWEST)
        return replace(base, refusal=Refusal(why, one.name)), None
    made, _ = paired.of_design(
        values, replace(own, examples=n if own.pairs == "items" else math.nan)
    )
    if np.isnan(made.se):
        return replace(base, refusal=Refusal(message("report.unbounded"), one.name)), None
    return replace(base, effect=paired.effect_size(values)), made


def _of_errors(base: Contrast, errors: Floats) -> tuple[Contrast, Estimate | None]:
    """Take the errors that the table gives as independent and normal."""
    base = replace(base, test="z-test of given standard errors")
    if len(errors) != 1 or not np.isfinite(errors).all() or not errors.any():
        why = message("leaderboard.no_error", n=len(errors))
        return replace(base, refusal=Refusal(why, base.problem)), None
    return base, Estimate(base.difference, float(np.hypot(*errors[0])), math.inf)


def _panel(one: OneSet, pairs: Mapping[Pair, Contrast], settings: Settings) -> Panel:
    values, n = means(one)
    order = _best_first(values, settings.higher)
    unit = next((own.unit for own in pairs.values()), "")
    return Panel(one.name, order, values, len(one.values) - one.missing, n, unit, pairs, settings)


def _sized(panel: Panel) -> Panel:
    """Add how much more data would decide the comparisons with the best."""
    best, made = panel.order[0], dict(panel.pairs)
    for other in panel.order[1:]:
        own = made[best, other]
        made[best, other] = own if math.isnan(own.p) else sized(own, panel.settings)
    return replace(panel, pairs=made)


def _over(
    results: Results,
    sets: Sequence[Panel],
    errors: Sequence[Mapping[Pair, Estimate]],
    settings: Settings,
) -> Found:
    """Compare all pairs over data sets by signed ranks, and all methods at once by Friedman's."""
    table = np.array([one.means for one in sets])  # (data sets, methods)
    whole = np.isfinite(table).all(axis=1)
    ranking, order = None, _best_first(_average_ranks(table, settings.higher), higher=False)
    try:
        alpha = 1 - settings.level
        ranking = several.ranking(
            table[whole], higher=settings.higher, posthoc="nemenyi", alpha=alpha
        )
        order = _best_first(ranking.average, higher=False)
    except several.NotComparableError:
        whole[:] = whole if whole.sum() >= paired.FEWEST else False
    pairs = {}
    for pair in combinations(order, 2):
        pairs[pair] = _over_sets(pair, sets, errors, settings, best=order[0] in pair)
    (judged,) = together([(list(pairs.values()), settings)])
    pairs = dict(zip(pairs, judged, strict=True))
    shown = _mean(table[whole]) if whole.any() else _mean(table)
    counts = np.isfinite(table).sum(axis=0)
    n = int(whole.sum())
    over = Panel("", order, shown, counts, n, "data sets", pairs, settings)
    names = [one.name for one, own in zip(sets, whole, strict=True) if own]
    return Found(results, _sized(over), list(sets), ranking, names)


def _average_ranks(table: Floats, higher: bool) -> Floats:
    """Return the average rank of each method over the data sets that it has a value on."""
    from scipy import stats

    own = np.where(np.isfinite(table), -table if higher else table, np.nan)
    return _mean(np.array([stats.rankdata(row, nan_policy="omit") for row in own]))


def _over_sets(
    pair: Pair,
    sets: Sequence[Panel],
    errors: Sequence[Mapping[Pair, Estimate]],
    settings: Settings,
    *,
    best: bool,
) -> Contrast:
    """Compare two methods over the data sets on which both have values."""
    found, estimates = [], []
    for one, own in zip(sets, errors, strict=True):
        turned = pair not in one.pairs
        key = pair[::-1] if turned else pair
        contrast = one.pairs[key]
        if not math.isnan(contrast.difference):
            sign = -1 if turned else 1
            found.append(replace(contrast, difference=sign * contrast.difference))
            if (known := own.get(key)) is not None:
                estimates.append(known._replace(mean=sign * known.mean))
    base = Contrast("", unit="data sets", n=len(found), verdict=UNDECIDED)
    base = replace(base, dropped=len(sets) - len(found))
    if len(found) < paired.FEWEST:
        why = message("leaderboard.few", n=len(found), unit="data sets", least=paired.FEWEST)
        return replace(base, refusal=Refusal(why))
    values = np.array([own.difference for own in found])
    unknown = np.full(len(values), math.nan)  # no share of a loss is a margin
    # What the errors of data sets say together takes long: of comparisons with the best alone.
    return ranked(base, values, unknown, estimates, found, replace(settings, sized=best))
