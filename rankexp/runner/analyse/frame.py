"""Records as one long table, and the slices of it that selection works on.

Where a metric is a mean over queries, a method's value is the mean over folds of the mean over a
fold's queries, as LETOR has it (Qin et al., Information Retrieval 13, 2010). The folds' test sets
have no query in common: queries are what is independent, and folds are strata
(:func:`rankexp.statistics.paired.stratified`).
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from rankexp.runner.grid import Point
from rankexp.runner.plan import PlanCell
from rankexp.runner.run.record import Label, Record, RecordRow, RecordRows

COLUMNS = [
    *("experiment", "problem", "model", "rep", "fold", "group", "method", "grid", "step"),
    *("part", "metric", "value", "status"),
]
NO_GRID = Point(())
NONE = -1  # stands for a place that the protocol has not (no model, no fold) in a slice's keys
QUERY = "query"  # a column of frames, and a level of indices: the query's number, NONE for none
SAME = 1e-9  # two ways to one mean differ by less
SPLIT = ["problem", "method", "model", "rep", "fold", "grid"]

T = TypeVar("T", bound=NamedTuple)


def typed(frame: pd.DataFrame, kind: type[T]) -> list[T]:
    """Return the rows of a frame as named tuples, whose fields are columns; NaN for others."""
    known = frame.reindex(columns=list(kind._fields))
    return [kind(*row) for row in known.itertuples(index=False, name=None)]


def _categorical(values: Iterable[Any]) -> pd.Categorical:
    """Return a column of texts or points, the categories in order of their first appearance."""
    codes, categories = pd.factorize(np.fromiter(values, dtype=object))
    return pd.Categorical.from_codes(codes, categories=pd.Index(categories, dtype=object))


def _integers(values: Iterable[int | None]) -> Any:
    """Return a nullable column of integers."""
    return pd.array(list(values), dtype="Int64")


def long_frame(cells: Iterable[PlanCell], records: Mapping[str, Record]) -> pd.DataFrame:
    """Return one row for every number of the cells that have a record, by its key.

    The columns are `COLUMNS`, and `setting`: a check's place in the product of its grid; grid
    points are values, see `Point`. A record without rows (it failed) leaves one with an empty part
    and metric and the value NaN.
    """
    found = [(cell, records[cell.key]) for cell in cells if cell.key in records]
    blank = RecordRows([RecordRow("", NONE, None, None, "", float("nan"))])
    each = (record.rows or blank for _, record in found)
    all_rows = [rows if isinstance(rows, RecordRows) else RecordRows(rows) for rows in each]
    lengths = np.array([len(rows) for rows in all_rows], dtype=np.int64)
    beside = _beside(all_rows)
    # The points of each grid, preceded by one that stands for none.
    grids = [(NO_GRID, *record.grid) for _, record in found]
    offsets = np.cumsum([0, *map(len, grids)])[: len(grids)]
    places = beside["grid"] + 1 + np.repeat(offsets, lengths)
    data = {
        "setting": _integers(cell.place.setting for cell, _ in found).repeat(lengths),
        "experiment": _categorical(cell.experiment for cell, _ in found).repeat(lengths),
        "problem": _categorical(cell.problem for cell, _ in found).repeat(lengths),
        "model": _integers(cell.place.model for cell, _ in found).repeat(lengths),
        "rep": _integers(cell.place.rep for cell, _ in found).repeat(lengths),
        "fold": _integers(cell.place.fold for cell, _ in found).repeat(lengths),
        "group": beside["group"],
        "method": _categorical(cell.method for cell, _ in found).repeat(lengths),
        "grid": _categorical(chain.from_iterable(grids))[places],
        "step": beside["step"],
        "part": beside["part"],
        "metric": beside["quantity"],
        "value": np.concatenate([np.empty(0), *(rows.values for rows in all_rows)]),
        "status": _categorical(record.status for _, record in found).repeat(lengths),
    }
    return pd.DataFrame(data, copy=False)


def _beside(all_rows: Sequence[RecordRows]) -> dict[str, Any]:
    """Return what stands beside the values of all rows, a column each field of `Label`.

    Records share labels, so that a column is made of each of them once.
    """
    shared = {id(rows.labels): rows.labels for rows in all_rows}
    numbers = dict(zip(shared, range(len(shared)), strict=True))
    kinds = np.array([numbers[id(rows.labels)] for rows in all_rows], dtype=np.int64)
    sizes = np.fromiter(map(len, shared.values()), dtype=np.int64, count=len(shared))
    starts = np.cumsum(sizes) - sizes
    lengths = sizes[kinds]
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    at = np.arange(total) + np.repeat(starts[kinds] - (ends - lengths), lengths)
    labels, none = chain.from_iterable(shared.values()), [()] * len(Label._fields)
    part, grid, step, group, quantity = list(zip(*labels, strict=True)) or none
    return {
        "part": _categorical(part)[at],
        "grid": np.array(grid, dtype=np.int64)[at],
        "step": _integers(step)[at],
        "group": _categorical(group)[at],
        "quantity": _categorical(quantity)[at],
    }


def scores(
    long: pd.DataFrame, experiment: str, metric: str, part: str = "test", *, by_query: bool = False
) -> pd.DataFrame:
    """Return one metric of an experiment, one row a split, method and grid point.

    Model, rep and fold are `NONE` where there is none; `unit` is the model, else the repeat. With
    `by_query` there is a row for each query of these, whose number is in a further column.
    """
    wanted = (
        (long.experiment == experiment)
        & (long.metric == metric)
        & (long.part == part)
        & long.step.isna()
        & (long.group.notna() if by_query else long.group.isna())
    )
    rows = long.loc[wanted]
    more = {QUERY: rows.group.cat.codes.to_numpy(np.int64)} if by_query else {}
    places = {
        name: rows[name].fillna(NONE).astype(np.int64).to_numpy()
        for name in ("model", "rep", "fold")
    }
    unit = np.where(places["model"] >= 0, places["model"], places["rep"])
    return pd.DataFrame(
        {
            "problem": rows.problem.astype(object).to_numpy(),
            "method": rows.method.astype(object).to_numpy(),
            **places,
            "unit": unit,
            "grid": rows.grid.astype(object).to_numpy(),
            "value": rows.value.to_numpy(),
            **more,
        }
    )


def are_pairs(splits: pd.DataFrame, values: pd.DataFrame) -> bool:
    """Tell whether splits are means over queries that no other fold has.

    If not (metrics over all rows, folds that share a test set), an error over queries is not that
    of their values. Both are of `scores`, `values` by query.
    """
    places = values[["problem", "fold", QUERY]].drop_duplicates()
    means = values.groupby(SPLIT).value.mean().rename("mean").reset_index()
    both = splits.merge(means, on=SPLIT, how="left").dropna(subset=["value"])
    close = (both.value - both["mean"]).abs() <= SAME * (1 + both.value.abs())
    return bool(close.all()) and not places.duplicated(["problem", QUERY]).any()


def spread(splits: pd.DataFrame, values: pd.DataFrame, problems: Sequence[str]) -> pd.DataFrame:
    """Return splits with a row a query in place of those of some problems, and the column `QUERY`.

    `splits` and `values` are as above; the query is the unit of the rows that are spread.
    """
    own = splits.problem.isin(list(problems))
    each = splits.loc[own, SPLIT].merge(values, on=SPLIT)
    each["unit"] = each[QUERY]
    return pd.concat([splits[~own].assign(**{QUERY: NONE}), each], ignore_index=True)
