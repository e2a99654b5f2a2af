"""Records as one long table, and the slices of it that selection works on."""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from rankexp.plan import Cell
from rankexp.run.record import Record

COLUMNS = [
    *("experiment", "problem", "model", "rep", "fold", "group", "method", "grid", "step"),
    *("part", "metric", "value", "status"),
]
NONE = -1  # stands for a place that the protocol has not (no model, no fold) in a slice's keys


def _categorical(values: Iterable[Any]) -> pd.Categorical:
    """Return a column of texts, the categories in order of their first appearance."""
    codes, categories = pd.factorize(np.fromiter(values, dtype=object))
    return pd.Categorical.from_codes(codes, categories=pd.Index(categories, dtype=object))


def _integers(values: Iterable[int | None]) -> Any:
    """Return a nullable column of integers."""
    return pd.array(list(values), dtype="Int64")


def long_frame(cells: Iterable[Cell], records: Mapping[str, Record]) -> pd.DataFrame:
    """Return one row for every number of the cells that have a record, by its key.

    The columns are `COLUMNS`, and `setting`: a check's place in the product of its grid. A record
    without rows (it failed) leaves one with an empty part and metric and the value NaN.
    """
    found = [(cell, records[cell.key]) for cell in cells if cell.key in records]
    lengths = np.array([max(len(record.rows), 1) for _, record in found], dtype=np.int64)
    blank = [("", NONE, None, None, "", float("nan"))]
    rows = chain.from_iterable(record.rows or blank for _, record in found)
    columns = list(zip(*rows, strict=True)) or [()] * 6
    part, grid, step, group, quantity, value = columns
    # The grid's points as text, preceded by one that stands for none.
    texts = [["", *(point.text for point in record.grid)] for _, record in found]
    offsets = np.cumsum([0, *map(len, texts)])[: len(texts)]
    places = np.array(grid, dtype=np.int64) + 1 + np.repeat(offsets, lengths).astype(np.int64)
    codes, names = pd.factorize(np.fromiter(chain.from_iterable(texts), dtype=object))
    data = {
        "setting": _integers(cell.place.setting for cell, _ in found).repeat(lengths),
        "experiment": _categorical(cell.experiment for cell, _ in found).repeat(lengths),
        "problem": _categorical(cell.problem for cell, _ in found).repeat(lengths),
        "model": _integers(cell.place.model for cell, _ in found).repeat(lengths),
        "rep": _integers(cell.place.rep for cell, _ in found).repeat(lengths),
        "fold": _integers(cell.place.fold for cell, _ in found).repeat(lengths),
        "group": _categorical(group),
        "method": _categorical(cell.method for cell, _ in found).repeat(lengths),
        "grid": pd.Categorical.from_codes(codes[places], categories=pd.Index(names, dtype=object)),
        "step": _integers(step),
        "part": _categorical(part),
        "metric": _categorical(quantity),
        "value": np.array(value, dtype=np.float64),
        "status": _categorical(record.status for _, record in found).repeat(lengths),
    }
    return pd.DataFrame(data)


def scores(
    frame: pd.DataFrame,
    experiment: str,
    metric: str,
    part: str = "test",
    *,
    by_query: bool = False,
) -> pd.DataFrame:
    """Return one metric of an experiment, one row a split, method and grid point.

    Model, rep and fold are `NONE` where there is none; `unit` is the model, else the repeat. With
    `by_query` there is a row for each query of these, whose number is in a further column.
    """
    wanted = (
        (frame["experiment"] == experiment)
        & (frame["metric"] == metric)
        & (frame["part"] == part)
        & frame["step"].isna()
        & (frame["group"].notna() if by_query else frame["group"].isna())
    )
    rows = frame.loc[wanted]
    more = {"query": rows["group"].cat.codes.to_numpy(np.int64)} if by_query else {}
    places = {
        name: rows[name].fillna(NONE).astype(np.int64).to_numpy()
        for name in ("model", "rep", "fold")
    }
    unit = np.where(places["model"] >= 0, places["model"], places["rep"])
    return pd.DataFrame(
        {
            "problem": rows["problem"].astype(object).to_numpy(),
            "method": rows["method"].astype(object).to_numpy(),
            **places,
            "unit": unit,
            "grid": rows["grid"].astype(object).to_numpy(),
            "value": rows["value"].to_numpy(),
            **more,
        }
    )
