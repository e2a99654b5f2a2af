"""What to do with the answer whether training on pairs gains anything: more repeats, then rows."""

import math

from rankexp.charts.numbers import number
from rankexp.runner.config.asking import flag
from rankexp.runner.report.gain_words import Words
from rankexp.runner.report.gains import Effect, Gains, MethodStanding
from rankexp.runner.report.verdict_words import REPEATS
from rankexp.runner.sentences import paragraphs
from rankexp.statistics.contrast import Contrast
from rankexp.statistics.needed import Needed

MOST_REPEATS = 10
"""Further repeats of cross-validation hardly narrow an interval (docs/statistics.md)."""


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
    found, own, label = words.found, words.found.contrasts, words.label
    effects = {m: e for m in own if (e := found.effect(m)) is not Effect.UNKNOWN}
    best, promise = recommended(found), found.promising
    least, sure = _lead(found) or (math.nan, False)
    gain, need = (own[promise].difference, own[promise].needed) if promise else (0.0, Needed())
    likes, unit = set(found.pairs.values()), 10.0**words.digits
    (said,) = paragraphs(
        "advice",
        found=found,
        effects=sorted({effect.name for effect in effects.values()}),
        best=label(best.method) if best else "",
        lead="" if math.isnan(least) else number(math.floor(unit * least) / unit, words.digits),
        sure=sure,
        far=least > max((abs(own[m].difference) for m in effects), default=0.0),
        on_points=best is not None and best.method in {*likes, *found.points},
        like=best is not None and best.method in likes,
        gaining=[label(method) for method in found.gaining],
        promise=label(promise) if promise else "",
        gain=number(abs(gain), words.digits + 1),
        by_repeats=need.repeats_to_show <= REPEATS,
        size=words.enough(need.data_to_show, need.repeats_to_show),
        rows=words.enough(need.data_to_show, math.inf) or "more rows",
        worse=[label(method) for method, effect in effects.items() if effect is Effect.LOSS],
        repeats=found.repeats if found.repeats < MOST_REPEATS else 0,
        most=MOST_REPEATS,
        tested=any(one.test for one in own.values()),
        several=math.isnan(found.tested),
        minutes=flag("minutes"),
        test=flag("test"),
    )
    return said


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
