"""What to do with the answer whether training on pairs gains anything: more repeats, then rows."""

import math

from rankexp.charts.numbers import number
from rankexp.runner.config.asking import flag
from rankexp.runner.report.gain_words import Words
from rankexp.runner.report.gains import Effect, Gains, MethodStanding
from rankexp.runner.report.numbers import capital, listed
from rankexp.runner.report.verdict_words import REPEATS
from rankexp.statistics.contrast import Contrast

MOST_REPEATS = 10
"""Further repeats of cross-validation hardly narrow an interval (docs/statistics.md)."""
NO_POINTS = "No method on points that was tried is shown to rank better than chance"
NOT_SHOWN = ", which is not shown"
NONE_RANKS = "none is shown to rank better than chance"


def recommended(found: Gains) -> MethodStanding | None:
    """Return the method to train, which the advice names; None where none can be told."""
    if found.chance or found.blind:
        return None
    if _lead(found):
        return found.standings[0]
    ahead = (one for one in found.standings if one.known and one.method in found.ahead)
    points = found.advised_on_points
    lost = points is not None and points.method in found.random
    first = next((one for one in found.standings if one.method not in found.random), points)
    return next(ahead, first if lost else points)


def advice(words: Words) -> str:
    """Say what to do, and what is to be settled first."""
    found = words.found
    effects = {m: e for m in found.contrasts if (e := found.effect(m)) is not Effect.UNKNOWN}
    best = recommended(found)
    if not effects:
        text = "See below why nothing could be compared."
        return f"{text}{_intervals(words)}" if found.contrasts else text
    if best is None:
        why = _too_few(found) if found.blind and not found.chance else NONE_RANKS
        return f"Train none of these methods yet: {why}.{_conditions(found)}"
    if lead := _lead(found):
        (least, sure), pairs = lead, max(abs(found.contrasts[m].difference) for m in effects)
        more = ", so the kind of model matters more than pairs do" * (least > pairs)
        text = (
            f"Train {words.label(best.method)}. It {'is' if sure else 'looks'} ahead of all "
            "methods that have a counterpart, on pairs and on points, by at least "
            f"{_down(least, words.digits)}{more if sure else NOT_SHOWN}."
        )
    else:
        text = _of_pairs(words, set(effects.values()), words.label(best.method))
    if not any(own.test for own in found.contrasts.values()):
        text += _intervals(words)
    return f"{text}{_conditions(found)}"


def _of_pairs(words: Words, effects: set[Effect], best: str) -> str:
    """Say whether to train on pairs, where no other kind of model is ahead; `best` is named."""
    found, gains, simple = words.found, words.found.gaining, f"Train on points: {best}."
    like = best in {words.label(method) for method in found.pairs.values()}
    it, right = ("This is simpler", "right") if like else ("It looks best on points", "is right")
    if found.ahead:
        return f"Train on pairs: {best}."
    if best not in map(words.label, {*found.pairs.values(), *found.points}):
        return f"Train {best}. {NO_POINTS}."
    if gains:
        how = " ".join(found.as_high)
        return f"{simple} It ranks {how} {listed([words.label(m) for m in gains])}."
    if promise := found.promising:
        return _promise(words, promise, f"{simple} {it}.")
    if Effect.LOSS in effects:
        worse = [words.label(m) for m in found.contrasts if found.effect(m) is Effect.LOSS]
        rank = "ranks" if len(worse) == 1 else "rank"
        why = f"{capital(listed(worse))} {rank} worse than the same loss on points"
    elif effects == {Effect.OPEN}:
        more = f"a larger {flag('minutes')}, which runs more repeats, or " * bool(_more(words))
        why = f"{it}, and {right} until {more}more data show a gain"
    elif effects == {Effect.PERFECT}:
        why = f"{it}, and no gain is left to find"
    else:
        matters = "" if effects & {Effect.OPEN, Effect.RANDOM} else " that matters"
        why = f"{it}, and pairs show no gain{matters}"
    return f"{simple} {why}."


def _too_few(found: Gains) -> str:
    """Say that intervals exclude nothing, and how few rows they rest on."""
    few = f"{found.rarest[1]:,} rows of '{found.rarest[0]}'" if found.rarest else "so few rows"
    return f"with {few}, differences between methods cannot be told, so first find more"


def _conditions(found: Gains) -> str:
    """Say what the table's own findings ask for, without which the advice may be wrong."""
    return f" But first settle this: {' '.join(found.conditions)}" if found.conditions else ""


def _intervals(words: Words) -> str:
    """Say what would give intervals where there are none."""
    if math.isnan(words.found.tested):
        more = f"a larger {flag('minutes')} allows more."
        return f" Three splits or more would give intervals; {more}"
    return f" With all rows in one file, without {flag('test')}, cross-validation gives intervals."


def _promise(words: Words, method: str, simple: str) -> str:
    """Say that pairs look better, and what would show it: more repeats before more rows."""
    own, later = words.found.contrasts[method], f"Until then: {simple}"
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


def _lead(found: Gains) -> tuple[float, bool] | None:
    """Return the least lead of the best if it is shown, or matters; and whether it is shown."""
    compared = {m for pair in found.pairs.items() for m in pair}
    gaps: list[Contrast] = [own for m, own in found.behind.items() if m in compared]
    if found.standings[0].method in compared or not gaps:
        return None
    shown = all(own.verdict.shown == "better" for own in gaps)
    least = min(abs(own.difference) for own in gaps)
    likely = not any(own.se > abs(own.difference) for own in gaps)
    matters = least >= found.margin and likely and not found.ahead
    return (least, shown) if shown or matters else None


def _down(gap: float, digits: int) -> str:
    return number(math.floor(10.0**digits * gap) / 10.0**digits, digits)
