"""What was found as sentences."""

import math
from collections.abc import Sequence

import numpy as np

from rankexp.charts.numbers import number, span
from rankexp.runner.config.asking import message
from rankexp.runner.leaderboard.judge import Found, Panel
from rankexp.runner.leaderboard.table import Results
from rankexp.runner.report.model import Output, Said
from rankexp.runner.report.verdict_words import more
from rankexp.runner.sentences import paragraphs
from rankexp.statistics.contrast import Contrast

UNEQUAL = 10  # times that differences of data sets may differ in size before it is said
MOST_NAMED = 6
MOST_DECIMALS = 4


def decimals(results: Results) -> int:
    """Return the decimals of values: fewer of large ones."""
    largest = max(float(np.nanmax(np.abs(one.values))) for one in results.sets)
    return max(0, min(MOST_DECIMALS, 4 - math.floor(math.log10(largest or 1))))


def fitting(digits: int, *values: float) -> int:
    """Return the decimals with which no value that is not 0 looks like it, or four."""
    known = [abs(one) for one in values if np.isfinite(one) and one != 0]
    while digits < MOST_DECIMALS and any(round(one, digits) == 0 for one in known):
        digits += 1
    return digits


def at_once(panel: Panel) -> str:
    """Say what the intervals of a panel are: ``95 % CI for all 6 tests at once``."""
    level = f"{100 * panel.settings.level:g} % CI"
    return level if panel.tests == 1 else f"{level} for all {panel.tests:,} tests at once"


def answer(found: Found) -> Output:
    """Return the answer in sentences, for the head of the page and the terminal."""
    panels = [one for one in found.main if one.known][:2]
    methods, sets = len(found.results.methods), len(found.results.sets)
    on = f" on {sets} data sets" if sets > 1 else ""
    asked = f"Which of {methods} methods is best by {found.results.metric}{on}?"
    lead: list[str | Said] = [Said("Asked", asked)]
    for panel in panels:
        lead += _of(found.results, panel, f" on {panel.name}" * (len(panels) > 1))
    lead += [Said("Missing", one) for one in found.results.missing]
    return Output(lead=lead)


def _of(results: Results, panel: Panel, where: str) -> list[Said]:
    names, margin = results.methods, panel.settings.margin
    best, *others = panel.order
    pairs = {one: panel.pairs[best, one] for one in others}
    worse = [one for one, own in pairs.items() if own.verdict.shown == "worse"]
    ahead = [one for one, own in pairs.items() if own.verdict.shown == "better"]
    near = [one for one, own in pairs.items() if own.verdict.equivalent]
    open_ = [one for one in others if one not in {*worse, *ahead, *near}]
    digits, by = decimals(results), panel.means if panel.ranks is None else panel.ranks
    tied = [one for one in panel.order if by[one] == by[best] and one not in panel.few]
    known: dict[str, object] = {"first": [names[one] for one in tied]}
    known |= {"methods": len(names), "metric": results.metric, "higher": panel.settings.higher}
    known |= {"mean": panel.means[best], "rank": by[best], "over": panel.ranks is not None}
    known |= {"worse": _names(names, worse), "count": len(worse), "digits": digits}
    known |= {"ahead": _names(names, ahead)}
    told = [_told(names[one], pairs[one], digits) for one in open_]
    (text,) = paragraphs("leaderboard.answer", open=told, **known)
    alone = len(worse) == len(others)
    word = names[best] if alone else "No single best method is shown"
    made = [Said(f"Answer{where}", text, word, open=not alone)]
    if margin:
        slight = _names(names, [one for one in near if one in worse])
        own = {"names": _names(names, near), "slight": slight, "margin": margin}
        (text,) = paragraphs("leaderboard.equal", best=names[best], **own)
        made.append(Said(f"As good{where}", text))
    made.append(Said(f"Tiers{where}", _tiers(names, panel)))
    if open_:
        made.append(Said(f"What would tell{where}", _more(names, panel, open_[0])))
    return made


