"""Read one's own table without a study: what is in it, and the entry that a study would have."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from rankexp.errors import ConfigError, DataError
from rankexp.runner.config.asking import message
from rankexp.runner.config.data_entry import DataEntry, Level
from rankexp.runner.data.build import build
from rankexp.runner.data.choose import Chosen, choose
from rankexp.runner.data.dataset import Dataset, DataTable
from rankexp.runner.data.levels import key_of, level_codes, positive_of, raw_values
from rankexp.runner.data.reading import Reading
from rankexp.runner.data.sources.file import read

NO_TARGET = "-"
MOST_LEVELS = 10  # of more values of a target, none are listed to be put in order
Scalar = bool | int | float | str | Path | None
Option = Scalar | Sequence[Scalar | Sequence[Scalar]] | Mapping[Scalar, Sequence[str]]
"""A value of an option, of whichever type an entry takes."""


def inspect_table(path: str | Path, *, target: str | None = None, **options: Option) -> Reading:
    """Return what is read of a table, with what would be left out of its features and why.

    Without a target, every column is looked at as a feature. The options are those of a data entry
    in a study; `positive` names the better of two values of the target, in place of `levels`, and
    `test` a second file with the rows of a test set. Of a target of names without levels, the
    reading has the values as they stand. Why a study would refuse the table is its last warning.
    """
    entry, table = _read(Path(path), target, options)
    chosen = choose(table, entry, target)
    found = chosen.only("target")
    known = found is not None and (found[0].kind == "nominal" or entry.levels is not None)
    counts = _counts(chosen, entry.levels) if known else {}
    reading = chosen.reading(table, list(counts.items()) if known else None)
    notes: list[str] = []
    if known and entry.levels is None:
        order = list(counts)
        if len(order) == 2:
            order.sort(key=positive_of(counts).__eq__)
        entry = entry.model_copy(update={"levels": order})
        notes = [message("data.to_order", target=target, order=order, most=MOST_LEVELS)]
    try:
        made = None if target is None else build(table.name, table, entry).reading
    except DataError as error:
        notes = [f"a study would refuse this table: {error}"]
        made = None
    return replace(reading, warnings=(*reading.warnings, *notes)) if notes else made or reading


def target_values(path: str | Path, *, target: str, **options: Option) -> dict[str, int]:
    """Return the values of a target as texts, with their rows; options as of `inspect_table`."""
    entry, table = _read(Path(path), target, options)
    return _counts(choose(table, entry, target))


def _counts(chosen: Chosen, levels: Sequence[Level] | None = None) -> dict[str, int]:
    """Return the levels of the target, or its values as texts, each with its rows."""
    (at,) = chosen.of("target")
    target = chosen.columns[at], chosen.values[:, at]
    index, names = raw_values(*target) if levels is None else level_codes(*target, levels)
    found = np.bincount(index, minlength=len(names)).tolist()
    return {name: count for name, count in zip(names, found, strict=True) if count}


def entry_of(path: str | Path, *, target: str, **options: Option) -> DataEntry:
    """Return the entry that a study has for a table, its `levels` written out for `positive`."""
    return _read(Path(path), target, options)[0]


def dataset_of(path: str | Path, entry: DataEntry, name: str = "") -> Dataset:
    """Return the data set that an entry makes of a file; errors as of `inspect_table`."""
    test = None if entry.test_file is None else Path(entry.test_file)
    return build(name or Path(path).stem, read(Path(path), entry, test), entry)


def _read(
    path: Path, target: str | None, options: Mapping[str, Option]
) -> tuple[DataEntry, DataTable]:
    """Return the entry, its levels written out where `positive` was given, and the table."""
    given = {name: value for name, value in options.items() if value is not None}
    given = {name: list(v) if isinstance(v, tuple) else v for name, v in given.items()}
    test = Path(str(given.pop("test"))) if "test" in given else None
    positive = given.pop("positive", None)
    source = {"file": str(path.absolute())} | ({"test": str(test.absolute())} if test else {})
    if positive is not None and ("levels" in given or target is None):
        raise ConfigError("'positive' needs a target and cannot be combined with 'levels'")
    try:
        entry = DataEntry.model_validate(given | {"source": source, "target": target or NO_TARGET})
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    table = read(path, entry, test)
    if positive is not None and target is not None:
        present = list(_counts(choose(table, entry, target)))
        better = [text for text in present if key_of(text) == key_of(positive)]  # type: ignore[arg-type]
        if len(present) != 2 or len(better) != 1:
            known = {"target": target, "present": present, "positive": positive}
            raise DataError(message("data.one_of_two", **known))
        entry = entry.model_copy(update={"levels": sorted(present, key=better[0].__eq__)})
    return entry, table
