"""What to do with the answer whether training on pairs gains anything: more repeats, then rows."""

import math

from rankexp.runner.analyse.adjust import Contrast
from rankexp.runner.config.asking import flag
from rankexp.runner.report.gain_words import Words, undecided
from rankexp.runner.report.gains import Gains, MethodStanding
from rankexp.runner.report.numbers import capital, listed, number
from rankexp.runner.report.verdict_words import REPEATS

MOST_REPEATS = 10
"""Further repeats of cross-validation hardly narrow an interval (docs/statistics.md)."""


def gaining(found: Gains) -> list[str]:
    """Return the methods on pairs that gain what matters."""
    verdicts = {m: own.verdict for m, own in found.contrasts.items()}
    return [m for m, v in verdicts.items() if v.shown == "better" and not v.equivalent]


def _ahead(found: Gains) -> list[str]:
    """Return those that gain and rank above every method on points, whatever its loss."""
    places = [one.method for one in found.standings]
    points = min(map(places.index, found.pairs.values()))
    return [method for method in gaining(found) if places.index(method) < points]


def recommended(found: Gains) -> MethodStanding | None:
    """Return the method to train: the best of those that the advice names."""
    named = set(_ahead(found) or found.pairs.values())
    if _gap(found) is not None:
        named = {found.standings[0].method}
    known = [one for one in found.standings if one.known]
    return next((one for one in known if one.method in named), None)


def advice(words: Words) -> str:
    """Say what to do."""
    found, gains = words.found, gaining(words.found)
    verdicts = {m: own.verdict for m, own in found.contrasts.items() if own.verdict.compared}
    if not verdicts:
        text = "See below why nothing could be compared."
        return f"{text}{_intervals(words)}" if found.contrasts else text
    if gains and (ahead := _ahead(found)):
        text = f"Train on pairs: {listed([words.label(m) for m in ahead])}."
    elif gains:
        points = next(one for one in found.standings if one.method in found.pairs.values())
        text = (
            f"Train on points: {words.label(points.method)}. It ranks as high as "
            f"{listed([words.label(m) for m in gains])}."
        )
    elif promise := found.promising:
        text = _promise(words, promise)
    elif all(map(undecided, verdicts.values())):
        more = f"a larger {flag('minutes')}, which runs more repeats, or " * bool(_more(words))
        text = f"Train on points, which is simpler, until {more}more data show a gain."
    else:
        text = "Train on points. This is simpler, and pairs show no gain that matters."
    if not any(own.test for own in found.contrasts.values()):
        text += _intervals(words)
    return f"{text}{_beyond(words)}"


def _intervals(words: Words) -> str:
    """Say what would give intervals where there are none."""
    if math.isnan(words.found.tested):
        more = f"a larger {flag('minutes')} allows more."
        return f" Three splits or more would give intervals; {more}"
    return f" With all rows in one file, without {flag('test')}, cross-validation gives intervals."


def _promise(words: Words, method: str) -> str:
    """Say that pairs look better, and what would show it: more repeats before more rows."""
    own, later = words.found.contrasts[method], "Until then: Train on points, which is simpler."
    gain, need = number(abs(own.difference), words.digits + 1), own.needed
    text = f"{capital(words.label(method))} looks better by {gain}, which is not shown."
    shown = f"{text} A gain of this size would probably be shown by"
    if need.repeats_to_show <= REPEATS:
        repeats = words.enough(need.data_to_show, need.repeats_to_show)
        return f"{shown} {repeats}, with a larger {flag('minutes')}. {later}"
    rows = words.enough(need.data_to_show, math.inf) or "more rows"
    if more := _more(words):
        return f"{text} {more}If that does not show it, {rows} probably would. {later}"
    return f"{shown} {rows}. {later}"


def _more(words: Words) -> str:
    """Say that more repeats may narrow the interval, which cost no new rows."""
    done = words.found.repeats
    if not 0 < done < MOST_REPEATS:
        return ""
    were = f"{done} repeat{'s were' if done > 1 else ' was'}"
    how = f"First run more repeats, with a larger {flag('minutes')}"
    return f"{how}: {were} run of up to {MOST_REPEATS}. "


def _gap(found: Gains) -> float | None:
    """Return how far the best method is ahead of all compared; None where it is not."""
    compared = {m for pair in found.pairs.items() for m in pair}
    gaps: list[Contrast] = [own for m, own in found.behind.items() if m in compared]
    ahead = all(own.verdict.shown == "better" for own in gaps)
    if found.standings[0].method in compared or not gaps or not ahead:
        return None
    return min(abs(own.difference) for own in gaps)


def _beyond(words: Words) -> str:
    """Say where the kind of model matters more than pairs do."""
    if (gap := _gap(words.found)) is None:
        return ""
    unit = 10.0**words.digits
    return (
        f" The kind of model matters more: {words.label(words.first.method)} is ahead of all "
        "methods that are compared here by at least "
        f"{number(math.floor(unit * gap) / unit, words.digits)}."
    )
