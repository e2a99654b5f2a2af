"""What is asked of a table of results, and what its columns are taken for."""

import math
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rankexp.charts.model import Better
from rankexp.errors import ConfigError
from rankexp.registry import did_you_mean
from rankexp.runner.config.asking import message

COLUMNS, SPLITS, JUDGED, CHOICES = tomllib.loads(
    Path(__file__).with_name("names.toml").read_text(encoding="utf-8")
).values()
"""Names of columns by role, of splits by unit, of metrics by the better side; what options are."""
FOLDS, ITEMS, UNCLEAR, _ = SPLITS.values()


@dataclass(frozen=True)
class VerdictOptions:
    """What a user asks for, see ``rankexp verdicts --help``; what is empty is to be found out."""

    method: str = ""
    data: str = ""
    split: Sequence[str] = ()
    metric: str = ""
    value: str = ""
    error: str = ""
    of: str = ""
    better: Better = ""
    each: str = ""
    test_share: float | None = None
    where: Sequence[str] = ()
    last: str = ""
    margin: float | None = None
    incomplete: str = ""
    out: Path | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)  # how the file is read

    def __post_init__(self) -> None:
        """Raise ConfigError where an option has no value that it may have."""
        for name, known in CHOICES.items():
            if (given := vars(self)[name]) not in ("", *known):
                raise ConfigError(message("leaderboard.choice", key=name, known=known, got=given))
        for name, most in (("margin", math.inf), ("test_share", 1.0)):
            if (given := vars(self)[name]) is not None and not 0 < given < most:
                raise ConfigError(message("leaderboard.range", key=name, most=most, got=given))

    @property
    def unit(self) -> str:
        """What the values of a method on a data set are of."""
        return f"{self.each}s" if self.each else "standard errors" if self.error else "values"


def plain(name: str) -> str:
    """Return the name of a column as the lists have it.

    >>> plain("Learner-ID")
    'learner_id'
    """
    return "_".join(name.casefold().replace(".", " ").replace("-", " ").split())


def resolved(
    options: VerdictOptions, columns: Sequence[str], numeric: Collection[str]
) -> VerdictOptions:
    """Return options with a column for each role; those not named are guessed from their names.

    ConfigError where a column is not there, has two roles, or where one needed is not found.
    """
    named = {key: getattr(options, key) for key in COLUMNS}
    found: dict[str, Any] = {key: name for key, name in named.items() if name}
    splits = list(options.split)
    for key, name in (*found.items(), *(("split", name) for name in splits)):
        if name not in columns:
            known = {"name": name, "columns": columns, "hint": did_you_mean(name, columns)}
            raise ConfigError(message("leaderboard.no_column", key=key, **known))
    taken = [*found.values(), *splits]
    if twice := [name for name in taken if taken.count(name) > 1]:
        raise ConfigError(message("leaderboard.twice", name=twice[0]))
    free = {plain(name): name for name in columns if name not in taken}
    for key in [key for key in COLUMNS if key not in found]:
        fits = [name for name in COLUMNS[key] if name in free]
        if key in ("value", "error"):
            fits = [name for name in fits if free[name] in numeric]
        if fits:
            found[key] = free.pop(fits[0])
    if not splits:
        usual = [name for names in SPLITS.values() for name in names]
        splits = [free.pop(name) for name in usual if name in free]
    if "method" not in found:
        raise ConfigError(message("leaderboard.no_method", columns=columns))
    if "value" not in found:
        found |= {"value": _value([name for name in free.values() if name in numeric], columns)}
    each = _each(options, splits)
    if each == "fold":  # their column says which values are of one pass over the data
        splits.sort(key=lambda name: plain(name) not in FOLDS)
    return replace(options, **found, split=splits, each=each)


def _value(left: Sequence[str], columns: Sequence[str]) -> str:
    """Return the only column of numbers, or the only one that a metric's name is part of."""
    known = {word for words in JUDGED.values() for word in words}
    fits = [name for name in left if known & {*plain(name).split("_")}]
    fits = fits if len(fits) == 1 else [*left]
    if len(fits) != 1:
        raise ConfigError(message("leaderboard.no_value", columns=columns, left=left))
    return fits[0]


def _each(options: VerdictOptions, splits: Sequence[str]) -> str:
    """Return what each value is of: as the user says, or as the names of columns do."""
    each, share = options.each, options.test_share
    if each and not splits:
        raise ConfigError(message("leaderboard.no_split", each=each))
    if each == "split" and share is None:
        raise ConfigError(message("leaderboard.no_share"))
    if each or not splits:
        return each
    if share is not None:
        return "split"
    kinds = {kind for kind, usual in SPLITS.items() for s in splits if plain(s) in usual}
    if "item" in kinds:
        return "item"
    if "fold" not in kinds:
        raise ConfigError(message("leaderboard.unclear", names=splits))
    if others := [one for one in splits if plain(one) in UNCLEAR]:
        raise ConfigError(message("leaderboard.repeats", names=others))
    return "fold"
