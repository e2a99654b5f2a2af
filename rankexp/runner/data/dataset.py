"""What a data set is, before and after its target is told from its features."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankexp.runner.data.reading import Json, Layout, Reading

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Provenance = Mapping[str, Json]


@dataclass(frozen=True)
class Feature:
    """A column."""

    name: str
    kind: Literal["numeric", "nominal"] = "numeric"
    categories: tuple[str, ...] = ()
    """What a nominal column's codes 0 .. K-1 mean, in the order of their declaration."""


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

    Attributes
    ----------
    X : ndarray of float64, shape (n, d)
        Raw numbers and codes of categories; NaN is missing.
    y : ndarray, shape (n,)
        Codes 0 .. K-1 of the levels (int64), or a continuous target (float64).
    levels : tuple of str or None
        Worst to best; None where the target is continuous.
    groups : ndarray of int64, shape (n,), or None
        Query or cluster of each row, by its place in `group_names`.
    weights : ndarray of float64, shape (n,), or None
        What each row counts; all above 0.
    reading : Reading or None
        What was read and left out, for people; part of no fingerprint.
    parts : ndarray of int64, shape (n,), or None
        Part of the data that each row is in, by its place in `part_names`.
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
        return digest.hexdigest()
