"""A long table of results, as arrays: for each data set the values of methods, a row a split."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rankexp.arrays import Floats
from rankexp.errors import ConfigError, DataError
from rankexp.registry import did_you_mean
from rankexp.runner.config.asking import flag, message
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.dataset import DataTable, Feature
from rankexp.runner.data.levels import key_of, number_text
from rankexp.runner.data.sources.file import read
from rankexp.runner.leaderboard.asked import JUDGED, SPLITS, Roles, VerdictOptions, plain, roles
from rankexp.statistics.paired import FEWEST

ONE = "all rows"  # what a table without a column of data sets is called
MOST_METHODS = 200  # more make too many pairs for verdicts on all at once
LARGEST = 1e150  # of a value: the square of a larger one is no number
MOST_FOLDS = 20  # of a cross-validation: more are asked about
LONGEST = 60  # letters of a name that are shown


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
    columns = {one.name: one for one in table.columns}
    numeric = {name for name, one in columns.items() if one.kind == "numeric" or _truths(one)}
    found = roles(options, list(columns), numeric)
    for role, name in (("values", found.value), ("standard errors", found.error)):
        if name and name not in numeric:
            raise DataError(f"column '{name}' holds texts, and {role} must be numbers")
    frame = _chosen(_frame(table, found.value), columns, options)
    metric, judged, frame = _metric(frame, found, options)
    frame, more = _last(frame, found, options)
    methods = _named(frame, found.method)
    if len(methods.categories) < 2:
        (only,) = methods.categories
        raise DataError(message("leaderboard.one_method", column=found.method, method=only))
    if (n := len(methods.categories)) > MOST_METHODS:
        raise DataError(message("leaderboard.many", n=n, most=MOST_METHODS))
    sets, empty = _sets(frame.reset_index(drop=True), found, methods)
    higher, guess = _better(options, judged, metric, found.value)
    if len(judged) > 1:
        more = (*more, message("leaderboard.judged", metrics=judged))
    names = list(methods.categories)
    missing = _missing(sets, empty, names)
    return Results(names, sets, metric, higher, found, (*more, *guess), missing)


def _truths(column: Feature) -> bool:
    return {one.casefold() for one in column.categories} in (
        {"true"},
        {"false"},
        {"true", "false"},
    )


def _frame(table: DataTable, value: str) -> pd.DataFrame:
    """Return texts as categories and numbers as they are; values true and false are 1 and 0."""
    made: dict[str, Any] = {}
    for own, values in zip(table.columns, table.values.T, strict=True):
        made[own.name] = values
        if own.kind == "nominal":
            codes = np.where(np.isnan(values), -1, values).astype(np.int64)
            made[own.name] = pd.Categorical.from_codes(codes, pd.Index(own.categories))
        if own.name == value and _truths(own):
            true = made[own.name].map({one: one.casefold() == "true" for one in own.categories})
            made[own.name] = true.astype(float)
    return pd.DataFrame(made)


def _named(frame: pd.DataFrame, column: str) -> "pd.Categorical[str]":
    """Return the names in a column in the order of the table; a number has the column's before it.

    They fit into a line of text: no signs that nobody sees, no more than so many letters.
    """
    own = _full(frame, column)
    codes, known = pd.factorize(own)
    texts = [str(one) for one in known]
    if own.dtype != "category":
        texts = [f"{column} {number_text(one)}" for one in known]
    texts = ["".join(sign if sign.isprintable() else "?" for sign in one) for one in texts]
    texts = [one if len(one) <= LONGEST else f"{one[: LONGEST - 3]}..." for one in texts]
    twice = pd.Index(texts).duplicated(keep=False)
    texts = [f"{one} ({k + 1})" if twice[k] else one for k, one in enumerate(texts)]
    return pd.Categorical.from_codes(codes, pd.Index(texts))


def _full(frame: pd.DataFrame, column: str) -> pd.Series:
    own: pd.Series = frame[column]
    if own.isna().any():
        raise DataError(message("leaderboard.empty", column=column, n=int(own.isna().sum())))
    return own


def _chosen(
    frame: pd.DataFrame, columns: dict[str, Feature], options: VerdictOptions
) -> pd.DataFrame:
    """Return the rows that the user wants."""
    for text in options.where or ():
        name, mark, wanted = text.partition("=")
        if not mark or name not in columns:
            hint = did_you_mean(name, list(columns))
            raise ConfigError(f"{flag('where')}: expected column=value, got '{text}'{hint}")
        known = columns[name].categories
        fits = [one for one in known or [key_of(wanted)] if key_of(one) == key_of(wanted)]
        rows = frame[name].isin(fits)
        if not rows.any():
            has = ", ".join(map(str, known[:10] or frame[name].unique()[:10]))
            raise ConfigError(f"{flag('where')}: no row has {text} (column '{name}' has: {has})")
        frame = frame[rows]
    return frame


def _metric(
    frame: pd.DataFrame, found: Roles, options: VerdictOptions
) -> tuple[str, list[str], pd.DataFrame]:
    """Return what the metric is called, the names that tell which side is better, and its rows.

    Where each data set has a metric of its own, all are judged together.
    """
    if not found.metric:
        if options.of is not None:
            raise ConfigError(message("leaderboard.no_metric", of=options.of))
        return found.value, [found.value], frame
    own = _full(frame, found.metric).astype(str)
    names = list(own.unique())
    if options.of is None and found.data and len(names) > 1:
        sets = own.groupby(frame[found.data].to_numpy())
        if sets.nunique().eq(1).all() and sets.ngroups >= FEWEST:
            return found.value, names, frame
    if options.of not in (names if len(names) > 1 else [None, *names]):
        hint = did_you_mean(options.of, names) if options.of is not None else ""
        raise ConfigError(message("leaderboard.which", names=names, of=options.of, hint=hint))
    wanted = options.of or names[0]
    return wanted, [wanted], frame[own == wanted]


def _last(
    frame: pd.DataFrame, found: Roles, options: VerdictOptions
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the row with the largest value of a column, of each cell."""
    column = options.last
    if column is None:
        return frame, ()
    if column not in frame or frame[column].dtype == "category":
        raise ConfigError(f"{flag('last')}: '{column}' is no column of numbers")
    by = [*filter(None, (found.method, found.data)), *found.splits]
    ends = frame.sort_values(column, kind="stable", na_position="first")
    frame = ends.groupby(by, observed=True, dropna=False).tail(1).sort_index()
    return frame, (message("leaderboard.last", column=column, n=len(frame)),)


