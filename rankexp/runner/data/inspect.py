"""Read one's own table without a study: what is in it, and the entry that a study would have."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rankexp.errors import ConfigError, DataError

if TYPE_CHECKING:
    from rankexp.runner.config.data_entry import DataEntry
    from rankexp.runner.data.dataset import Dataset, DataTable
    from rankexp.runner.data.reading import Reading

NO_TARGET = "-"
MOST_LEVELS = 10
"""Of more values of a target, none are listed to be put in order."""
Scalar = bool | int | float | str | Path | None
Option = Scalar | Sequence[Scalar | Sequence[Scalar]] | Mapping[Scalar, Sequence[str]]
"""A value of an option, of whichever type an entry takes."""


def inspect_table(path: str | Path, *, target: str | None = None, **options: Option) -> "Reading":
    """Return what is read of a table, with what would be left out of its features and why.

    Parameters
    ----------
    path : str or Path
        Delimited text, ARFF, Parquet or Excel.
    target : str, optional
        Without one, every column is looked at as a feature.
    **options
        Those of a data entry in a study: `drop`, `levels`, `groups`, `weights`, `decimal`,
        `thousands`, `encoding`, `delimiter`, `missing`, `nominal`, `keep`, `identifiers`,
        `header`, `sheet`, ...; None is as if it was not given. `positive` names the better of
        two values of the target, in place of `levels`; `test` is a second file with the rows of a
        test set.

    Returns
    -------
    Reading
        Of a target of names without levels, its `levels` are the values as they stand. Why a
        study would refuse the table, as far as it could be read, is its last warning.

    Raises
    ------
    DataError
        The file cannot be read, or not without doubt; columns that are not there.
    ConfigError
        An option that no entry has, or a value that it cannot have.
    """
    from rankexp.runner.data.build import build
    from rankexp.runner.data.choose import choose
    from rankexp.runner.data.levels import level_codes, raw_values

    entry, table = _read(Path(path), target, options)
    chosen = choose(table, entry, target)
    counts: list[tuple[str, int]] | None = None
    for j in chosen.of("target"):
        column, values = chosen.columns[j], chosen.values[:, j]
        if entry.levels is not None or column.kind == "nominal":
            texts, index = raw_values(column, values)
            if entry.levels is not None:
                index, names = level_codes(column, values, entry.levels)
                texts = list(names)
            found = np.bincount(index, minlength=len(texts)).tolist()
            counts = [(name, n) for name, n in zip(texts, found, strict=True) if n]
    reading = chosen.reading(table, counts)
    notes: list[str] = []
    if counts is not None and entry.levels is None:
        listed = [name for name, _ in counts]
        entry = entry.model_copy(update={"levels": listed})
        shown = f": levels: [{', '.join(listed)}]" if len(listed) <= MOST_LEVELS else ""
        notes = [f"in a study, list the values of '{target}' from worst to best{shown}"]
    try:
        made = None if target is None else build(table.name, table, entry).reading
    except DataError as error:
        notes = [f"a study would refuse this table: {error}"]
        made = None
    return replace(reading, warnings=(*reading.warnings, *notes)) if notes else made or reading


def target_values(path: str | Path, *, target: str, **options: Option) -> dict[str, int]:
    """Return the values of a target as texts, with their rows; options as of `inspect_table`."""
    from rankexp.runner.data.choose import choose
    from rankexp.runner.data.levels import raw_values

    entry, table = _read(Path(path), target, options)
    chosen = choose(table, entry, target)
    (at,) = chosen.of("target")
    texts, index = raw_values(chosen.columns[at], chosen.values[:, at])
    found = np.bincount(index, minlength=len(texts)).tolist()
    return {text: count for text, count in zip(texts, found, strict=True) if count}


def entry_of(path: str | Path, *, target: str, **options: Option) -> "DataEntry":
    """Return the entry that a study has for a table; options and errors as of `inspect_table`.

    Its `levels` are written out where `positive` is given.
    """
    return _read(Path(path), target, options)[0]


def dataset_of(path: str | Path, entry: "DataEntry", name: str = "") -> "Dataset":
    """Return the data set that an entry makes of a file; errors as of `inspect_table`."""
    from rankexp.runner.data.build import build
    from rankexp.runner.data.sources.file import read

    test = None if entry.test_file is None else Path(entry.test_file)
    return build(name or Path(path).stem, read(Path(path), entry, test), entry)


def _read(
    path: Path, target: str | None, options: Mapping[str, Option]
) -> "tuple[DataEntry, DataTable]":
    """Return the entry, its levels written out where `positive` was given, and the table."""
    from pydantic import ValidationError

    from rankexp.runner.config.data_entry import DataEntry
    from rankexp.runner.data.sources.file import read

    named = {name: value for name, value in options.items() if value is not None}
    test = Path(str(named.pop("test"))) if "test" in named else None
    positive = named.pop("positive", None)
    second = {} if test is None else {"test": str(test.absolute())}
    given = {n: list(v) if isinstance(v, tuple) else v for n, v in named.items()} | {
        "source": {"file": str(path.absolute()), **second},
        "target": target or NO_TARGET,
    }
    if positive is not None and ("levels" in given or target is None):
        raise ConfigError("'positive' needs a target and cannot be combined with 'levels'")
    try:
        entry = DataEntry.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{place}: {first['msg']}") from error
    table = read(path, entry, test)
    if positive is not None and target is not None:
        entry = entry.model_copy(update={"levels": _two_levels(table, entry, target, positive)})
    return entry, table


def _two_levels(
    table: "DataTable", entry: "DataEntry", target: str, positive: Option
) -> Sequence[str]:
    from rankexp.runner.data.choose import choose
    from rankexp.runner.data.levels import key_of, raw_values

    chosen = choose(table, entry, target)
    (at,) = chosen.of("target")
    texts, index = raw_values(chosen.columns[at], chosen.values[:, at])
    present = [texts[code] for code in sorted(set(index.tolist()))]
    better = [text for text in present if key_of(text) == key_of(positive)]  # type: ignore[arg-type]
    if len(present) != 2 or len(better) != 1:
        shown = ", ".join(present[:10]) + (", ..." if len(present) > 10 else "")
        raise DataError(
            f"positive: target '{target}' has {len(present)} values ({shown}), but "
            f"'{positive}' must be one of two; otherwise list 'levels' from worst to best"
        )
    return [*(text for text in present if text not in better), *better]
