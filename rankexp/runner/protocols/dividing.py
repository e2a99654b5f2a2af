"""Protocols that divide the rows of a data set."""

from abc import abstractmethod
from typing import Literal

import numpy as np
from pydantic import PositiveInt

from rankexp.arrays import Ints
from rankexp.errors import DataError
from rankexp.runner.protocols.base import Loaded, Parts, Place, Protocol
from rankexp.runner.protocols.dealing import KeptRows, Split, duplicates
from rankexp.seeds import stream

Together = Literal["none", "groups", "duplicates"]
KEPT = {"none": "", "duplicates": ", equal rows together", "groups": ", groups together"}


def kept_together(source: Loaded, together: Together) -> Ints | None:
    """Return, shape (n,), equal numbers for rows that no split must part; None: none."""
    if together == "duplicates":
        return duplicates(source.whole.X)
    if together == "none":
        return None
    if source.whole.groups is None:
        raise DataError(
            f"data set '{source.name}' has no groups to keep together; name their column in "
            "'groups' of its entry, or use 'together: none'"
        )
    return np.unique(source.whole.groups, return_inverse=True)[1].astype(np.int64)


class Dividing(Protocol):
    """Repeated divisions of the rows of a data set; base of cross-validation and of splits."""

    problems = "data sets"
    counts = frozenset({"repeats"})

    repeats: PositiveInt = 1
    stratified: bool = False
    """Whether the shares of the levels are kept."""
    together: Together = "none"
    """Rows that must never be parted by a split."""

    @abstractmethod
    def split(self, n: int, place: Place, rng: np.random.Generator, kept: KeptRows) -> Split:
        """Divide n rows; `rng` is fresh, and the same for all places of one repeat."""

    def rows(self, source: Loaded, place: Place, rng: np.random.Generator) -> Split:
        """Return the rows of the parts of a data set.

        DataError for more folds than rows, an empty part, strata of a continuous target, or no
        groups to keep.
        """
        y = source.whole.y
        if self.stratified and np.issubdtype(y.dtype, np.floating):
            text = "has a continuous target, so its splits cannot be stratified"
            raise DataError(f"data set '{source.name}' {text}")
        strata = y if self.stratified else None
        units = kept_together(source, self.together)
        return self.split(len(y), place, rng, KeptRows(strata, units))

    def parts(self, source: Loaded, place: Place, *, inner: bool) -> Parts:
        """Return the parts of a data set at a place."""
        path = f"{source.name}/rep/{place.rep}"
        rows = self.rows(source, place, stream(source.seed, path))
        units = kept_together(source, self.together) if inner else None
        return Parts(
            source.whole.take(rows.train),
            source.whole.take(rows.test),
            f"{path}/fold/{place.fold or 0}",
            None if rows.validation is None else source.whole.take(rows.validation),
            None if units is None else np.unique(units[rows.train], return_inverse=True)[1],
        )
