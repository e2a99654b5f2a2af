"""What is said where a table looks as if rows are ranked within queries."""

import re
from collections.abc import Iterator

import numpy as np

from rankexp.runner.data.dataset import Dataset

CALLED = re.compile(
    r"qid|(query|search|srch|session|request|impression)[ _.-]?(id)?|search.?query"
)
"""What columns of queries are called, in small letters."""
FEW = 50
"""Rows a value, in the median: with more, a column of groups is hardly one of queries."""


def said_of(dataset: Dataset, column: str, target: str, *, within: bool) -> Iterator[str]:
    """Say which pairs of rows count, and where rows are perhaps to be ranked within queries.

    `column` has the groups, if there are any.
    """
    if dataset.groups is None:
        assert dataset.reading is not None
        names = (column.name for column in dataset.reading.columns)
        yield from (_hint(n) for n in names if CALLED.fullmatch(n.lower()) and n != target)
        return
    sizes = np.unique(dataset.groups, return_counts=True)[1]
    if within:
        yield (
            f"Only pairs of rows of the same '{column}' count: {len(sizes):,} queries with "
            f"{sizes.min():,} to {sizes.max():,} rows. Methods on pairs train on these pairs "
            "alone. Methods on points, and those that know of no queries, train on all rows "
            "together. The measure is the mean over queries that have a pair"
        )
        return
    yield "Pairs of rows of different groups count, both in training and in the measure"
    rows = float(np.median(sizes))
    if CALLED.fullmatch(column.lower()) or (dataset.levels is not None and rows <= FEW):
        yield f"'{column}' has {rows:g} rows a value. {_hint(column)}"


def _hint(column: str) -> str:
    return (
        f"If the values of '{column}' are queries, and only the rows of one query are to be "
        f"ranked among each other, say --queries {column}"
    )
