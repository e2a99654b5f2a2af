"""Repeated shuffled k-fold cross-validation."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from rankexp.runner.protocols.base import Design, Place
from rankexp.runner.protocols.dealing import KeptRows, Split, deal, fold_of
from rankexp.runner.protocols.dividing import KEPT, Dividing

REGISTER = {"cross_validation": "CrossValidation"}


class CrossValidation(Dividing):
    """Repeated shuffled k-fold cross-validation."""

    varies = "fold"

    kind: Literal["cross_validation"]
    folds: Annotated[int, Field(ge=2)] = 10

    def faults(self, rows: Mapping[str, int | None]) -> Iterator[tuple[str, str]]:
        """Find data sets with fewer rows than folds."""
        for name, count in rows.items():
            if count and self.folds > count:
                yield "folds", f"more folds than the {count} rows of '{name}'"

    def places(self) -> Iterator[Place]:
        """Yield the folds, repeat by repeat."""
        for rep in range(self.repeats):
            for fold in range(self.folds):
                yield Place(None, rep, fold)

    def size(self) -> int:
        """Return the number of folds in all repeats."""
        return self.repeats * self.folds

    def training_rows(self, rows: int) -> int:
        """Return all rows but those of one fold."""
        return rows * (self.folds - 1) // self.folds

    def split(self, n: int, place: Place, rng: np.random.Generator, kept: KeptRows) -> Split:
        """Return the fold of a repeat as the test part, the others as the training part."""
        return fold_of(deal(n, self.folds, rng, kept), place.fold or 0)

    def design(self, rows: float = float("nan")) -> Design:
        """Return folds, whose training parts overlap."""
        return Design("folds", 1.0 / (self.folds - 1))

    def words(self) -> str:
        """Return ``10 × 10 folds, plain``."""
        kind = "stratified" if self.stratified else "plain"
        return f"{self.repeats} × {self.folds} folds, {kind}{KEPT[self.together]}"