def _names(names: Sequence[str], places: Sequence[int]) -> list[str]:
    more_ = [f"{len(places) - MOST_NAMED} more"] * (len(places) > MOST_NAMED)
    return [names[one] for one in places[:MOST_NAMED]] + more_


def _told(name: str, own: Contrast, digits: int) -> str:
    if own.refusal:
        return f"{name} ({own.refusal})"
    digits = fitting(digits, own.difference, own.low_all, own.high_all)
    ends = span(own.low_all, own.high_all, digits, tiny=True)
    return f"{name} ({number(own.difference, digits, sign=True, tiny=True)}; {ends})"


def _tiers(names: Sequence[str], panel: Panel) -> str:
    tier = {one: place for place, own in enumerate(panel.tiers) for one in own}
    apart = [p for p, own in panel.pairs.items() if own.verdict.shown and tier[p[0]] == tier[p[1]]]
    named = [[names[one] for one in own] for own in panel.tiers]
    (text,) = paragraphs("leaderboard.tiers", tiers=named, apart=len(apart))
    least, ends = _fewest(panel), [own.low_all for own in panel.pairs.values()]
    if panel.ranks is None or len(panel.tiers) > 1 or np.isfinite(ends).any():
        return text
    n = int(max(panel.counts))
    more_ = paragraphs("leaderboard.unable", n=n, pairs=len(panel.pairs), least=least)
    return " ".join([text, *more_]) if n < least else text


def _more(names: Sequence[str], panel: Panel, nearest: int) -> str:
    own = panel.pairs[panel.order[0], nearest]
    why = str(own.refusal) if own.refusal else more(own, panel.settings)
    if math.isinf(own.low_all):
        why = f"deciding it takes at least {_fewest(panel)} data sets"
    return f"For {names[nearest]} against {names[panel.order[0]]}: {why}."


def _fewest(panel: Panel) -> int:
    """Return the data sets with which signed ranks could show a difference, all pairs at once."""
    alpha = (1 - panel.settings.level) / panel.tests
    return math.ceil(1 - math.log2(alpha))


def notes(found: Found, panel: Panel, *, each: bool = False) -> list[str]:
    """Say how the numbers of a panel came about, or those of each data set."""
    sets = [one.folds for one in found.results.sets if each or panel.name == one.name]
    known = {"tests": panel.tests, "level": panel.settings.level, "unit": panel.unit}
    known |= {"few": [] if each else _names(found.results.methods, panel.few)}
    known |= {"all": each or panel.n == max(panel.counts), "n": panel.n}
    known |= {"over": panel.ranks is not None, "folds": sorted({*sets})}
    return paragraphs("leaderboard.reading", **known)


def scale(found: Found) -> list[str]:
    """Say whether the differences of data sets are of unlike size."""
    size = {
        one.name: float(np.nanmedian([abs(own.difference) for own in one.pairs.values()]))
        for one in found.sets
        if any(own.n for own in one.pairs.values())
    }
    size = {name: own for name, own in size.items() if own > 0}
    if not size or max(size.values()) < UNEQUAL * min(size.values()):
        return []
    large, small = max(size, key=size.__getitem__), min(size, key=size.__getitem__)
    times = size[large] / size[small]
    return paragraphs("leaderboard.scale", large=large, small=small, times=times)


def reading(results: Results, margin: float | None) -> list[str]:
    """Say how the table was read, and by which margin differences are judged."""
    roles = results.roles
    named = {"method": roles.method, "data set": roles.data, "metric": roles.metric}
    named |= {"value": roles.value, "standard error": roles.error}
    named |= {"split": " and ".join(roles.splits)}
    named = {role: column for role, column in named.items() if column}
    words = {"data": "data set", "error": "standard error"}
    guessed = [words.get(one, one) for one in roles.guessed]
    said = message("leaderboard.no_margin")
    said = message("leaderboard.margin", margin=margin) if margin else said
    return [message("leaderboard.guessed", columns=named, guessed=guessed), *results.notes, said]
