"""A long table of results, as arrays: for each data set the values of methods, a row a split."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rankexp.arrays import Floats
from rankexp.charts.model import Better
from rankexp.errors import ConfigError, DataError
from rankexp.registry import did_you_mean
from rankexp.runner.config.asking import flag, message
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.dataset import DataTable, Feature
from rankexp.runner.data.levels import key_of, number_text
from rankexp.runner.data.sources.file import read
from rankexp.runner.leaderboard.asked import JUDGED, SPLITS, VerdictOptions, plain, resolved
from rankexp.statistics.paired import FEWEST

ONE = "all rows"  # what a table without a column of data sets is called
MOST_METHODS = 200  # more make too many pairs for verdicts on all at once
LARGEST = 1e150  # of a value: the square of a larger one is no number
MOST_FOLDS = 20  # of a cross-validation: more are asked about
PLACE = ["data", "unit", "method"]
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
    judged: list[str]  # metrics whose names say which side is better: several, or this one
    asked: VerdictOptions  # with all that was found out
    rows: int
    missing: str  # which values there are not, in a sentence


def results(path: Path, options: VerdictOptions) -> Results:
    """Read a table; ConfigError where options or columns do not fit, DataError where values do."""
    given = {k: v for k, v in options.reading.items() if v not in (None, [], ())}
    entry = DataEntry.model_validate({"source": {"file": str(path)}, "target": "-", **given})
    table = read(path, entry)
    columns = {one.name: one for one in table.columns}
    numeric = {name for name, one in columns.items() if one.kind == "numeric" or _truths(one)}
    asked = resolved(options, list(columns), numeric)
    for role, name in (("values", asked.value), ("standard errors", asked.error)):
        if name and name not in numeric:
            raise DataError(f"column '{name}' holds texts, and {role} must be numbers")
    frame = _frame(table, asked.value)
    for text in asked.where:
        frame = _chosen(frame, columns, text)
    metric, judged, frame = _metric(frame, asked)
    frame = _last(frame, asked).reset_index(drop=True)
    methods = _named(frame, asked.method)
    names = list(methods.categories)
    if len(names) < 2:
        raise DataError(message("leaderboard.one_method", column=asked.method, method=names[0]))
    if len(names) > MOST_METHODS:
        raise DataError(message("leaderboard.many", n=len(names), most=MOST_METHODS))
    sets = _sets(_long(frame, asked, methods), asked)
    many = next((one for one in sets if one.folds > MOST_FOLDS), None)
    if many is not None and not options.each and len(asked.split) == 1:
        raise ConfigError(message("leaderboard.many_folds", n=many.folds, name=many.name))
    missing, sets = _missing(sets, names), [one for one in sets if len(one.values)]
    asked = replace(asked, better=asked.better or _better(judged, asked.value))
    return Results(names, sets, metric, judged, asked, len(frame), missing)


def _truths(column: Feature) -> bool:
    words = {one.casefold() for one in column.categories}
    return bool(words) and words <= {"true", "false"}


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


def _chosen(frame: pd.DataFrame, columns: Mapping[str, Feature], text: str) -> pd.DataFrame:
    """Return the rows that have a value: ``column=value``."""
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
    return frame[rows]


def _metric(frame: pd.DataFrame, asked: VerdictOptions) -> tuple[str, list[str], pd.DataFrame]:
    """Return what the metric is called, the names that tell which side is better, and its rows.

    Where each data set has a metric of its own, all are judged together.
    """
    of, column = asked.of, asked.metric
    if not column:
        if of:
            raise ConfigError(message("leaderboard.no_metric", of=of))
        return asked.value, [asked.value], frame
    own = _full(frame, column).astype(str)
    names = list(own.unique())
    if not of and asked.data and len(names) > 1:
        sets = own.groupby(frame[asked.data].to_numpy())
        if sets.nunique().eq(1).all() and sets.ngroups >= FEWEST:
            return asked.value, names, frame
    if of not in names and (of or len(names) > 1):
        hint = did_you_mean(of, names) if of else ""
        raise ConfigError(message("leaderboard.which", names=names, of=of, hint=hint))
    wanted = of or names[0]
    return wanted, [wanted], frame[own == wanted]


def _last(frame: pd.DataFrame, asked: VerdictOptions) -> pd.DataFrame:
    """Return of each curve the row with the largest value of a column, if one is named."""
    column, by = asked.last, [*filter(None, (asked.method, asked.data)), *asked.split]
    if not column:
        return frame
    if column not in frame or frame[column].dtype == "category":
        raise ConfigError(f"{flag('last')}: '{column}' is no column of numbers")
    ends = frame.sort_values(column, kind="stable", na_position="first")
    return ends.groupby(by, observed=True, dropna=False).tail(1).sort_index()


def _long(
    frame: pd.DataFrame, asked: VerdictOptions, methods: "pd.Categorical[str]"
) -> pd.DataFrame:
    """Return a row a value with its data set, unit, fold and method; refuse values of no use."""
    for name in (by := list(asked.split)):
        _full(frame, name)
    if asked.each == "item":  # other columns tell runs of one item apart, whose mean counts
        by = [one for one in by if plain(one) in SPLITS["item"]] or by[:1]
    cells: dict[str, Any] = {"data": _named(frame, asked.data) if asked.data else ONE}
    cells |= {"unit": frame.groupby(by, sort=False, observed=True).ngroup() if by else 0}
    cells |= {"method": methods.codes, "value": frame[asked.value]}
    cells |= {"error": frame[asked.error] if asked.unit == "standard errors" else np.nan}
    cells |= {"fold": frame[asked.split[0]] if asked.each == "fold" else 0}
    long = pd.DataFrame(cells)
    if (long.value.abs() > LARGEST).any():
        raise DataError(message("leaderboard.infinite", column=asked.value))
    if (long.error < 0).any():
        raise DataError(f"column '{asked.error}': a standard error is below 0")
    counts: Any = long.groupby(PLACE, observed=True).size()
    if (n := int(counts.max())) > 1 and len(by) == len(asked.split):
        data, _, place = counts.idxmax()
        known = {"method": methods.categories[place], "data": data if asked.data else ""}
        raise DataError(message("leaderboard.repeated", n=n, splits=by, **known))
    if long.value.isna().all():
        raise DataError(f"column '{asked.value}' has no value")
    return long


def _sets(long: pd.DataFrame, asked: VerdictOptions) -> list[OneSet]:
    """Return the data sets in the order of the table, without units that have no value."""
    wide: Any = long.groupby(PLACE, observed=True)[["value", "error"]].mean().unstack()
    folds = long.dropna(subset="value").groupby("data", observed=True).fold.nunique()
    made = []
    for key, own in wide.groupby(level="data", sort=False):
        values = own.value.dropna(how="all")
        errors = (
            own.error.loc[values.index].to_numpy() if asked.unit == "standard errors" else None
        )
        n = int(folds.get(key, 0)) if asked.each == "fold" else 0
        if n == 1 and len(values) > 1:
            raise ConfigError(message("leaderboard.one_fold", n=len(values), name=key))
        made.append(OneSet(str(key), values.to_numpy(), errors, n))
    return made


def _better(judged: Sequence[str], column: str) -> Better:
    """Return which values are better, by the names that they have."""
    sides: set[str] = set()
    for name in judged:
        words = {*plain(name).replace("@", "_").split("_")}
        words |= {*plain(column).split("_")} & {*JUDGED["lower"]}  # as of 'metric_error'
        own = {side for side, known in JUDGED.items() if words & {*known}}
        sides |= {"unknown"} if "neg" in words or len(own) != 1 else own
    if sides not in ({"higher"}, {"lower"}):
        raise ConfigError(message("leaderboard.which_side", metrics=judged, column=column))
    return "higher" if sides == {"higher"} else "lower"


def _missing(sets: Sequence[OneSet], methods: Sequence[str]) -> str:
    """Say which methods lack values, and where; "" if none does."""
    rows = {
        method: [(one.name, int(n), len(one.values)) for one in sets if (n := one.missing[place])]
        for place, method in enumerate(methods)
    }
    rows = {method: own for method, own in rows.items() if own}
    empty = [one.name for one in sets if not len(one.values)]
    return message("leaderboard.missing", rows=rows, empty=empty) if rows or empty else ""
