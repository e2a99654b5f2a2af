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
from rankexp.runner.data.dataset import DataTable, Feature, key_of, number_text
from rankexp.runner.data.sources.file import read
from rankexp.statistics.paired import FEWEST
from rankexp.studies.leaderboard.asked import ITEMS, JUDGED, VerdictOptions, plain, resolved

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
    overlap: float = 0.0  # rows tested over rows trained on, where training sets overlap

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
    rows = _Rows(_frame(table, asked.value), asked)
    for text in asked.where:
        rows.choose(text, columns)
    metric, judged = rows.of_metric()
    if asked.last:
        rows.end_of_curves()
    methods = rows.names(asked.method)
    names = list(methods.categories)
    if len(names) < 2:
        raise DataError(message("leaderboard.one_method", column=asked.method, method=names[0]))
    if len(names) > MOST_METHODS:
        raise DataError(message("leaderboard.many", n=len(names), most=MOST_METHODS))
    sets = _sets(rows.long(methods), asked)
    many = next((one for one in sets if one.folds > MOST_FOLDS), None)
    if many is not None and not options.each and len(asked.split) == 1:
        raise ConfigError(message("leaderboard.many_folds", n=many.folds, name=many.name))
    missing, sets = _missing(sets, names), [one for one in sets if len(one.values)]
    asked = replace(asked, better=asked.better or _better(judged, asked.value))
    return Results(names, sets, metric, judged, asked, len(rows.frame), missing)


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


@dataclass
class _Rows:
    """The rows that are judged."""

    frame: pd.DataFrame
    asked: VerdictOptions

    def full(self, column: str) -> pd.Series:
        """Return a column of which each row needs a value."""
        own: pd.Series = self.frame[column]
        if n := int(own.isna().sum()):
            raise DataError(message("leaderboard.empty", column=column, n=n))
        return own

    def names(self, column: str) -> "pd.Categorical[str]":
        """Return names in the order of the table; a number has the column's before it.

        They fit into a line of text: no signs that nobody sees, no more than so many letters.
        """
        own = self.full(column)
        codes, known = pd.factorize(own)
        text = str if own.dtype == "category" else lambda one: f"{column} {number_text(one)}"
        texts = ["".join(c if c.isprintable() else "?" for c in text(one)) for one in known]
        texts = [one if len(one) <= LONGEST else f"{one[: LONGEST - 3]}..." for one in texts]
        twice = pd.Index(texts).duplicated(keep=False)
        texts = [f"{one} ({k + 1})" if twice[k] else one for k, one in enumerate(texts)]
        return pd.Categorical.from_codes(codes, pd.Index(texts))

    def choose(self, text: str, columns: Mapping[str, Feature]) -> None:
        """Keep the rows that have a value: ``column=value``."""
        name, mark, wanted = text.partition("=")
        if not mark or name not in columns:
            hint = did_you_mean(name, list(columns))
            raise ConfigError(f"{flag('where')}: expected column=value, got '{text}'{hint}")
        known, values = columns[name].categories, self.frame[name]
        rows = values.isin([o for o in known or [key_of(wanted)] if key_of(o) == key_of(wanted)])
        if not rows.any():
            has = ", ".join(map(str, known[:10] or values.unique()[:10]))
            raise ConfigError(f"{flag('where')}: no row has {text} (column '{name}' has: {has})")
        self.frame = self.frame[rows]

    def of_metric(self) -> tuple[str, list[str]]:
        """Keep the rows of a metric; return its name, and names that tell which side is better.

        Where each data set has a metric of its own, all are judged together.
        """
        of, column, data = self.asked.of, self.asked.metric, self.asked.data
        if not column and of:
            raise ConfigError(message("leaderboard.no_metric", of=of))
        if not column:
            return self.asked.value, [self.asked.value]
        own = self.full(column).astype(str)
        names = list(own.unique())
        if not of and data and len(names) > 1:
            sets = own.groupby(self.frame[data].to_numpy())
            if sets.nunique().eq(1).all() and sets.ngroups >= FEWEST:
                return self.asked.value, names
        if of not in names and (of or len(names) > 1):
            hint = did_you_mean(of, names) if of else ""
            raise ConfigError(message("leaderboard.which", names=names, of=of, hint=hint))
        wanted = of or names[0]
        self.frame = self.frame[own == wanted]
        return wanted, [wanted]

    def end_of_curves(self) -> None:
        """Keep the row of each curve in which a column is largest."""
        column, named = self.asked.last, (self.asked.method, self.asked.data, *self.asked.split)
        if column not in self.frame or self.frame[column].dtype == "category":
            raise ConfigError(f"{flag('last')}: '{column}' is no column of numbers")
        ends = self.frame.sort_values(column, kind="stable", na_position="first")
        by = [name for name in named if name]
        self.frame = ends.groupby(by, observed=True, dropna=False).tail(1).sort_index()

    def long(self, methods: "pd.Categorical[str]") -> pd.DataFrame:
        """Return a row a value with its data set, unit, fold and method; refuse what is no use."""
        asked, frame = self.asked, self.frame.reset_index(drop=True)
        for name in (by := list(asked.split)):
            self.full(name)
        if asked.each == "item":  # other columns tell runs of one item apart, whose mean counts
            by = [one for one in by if plain(one) in ITEMS] or by[:1]
        cells: dict[str, Any] = {"data": self.names(asked.data) if asked.data else ONE}
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
        share = 1 / n if n > 1 else (asked.test_share or 0.0) * (asked.each == "split")
        made.append(OneSet(str(key), np.array(values), errors, n, share / (1 - share)))
    return made


def _better(judged: Sequence[str], column: str) -> Better:
    """Return which values are better, by the names that they have."""
    sides, (lower, _) = set[str](), map(set, JUDGED.values())
    for name in judged:
        words = {*plain(name).replace("@", "_").split("_")}
        words |= {*plain(column).split("_")} & lower  # as of 'metric_error'
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
