"""What columns and values are called, and the levels of a target."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from rankexp.arrays import Bools
from rankexp.errors import DataError
from rankexp.registry import did_you_mean
from rankexp.runner.config.asking import message
from rankexp.runner.data.dataset import Feature, Floats, Ints, quoted

Value = bool | int | float | str | None
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
REST = "*"
EXACT = 2.0**53  # from here on, not every whole number is one that a computer's numbers can be

_PATTERNS = tomllib.loads(Path(__file__).with_name("called.toml").read_text("utf-8"))
KNOWN = {k: re.compile(text, re.IGNORECASE | re.VERBOSE) for k, text in _PATTERNS.items()}
"""Names of a kind, in several languages."""

# What YAML reads as a truth value, where it is also written Yes or YES.
TRUTHS = {True: ("true", "yes", "on"), False: ("false", "no", "off")}


def called(kind: str, name: str) -> re.Match[str] | None:
    """Return how a name is one of a kind; None where it is not."""
    return KNOWN[kind].fullmatch(name)


def numbers_of(names: Iterable[str]) -> list[float] | None:
    """Return values as numbers; None where one is none."""
    try:
        return [float(name) for name in names]
    except ValueError:
        return None


def positive_of(counts: Mapping[str, int]) -> str:
    """Return which of two values is positive: the larger number, a usual name, or the rarer."""
    if (numbers := numbers_of(counts)) is not None:
        return max(zip(numbers, counts, strict=True))[1]
    usual = [name for name in counts if called("positive", name.strip())]
    return usual[0] if len(usual) == 1 else min(counts, key=lambda name: (counts[name], name))


def large(values: Floats) -> Bools:
    """Tell which numbers may be other whole numbers, rounded."""
    return (np.abs(values) >= EXACT) & (np.abs(values) < np.inf)


def key_of(value: Value) -> str | float:
    """Return what equal values share: 1, 1.0 and "1" are one, "a" and "A" two."""
    text = str(value).strip()
    return float(text) if NUMBER.fullmatch(text) else text


def level_codes(
    target: Feature, values: Floats, levels: Sequence[Value | list[Value]]
) -> tuple[Ints, tuple[str, ...]]:
    """Return the level of each row and the names of the levels, worst to best.

    A list merges values, ``"*"`` is all not named. DataError for a value in no level or in two, a
    level without a row, and a named value that the target never has.
    """
    index, texts = raw_values(target, values)
    items = [level if isinstance(level, list) else [level] for level in levels]
    given = _assign(target, texts, items)
    present = np.bincount(index, minlength=len(texts)) > 0
    unnamed = [text for i, text in enumerate(texts) if present[i] and i not in given]
    rest = [code for code, named in enumerate(items) if REST in named]
    if unnamed and not rest:
        raise DataError(
            f"target '{target.name}' contains {quoted(unnamed)}, but no level lists it"
        )
    codes = np.array([given.get(i, rest[0] if rest else 0) for i in range(len(texts))])
    y = codes[index].astype(np.int64)
    names = tuple("|".join(_name(value) for value in named) for named in items)
    counts = np.bincount(y, minlength=len(items)).tolist()
    if 0 in counts:
        raise DataError(f"no row has level '{names[counts.index(0)]}' of target '{target.name}'")
    return y, names


def in_words(level: str) -> str:
    """Return a level's name as it is shown: ``*`` is what others have."""
    return "|".join("all others" if name == REST else name for name in level.split("|"))


def raw_values(target: Feature, values: Floats) -> tuple[Ints, Sequence[str]]:
    """Return each row's index in the distinct values as texts, declared ones first to last."""
    if target.kind == "nominal":
        return values.astype(np.int64), target.categories
    distinct, index = np.unique(values, return_inverse=True)
    return index.astype(np.int64), [number_text(value) for value in distinct]


def number_text(value: float) -> str:
    """Return a number as one would write it: 1.0 is "1"."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _assign(
    target: Feature, texts: Sequence[str], items: Sequence[Sequence[Value]]
) -> dict[int, int]:
    given: dict[int, int] = {}
    for level, named in enumerate(items):
        for value in (value for value in named if value != REST):
            found = _matches(value, texts)
            if not found:
                hint = did_you_mean(str(value), texts)
                known = {"target": target.name, "hint": hint, "known": quoted(texts)}
                raise DataError(message("data.level", level=_name(value), **known))
            if any(i in given for i in found):
                raise DataError(f"levels list the value '{_name(value)}' twice")
            given |= dict.fromkeys(found, level)
    if sum(value == REST for named in items for value in named) > 1:
        raise DataError(f"levels contain '{REST}' more than once")
    return given


def _matches(value: Value, texts: Sequence[str]) -> list[int]:
    if isinstance(value, bool):
        known = {form for text in TRUTHS[value] for form in (text, text.title(), text.upper())}
        found = [i for i, text in enumerate(texts) if text in known]
        if len(found) > 1:
            shown = quoted([texts[i] for i in found])
            raise DataError(f"level {value} could mean {shown}; put it in quotes")
        return found
    return [i for i, text in enumerate(texts) if key_of(text) == key_of(value)]


def _name(value: Value) -> str:
    key = key_of(value)
    return number_text(key) if isinstance(key, float) else key
