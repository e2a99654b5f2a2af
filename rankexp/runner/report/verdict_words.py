"""Verdicts of comparisons in words. Nothing is said that was not computed."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd

from rankexp.charts.numbers import amount, number, short, span
from rankexp.metrics.metric import Metric
from rankexp.runner.analyse.contrast import Family
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Fact, Measured
from rankexp.runner.sentences import paragraphs
from rankexp.statistics.contrast import Contrast, Settings
from rankexp.statistics.design import QUERIES
from rankexp.statistics.paired import FEWEST
from rankexp.statistics.verdicts import NOT_RUN, UNDECIDED

Label = Callable[[str], str]
SELF = ("itself", "themselves")


def words(contrast: Contrast, settings: Settings, digits: int) -> str:
    """Return a verdict with its numbers: ``worse by .0019, but equivalent within .01``.

    The second margin is named with the first: ``equivalent within .01, but not 10 % of the loss``.
    Over data sets it is said how many have a verdict by themselves.
    """
    verdict = contrast.verdict
    if verdict.mixed:
        return f"{verdict}: no mean is shown"
    within = f"equivalent within {short(settings.margin or math.nan)}"
    within += _relative(contrast, settings)
    text = within if verdict.equivalent else str(verdict)
    if verdict.shown:
        text = f"{verdict.shown} by {amount(abs(contrast.difference), digits)}"
        text += f", but {within}" * verdict.equivalent
    return "; ".join([text, *singly(contrast)])


def _relative(contrast: Contrast, settings: Settings) -> str:
    share = f"{100 * settings.relative:g} % of the loss"
    if contrast.margin_relative == settings.least:
        share = short(settings.least)  # which is more than the share
    beside = {
        "yes": f" and {share}",
        "no": f", but not within {share}",
        "undecided": f"; within {share}: undecided",
    }
    return beside.get(contrast.within_relative, "")


def beside(own: Contrast, settings: Settings, undecided: str = "undecided") -> str:
    """Return the verdict by the relative margin in brackets, where it is another; "" elsewhere."""
    agrees = not own.within_relative or (own.within_relative == "yes") == own.verdict.equivalent
    said = {"yes": "within", "no": "beyond"}.get(own.within_relative, undecided)
    return "" if agrees else f" ({100 * settings.relative:g} %: {said})"


def singly(own: Contrast) -> list[str]:
    """Say over data sets how many of them have a verdict by themselves."""
    if math.isnan(own.decided):
        return []
    count, many = f"{own.decided:.0f}" if own.decided else "none", own.decided > 1
    return [f"{count} of {own.n} {'are' if many else 'is'} decided by {SELF[many]}"]


def precision(own: Contrast, digits: int) -> str:
    """Say what data sets say together with their own errors; "" where these are unknown."""
    if own.pooled is None:
        return ""
    mean, low, high, tau, most, worst, best = vars(own.pooled).values()
    return (
        f"over {own.n} data sets weighted by precision {number(mean, digits, sign=True)} "
        f"({span(low, high, digits)}), heterogeneity tau {number(tau, digits)} (at most "
        f"{_up(most, digits)}), on a further data set {span(worst, best, digits)}"
    )


def _up(value: float, digits: int) -> str:
    """Return a number that is rounded up, as a bound is."""
    return number(math.ceil(value * 10**digits - 1e-9) / 10**digits, digits)


def share_of_loss(settings: Settings) -> str:
    """Return what the relative margin, the greater of the two, is called."""
    return f"{100 * settings.relative:g} % of the loss (at least {short(settings.least)})"


def fact(own: Contrast, settings: Settings, digits: int) -> Fact:
    """Return a comparison for the head of a page, and what would decide an undecided one."""
    ends, margin = (own.low_all, own.high_all), settings.margin or math.nan
    over = f"{own.n} {own.unit}"
    found = Measured(own.difference, *ends, margin, settings.higher, over)
    known = math.isfinite(own.difference) and not own.verdict.mixed
    return replace(_told(own, settings, digits), measured=found if known else None)


def _told(own: Contrast, settings: Settings, digits: int) -> Fact:
    said = "equivalent" if own.verdict.equivalent else str(own.verdict)
    if own.verdict.mixed:
        return Fact("mixed", said)
    if math.isnan(own.difference):
        return Fact(str(NOT_RUN), own.note or said)
    low, margin = own.low_all, f"the margin of {short(settings.margin or math.nan)}"
    high, text = own.high_all, f"{_estimate(own, settings, digits)} over {own.n} {own.unit}"
    text += "".join(f" ({told})" for told in singly(own))
    if settings.margin is None:
        return Fact(said, text)
    if said == "equivalent":
        turn = f"a margin of {_up(own.least_margin, digits)} would do, too"
        return Fact(said, f"{text}, within {margin}{_relative(own, settings)}", turn=turn)
    if said == "undecided":
        lacks = "" if math.isnan(low) else more(own, settings)
        return Fact(said, f"{text}, so it may exceed {margin}", turn=lacks)
    beyond = min(abs(low), abs(high)) >= settings.margin
    return Fact(said, f"{text}, {'beyond' if beyond else 'which may lie within'} {margin}")


def _estimate(own: Contrast, settings: Settings, digits: int) -> str:
    """Return a difference with its interval, or why there is none."""
    low, high = own.low_all, own.high_all
    interval = "too few for a test" if own.n < FEWEST else "no interval"
    if math.isfinite(low):
        interval = f"{100 * settings.level:g} % CI {span(low, high, digits)}"
        if own.pooled and own.pooled.new_low <= low and high <= own.pooled.new_high:
            new = span(own.pooled.new_low, own.pooled.new_high, digits)
            interval += f"; on a further data set {new}"  # else it is about the precise sets alone
    return f"{number(own.difference, digits, sign=True)} ({interval})"


def over(made: Family, settings: Settings, digits: int, label: Label) -> Fact:
    """Return what is found over several problems; without a test, what those that are there show.

    That settles nothing, so it is undecided. Two problems are told one by one, more are counted.
    """
    if len(made.problems) == 1:
        return fact(made.problems[0], settings, digits)
    own, known = made.overall, [c for c in made.problems if not math.isnan(c.difference)]
    if own.verdict.mixed or not math.isnan(own.difference + own.p) or not known:
        return fact(own, settings, digits)
    each = [f"{_estimate(c, settings, digits)} on {label(c.problem)}" for c in known]
    if len(each) > 2:
        each = [between(known, settings, digits).text]
    lacks = f"a test over all {len(made.problems)} also needs the others"
    if own.unit == "data sets" and len(known) < (fewest := _fewest(settings)):
        lacks = f"a test over data sets needs at least {fewest}"
    return Fact(str(UNDECIDED), f"{' and '.join(each)}; {lacks}")


def between(found: Sequence[Contrast], settings: Settings, digits: int) -> Fact:
    """Return the ends of differences on several problems, how many, and the verdicts on them."""
    known = [own for own in found if not math.isnan(own.difference)]
    if not known:
        return Fact(str(NOT_RUN), "")
    low, high = (end(own.difference for own in known) for end in (min, max))
    told = tallied(known, settings, digits)
    what = "settings" if known[0].unit == "models" else "data sets"
    every = f"each within the margin of {short(settings.margin or math.nan)}"
    said = every if told.verdict == "equivalent" else told.text
    return Fact(told.verdict, f"{span(low, high, digits)} over {len(known)} {what}, {said}")


def _fewest(settings: Settings) -> int:
    """Return the data sets that signed ranks need, whose least p-value is 2 / 2^n."""
    return math.ceil(1 - math.log2(1 - settings.level))


MANY = 100
"""Times as much data: beyond this a number says no more than that it is far."""
REPEATS = 10
"""Times as many repeats that one can make of the same data."""


def more(own: Contrast, settings: Settings) -> str:
    """Say how much would show the difference seen, and how much that there is none."""
    if math.isinf(own.low_all):
        return f"deciding it takes at least {_fewest(settings)} {own.unit}"
    need = own.needed
    counted = own.unit in ("data sets", "models")
    unit = (own.unit if counted or own.unit == QUERIES else "data", own.n if counted else math.nan)
    shown = enough(need.data_to_show, need.repeats_to_show, *unit)
    none = enough(need.data_to_equate, need.repeats_to_equate, *unit)
    said = [f"a difference of this size would be shown by {shown}"] * bool(shown)
    said += [f"equivalence, if there is none, by {none}"] * bool(none)
    return "; ".join(said) or "more data may decide it"


def enough(data: float, repeats: float, what: str, there: float = math.nan) -> str:
    """Return how much is needed, as repeats where these will do; "" where nothing will."""
    times = f"times as {'much' if what == 'data' else 'many'} {what}"
    if repeats <= REPEATS:
        return f"about {max(repeats, 2):.0f} times as many repeats"
    if not math.isfinite(data) or data <= 1:
        return "" if not data <= 1 else "a little more data"
    if data > MANY:
        return f"more than {MANY} {times}"
    if math.isnan(there):
        return f"about {max(data, 2):.0f} {times}"
    count = math.ceil(data * there)
    return f"about {round(count, 2 - len(str(count))):,} {what}"


def tallied(found: Sequence[Contrast], settings: Settings, digits: int) -> Fact:
    """Return the verdict over several problems, of which no mean is taken, with their counts."""
    if len(found) == 1:
        return fact(found[0], settings, digits)
    known = [c.verdict for c in found if c.verdict.compared]
    shown = {v.shown for v in known if v.shown}
    verdict = "mixed" if len(shown) == 2 else next(iter(shown), "undecided")
    verdict = "equivalent" if known and all(v.equivalent for v in known) else verdict
    counts = {word: sum(v.shown == word for v in known) for word in ("better", "worse")}
    counts["equivalent"] = sum(v.shown is None and v.equivalent for v in known)
    counts["undecided"] = sum(v == UNDECIDED for v in known)
    said = [f"{word} on {n}" for word, n in counts.items() if n]
    said[:1] = [f"{text} of {len(known)}" for text in said[:1]]
    text = ", ".join(said) or "nothing was run"
    if all(math.isnan(own.difference) for own in found):
        verdict = str(NOT_RUN)
    if settings.margin is not None:
        text += f" (margin {short(settings.margin)})"
    open_ = [c for c in found if c.verdict == UNDECIDED and not math.isnan(c.low_all)]
    if verdict == "undecided" and open_:
        widest = max(open_, key=lambda c: c.high_all - c.low_all)
        text += f"; where the interval is widest, {more(widest, settings)}"
    return Fact(verdict, text)


def split(found: Sequence[Contrast], label: Label) -> str:
    """Name the problems of each sign: ``better on a, worse on b``."""
    names = {
        word: "; ".join(label(c.problem) for c in found if c.verdict.shown == word)
        for word in ("better", "worse")
    }
    return ", ".join(f"{word} on {own}" for word, own in names.items())


def headline(found: Sequence[Contrast], settings: Settings) -> str:
    """Return the answer in one clause, from the verdicts on all problems."""
    known = [c for c in found if c.verdict.compared]
    shown = [c.verdict.shown for c in known]
    (text,) = paragraphs(
        "verdicts",
        compared=len(known),
        better=shown.count("better"),
        worse=shown.count("worse"),
        equivalent=all(c.verdict.equivalent for c in known),
        near=sum(c.within_relative == "yes" for c in known),
        margin=settings.margin or math.nan,
        loss=share_of_loss(settings),
    )
    return text


def leaders(context: Context, table: pd.DataFrame, column: str, metric: Metric) -> str:
    """Return the methods by the problems on which none has a better value; "" without values.

    `table` has a row an experiment, problem and method. Nothing is tested.
    """
    higher = metric.direction == "higher"
    known = table.dropna(subset=[column])
    problems = known.groupby(["experiment", "problem"], sort=False)[column]
    best = known[known[column] == problems.transform("max" if higher else "min")]
    counts = best.groupby("method", sort=False).size().sort_values(ascending=False, kind="stable")
    parts = [f"{context.method_label(str(name))} on {n}" for name, n in counts.items()]
    if not parts:
        return ""
    parts[0] += f" of {problems.ngroups} problem{'s' * (problems.ngroups > 1)}"
    return f"Best {metric.label}: {', '.join(parts)}."
