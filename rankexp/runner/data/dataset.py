"""What a data set is, before and after its target is told from its features."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankexp.errors import DataError
from rankexp.runner.data.reading import Json, Layout, Reading

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Provenance = Mapping[str, Json]


@dataclass(frozen=True)
class Feature:
    """A column."""

    name: str
    kind: Literal["numeric", "nominal"] = "numeric"
    categories: tuple[str, ...] = ()  # what a nominal column's codes 0 .. K-1 mean, as declared


@dataclass(frozen=True, eq=False)
class DataTable:
    """What a source returns: every column as it stands, the target among them.

    `values`, (n, c), are numbers, or codes of categories; NaN is missing. `provenance` says where
    it comes from, in JSON's types; `layout` how its file was taken apart; `first` how many rows
    are those of the first file, where the others are those of a file of test rows.
    """

    name: str
    columns: tuple[Feature, ...]
    values: Floats
    provenance: Provenance = field(default_factory=dict)
    layout: Layout | None = None
    first: int | None = None


@dataclass(frozen=True, eq=False)
class Dataset:
    """Examples with a target.

    X, (n, d), holds raw numbers and codes of categories, NaN where missing; y, (n,), codes 0 ..
    K-1 of the levels, worst to best, or a continuous target, whose `levels` are None. `groups` and
    `parts`, (n,), are places in their names; `weights`, (n,), are above 0; `times`, (n,), ascend
    with time. `reading` is for people only.
    """

    name: str
    X: Floats
    y: Ints | Floats
    features: tuple[Feature, ...]
    levels: tuple[str, ...] | None = None
    groups: Ints | None = None
    provenance: Provenance = field(default_factory=dict)
    group_names: tuple[str, ...] | None = None
    weights: Floats | None = None
    reading: Reading | None = None
    parts: Ints | None = None
    part_names: tuple[str, ...] = ()
    times: Floats | None = None

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the content: values, target, names, categories, levels, groups, parts."""
        described = [[f.name, f.kind, list(f.categories)] for f in self.features]
        head = [list(self.X.shape), described, list(self.levels) if self.levels else None]
        digest = hashlib.sha256(json.dumps(head, separators=(",", ":")).encode())
        digest.update(np.ascontiguousarray(self.X, "<f8").data)
        digest.update(np.ascontiguousarray(self.y, "<f8" if self.levels is None else "<i8").data)
        if self.groups is not None:
            digest.update(np.ascontiguousarray(self.groups, "<i8").data)
        if self.group_names is not None:
            digest.update(json.dumps(self.group_names).encode())
        if self.weights is not None:
            digest.update(b"weights" + np.ascontiguousarray(self.weights, "<f8").tobytes())
        if self.parts is not None:
            digest.update(b"parts" + np.ascontiguousarray(self.parts, "<i8").tobytes())
            digest.update(json.dumps(self.part_names).encode())
        if self.times is not None:
            digest.update(b"times" + np.ascontiguousarray(self.times, "<f8").tobytes())
        return digest.hexdigest()


def matched(
    names: Sequence[str], path: str | Path, others: Sequence[str], other: str | Path
) -> list[int]:
    """Return where the second file has each column of the first; DataError where one lacks it."""
    lacking = [name for name in names if name not in others]
    extra = [name for name in others if name not in names]
    said = [f"lacks {quoted(lacking)}"] if lacking else []
    said += [f"has {quoted(extra)}, which {path} lacks"] if extra else []
    if said:
        raise DataError(f"{other}: {' and '.join(said)}; both files need the same columns")
    return [list(others).index(name) for name in names]


def quoted(names: Sequence[str]) -> str:
    """Return ten names in quotes, and how many more there are."""
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return ", ".join(f"'{name}'" for name in names[:10]) + more


def joined(tables: Sequence[DataTable], paths: Sequence[Path]) -> DataTable:
    """Return the rows of one table or two; to the first's categories come the second's."""
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
            text = f"column '{mine.name}' is {theirs.kind}, but {mine.kind} in {path}"
            raise DataError(f"{other}: {text}")
        if mine.kind == "nominal":
            texts = tuple(dict.fromkeys((*mine.categories, *theirs.categories)))
            place = np.array([*(texts.index(text) for text in theirs.categories), np.nan])
            codes = np.where(np.isnan(values[:, j]), len(place) - 1, values[:, j])
            columns[j], values[:, j] = replace(mine, categories=texts), place[codes.astype(int)]
    rows = np.concatenate([first.values, values])
    return replace(first, columns=tuple(columns), values=rows, first=len(first.values))
