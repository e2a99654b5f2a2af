"""The numbers of a record that was read: of many records at once, in little memory.

Records of one method differ in their values only. What stands beside the values, a `Label` a
row, is kept once for all records that share it.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from sys import intern
from typing import Any, NamedTuple, overload


class Label(NamedTuple):
    """What a number is of."""

    part: str
    """``test``, ``train``, ``validation`` or ``inner`` (mean over the inner folds)."""
    grid: int
    """Index into the record's `grid`."""
    step: int | None
    """Round of an iterative method."""
    group: str | None
    """Query, level or parameter setting."""
    quantity: str
    """A metric's canonical name, or a fitted quantity such as ``objective``."""


class RecordRow(NamedTuple):
    """One number: a `Label` and its value."""

    part: str
    grid: int
    step: int | None
    group: str | None
    quantity: str
    value: float
    """NaN where it is undefined (one class in a fold)."""


class RecordRows(Sequence[RecordRow]):
    """A sequence of rows that keeps their values alone, and their labels with others' alike."""

    __slots__ = ("labels", "values")

    def __init__(
        self, rows: Iterable[tuple[str, int, int | None, str | None, str, float]]
    ) -> None:
        columns = list(zip(*rows, strict=True)) or [()] * 6
        self.values = array("d", columns.pop())
        # 1 and True are equal, and are told apart where records are checked.
        self.labels = _labels(*columns, *(tuple(map(type, column)) for column in columns[1:4]))

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, at: int) -> RecordRow: ...
    @overload
    def __getitem__(self, at: slice) -> list[RecordRow]: ...
    def __getitem__(self, at: int | slice) -> RecordRow | list[RecordRow]:
        if isinstance(at, slice):
            return list(map(_row, self.labels[at], self.values[at]))
        return _row(self.labels[at], self.values[at])

    def __iter__(self) -> Iterator[RecordRow]:
        return map(_row, self.labels, self.values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RecordRows | list):
            return NotImplemented
        theirs = other if isinstance(other, RecordRows) else RecordRows(other)
        return self.labels == theirs.labels and self.values.tobytes() == theirs.values.tobytes()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))


@lru_cache(maxsize=4096)
def _labels(*columns: tuple[Any, ...]) -> tuple[Label, ...]:
    part, grid, step, group, quantity = columns[:5]
    return tuple(map(Label, map(intern, part), grid, step, group, map(intern, quantity)))


def _row(label: Label, value: float) -> RecordRow:
    return RecordRow(*label, value)
