"""What a data set is, what its values are called, and how a target is told from its features."""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankexp.arrays import Bools
from rankexp.errors import DataError
from rankexp.registry import did_you_mean
from rankexp.runner.config.asking import message
from rankexp.runner.data.reading import Json, Layout, Reading

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Provenance = Mapping[str, Json]


@dataclass(frozen=True)
class Feature:
    """A column."""

    name: str
    kind: Literal["numeric", "nominal"] = "numeric"
    categories: tuple[str, ...] = ()  # what a nominal column's codes 0 .. K-1 mean, as declared


@dataclass(frozen=True, eq=False)
class DataTable:
    """What a source returns: every column as it stands, the target among them.

    `values`, (n, c), are numbers, or codes of categories; NaN is missing. `provenance` says where
    it comes from, in JSON's types; `layout` how its file was taken apart; `first` how many rows
    are those of the first file, where the others are those of a file of test rows.
    """

    name: str
    columns: tuple[Feature, ...]
    values: Floats
    provenance: Provenance = field(default_factory=dict)
    layout: Layout | None = None
    first: int | None = None


@dataclass(frozen=True, eq=False)
class Dataset:
    """Examples with a target.

    X, (n, d), holds raw numbers and codes of categories, NaN where missing; y, (n,), codes 0 ..
    K-1 of the levels, worst to best, or a continuous target, whose `levels` are None. `groups` and
    `parts`, (n,), are places in their names; `weights`, (n,), are above 0; `times`, (n,), ascend
    with time. `reading` is for people only.
    """

    name: str
    X: Floats
    y: Ints | Floats
    features: tuple[Feature, ...]
    levels: tuple[str, ...] | None = None
    groups: Ints | None = None
    provenance: Provenance = field(default_factory=dict)
    group_names: tuple[str, ...] | None = None
    weights: Floats | None = None
    reading: Reading | None = None
    parts: Ints | None = None
    part_names: tuple[str, ...] = ()
    times: Floats | None = None

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the content: values, target, names, categories, levels, groups, parts."""
        described = [[f.name, f.kind, list(f.categories)] for f in self.features]
        head = [list(self.X.shape), described, list(self.levels) if self.levels else None]
        digest = hashlib.sha256(json.dumps(head, separators=(",", ":")).encode())
        digest.update(np.ascontiguousarray(self.X, "<f8").data)
        digest.update(np.ascontiguousarray(self.y, "<f8" if self.levels is None else "<i8").data)
        if self.groups is not None:
            digest.update(np.ascontiguousarray(self.groups, "<i8").data)
        if self.group_names is not None:
            digest.update(json.dumps(self.group_names).encode())
        if self.weights is not None:
            digest.update(b"weights" + np.ascontiguousarray(self.weights, "<f8").tobytes())
        if self.parts is not None:
            digest.update(b"parts" + np.ascontiguousarray(self.parts, "<i8").tobytes())
            digest.update(json.dumps(self.part_names).encode())
        if self.times is not None:
            digest.update(b"times" + np.ascontiguousarray(self.times, "<f8").tobytes())
        return digest.hexdigest()


def matched(
    names: Sequence[str], path: str | Path, others: Sequence[str], other: str | Path
) -> list[int]:
    """Return where the second file has each column of the first; DataError where one lacks it."""
    lacking = [name for name in names if name not in others]
    extra = [name for name in others if name not in names]
    said = [f"lacks {quoted(lacking)}"] if lacking else []
    said += [f"has {quoted(extra)}, which {path} lacks"] if extra else []
    if said:
        raise DataError(f"{other}: {' and '.join(said)}; both files need the same columns")
    return [list(others).index(name) for name in names]


def quoted(names: Sequence[str]) -> str:
    """Return ten names in quotes, and how many more there are."""
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return ", ".join(f"'{name}'" for name in names[:10]) + more


def joined(tables: Sequence[DataTable], paths: Sequence[Path]) -> DataTable:
    """Return the rows of one table or two; to the first's categories come the second's."""
    if len(tables) == 1:
        return tables[0]
    (first, second), (path, other) = tables, paths
    order = matched([c.name for c in first.columns], path, [c.name for c in second.columns], other)
    formats = [t.layout and (t.layout.decimal, t.layout.thousands) for t in tables]
    if formats[0] != formats[1]:
        raise DataError(f"{other}: the number format differs from {path}")
    columns, values = list(first.columns), second.values[:, order]
    for j, mine in enumerate(columns):
        theirs = second.columns[order[j]]
        if mine.kind != theirs.kind:
            text = f"column '{mine.name}' is {theirs.kind}, but {mine.kind} in {path}"
            raise DataError(f"{other}: {text}")
        if mine.kind == "nominal":
            texts = tuple(dict.fromkeys((*mine.categories, *theirs.categories)))
            place = np.array([*(texts.index(text) for text in theirs.categories), np.nan])
            codes = np.where(np.isnan(values[:, j]), len(place) - 1, values[:, j])
            columns[j], values[:, j] = replace(mine, categories=texts), place[codes.astype(int)]
    rows = np.concatenate([first.values, values])
    return replace(first, columns=tuple(columns), values=rows, first=len(first.values))


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
        text = f"target '{target.name}' contains {quoted(unnamed)}, but no level lists it"
        raise DataError(text)
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
                known = {"hint": did_you_mean(str(value), texts), "known": quoted(texts)}
                raise DataError(message("data.level", level=_name(value), target=target, **known))
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
