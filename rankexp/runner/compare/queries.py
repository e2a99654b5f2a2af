"""What is said where a table looks as if rows are ranked within queries."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rankexp.runner.data.dataset import Dataset

NAMES = {"qid", "query", "queryid", "session", "sessionid", "search", "searchid", "srchid"}
NAMES |= {"searchquery", "request", "requestid", "impression", "impressionid"}
"""What columns of queries are called, in small letters and without separators."""
FEW = 50
"""Rows a value, in the median: with more, a column of groups is hardly one of queries."""


def looks_like_queries(name: str) -> bool:
    """Tell whether a column is called like one of queries.

    >>> looks_like_queries("Query_ID"), looks_like_queries("customer_id")
    (True, False)
    """
    return "".join(letter for letter in name.lower() if letter.isalnum()) in NAMES


def said_of(dataset: Dataset, entry: Mapping[str, Any], target: str, *, within: bool) -> list[str]:
    """Say which pairs of rows count, and where rows are perhaps to be ranked within queries."""
    if dataset.groups is None:
        assert dataset.reading is not None
        names = [column.name for column in dataset.reading.columns]
        return [_hint(name) for name in names if looks_like_queries(name) and name != target]
    return list(_of_groups(dataset, str(entry["groups"]), within=within))


def _of_groups(dataset: Dataset, column: str, *, within: bool) -> Iterator[str]:
    assert dataset.groups is not None
    sizes = np.unique(dataset.groups, return_counts=True)[1]
    if not within:
        yield "Pairs of rows of different groups count, both in training and in the measure."
        rows = float(np.median(sizes))
        if looks_like_queries(column) or (dataset.levels is not None and rows <= FEW):
            yield f"'{column}' has {rows:g} rows a value. {_hint(column)}"
        return
    yield (
        f"Only pairs of rows of the same '{column}' count: {len(sizes):,} queries with "
        f"{sizes.min():,} to {sizes.max():,} rows. Methods on pairs train on these pairs alone. "
        "Methods on points, and those that know of no queries, train on all rows together. The "
        "measure is the mean over queries that have a pair."
    )


def _hint(column: str) -> str:
    return (
        f"If the values of '{column}' are queries, and only the rows of one query are to be "
        f"ranked among each other, say --queries {column}."
    )
