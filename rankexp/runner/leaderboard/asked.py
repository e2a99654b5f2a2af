"""What is asked of a table of results, and what its columns are taken for."""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from rankexp.errors import ConfigError
from rankexp.registry import did_you_mean
from rankexp.runner.config.asking import flag, message

COLUMNS, SPLITS, JUDGED = tomllib.loads(
    Path(__file__).with_name("names.toml").read_text(encoding="utf-8")
).values()
"""Names of columns by role; those of splits by unit; words of metrics by the better side."""
Unit = Literal["folds", "splits", "runs", "items", "errors", "none"]
"""What each value of a method on a data set is from; ``none``: there is one without an error."""


@dataclass(frozen=True)
class VerdictOptions:
    """What a user asks for; see ``rankexp verdicts --help``."""

    method: str | None = None
    data: str | None = None
    split: Sequence[str] | None = None
    metric: str | None = None
    value: str | None = None
    error: str | None = None
    of: str | None = None
    better: str | None = None
    each: str | None = None
    test_share: float | None = None
    where: Sequence[str] | None = None
    last: str | None = None
    margin: float | None = None
    incomplete: str | None = None
    out: Path | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)  # how the file is read


@dataclass(frozen=True)
class Roles:
    """Columns by what they are; empty where there is none."""

    method: str
    value: str
    data: str = ""
    metric: str = ""
    error: str = ""
    splits: tuple[str, ...] = ()  # the last one first where it holds the folds of a repeat
    unit: Unit = "none"
    guessed: tuple[str, ...] = ()  # roles that no option names


def plain(name: str) -> str:
    """Return the name of a column as the lists have it.

    >>> plain("Learner-ID")
    'learner_id'
    """
    return "_".join(name.casefold().replace(".", " ").replace("-", " ").split())


def roles(options: VerdictOptions, columns: Sequence[str], numeric: Collection[str]) -> Roles:
    """Return what columns are; those that no option names are guessed from their names.

    ConfigError where a column is not there, has two roles, or where one needed is not found.
    """
    named = {key: getattr(options, key) for key in COLUMNS}
    found = {key: _there(key, name, columns) for key, name in named.items() if name is not None}
    splits = tuple(_there("split", name, columns) for name in options.split or ())
    taken = [*found.values(), *splits]
    if twice := [name for name in taken if taken.count(name) > 1]:
        raise ConfigError(message("leaderboard.twice", name=twice[0]))
    free = {plain(name): name for name in columns if name not in taken}
    guessed = []
    for key, usual in COLUMNS.items():
        fits = [free[name] for name in usual if name in free and key not in found]
        fits = [one for one in fits if key not in ("value", "error") or one in numeric]
        if fits:
            found[key] = free.pop(plain(fits[0]))
            guessed.append(key)
    if not splits:
        usual = [name for names in SPLITS.values() for name in names]
        splits = tuple(free.pop(name) for name in usual if name in free)
        guessed += ["split"] * bool(splits)
    if "value" not in found:
        left = [name for name in free.values() if name in numeric]
        found |= {"value": _value(left, columns)}
        guessed.append("value")
    if "method" not in found:
        raise ConfigError(message("leaderboard.no_method", columns=columns))
    unit = _unit(options, splits, "error" in found)
    if unit == "folds":  # a column of folds says which values are of one pass over the data
        splits = tuple(sorted(splits, key=lambda name: plain(name) not in SPLITS[unit]))
    guessed += ["unit"] * (options.each is None)
    return Roles(**found, splits=splits, unit=unit, guessed=tuple(guessed))


def _value(left: Sequence[str], columns: Sequence[str]) -> str:
    """Return the only column of numbers, or the only one that a metric's name is part of."""
    known = {word for words in JUDGED.values() for word in words}
    fits = [name for name in left if known & {*plain(name).split("_")}]
    fits = fits if len(fits) == 1 else [*left]
    if len(fits) != 1:
        raise ConfigError(message("leaderboard.no_value", columns=columns, left=left))
    return fits[0]


def _there(key: str, name: str, columns: Sequence[str]) -> str:
    if name not in columns:
        hint, has = did_you_mean(name, columns), ", ".join(columns)
        raise ConfigError(f"{flag(key)}: no column '{name}'{hint}; the table has {has}")
    return name


def _unit(options: VerdictOptions, splits: Sequence[str], error: bool) -> Unit:
    """Return what each value is from: as the user says, or as the names of columns do."""
    each, share = options.each, options.test_share
    if share is not None and not 0 < share < 1:
        raise ConfigError(f"{flag('test_share')}: expected a share between 0 and 1, got {share:g}")
    if each is not None:
        return _said(each, splits, share)
    kinds = {kind for kind, usual in SPLITS.items() for s in splits if plain(s) in usual}
    if share is not None and splits:
        return "splits"
    others = [one for one in splits if plain(one) in SPLITS["unclear"]]
    if "folds" in kinds and others and "items" not in kinds:
        raise ConfigError(message("leaderboard.repeats", names=others))
    for unit in ("items", "folds"):
        if unit in kinds:
            return unit
    if splits:
        raise ConfigError(message("leaderboard.unclear", names=splits))
    return "errors" if error else "none"


def _said(each: str, splits: Sequence[str], share: float | None) -> Unit:
    known: dict[str, Unit] = {"fold": "folds", "split": "splits", "run": "runs", "item": "items"}
    unit = known.get(each)
    if unit is None:
        raise ConfigError(f"{flag('each')}: expected one of {', '.join(known)}, got '{each}'")
    if not splits:
        raise ConfigError(message("leaderboard.no_split", each=each))
    if unit == "splits" and share is None:
        raise ConfigError(message("leaderboard.no_share"))
    return unit
