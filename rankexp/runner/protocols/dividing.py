"""Protocols that divide the rows of a data set: cross-validation, and random splits."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, PositiveFloat, PositiveInt

from rankexp.arrays import Ints
from rankexp.errors import DataError
from rankexp.runner.protocols.dealing import KeptRows, Split, deal, duplicates, fold_of, holdout
from rankexp.runner.protocols.protocol import Loaded, Parts, Place, Protocol, message
from rankexp.seeds import stream
from rankexp.statistics.design import Design

REGISTER = {"cross_validation": "CrossValidation", "split": "Holdout"}

Together = Literal["none", "groups", "duplicates"]
KEPT = {"none": "", "duplicates": ", equal rows together", "groups": ", groups together"}


def kept_together(source: Loaded, together: Together) -> Ints | None:
    """Return, shape (n,), equal numbers for rows that no split must part; None: none."""
    if together == "duplicates":
        return duplicates(source.whole.X)
    if together == "none":
        return None
    if source.whole.groups is None:
        raise DataError(message("protocols.no_groups", name=source.name))
    return np.unique(source.whole.groups, return_inverse=True)[1].astype(np.int64)


def numbered(units: Ints | None, rows: Ints) -> Ints | None:
    """Return the units of some rows, numbered from 0 without gaps."""
    return None if units is None else np.unique(units[rows], return_inverse=True)[1]


class Dividing(Protocol):
    """Repeated divisions of the rows of a data set; base of cross-validation and of splits."""

    problems = "data sets"
    counts = frozenset({"repeats"})

    repeats: PositiveInt = 1
    stratified: bool = False
    together: Together = "none"

    @abstractmethod
    def split(self, n: int, place: Place, rng: np.random.Generator, kept: KeptRows) -> Split:
        """Divide n rows; `rng` is fresh, and the same for all places of one repeat."""

    def rows(self, source: Loaded, place: Place, rng: np.random.Generator) -> Split:
        """Return the rows of the parts of a data set."""
        y = source.whole.y
        if self.stratified and np.issubdtype(y.dtype, np.floating):
            text = "has a continuous target, so its splits cannot be stratified"
            raise DataError(f"data set '{source.name}' {text}")
        kept = KeptRows(y if self.stratified else None, kept_together(source, self.together))
        return self.split(len(y), place, rng, kept)

    def parts(self, source: Loaded, place: Place, *, inner: bool) -> Parts:
        path, whole = f"{source.name}/rep/{place.rep}", source.whole
        rows = self.rows(source, place, stream(source.seed, path))
        held = None if rows.validation is None else whole.take(rows.validation)
        parts = (whole.take(rows.train), whole.take(rows.test), f"{path}/fold/{place.fold or 0}")
        units = numbered(kept_together(source, self.together), rows.train) if inner else None
        return Parts(*parts, held, units)


class CrossValidation(Dividing):
    """Repeated shuffled k-fold cross-validation."""

    varies = "fold"

    kind: Literal["cross_validation"]
    folds: Annotated[int, Field(ge=2)] = 10

    def faults(self, rows: Mapping[str, int | None]) -> Iterator[tuple[str, str]]:
        for name, count in rows.items():
            if count and self.folds > count:
                yield "folds", f"more folds than the {count} rows of '{name}'"

    def places(self) -> Iterator[Place]:
        for rep in range(self.repeats):
            for fold in range(self.folds):
                yield Place(None, rep, fold)

    def size(self) -> int:
        return self.repeats * self.folds

    def training_rows(self, rows: int) -> int:
        return rows * (self.folds - 1) // self.folds

    def split(self, n: int, place: Place, rng: np.random.Generator, kept: KeptRows) -> Split:
        return fold_of(deal(n, self.folds, rng, kept), place.fold or 0)

    def design(self, rows: float = float("nan")) -> Design:
        return Design("folds", 1.0 / (self.folds - 1))

    def words(self) -> str:
        return message("protocols.cross_validation", own=self, kept=KEPT[self.together])


class Holdout(Dividing):
    """Random splits into a training and a test part."""

    kind: Literal["split"]
    test: PositiveFloat

    def faults(self, rows: Mapping[str, int | None]) -> Iterator[tuple[str, str]]:
        if self.test > 1 and self.test % 1:
            text = "expected a fraction below 1 or a whole number of rows"
            yield "test", f"{text}, got {self.test}"
        for name, count in rows.items():
            if count and self.test >= count:
                yield "test", f"leaves no training rows: '{name}' has {count} rows"

    def places(self) -> Iterator[Place]:
        for rep in range(self.repeats):
            yield Place(None, rep)

    def size(self) -> int:
        return self.repeats

    def training_rows(self, rows: int) -> int:
        return int(rows - self.test_share(rows) * rows)

    def split(self, n: int, place: Place, rng: np.random.Generator, kept: KeptRows) -> Split:
        return holdout(n, self.test, rng, kept)

    def design(self, rows: float = float("nan")) -> Design:
        share = self.test_share(rows)
        return Design("splits", share / (1.0 - share))

    def test_share(self, rows: float) -> float:
        return self.test if self.test < 1 else self.test / rows

    def words(self) -> str:
        return message("protocols.split", own=self, kept=KEPT[self.together])
