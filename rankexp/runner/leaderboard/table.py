"""A long table of results, as arrays: for each data set the values of methods, a row a split."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from rankexp.arrays import Bools, Floats
from rankexp.errors import ConfigError, DataError
from rankexp.registry import did_you_mean
from rankexp.runner.config.asking import flag, message
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.dataset import DataTable, Feature
from rankexp.runner.data.levels import key_of, number_text
from rankexp.runner.data.sources.file import read
from rankexp.runner.leaderboard.asked import JUDGED, SPLITS, Roles, VerdictOptions, plain, roles

ONE = "all rows"  # what a table without a column of data sets is called
MOST_METHODS = 200  # more make too many pairs for verdicts on all at once


@dataclass(frozen=True, eq=False)
class OneSet:
    """The values of all methods on a data set."""

    name: str
    values: Floats  # (units, methods); NaN where there is none
    errors: Floats | None = None  # (units, methods): standard errors that the table gives
    folds: int = 0  # different folds; 0 where units are none

    @property
    def missing(self) -> Floats:
        """How many units lack a value, a number a method."""
        return np.asarray(np.isnan(self.values).sum(axis=0))

    @property
    def whole(self) -> Bools:
        """Which units have a value of each method that has any."""
        lacks = np.isnan(self.values)
        return np.asarray(~lacks[:, ~lacks.all(axis=0)].any(axis=1))


@dataclass(frozen=True, eq=False)
class Results:
    """A table of results of one metric."""

    methods: list[str]
    sets: list[OneSet]
    metric: str
    higher: bool
    roles: Roles
    notes: tuple[str, ...] = ()  # what was guessed or chosen, a sentence each
    missing: tuple[str, ...] = ()  # which values there are not


def results(path: Path, options: VerdictOptions) -> Results:
    """Read a table; ConfigError where options or columns do not fit, DataError where values do."""
    given = {k: v for k, v in options.reading.items() if v not in (None, [], ())}
    entry = DataEntry.model_validate({"source": {"file": str(path)}, "target": "-", **given})
    table = read(path, entry)
    numeric = {one.name for one in table.columns if one.kind == "numeric"}
    names = [one.name for one in table.columns]
    found = roles(options, names, numeric)
    for name in filter(None, (found.value, found.error)):
        if name not in numeric:
            raise DataError(
                f"column '{name}' holds texts, and {_what(found, name)} must be numbers"
            )
    rows = _chosen(table, options)
    metric, rows = _metric(table, found, options, rows)
    rows, more = _last(table, found, options, rows)
    methods, codes = _coded(table, found.method, rows)
    if len(methods) < 2:
        raise DataError(message("leaderboard.one_method", column=found.method, methods=methods))
    if len(methods) > MOST_METHODS:
        raise DataError(message("leaderboard.many", n=len(methods), most=MOST_METHODS))
    sets = _sets(table, found, rows, codes, methods)
    higher, guess = _better(options, metric, found.value)
    said = (*more, *guess)
    return Results(methods, sets, metric, higher, found, said, _missing(sets, methods))


def _what(found: Roles, name: str) -> str:
    return "values" if name == found.value else "standard errors"


def _column(table: DataTable, name: str) -> tuple[Feature, Floats]:
    at = [one.name for one in table.columns].index(name)
    return table.columns[at], table.values[:, at]


def _coded(table: DataTable, name: str, rows: Bools) -> tuple[list[str], np.ndarray]:
    """Return the values of a column as texts, in the order of the table, and the code of each."""
    column, values = _column(table, name)
    own = values[rows]
    if np.isnan(own).any():
        raise DataError(message("leaderboard.empty", column=name, n=int(np.isnan(own).sum())))
    codes, known = pd.factorize(own)
    nominal = column.kind == "nominal"
    texts = [column.categories[int(one)] if nominal else number_text(one) for one in known]
    return texts, codes


def _chosen(table: DataTable, options: VerdictOptions) -> Bools:
    """Return the rows that the user wants."""
    rows = np.ones(len(table.values), dtype=bool)
    names = [one.name for one in table.columns]
    for text in options.where or ():
        name, mark, wanted = text.partition("=")
        if not mark or name not in names:
            hint = did_you_mean(name, names)
            raise ConfigError(f"{flag('where')}: expected column=value, got '{text}'{hint}")
        column, values = _column(table, name)
        known = column.categories if column.kind == "nominal" else ()
        keys = [key_of(one) for one in known]
        place = float(keys.index(key_of(wanted))) if key_of(wanted) in keys else key_of(wanted)
        own = values == place if isinstance(place, float) else np.zeros(len(rows), dtype=bool)
        if not own.any():
            has = ", ".join(known[:10]) or "numbers"
            raise ConfigError(f"{flag('where')}: no row has {text} (column '{name}' has: {has})")
        rows &= own
    if not rows.any():
        raise ConfigError(f"{flag('where')}: no row fits all of {', '.join(options.where or ())}")
    return rows


def _metric(
    table: DataTable, found: Roles, options: VerdictOptions, rows: Bools
) -> tuple[str, Bools]:
    """Return the metric's name, and its rows."""
    if not found.metric:
        if options.of is not None:
            raise ConfigError(message("leaderboard.no_metric", of=options.of))
        return found.value, rows
    names, codes = _coded(table, found.metric, rows)
    wanted = options.of if options.of is not None else names[0]
    if wanted not in names or (options.of is None and len(names) > 1):
        hint = did_you_mean(wanted, names) if options.of is not None else ""
        raise ConfigError(message("leaderboard.which", names=names, of=options.of, hint=hint))
    own = rows.copy()
    own[rows] = codes == names.index(wanted)
    return wanted, own


