"""Verdicts of comparisons in words. Nothing is said that was not computed."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd

from rankexp.charts.numbers import amount, number, short, span
from rankexp.metrics.metric import Metric
from rankexp.runner.analyse.contrast import Family
from rankexp.runner.config.asking import message
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Fact, Measured
from rankexp.runner.sentences import paragraphs
from rankexp.statistics.contrast import Contrast, Settings
from rankexp.statistics.design import QUERIES
from rankexp.statistics.paired import FEWEST
from rankexp.statistics.verdicts import NOT_RUN, UNDECIDED

Label = Callable[[str], str]


def words(own: Contrast, settings: Settings, digits: int) -> str:
    """Return a verdict with its numbers: ``worse by .0019, but equivalent within .01``.

    The second margin is named beside: ``equivalent within .01, but not within 10 % of the loss``.
    Over data sets it is said how many have a verdict of their own.
    """
    gap = amount(abs(own.difference), digits)
    return message("verdict.words", own=own, settings=settings, gap=gap)


def beside(own: Contrast, settings: Settings) -> str:
    """Return a verdict, with that by the relative margin in brackets where it is another."""
    return message("verdict.beside", own=own, settings=settings)


def precision(own: Contrast, digits: int) -> str:
    """Say what data sets say together with their own errors; "" where these are unknown."""
    if own.pooled is None:
        return ""
    most = _up(own.pooled.tau_high, digits)
    (said,) = paragraphs("precision", n=own.n, digits=digits, most=most, **vars(own.pooled))
    return said


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
    open_ = said == "undecided" and settings.margin and not math.isnan(own.low_all)
    text, *turn = paragraphs(
        "fact",
        said=said,
        own=own,
        settings=settings,
        digits=digits,
        estimate=_estimate(own, settings, digits),
        median=own.unit == "data sets" and own.n >= FEWEST,
        least=_up(own.least_margin, digits) if math.isfinite(own.least_margin) else "",
        lacks=more(own, settings) if open_ else "",
    )
    return Fact(said, text, turn="".join(turn))


def at_once(own: Contrast) -> str:
    """Return what an interval holds for together: `` for all 18 at once``; "" for itself."""
    many = "both" if own.tests == 2 else f"all {own.tests}"
    return f" for {many} at once" if own.tests > 1 else ""


def intervals(found: Sequence[Contrast], settings: Settings) -> str:
    """Return what intervals are: ``95 % CI for all 9 at once; of all data sets by itself``."""
    known = [own for own in found if not math.isnan(own.low_all)]
    single = max((own for own in known if own.problem), key=lambda own: own.tests, default=None)
    whole = next((own for own in known if not own.problem), None)
    text = f"{100 * settings.level:g} % CI{at_once(single) if single else ''}"
    if single and whole and whole.tests < single.tests:
        text += f"; of all {whole.unit} by itself" if whole.tests == 1 else ""
    return text


def _estimate(own: Contrast, settings: Settings, digits: int) -> str:
    """Return a difference with its interval, or why there is none."""
    low, high, new = own.low_all, own.high_all, own.pooled
    return message(
        "verdict.estimate",
        own=own,
        settings=settings,
        digits=digits,
        known=math.isfinite(low),
        few=own.n < FEWEST,
        at_once=at_once(own),
        wider=new and new.new_low <= low and high <= new.new_high,  # else it is of precise sets
    )


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


MANY = 100  # times as much data: beyond this a number says no more than that it is far
REPEATS = 10  # times as many repeats that one can make of the same data


def more(own: Contrast, settings: Settings) -> str:
    """Say how much would show the difference seen, and how much that there is none."""
    if math.isinf(own.low_all):
        return f"deciding it takes at least {_fewest(settings)} {own.unit}"
    need = own.needed
    counted = own.unit in ("data sets", "models")
    unit = (own.unit if counted or own.unit == QUERIES else "data", own.n if counted else math.nan)
    shown = enough(need.data_to_show, need.repeats_to_show, *unit)
    none = enough(need.data_to_equate, need.repeats_to_equate, *unit)
    said = [f"{shown} would show a difference of this size"] * bool(shown)
    said += [f"{none} would show equivalence, if there is no difference"] * bool(none)
    return "; ".join(said) or "more data may decide it"


def enough(data: float, repeats: float, what: str, there: float = math.nan) -> str:
    """Return how much is needed, as repeats where these will do; "" where nothing will."""
    count = math.ceil(data * there) if math.isfinite(data * there) else 0
    rounded = f"{round(count, 2 - len(str(count))):,}" if count else ""
    known = {"data": data, "repeats": repeats, "what": what, "count": rounded}
    said = paragraphs("enough", **known, few=REPEATS, many=MANY, infinite=math.inf)
    return "".join(said)


def tallied(found: Sequence[Contrast], settings: Settings, digits: int) -> Fact:
    """Return the verdict over several problems, of which no mean is taken, with their counts."""
    if len(found) == 1:
        return fact(found[0], settings, digits)
    known = [c.verdict for c in found if c.verdict.compared]
    shown = {v.shown for v in known if v.shown}
    verdict = "mixed" if len(shown) == 2 else next(iter(shown), "undecided")
    verdict = "equivalent" if known and all(v.equivalent for v in known) else verdict
    text = counted(found)
    if all(math.isnan(own.difference) for own in found):
        verdict = str(NOT_RUN)
    if settings.margin is not None:
        text += f" (margin {short(settings.margin)})"
    open_ = [c for c in found if c.verdict == UNDECIDED and not math.isnan(c.low_all)]
    if verdict == "undecided" and open_:
        widest = max(open_, key=lambda c: c.high_all - c.low_all)
        text += f"; where the interval is widest, {more(widest, settings)}"
    return Fact(verdict, text)


def counted(found: Sequence[Contrast]) -> str:
    """Count the verdicts on several problems: ``better on 2 of 9, undecided on 7``."""
    known = [c.verdict for c in found if c.verdict.compared]
    counts = {word: sum(v.shown == word for v in known) for word in ("better", "worse")}
    counts["equivalent"] = sum(v.shown is None and v.equivalent for v in known)
    counts["undecided"] = sum(v == UNDECIDED for v in known)
    said = [f"{word} on {n}" for word, n in counts.items() if n]
    said[:1] = [f"{text} of {len(known)}" for text in said[:1]]
    return ", ".join(said) or "nothing was run"


def headline(found: Sequence[Contrast], settings: Settings) -> str:
    """Return the answer in one clause, from the verdicts on all problems."""
    known = [c for c in found if c.verdict.compared]
    (text,) = paragraphs("verdicts", found=known, settings=settings, loss=share_of_loss(settings))
    return text


def leaders(context: Context, table: pd.DataFrame, column: str, metrics: set[Metric]) -> str:
    """Return the methods by the problems on which none has a better value; "" without values.

    `table` has a row an experiment, problem and method. Nothing is tested. Metrics are not mixed.
    """
    if len(metrics) != 1:
        return ""
    (metric,) = metrics
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
