"""From a raw table and what its entry declares to a data set, and the check of what it is."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from rankexp.errors import DataError
from rankexp.runner.config.asking import message
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.belonging import alike, orders
from rankexp.runner.data.choose import Chosen, check_codes, choose
from rankexp.runner.data.dataset import Dataset, DataTable, Feature, Floats, Ints, Provenance
from rankexp.runner.data.levels import level_codes, number_text
from rankexp.runner.data.reading import Role
from rankexp.runner.data.suitable import WORDS, check_width


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
        where = chosen.place(at)
        raise DataError(message("data.weights", name=column.name, place=where, known=known))
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
    pairs: list[tuple[str, object, object]] = [
        ("rows", declared.rows, rows),
        ("features", declared.features, features),
        ("classes", declared.classes, classes),
        ("missing cells", declared.missing, int(np.isnan(dataset.X).sum())),
        ("SHA-256 of the content", declared.sha256, dataset.fingerprint),
    ]
    wrong = [pair for pair in pairs if pair[1] is not None and pair[1] != pair[2]]
    return [f"{what}: declared {expected}, found {found}" for what, expected, found in wrong]


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
        out = [f"'{chosen.columns[j].name}' {why}" for j, (_, why) in chosen.unfit.items()]
        texts = "text" in dict(chosen.unfit.values())
        raise DataError(message("data.no_feature", out=out, texts=texts, words=WORDS))
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
