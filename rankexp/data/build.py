"""From a raw table and what its entry declares to a data set, and the check of what it is."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankexp.data.dataset import Dataset, Feature, Floats, Ints, Table
from rankexp.data.levels import key_of, level_codes, number_text
from rankexp.errors import DataError
from rankexp.registry import did_you_mean

if TYPE_CHECKING:
    from rankexp.config.schema import DataEntry


def build(
    name: str, table: Table, entry: "DataEntry", provenance: Mapping[str, Any] | None = None
) -> Dataset:
    """Return the data set that an entry makes of a table.

    Raises
    ------
    DataError
        A column that is not there, missing or undeclared target values, a column without any
        value, infinite values.
    """
    columns, values = _recode(table, entry)
    names = [column.name for column in table.columns]
    target = column_index(names, entry.target, "target")
    aside = {target, *(column_index(names, column, "drop") for column in entry.drop)}
    groups, group_names, weights = None, None, None
    if entry.groups is not None:
        aside.add(at := column_index(names, entry.groups, "groups"))
        groups, group_names = _groups(columns[at], values[:, at])
    if entry.weights is not None:
        aside.add(at := column_index(names, entry.weights, "weights"))
        weights = _weights(columns[at], values[:, at])
    keep = [j for j in range(len(columns)) if j not in aside]
    _check_columns([columns[j] for j in keep], values, keep)
    y, levels = _target(columns[target], values[:, target], entry)
    X = np.ascontiguousarray(values[:, keep])
    X[np.isnan(X)] = np.nan  # one bit pattern, so that equal content has one fingerprint
    features = tuple(columns[j] for j in keep)
    where = dict(table.provenance) | dict(provenance or {})
    return Dataset(name, X, y, features, levels, groups, where, group_names, weights)


def _groups(column: Feature, values: Floats) -> tuple[Ints, tuple[str, ...]]:
    """Return the groups' numbers, 0 .. G-1, and what they stand for."""
    if np.isnan(values).any():
        row = int(np.argmax(np.isnan(values))) + 1
        raise DataError(f"groups: column '{column.name}' has no value in row {row}")
    codes, numbers = np.unique(values, return_inverse=True)
    nominal = column.kind == "nominal"
    names = (column.categories[int(c)] if nominal else number_text(c) for c in codes)
    return numbers.astype(np.int64), tuple(names)


def _weights(column: Feature, values: Floats) -> Floats:
    """Return what each row counts."""
    wrong = ~(np.isfinite(values) & (values > 0))
    if column.kind == "nominal" or wrong.any():
        row = 1 if column.kind == "nominal" else int(np.argmax(wrong)) + 1
        raise DataError(
            f"weights: column '{column.name}' must hold finite numbers above 0; row {row} has none"
        )
    return values.copy()


def column_index(names: Sequence[str], wanted: str, role: str) -> int:
    """Return where a column is; ``columnN`` is the N-th where none has this name."""
    if wanted in names:
        return names.index(wanted)
    number = wanted.removeprefix("column")
    if wanted.startswith("column") and number.isdecimal() and 0 < int(number) <= len(names):
        return int(number) - 1
    shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    hint = did_you_mean(wanted, names) or did_you_mean(wanted, [n.lower() for n in names])
    raise DataError(f"{role}: there is no column '{wanted}'{hint}; the columns are: {shown}")


def differences(dataset: Dataset, entry: "DataEntry") -> list[str]:
    """Return what of an entry's fingerprint is not so, one phrase each."""
    declared = entry.fingerprint
    if declared is None:
        return []
    rows, features = dataset.X.shape
    classes = None if dataset.levels is None else np.bincount(dataset.y.astype(np.int64)).tolist()
    pairs: list[tuple[str, object, object]] = [
        ("rows", declared.rows, rows),
        ("features", declared.features, features),
        ("classes", declared.classes, classes),
        ("missing cells", declared.missing, int(np.isnan(dataset.X).sum())),
    ]
    return [
        f"{what}: declared {expected}, found {found}"
        for what, expected, found in pairs
        if expected is not None and expected != found
    ]


def _recode(table: Table, entry: "DataEntry") -> tuple[list[Feature], Floats]:
    """Apply what the entry says of missing marks and of numbers that are names."""
    columns, values = list(table.columns), table.values
    names = [column.name for column in columns]
    marks: dict[int, set[str | float]] = {}
    for mark, where in entry.missing_codes.items():
        for wanted in where:
            at = column_index(names, wanted, "missing_codes")
            marks.setdefault(at, set()).add(key_of(mark))
    general = {key_of(text) for text in entry.missing_values if text}
    nominal = [column_index(names, wanted, "nominal") for wanted in entry.nominal]
    for j, column in enumerate(columns):
        missing = _marked(column, values[:, j], general | marks.get(j, set()))
        if missing.any() or j in nominal:
            values = values if values is not table.values else values.copy()
            values[missing, j] = np.nan
        if j in nominal and column.kind == "numeric":
            columns[j], values[:, j] = _as_nominal(column, values[:, j])
    return columns, values


def _marked(column: Feature, values: Floats, marks: set[str | float]) -> "np.ndarray[Any, Any]":
    if column.kind == "numeric":
        return np.isin(values, [mark for mark in marks if isinstance(mark, float)])
    codes = [code for code, text in enumerate(column.categories) if key_of(text) in marks]
    return np.isin(values, codes)


def _as_nominal(column: Feature, values: Floats) -> tuple[Feature, Floats]:
    known = ~np.isnan(values)
    distinct, index = np.unique(values[known], return_inverse=True)
    codes = np.full(len(values), np.nan)
    codes[known] = index
    texts = tuple(number_text(value) for value in distinct)
    return Feature(column.name, "nominal", texts), codes


def _check_columns(columns: Sequence[Feature], values: Floats, at: Sequence[int]) -> None:
    if not columns:
        raise DataError("no column is left as a feature")
    for column, j in zip(columns, at, strict=True):
        if np.isnan(values[:, j]).all():
            raise DataError(
                f"column '{column.name}' has no value at all; leave it out with "
                f"'drop: [{column.name}]'"
            )
        if np.isinf(values[:, j]).any():
            row = int(np.argmax(np.isinf(values[:, j]))) + 1
            raise DataError(f"column '{column.name}' is infinite in row {row}")


def _target(
    target: Feature, values: Floats, entry: "DataEntry"
) -> tuple[Ints | Floats, tuple[str, ...] | None]:
    missing = int(np.isnan(values).sum())
    if missing:
        raise DataError(
            f"target '{target.name}' is missing in {missing} of {len(values)} rows; "
            "take these rows out of the file"
        )
    if entry.levels is not None:
        return level_codes(target, values, entry.levels)
    if target.kind == "nominal":
        shown = ", ".join(target.categories[:10])
        raise DataError(
            f"target '{target.name}' holds names ({shown}); order them, worst to best, in 'levels'"
        )
    return values.copy(), None
