"""Verdicts of comparisons in words. Nothing is said that was not computed."""

import math
from collections.abc import Callable, Sequence

import pandas as pd
from scipy import special

from rankexp.metrics.metric import Metric
from rankexp.runner.analyse.adjust import Contrast, Settings
from rankexp.runner.analyse.contrast import Family
from rankexp.runner.analyse.paired import FEWEST
from rankexp.runner.analyse.verdicts import NOT_RUN, UNDECIDED
from rankexp.runner.protocols.protocol import QUERIES
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Fact
from rankexp.runner.report.numbers import amount, number, short, span

Label = Callable[[str], str]


def words(contrast: Contrast, settings: Settings, digits: int) -> str:
    """Return a verdict with its numbers: ``worse by .0019, but equivalent within .01``.

    The second margin is named with the first: ``equivalent within .01, but not 10 % of the loss``.
    """
    verdict = contrast.verdict
    if verdict.mixed:
        return f"{verdict}: no mean is shown"
    if verdict.shown is None:
        return _within(contrast, settings) if verdict.equivalent else str(verdict)
    text = f"{verdict.shown} by {amount(abs(contrast.difference), digits)}"
    return f"{text}, but {_within(contrast, settings)}" if verdict.equivalent else text


def _within(contrast: Contrast, settings: Settings) -> str:
    share = f"{100 * settings.relative:g} % of the loss"
    if contrast.margin_relative == settings.least:
        share = short(settings.least)  # which is more than the share
    beside = {
        "yes": f" and {share}",
        "no": f", but not within {share}",
        "undecided": f"; within {share}: undecided",
    }
    text = f"equivalent within {short(settings.margin or math.nan)}"
    return text + beside.get(contrast.within_relative, "")


def share_of_loss(settings: Settings) -> str:
    """Return what the relative margin, the greater of the two, is called."""
    return f"{100 * settings.relative:g} % of the loss (at least {short(settings.least)})"


def fact(own: Contrast, settings: Settings, digits: int) -> Fact:
    """Return a comparison for the head of a page, and what would decide an undecided one."""
    said = "equivalent" if own.verdict.equivalent else str(own.verdict)
    if own.verdict.mixed:
        return Fact("mixed", said)
    if math.isnan(own.difference):
        return Fact(str(NOT_RUN), own.note or said)
    low, margin = own.low_all, f"the margin of {short(settings.margin or math.nan)}"
    high, text = own.high_all, f"{_estimate(own, settings, digits)} over {own.n} {own.unit}"
    if settings.margin is None:
        return Fact(said, text)
    if said == "equivalent":
        return Fact(said, f"{text}, within {margin}")
    if said == "undecided":
        lacks = "" if math.isnan(low) else f" ({_needed(own, settings)})"
        return Fact(said, f"{text}, so it may exceed {margin}{lacks}")
    beyond = min(abs(low), abs(high)) >= settings.margin
    return Fact(said, f"{text}, {'beyond' if beyond else 'which may lie within'} {margin}")


def _estimate(own: Contrast, settings: Settings, digits: int) -> str:
    """Return a difference with its interval, or why there is none."""
    low, high = own.low_all, own.high_all
    interval = "too few for a test" if own.n < FEWEST else "no interval"
    if math.isfinite(low):
        interval = f"{100 * settings.level:g} % CI {span(low, high, digits)}"
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
    told, what = (
        tallied(known, settings, digits),
        "settings" if known[0].unit == "models" else "data sets",
    )
    every = f"each within the margin of {short(settings.margin or math.nan)}"
    said = every if told.verdict == "equivalent" else told.text
    return Fact(told.verdict, f"{span(low, high, digits)} over {len(known)} {what}, {said}")


def _fewest(settings: Settings) -> int:
    """Return the data sets that signed ranks need, whose least p-value is 2 / 2^n."""
    return math.ceil(1 - math.log2(1 - settings.level))


def _needed(own: Contrast, settings: Settings) -> str:
    """Say how much would probably decide what is undecided."""
    if math.isinf(own.low_all):
        return f"deciding it takes at least {_fewest(settings)} {own.unit}"
    half = (own.high_all - own.low_all) / 2
    times = needed(half / special.ndtri((1 + settings.level) / 2), settings)
    if math.isnan(times) or times <= 1:
        return "a little more data may decide it"
    if own.unit in ("data sets", "models"):
        return f"deciding it takes about {math.ceil(times * own.n)} {own.unit}"
    what = f"many {own.unit}" if own.unit == QUERIES else "much data"  # examples, or whole groups
    return f"deciding it takes about {max(times, 2):.0f} times as {what}"


def needed(se: float, settings: Settings, tests: int = 1) -> float:
    """Return how many times as many units would show equivalence if there is no difference.

    Two one-sided tests at the level, adjusted for some tests, then have the power.
    """
    alpha = (1 - settings.level) / tests
    wanted = special.ndtri(1 - alpha) + special.ndtri((1 + settings.power) / 2)
    return float((wanted * se / (settings.margin or math.nan)) ** 2)


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
        text += f"; {_needed(max(open_, key=lambda c: c.high_all - c.low_all), settings)}"
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
    verdicts = [c.verdict for c in found if c.verdict.compared]
    shown = [verdict.shown for verdict in verdicts]
    better, worse = "better" in shown, "worse" in shown
    if not verdicts:
        return "nothing was run"
    if better and worse:
        return "a gain on some problems, a loss on others"
    every = len(set(shown)) == 1
    if better:
        return "a gain on every problem" if every else "a gain on some problems, a loss on none"
    if worse:
        return "a loss on every problem" if every else "a loss on some problems, a gain on none"
    if all(verdict.equivalent for verdict in verdicts):
        near = sum(c.within_relative == "yes" for c in found if c.verdict.compared)
        share = share_of_loss(settings)
        also = {
            len(verdicts): f"and all within {share}",
            0: f"but none is shown to be within {share}",
        }
        within = f"all differences are shown to be within ±{short(settings.margin or math.nan)}"
        return f"no gain anywhere: {within}, {also.get(near, f'{near} of them within {share}')}"
    return (
        "no significant difference on any problem, but on some an important one cannot be ruled "
        "out"
    )


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
