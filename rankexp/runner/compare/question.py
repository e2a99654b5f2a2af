"""What is asked of a table: told from its target's values, every guess in a sentence."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from rankexp.errors import ConfigError
from rankexp.registry import did_you_mean
from rankexp.runner.config.asking import flag, message, option
from rankexp.runner.data.dataset import numbers_of, positive_of
from rankexp.runner.diagnostics.tables import AlikeValues

Kind = Literal["two", "ordered", "continuous"]
Counts = Mapping[str, int]  # values of a target, with their rows
Names = Sequence[str] | None

MOST_LEVELS = 10  # a target of more numbers than this is taken as continuous
GAP = 3  # times the mean step between numbers: a last one so far off may be no level
REPEATED = 3  # rows of each value from which numbers that are not whole are levels
DURATION = re.compile(r"(\d+:)?\d+:[0-5]\d([.,]\d+)?|-?P\d+DT\d+H\d+M\d+(\.\d+)?S")
METRICS: dict[Kind, str] = {"two": "auc", "ordered": "u_pairs", "continuous": "concordance"}
# Differences of no importance: one pair in a hundred, by convention, so that an answer names it.
MARGINS = {"auc": 0.01, "u_pairs": 0.01, "concordance": 0.01}


@dataclass(frozen=True)
class Question:
    """What is asked, and what was guessed for it, in sentences with the options that change it."""

    kind: Kind
    levels: list[str | list[str]] | None
    """As in a study, worst to best, the last positive where there are two; None: a number."""
    counts: dict[str, int]  # rows of each level by its name
    guesses: list[str]
    values: Mapping[str, int] = field(default_factory=dict)  # as in the file, or merged

    @property
    def metric(self) -> str:
        """What is compared."""
        return METRICS[self.kind]


def ask(
    target: str,
    counts: Counts,
    *,
    positive: str | None = None,
    levels: Sequence[str] | None = None,
    continuous: bool = False,
    merge: Sequence[Sequence[str]] = (),
) -> Question:
    """Return what is asked of a target, from the rows with each of its values, as texts.

    `positive` is the value that is to rank first, against all others; `levels` are its values,
    worst to best; `merge` are values that are one, called by the first. ConfigError where it lacks
    a value that is named, or has nothing to rank by.
    """
    into = {name: own[0] for own in merge for name in own}
    several = {own[0]: [name for name in counts if name in own] for own in merge}
    _check_names(target, counts, into)
    if len(into) < sum(map(len, merge)) or any(len(own) < 2 for own in merge):
        raise ConfigError(message("compare.merge"))
    names = {name: into.get(name, name) for name in counts}
    made = dict.fromkeys(names.values(), 0)
    for name, rows in counts.items():
        made[names[name]] += rows
    if levels and merge and len({*levels}) == len(levels):
        levels = list(dict.fromkeys(into.get(name, name) for name in levels))
    positive = None if positive is None else into.get(positive, positive)
    found = _asked(target, made, positive, levels, continuous=continuous)
    named = found.levels and [
        several.get(level, level) if isinstance(level, str) else level for level in found.levels
    ]
    return replace(found, levels=named, values=made)


def _check_names(target: str, counts: Counts, names: Iterable[str]) -> None:
    for name in names:
        if name not in counts:
            hint, known = did_you_mean(name, counts), ", ".join(list(counts)[:12])
            raise ConfigError(f"target '{target}' has no value '{name}'{hint}; it has: {known}")


def _asked(
    target: str, counts: Counts, positive: str | None, levels: Names, *, continuous: bool
) -> Question:
    if sum((positive is not None, levels is not None, continuous)) > 1:
        raise ConfigError(message("compare.exclude"))
    if len(counts) < 2:
        raise ConfigError(message("compare.nothing", target=target, values=[*counts]))
    _check_names(target, counts, levels or ([] if positive is None else [positive]))
    if positive is not None:
        others = [name for name in counts if name != positive]
        if len(others) == 1:
            return _levels(counts, [*others, positive], [])
        known = {"target": target, "positive": positive, "others": len(others)}
        rest = {"others": sum(counts[name] for name in others), positive: counts[positive]}
        return Question("two", [["*"], positive], rest, [message("compare.against_rest", **known)])
    if levels is not None:
        left = [name for name in counts if name not in levels]
        if left or len(set(levels)) < len(levels):
            raise ConfigError(message("compare.each_once", target=target, left=left[:12]))
        return _levels(counts, levels, [])
    _check_durations(target, counts)
    if continuous:
        return _number(target, counts, [f"{flag('continuous')}: a number to rank by"])
    return _guessed(target, counts)


def _guessed(target: str, counts: Counts) -> Question:
    """Tell from the values alone what is asked."""
    numbers = numbers_of(counts)
    if len(counts) == 2:
        name = positive_of(counts)
        guess = message("compare.positive", name=name, target=target, counts=counts)
        return _levels(counts, sorted(counts, key=name.__eq__), [guess])
    if numbers is None:
        alike = " ".join(AlikeValues.among(counts) or ())
        more = _proposed(counts) + f". {alike}" * bool(alike)
        raise ConfigError(message("compare.no_order", target=target, counts=counts, more=more))
    whole = all(value.is_integer() for value in numbers)
    if len(counts) <= MOST_LEVELS and (whole or min(counts.values()) >= REPEATED):
        names = [name for _, name in sorted(zip(numbers, counts, strict=True))]
        *_, before, last = sorted(numbers)
        far = last - before >= GAP * (before - min(numbers)) / max(len(names) - 2, 1) > 0
        known = {"target": target, "names": names, "whole": whole, "far": far}
        return _levels(counts, names, [message("compare.ordered", **known)])
    guess = f"'{target}' is taken as a number to rank by ({len(counts):,} values)"
    return _number(target, counts, [f"{guess}; {flag('levels')} changes it"])


def _check_durations(target: str, counts: Counts) -> None:
    """Refuse values such as 3:15, 2:32:59 or those of a Timedelta, with what makes numbers."""
    if len(counts) == 2 or not all(DURATION.fullmatch(value) for value in counts):
        return
    marks = {value.count(":") for value in counts}
    hours = None if len(marks) > 1 else "'0:' + " if marks == {1} else ""
    raise ConfigError(message("compare.durations", target=target, counts=counts, hours=hours))


def _proposed(counts: Counts) -> str:
    """Say in which order numbers put the values, which are of the same words but for an s."""
    found = [re.findall(r"\d+(?:\.\d+)?", value) for value in counts]
    words = {re.sub(r"\d+(?:\.\d+)?", "", value).strip().rstrip("s") for value in counts}
    alike = len(words) == 1 and len(counts) <= MOST_LEVELS and all(len(own) == 1 for own in found)
    if not alike or len({float(*own) for own in found}) < len(found):
        return ""
    names = [name for _, name in sorted(zip((float(*n) for n in found), counts, strict=True))]
    return f". By the numbers in them: {option('levels', *names)}"


def check_rows(target: str, question: Question, least: int) -> None:
    """Hold that each value has rows to train on and rows to test on, or say what can be done."""
    names = list(question.counts)
    rare = min(names, key=lambda name: question.counts[name], default="")
    if not names or question.counts[rare] >= least:
        return
    beside = names[1] if rare == names[0] else names[names.index(rare) - 1]
    known = {"numbers": numbers_of(names), "rare": rare, "least": least, "beside": beside}
    raise ConfigError(message("compare.few_rows", target=target, question=question, **known))


def _levels(counts: Counts, names: Sequence[str], guesses: list[str]) -> Question:
    kind: Kind = "two" if len(names) == 2 else "ordered"
    return Question(kind, list(names), {name: counts[name] for name in names}, guesses)


def _number(target: str, counts: Counts, guesses: list[str]) -> Question:
    if numbers_of(counts) is None:
        raise ConfigError(message("compare.no_numbers", target=target))
    return Question("continuous", None, {}, guesses)
