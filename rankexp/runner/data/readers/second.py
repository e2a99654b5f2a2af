"""A second file of the same table: its columns matched by name, its rows after the first's."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from rankexp.errors import DataError
from rankexp.runner.data.dataset import DataTable, Feature, Floats


def matched(
    names: Sequence[str], path: str | Path, others: Sequence[str], other: str | Path
) -> list[int]:
    """Return where the second file has each column of the first.

    Raises
    ------
    DataError
        A column is in one of them only.
    """
    lacking = [name for name in names if name not in others]
    extra = [name for name in others if name not in names]
    if lacking or extra:
        said = (f"lacks {_listed(lacking)}", f"has {_listed(extra)}, which {path} lacks")
        both = (text for text, found in zip(said, (lacking, extra), strict=True) if found)
        raise DataError(f"{other}: {' and '.join(both)}; both files need the same columns")
    return [list(others).index(name) for name in names]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return ", ".join(f"'{name}'" for name in names[:10]) + more


def joined(tables: Sequence[DataTable], paths: Sequence[Path]) -> DataTable:
    """Return the rows of one table or two whose files declare the types of columns.

    Categories are those of the first, then what the second has beside them.

    Raises
    ------
    DataError
        Columns differ in name or type, texts that are numbers in their format.
    """
    if len(tables) == 1:
        return tables[0]
    (first, second), (path, other) = tables, paths
    order = matched([c.name for c in first.columns], path, [c.name for c in second.columns], other)
    formats = [t.layout and (t.layout.decimal, t.layout.thousands) for t in tables]
    if formats[0] != formats[1]:
        raise DataError(f"{other}: the number format differs from {path}")
    columns, values = list(first.columns), second.values[:, order]
    for j, mine in enumerate(columns):
        theirs = second.columns[order[j]]
        if mine.kind != theirs.kind:
            raise DataError(
                f"{other}: column '{mine.name}' is {theirs.kind}, but {mine.kind} in {path}"
            )
        if mine.kind == "nominal":
            columns[j], values[:, j] = _recoded(mine, theirs, values[:, j])
    rows = np.concatenate([first.values, values])
    return replace(first, columns=tuple(columns), values=rows, first=len(first.values))


def _recoded(mine: Feature, theirs: Feature, codes: Floats) -> tuple[Feature, Floats]:
    """Return the categories of both, and codes of the second's as codes of these."""
    texts = tuple(dict.fromkeys((*mine.categories, *theirs.categories)))
    place = np.array([*(texts.index(text) for text in theirs.categories), np.nan])
    known = np.where(np.isnan(codes), len(place) - 1, codes).astype(np.int64)
    return replace(mine, categories=texts), place[known]
