"""Test sets that come with the data: rows of parts that the data names, once or in folds."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from rankexp.arrays import Ints
from rankexp.errors import DataError
from rankexp.protocols.base import EXAMPLES, Design, Loaded, Parts, Place, Protocol
from rankexp.protocols.dividing import Together, kept_together
from rankexp.strict import Strict

REGISTER = {"given": "Given"}


class GivenFold(Strict):
    """What the parts of the data are in one fold."""

    test: str
    """The part that is the test set."""
    validation: str | None = None
    """The part that is the validation set."""
    train: Annotated[list[str], Field(min_length=1)] | None = None
    """The parts that are trained on, their rows one part after the other; None: all other rows,
    in their order."""


class Given(Protocol):
    """Test sets that come with the data, as its parts say: one, or one in each of its folds.

    The entry of the data names a column of parts in `part`, or a second file in its source, whose
    rows are the part ``test``. Rows of a test part keep their order. Groups have nothing to do
    with it.
    """

    problems = "data sets"
    varies = "fold"
    uses_parts = True

    kind: Literal["given"]
    test: str | None = None
    """The part that is the test set; None: `folds` say it."""
    validation: str | None = None
    """The part that is the validation set. All other rows are trained on."""
    together: Together = "none"
    """Rows of the training part that its inner folds must not part."""
    folds: Annotated[list[GivenFold], Field(min_length=1)] | None = None
    """The folds that the data brings, in place of `test` and `validation`."""

    def faults(self, rows: Mapping[str, int | None]) -> Iterator[tuple[str, str]]:
        """Find what is no test set or two, and folds whose parts overlap."""
        if self.folds is None and self.test is None:
            yield "test", "name the part that is the test set, or several in 'folds'"
        for field in ("test", "validation"):
            if self.folds is not None and getattr(self, field) is not None:
                yield field, "'folds' say which parts these are: give one or the other"
        for number, fold in enumerate(self._folds(), start=1):
            for part, count in Counter(_named(fold)).items():
                if count > 1:
                    field = "test" if self.folds is None else "folds"
                    yield field, f"{self._place(number)}part '{part}' is named {count} times"

    def _folds(self) -> list[GivenFold]:
        """Return the folds, of which one test set is one."""
        if self.folds is not None:
            return self.folds
        return [] if self.test is None else [GivenFold(test=self.test, validation=self.validation)]

    def _place(self, number: int) -> str:
        """Return in words which fold is meant, counted from 1."""
        return "" if self.folds is None else f"fold {number}: "

    def places(self) -> Iterator[Place]:
        """Yield the folds, or the one place."""
        if self.folds is None:
            yield Place(None, 0)
        else:
            yield from (Place(None, None, fold) for fold in range(len(self.folds)))

    def size(self) -> int:
        """Return the number of folds, or 1."""
        return 1 if self.folds is None else len(self.folds)

    def training_rows(self, rows: int) -> int:
        """Return the rows of a training part, if all parts that folds name have as many.

        Two thirds where no fold names what it trains on: how many parts there are is not known.
        """
        named = [fold for fold in self._folds() if fold.train]
        parts = {part for fold in self._folds() for part in _named(fold)}
        if not named:
            return rows * 2 // 3
        return int(rows * np.mean([len(fold.train or ()) for fold in named]) / len(parts))

    def parts(self, source: Loaded, place: Place, *, inner: bool) -> Parts:
        """Return the parts of a data set.

        Raises
        ------
        DataError
            No parts, no row in a part that is named, no row to train on, a part named twice.
        """
        for _, text in self.faults({}):
            raise DataError(f"data set '{source.name}': {text}")
        number = place.fold or 0
        fold, where = self._folds()[number], self._place(number + 1)
        if source.parts is None:
            raise DataError(
                f"data set '{source.name}' does not say which rows are its '{fold.test}' part; "
                "name the column that does in 'part' of its entry, or a second file in its "
                "source: {file: train.csv, test: test.csv}"
            )
        rows = {name: _rows_of(source, name, where) for name in _named(fold)}
        held = [rows[name] for name in (fold.test, fold.validation) if name is not None]
        if fold.train is None:
            train = np.setdiff1d(np.arange(len(source.parts)), np.concatenate(held))
        else:
            train = np.concatenate([rows[name] for name in fold.train])
        if not len(train):
            raise DataError(f"{where}all rows of data set '{source.name}' are {' or '.join(rows)}")
        test, *others = (source.whole.take(own) for own in held)
        units = kept_together(source, self.together) if inner else None
        return Parts(
            source.whole.take(train),
            test,
            f"{source.name}/given" + ("" if self.folds is None else f"/fold/{number}"),
            others[0] if others else None,
            None if units is None else np.unique(units[train], return_inverse=True)[1],
        )

    def design(self, rows: float = float("nan")) -> Design:
        """Return the queries of folds, or the examples of one test set."""
        return Design(EXAMPLES if self.folds is None else "queries")

    def words(self) -> str:
        """Return ``the test set 'test' of the data``, or ``5 folds that the data brings``."""
        if self.folds is None:
            return f"the test set '{self.test}' of the data"
        count = len(self.folds)
        said = "one fold" if count == 1 else f"{count} folds"
        chosen = any(fold.validation for fold in self.folds)
        return f"{said} that the data brings" + (", with a validation part" if chosen else "")


def _named(fold: GivenFold) -> Sequence[str]:
    """Return the parts that a fold names, each as often as it does."""
    return [name for name in (fold.test, fold.validation, *(fold.train or ())) if name is not None]


def _rows_of(source: Loaded, name: str, where: str) -> Ints:
    """Return the rows of a part, in their order."""
    assert source.parts is not None
    present = [source.part_names[code] for code in np.unique(source.parts).tolist()]
    if name not in present:
        known = ", ".join(present[:10])
        raise DataError(f"{where}data set '{source.name}' has no part '{name}'; it has: {known}")
    return np.flatnonzero(source.parts == source.part_names.index(name))
