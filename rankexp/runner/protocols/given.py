"""Test sets that come with the data: rows of parts that the data names, once or in folds."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from rankexp.arrays import Ints
from rankexp.errors import DataError
from rankexp.runner.protocols.dividing import Together, kept_together, numbered
from rankexp.runner.protocols.protocol import TOLD, Loaded, Parts, Place, Protocol, message
from rankexp.runner.strict import Strict
from rankexp.statistics.design import EXAMPLES, Design

REGISTER = {"given": "Given"}


class GivenFold(Strict):
    """What the parts of the data are in one fold."""

    model_config = TOLD
    test: str
    validation: str | None = None
    train: Annotated[list[str], Field(min_length=1)] | None = None

    def named(self) -> dict[tuple[str | int, ...], str]:
        """Return the parts that are named, by where they are."""
        train = {("train", i): part for i, part in enumerate(self.train or ())}
        held = {("test",): self.test, ("validation",): self.validation}
        return {where: part for where, part in (held | train).items() if part}


class Given(Protocol):
    """Test sets that come with the data, as its parts say: one, or one in each of its folds.

    The entry of the data names a column of parts, or a second file, whose rows are the part
    ``test``. Rows of a test part keep their order. In folds, no group may be on both sides.
    """

    problems = "data sets"
    varies = "fold"
    uses_parts = True

    kind: Literal["given"]
    test: str | None = None
    validation: str | None = None
    together: Together = "none"
    folds: Annotated[list[GivenFold], Field(min_length=1)] | None = None

    def faults(self, rows: Mapping[str, int | None]) -> Iterator[tuple[str, str]]:
        if self.folds is None and self.test is None:
            yield "test", "name the test part here, or several in 'folds'"
        if self.folds is not None and (self.test is not None or self.validation is not None):
            yield "folds", "'folds' already names the test parts: remove 'test' and 'validation'"
        for part, count in Counter(fold.test for fold in self._folds()).items():
            if count > 1:
                text = f"'{part}' is the test part of {count} folds"
                yield "folds", f"{text}, so its rows would count twice"
        for number, fold in enumerate(self._folds()):
            for part, count in Counter(fold.named().values()).items():
                if count > 1:
                    text = f"{self._at(number)}'{part}' occurs twice"
                    yield "folds" if self.folds else "test", text

    def _folds(self) -> list[GivenFold]:
        if self.folds is None and self.test is not None:
            return [GivenFold(test=self.test, validation=self.validation)]
        return self.folds or []

    def named_parts(self) -> dict[tuple[str | int, ...], str]:
        return {
            (*(("folds", i) if self.folds else ()), *where): part
            for i, fold in enumerate(self._folds())
            for where, part in fold.named().items()
        }

    def _at(self, number: int) -> str:
        return "" if self.folds is None else f"fold {number + 1}: "

    def places(self) -> Iterator[Place]:
        for fold in range(self.size()):
            yield Place(None, 0) if self.folds is None else Place(None, None, fold)

    def size(self) -> int:
        return 1 if self.folds is None else len(self.folds)

    def training_rows(self, rows: int) -> int:
        return rows * 2 // 3

    def parts(self, source: Loaded, place: Place, *, inner: bool) -> Parts:
        for _, text in self.faults({}):
            raise DataError(f"data set '{source.name}': {text}")
        number = place.fold or 0
        fold, at = self._folds()[number], self._at(number)
        if source.parts is None:
            raise DataError(message("protocols.no_parts", name=source.name, part=fold.test))
        rows = {name: _rows_of(source, name, at) for name in fold.named().values()}
        held = [rows[name] for name in (fold.test, fold.validation) if name is not None]
        if fold.train is None:
            train = np.setdiff1d(np.arange(len(source.parts)), np.concatenate(held))
        else:
            train = np.concatenate([rows[name] for name in fold.train])
        if not len(train):
            raise DataError(f"{at}all rows of data set '{source.name}' are {' or '.join(rows)}")
        if self.folds is not None:
            self._check_use(source)
            _check_groups(source, train, held, at)
        test, *others = (source.whole.take(own) for own in held)
        units = numbered(kept_together(source, self.together), train) if inner else None
        path = f"{source.name}/given" + ("" if self.folds is None else f"/fold/{number}")
        return Parts(source.whole.take(train), test, path, others[0] if others else None, units)

    def _check_use(self, source: Loaded) -> None:
        """Hold that each part has a place in a fold, so that no row is left out in silence."""
        folds = self._folds()
        if source.parts is None or any(fold.train is None for fold in folds):
            return  # all other parts are trained on
        used = {part for fold in folds for part in fold.named().values()}
        for code, count in zip(*np.unique(source.parts, return_counts=True), strict=True):
            if (name := source.part_names[code]) not in used:
                known = {"name": source.name, "part": name, "rows": count}
                raise DataError(message("protocols.unused", **known))

    def design(self, rows: float = float("nan")) -> Design:
        return Design(EXAMPLES if self.folds is None else "queries")

    @property
    def validates(self) -> bool:
        return all(fold.validation is not None for fold in self._folds())

    def words(self) -> str:
        if self.folds is None:
            return f"the predefined test set '{self.test}'"
        return message("protocols.given", own=self)


def _check_groups(source: Loaded, train: Ints, held: Sequence[Ints], at: str) -> None:
    """Hold that no group has rows in two of the parts of a fold."""
    if source.whole.groups is None or source.parts is None:
        return
    seen = [np.unique(source.whole.groups[rows]) for rows in (train, *held)]
    codes, counts = np.unique(np.concatenate(seen), return_counts=True)
    if (counts > 1).any():
        code = int(codes[np.argmax(counts > 1)])
        names = source.whole.group_names
        rows = np.concatenate([train, *held])
        mine = rows[source.whole.groups[rows] == code]
        where = " and ".join(source.part_names[part] for part in np.unique(source.parts[mine]))
        group = names[code] if names else code
        raise DataError(f"{at}group '{group}' of data set '{source.name}' is in parts {where}")


def _rows_of(source: Loaded, name: str, where: str) -> Ints:
    assert source.parts is not None
    present = [source.part_names[code] for code in np.unique(source.parts).tolist()]
    if name not in present:
        known = ", ".join(present[:10])
        raise DataError(f"{where}data set '{source.name}' has no part '{name}'; it has: {known}")
    return np.flatnonzero(source.parts == source.part_names.index(name))
