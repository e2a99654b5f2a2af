"""From a raw table and what its entry declares to a data set, and the check of what it is."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankexp.data.choose import choose
from rankexp.data.dataset import Dataset, Feature, Floats, Ints, Table
from rankexp.data.levels import level_codes, number_text
from rankexp.data.suitable import check_width
from rankexp.errors import DataError

if TYPE_CHECKING:
    from rankexp.config.schema import DataEntry


def build(
    name: str, table: Table, entry: "DataEntry", provenance: Mapping[str, Any] | None = None
) -> Dataset:
    """Return the data set that an entry makes of a table.

    Raises
    ------
    DataError
        A column that is not there, undeclared target values, infinite values, columns that the
        entry refuses, more columns after coding than it allows.
    """
    chosen = choose(table, entry, entry.target)
    columns, values = chosen.columns, chosen.values
    groups, group_names, weights = None, None, None
    for at in chosen.of("groups"):
        groups, group_names = _groups(columns[at], values[:, at], chosen.rows)
    for at in chosen.of("weights"):
        weights = _weights(columns[at], values[:, at], chosen.rows)
    keep = chosen.of("feature")
    _check_columns([columns[j] for j in keep], values[:, keep], chosen.rows)
    check_width([columns[j] for j in keep], len(values), entry)
    (target,) = chosen.of("target")
    y, levels = _target(columns[target], values[:, target], entry)
    X = np.ascontiguousarray(values[:, keep])
    X[np.isnan(X)] = np.nan  # one bit pattern, so that equal content has one fingerprint
    features = tuple(columns[j] for j in keep)
    where = dict(table.provenance) | dict(provenance or {})
    reading = chosen.reading(
        table, None if levels is None else list(zip(levels, np.bincount(y).tolist(), strict=True))
    )
    return Dataset(name, X, y, features, levels, groups, where, group_names, weights, reading)


def _groups(column: Feature, values: Floats, rows: Ints) -> tuple[Ints, tuple[str, ...]]:
    """Return the groups' numbers, 0 .. G-1, and what they stand for."""
    if np.isnan(values).any():
        row = rows[np.argmax(np.isnan(values))]
        raise DataError(f"groups: column '{column.name}' has no value in row {row}")
    codes, numbers = np.unique(values, return_inverse=True)
    nominal = column.kind == "nominal"
    names = (column.categories[int(c)] if nominal else number_text(c) for c in codes)
    return numbers.astype(np.int64), tuple(names)


def _weights(column: Feature, values: Floats, rows: Ints) -> Floats:
    """Return what each row counts."""
    wrong = ~(np.isfinite(values) & (values > 0))
    if column.kind == "nominal" or wrong.any():
        row = rows[0] if column.kind == "nominal" else rows[np.argmax(wrong)]
        raise DataError(
            f"weights: column '{column.name}' must hold finite numbers above 0; row {row} has none"
        )
    return values.copy()


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


def _check_columns(columns: Sequence[Feature], values: Floats, rows: Ints) -> None:
    if not columns:
        raise DataError("no column is left as a feature")
    infinite = np.isinf(values)
    if infinite.any():
        at = int(np.argmax(infinite.any(axis=0)))
        row = rows[np.argmax(infinite[:, at])]
        raise DataError(f"column '{columns[at].name}' is infinite in row {row}")


def _target(
    target: Feature, values: Floats, entry: "DataEntry"
) -> tuple[Ints | Floats, tuple[str, ...] | None]:
    if entry.levels is not None:
        return level_codes(target, values, entry.levels)
    if target.kind == "nominal":
        shown = ", ".join(target.categories[:10])
        raise DataError(
            f"target '{target.name}' holds names ({shown}); order them, worst to best, in 'levels'"
        )
    if not np.isfinite(values).all():
        raise DataError(f"target '{target.name}' is infinite in a row")
    return values.copy(), None
