"""From a raw table and what is declared or asked of it to a data set, and what is read of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from rankexp.errors import ConfigError, DataError
from rankexp.runner.config.asking import message
from rankexp.runner.config.data_entry import DataEntry, Level
from rankexp.runner.data.choose import Chosen, check_codes, choose
from rankexp.runner.data.dataset import (
    Dataset,
    DataTable,
    Feature,
    Floats,
    Ints,
    Provenance,
    key_of,
    level_codes,
    number_text,
    positive_of,
    raw_values,
)
from rankexp.runner.data.reading import Reading, Role
from rankexp.runner.data.sources.file import read
from rankexp.runner.data.suitable import WORDS, alike, check_width, orders

# Of a fingerprint, what is said in other words than its key.
SAID = {"missing": "missing cells", "sha256": "SHA-256 of the content"}


def build(
    name: str, table: DataTable, entry: DataEntry, provenance: Provenance | None = None
) -> Dataset:
    """Return the data set that an entry makes of a table; DataError where it cannot be used so."""
    chosen = choose(table, entry, entry.target)
    columns, values = chosen.columns, chosen.values
    groups, group_names = _labels(chosen, "groups")
    parts, part_names = _labels(chosen, "part")
    if table.first is not None:
        parts, part_names = (chosen.rows <= table.first).astype(np.int64), ("test", "train")
    weights = _weights(chosen)
    keep = chosen.of("feature")
    X = np.take(values, keep, axis=1)  # C-ordered, without a second copy
    _check_columns(chosen, [columns[j] for j in keep], X)
    check_width([columns[j] for j in keep], len(values), entry)
    (target,) = chosen.of("target")
    y, levels = _target(columns[target], values[:, target], entry)
    features = tuple(columns[j] for j in keep)
    where = dict(table.provenance) | dict(provenance or {})
    counts = None if levels is None else _counted(levels, y)
    shares = () if parts is None else _counted(part_names, parts)[::-1]
    reading = chosen.reading(table, counts, shares)
    reading = replace(reading, belonging=tuple(_belonging(chosen, y)))
    known = (levels, groups, where, group_names or None, weights, reading, parts, part_names)
    return Dataset(name, X, y, features, *known, times=_times(chosen))


def _belonging(chosen: Chosen, y: Ints | Floats) -> Iterator[tuple[str, int, float]]:
    """Yield columns of which equal values have similar targets, those of groups first."""
    kinds = {j: kind for j, (kind, _) in chosen.unfit.items()}
    own = [j for j, role in enumerate(chosen.roles) if role in ("feature", "left out", "dropped")]
    own.sort(key=lambda j: (kinds.get(j) != "groups", not chosen.columns[j].categories))
    for j in own if not chosen.of("groups") else ():
        column, values = chosen.columns[j], chosen.values[:, j]
        if found := alike(column, values, y, of_groups=kinds.get(j) == "groups"):
            yield column.name, *found


def _counted(names: Sequence[str], codes: Ints | Floats) -> list[tuple[str, int]]:
    counts = np.bincount(codes.astype(np.int64), minlength=len(names)).tolist()
    return list(zip(names, counts, strict=True))


def _labels(chosen: Chosen, role: Role) -> tuple[Ints | None, tuple[str, ...]]:
    """Return the numbers of groups or parts, 0 .. G-1, and what they stand for; None: none."""
    if (found := chosen.only(role)) is None:
        return None, ()
    column, values = found
    if np.isnan(values).any():
        where = chosen.place(int(np.argmax(np.isnan(values))))
        raise DataError(f"{role}: column '{column.name}' has no value in {where}")
    check_codes(role, column, values)
    codes, numbers = np.unique(values, return_inverse=True)
    nominal = column.kind == "nominal"
    names = (column.categories[int(c)] if nominal else number_text(c) for c in codes)
    return numbers.astype(np.int64), tuple(names)


def _weights(chosen: Chosen) -> Floats | None:
    if (found := chosen.only("weights")) is None:
        return None
    column, values = found
    nominal = column.kind == "nominal"
    wrong = ~(np.isfinite(values) & (values > 0)) | nominal
    if wrong.any():
        at = int(np.argmax(wrong))
        known = "no value" if np.isnan(values[at]) else number_text(values[at])
        if nominal and known != "no value":
            known = f"'{column.categories[int(values[at])]}'"
        place = chosen.place(at)
        raise DataError(message("data.weights", name=column.name, place=place, known=known))
    return values.copy()


def _times(chosen: Chosen) -> Floats | None:
    if (timed := chosen.only("time")) is None:
        return None
    column, found = timed[0], orders(*timed)
    if any(not np.array_equal(np.argsort(one), np.argsort(found[0])) for one in found):
        raise DataError(message("data.dates", name=column.name))
    if not found or not np.isfinite(found[0]).all():
        where = chosen.place(int(np.argmin(np.isfinite(found[0])))) if found else "any row"
        raise DataError(f"time: column '{column.name}' has no date or number in {where}")
    return found[0]


def differences(dataset: Dataset, entry: DataEntry) -> list[str]:
    """Return what of an entry's fingerprint is not so, one phrase each."""
    declared = entry.fingerprint
    if declared is None:
        return []
    rows, features = dataset.X.shape
    classes = None if dataset.levels is None else np.bincount(dataset.y.astype(np.int64)).tolist()
    found = {"rows": rows, "features": features, "classes": classes}
    found |= {"missing": int(np.isnan(dataset.X).sum()), "sha256": dataset.fingerprint}
    wrong = {key: own for key, own in declared if own not in (None, found[key])}
    return [f"{SAID.get(k, k)}: declared {own}, found {found[k]}" for k, own in wrong.items()]