def _keys(table: DataTable, columns: Sequence[str], rows: Bools) -> np.ndarray:
    """Return one number for each combination of values of some columns."""
    keys = np.zeros(int(rows.sum()), dtype=np.int64)
    for name in columns:
        texts, codes = _coded(table, name, rows)
        keys = pd.factorize(keys * max(len(texts), 1) + codes)[0]
    return keys


def _last(
    table: DataTable, found: Roles, options: VerdictOptions, rows: Bools
) -> tuple[Bools, tuple[str, ...]]:
    """Return the row with the largest value of a column, of each cell."""
    if options.last is None:
        return rows, ()
    names = [one.name for one in table.columns]
    if options.last not in names or _column(table, options.last)[0].kind == "nominal":
        raise ConfigError(f"{flag('last')}: '{options.last}' is no column of numbers")
    cells = _keys(table, [*filter(None, (found.method, found.data)), *found.splits], rows)
    order = np.lexsort([_column(table, options.last)[1][rows], cells])
    ends = order[np.append(np.diff(cells[order]) != 0, True)]
    own = np.zeros_like(rows)
    own[np.flatnonzero(rows)[ends]] = True
    return own, (message("leaderboard.last", column=options.last, n=len(ends)),)


def _sets(
    table: DataTable, found: Roles, rows: Bools, codes: np.ndarray, methods: Sequence[str]
) -> list[OneSet]:
    """Return the data sets in the order of the table."""
    names, of = _coded(table, found.data, rows) if found.data else ([ONE], 0 * codes)
    usual = SPLITS["items"] if found.unit == "items" else ()
    by = [one for one in found.splits if plain(one) in usual] or list(found.splits)
    units = _keys(table, by, rows)
    folds = _keys(table, found.splits[:1], rows)
    values = _column(table, found.value)[1][rows]
    errors = _column(table, found.error)[1][rows] if found.unit == "errors" else None
    if errors is not None and (errors < 0).any():
        raise DataError(f"column '{found.error}': a standard error is below 0")
    if np.isinf(values).any():
        raise DataError(f"column '{found.value}' has an infinite value; leave it empty or mend it")
    repeated = by != list(found.splits)  # runs of one item, whose mean counts
    made = []
    for code, name in enumerate(names):
        own = of == code
        places, index = np.unique(units[own], return_inverse=True)
        cells = index * len(methods) + codes[own]
        if not repeated and len(np.unique(cells)) < len(cells):
            raise DataError(_twice(found, name, cells, codes[own], methods))
        shape = (len(places), len(methods))
        table_ = np.full(shape[0] * shape[1], np.nan)
        table_[cells] = values[own]
        if repeated:
            known = np.isfinite(values[own])
            counts = np.bincount(cells[known], minlength=len(table_))
            sums = np.bincount(cells[known], values[own][known], minlength=len(table_))
            table_ = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        one = OneSet(name, table_.reshape(shape))
        if errors is not None:
            of_each = np.full(len(table_), np.nan)
            of_each[cells] = errors[own]
            one = replace(one, errors=of_each.reshape(shape))
        if found.unit == "folds":
            one = replace(one, folds=len(np.unique(folds[own])))
        made.append(_known(one))
    return made


def _known(one: OneSet) -> OneSet:
    """Leave out units without a value of any method."""
    kept = ~np.isnan(one.values).all(axis=1)
    errors = None if one.errors is None else one.errors[kept]
    return replace(one, values=one.values[kept], errors=errors)


def _twice(
    found: Roles, name: str, cells: np.ndarray, codes: np.ndarray, methods: Sequence[str]
) -> str:
    """Say which cell has several values, and what would tell them apart."""
    known, counts = np.unique(cells, return_counts=True)
    cell = known[counts.argmax()]
    method = methods[codes[np.flatnonzero(cells == cell)[0]]]
    where = f" on '{name}'" if found.data else ""
    return message("leaderboard.repeated", n=int(counts.max()), method=method, where=where)


def _better(options: VerdictOptions, metric: str, column: str) -> tuple[bool, tuple[str, ...]]:
    """Return whether higher values are better: as the user says, or the names that they have."""
    if options.better is not None:
        if options.better not in ("higher", "lower"):
            raise ConfigError(
                f"{flag('better')}: expected 'higher' or 'lower', got '{options.better}'"
            )
        return options.better == "higher", ()
    words = {*plain(metric).replace("@", "_").split("_")}
    words |= {*plain(column).split("_")} & {*JUDGED["lower"]}  # as of 'metric_error'
    sides = [side for side, known in JUDGED.items() if words & {*known}]
    if "neg" in words or len(sides) != 1:
        raise ConfigError(message("leaderboard.which_side", metric=metric))
    return sides[0] == "higher", (message("leaderboard.side", metric=metric, side=sides[0]),)


def _missing(sets: Sequence[OneSet], methods: Sequence[str]) -> tuple[str, ...]:
    """Say which methods lack values, and where."""
    lacks: Mapping[str, list[tuple[str, int, int]]] = {
        method: [(one.name, int(n), len(one.values)) for one in sets if (n := one.missing[place])]
        for place, method in enumerate(methods)
    }
    rows = {method: own for method, own in lacks.items() if own}
    return (message("leaderboard.missing", rows=rows),) if rows else ()