def _sets(
    frame: pd.DataFrame, found: Roles, methods: "pd.Categorical[str]"
) -> tuple[list[OneSet], list[str]]:
    """Return the data sets in the order of the table, and the names of those without a value."""
    for name in found.splits:
        _full(frame, name)
    by = list(found.splits)
    if found.unit == "items":  # other columns tell runs of one item apart
        by = [one for one in by if plain(one) in SPLITS["items"]] or by[:1]
    units = frame.groupby(by, sort=False, observed=True).ngroup() if by else 0
    cells: dict[str, Any] = {"unit": units, "method": methods.codes, "value": frame[found.value]}
    cells |= {"error": frame[found.error] if found.unit == "errors" else np.nan}
    cells |= {"fold": frame[found.splits[0]] if found.unit == "folds" else 0}
    cells |= {"data": _named(frame, found.data) if found.data else ONE}
    long = pd.DataFrame(cells)
    if (long.value.abs() > LARGEST).any():
        raise DataError(message("leaderboard.infinite", column=found.value))
    if (long.error < 0).any():
        raise DataError(f"column '{found.error}': a standard error is below 0")
    made = []
    for key, own in long.groupby("data", sort=False, observed=True):
        if by == list(found.splits):  # else these are runs of one item, whose mean counts
            _once(own, found, methods, str(key))
        made.append(_one(str(key), own, found, len(methods.categories)))
    empty = [one.name for one in made if not len(one.values)]
    if len(empty) == len(made):
        raise DataError(f"column '{found.value}' has no value")
    return [one for one in made if len(one.values)], empty


def _one(name: str, own: pd.DataFrame, found: Roles, methods: int) -> OneSet:
    """Return a data set, without the units on which no method has a value."""
    wide: Any = own.groupby(["unit", "method"])[["value", "error"]].mean().unstack()
    values = wide.value.reindex(columns=range(methods)).dropna(how="all")
    errors = wide.error.reindex_like(values).to_numpy() if found.unit == "errors" else None
    folds = own.fold[own.value.notna()].nunique() if found.unit == "folds" else 0
    if folds == 1 and len(values) > 1:
        raise ConfigError(message("leaderboard.one_fold", n=len(values), name=name))
    if folds > MOST_FOLDS and "unit" in found.guessed and len(found.splits) == 1:
        raise ConfigError(message("leaderboard.many_folds", n=folds, name=name))
    return OneSet(name, np.array(values), errors, folds)


def _once(own: pd.DataFrame, found: Roles, methods: "pd.Categorical[str]", name: str) -> None:
    """Refuse several values of one method on one split."""
    counts: Any = own.groupby(["unit", "method"]).size()
    if (n := int(counts.max())) > 1:
        method = methods.categories[counts.idxmax()[1]]
        known = {"where": f" on '{name}'" if found.data else "", "splits": found.splits}
        raise DataError(message("leaderboard.repeated", n=n, method=method, **known))


def _better(
    options: VerdictOptions, judged: Sequence[str], metric: str, column: str
) -> tuple[bool, tuple[str, ...]]:
    """Return whether higher values are better: as the user says, or the names that they have."""
    if options.better is not None:
        if options.better not in ("higher", "lower"):
            raise ConfigError(
                f"{flag('better')}: expected 'higher' or 'lower', got '{options.better}'"
            )
        return options.better == "higher", ()
    sides: set[str] = set()
    for name in judged:
        words = {*plain(name).replace("@", "_").split("_")}
        words |= {*plain(column).split("_")} & {*JUDGED["lower"]}  # as of 'metric_error'
        own = {side for side, known in JUDGED.items() if words & {*known}}
        sides |= {"unknown"} if "neg" in words or len(own) != 1 else own
    if len(sides) != 1 or "unknown" in sides:
        raise ConfigError(message("leaderboard.which_side", metrics=judged, column=column))
    (side,) = sides
    return side == "higher", (message("leaderboard.side", metric=metric, side=side),)


def _missing(
    sets: Sequence[OneSet], empty: Sequence[str], methods: Sequence[str]
) -> tuple[str, ...]:
    """Say which methods lack values, and where."""
    rows = {
        method: [(one.name, int(n), len(one.values)) for one in sets if (n := one.missing[place])]
        for place, method in enumerate(methods)
    }
    rows = {method: own for method, own in rows.items() if own}
    if not rows and not empty:
        return ()
    return (message("leaderboard.missing", rows=rows, empty=empty),)