def first_difference(dataset: Dataset, other: Dataset) -> str:
    """Return in words the first place where a data set is not as another; empty for none."""
    for feature, theirs in zip(dataset.features, other.features, strict=False):
        if feature.name != theirs.name:
            return f"column '{feature.name}' is where '{theirs.name}' should be"
        if feature != theirs:
            return message("data.categories", name=feature.name)
    if dataset.X.shape != other.X.shape:
        return "the number of rows or columns differs"
    cells = (dataset.X != other.X) & ~(np.isnan(dataset.X) & np.isnan(other.X))
    names = ["target", *(f"column '{feature.name}'" for feature in other.features)]
    for name, wrong in zip(names, [dataset.y != other.y, *cells.T], strict=True):
        if len(rows := np.flatnonzero(wrong)):
            count = f"{len(rows):,} rows, first in row" if len(rows) > 1 else "row"
            return f"{name} differs in {count} {rows[0] + 1:,}"
    return ""


def _check_columns(chosen: Chosen, columns: Sequence[Feature], values: Floats) -> None:
    if not columns:
        raise DataError(message("data.no_feature", chosen=chosen, words=WORDS))
    for column, numbers in zip(columns, values.T, strict=True):  # without a mask of the whole
        if (infinite := np.isinf(numbers)).any():
            where = chosen.place(int(np.argmax(infinite)))
            raise DataError(f"column '{column.name}' has an infinite value in {where}")
        numbers[np.isnan(numbers)] = np.nan  # one bit pattern: equal content, one fingerprint


def _target(
    target: Feature, values: Floats, entry: DataEntry
) -> tuple[Ints | Floats, tuple[str, ...] | None]:
    if entry.levels is not None:
        return level_codes(target, values, entry.levels)
    if target.kind == "nominal":
        raise DataError(message("data.order_of_target", target=target))
    if not np.isfinite(values).all():
        raise DataError(f"target '{target.name}' has an infinite value")
    return values.copy(), None


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


def dataset_of(path: str | Path, entry: DataEntry) -> Dataset:
    """Return the data set that an entry makes of a file; errors as of `inspect_table`."""
    test = None if entry.test_file is None else Path(entry.test_file)
    return build(Path(path).stem, read(Path(path), entry, test), entry)


def _read(
    path: Path, target: str | None, options: Mapping[str, Option]
) -> tuple[DataEntry, DataTable]:
    """Return the entry, its levels written out where `positive` was given, and the table."""
    known = {name: value for name, value in options.items() if value is not None}
    given = {name: list(v) if isinstance(v, tuple) else v for name, v in known.items()}
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
