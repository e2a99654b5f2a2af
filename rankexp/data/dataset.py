"""What a data set is, before and after its target is told from its features."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankexp.errors import DataError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Feature:
    """A column.

    Attributes
    ----------
    name : str
    kind : {"numeric", "nominal"}
    categories : tuple of str
        What a nominal column's codes 0 .. K-1 mean, in the order of their declaration.
    """

    name: str
    kind: Literal["numeric", "nominal"] = "numeric"
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Table:
    """What a source returns: every column as it stands, the target among them.

    Attributes
    ----------
    name : str
    columns : tuple of Feature
    values : ndarray of float64, shape (n, c)
        Numbers, or codes of categories; NaN is missing.
    provenance : mapping
        Where it comes from, in JSON's types.
    """

    name: str
    columns: tuple[Feature, ...]
    values: Floats
    provenance: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Dataset:
    """Examples with a target.

    Attributes
    ----------
    name : str
    X : ndarray of float64, shape (n, d)
        Raw numbers and codes of categories; NaN is missing.
    y : ndarray, shape (n,)
        Codes 0 .. K-1 of the levels, worst to best (int64), or a continuous target (float64).
    features : tuple of Feature
    levels : tuple of str or None
        Names of the levels, worst to best; None where the target is continuous.
    groups : ndarray of int64, shape (n,), or None
        Query or cluster of each row.
    provenance : mapping
    group_names : tuple of str or None
        What the groups' numbers stand for.
    weights : ndarray of float64, shape (n,), or None
        What each row counts; all above 0.
    """

    name: str
    X: Floats
    y: Ints | Floats
    features: tuple[Feature, ...]
    levels: tuple[str, ...] | None = None
    groups: Ints | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)
    group_names: tuple[str, ...] | None = None
    weights: Floats | None = None

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the content: values, targets, names, kinds, categories, levels, groups."""
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
        return digest.hexdigest()

    @property
    def positive(self) -> NDArray[np.bool_]:
        """Mask, shape (n,), of the better of two levels.

        Raises
        ------
        DataError
            Where there are not two levels.
        """
        if self.levels is None or len(self.levels) != 2:
            found = "a continuous target" if self.levels is None else f"{len(self.levels)} levels"
            raise DataError(f"data set '{self.name}' has {found}; two levels are needed here")
        return np.asarray(self.y == 1)
