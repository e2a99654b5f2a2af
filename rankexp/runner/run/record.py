"""What is kept of one cell: long rows for every grid point, times, warnings, a status.

Records of one method differ in their values only. Of records that were read, what stands beside
the values, a `Label` a row, is kept once for all that share it.
"""

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from sys import intern
from typing import Any, Literal, NamedTuple, Self

from rankexp.runner.grid import Point

Status = Literal["ok", "failed", "timeout", "skipped"]
LIMIT = "limit"  # the text in a record of what took too long that has the seconds it was allowed


class Label(NamedTuple):
    """What a number is of."""

    part: str  # ``test``, ``train``, ``validation`` or ``inner`` (mean over the inner folds)
    grid: int  # index into the record's `grid`
    step: int | None  # round of an iterative method
    group: str | None  # query, level or parameter setting
    quantity: str  # a metric's canonical name, or a fitted quantity such as ``objective``


class RecordRow(NamedTuple):
    """One number: a `Label` and its value."""

    part: str
    grid: int
    step: int | None
    group: str | None
    quantity: str
    value: float  # NaN where it is undefined (one class in a fold)


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

    @classmethod
    def of(cls, labels: tuple[Label, ...], values: "array[float]") -> Self:
        """Return rows of labels that others have, too."""
        made = cls.__new__(cls)
        made.labels, made.values = labels, values
        return made

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, at: Any) -> Any:
        return list(self)[at]

    def __iter__(self) -> Iterator[RecordRow]:
        pairs = zip(self.labels, self.values, strict=True)
        return (RecordRow(*label, value) for label, value in pairs)

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


@dataclass(frozen=True, slots=True)
class Record:
    """One cell's outcome."""

    key: str
    status: Status = "ok"
    reason: str | None = None  # one line, where the status is not ok
    grid: tuple[Point, ...] = ()  # as configured, before scaling
    rows: Sequence[RecordRow] = field(default_factory=list)
    curves: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    """Name -> ``{"x": [...], "y": [...]}``."""
    texts: dict[str, str] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    """``Category: message``, each once; ``Category: message (3 times)``."""
    version: str = ""  # of the package that made it
    packages: dict[str, str] = field(default_factory=dict)
    """Versions that are in no key although numbers may depend on them: scikit-learn's, for
    methods from outside rankexp."""

    @property
    def seconds(self) -> float:
        """What fitting and scoring took; NaN where it is unknown."""
        return self.times.get("fit", math.nan) + self.times.get("score", 0.0)

    @property
    def limit(self) -> float:
        """The seconds allowed, where it took longer; no limit otherwise."""
        return float(self.texts.get(LIMIT, math.inf)) if self.status == "timeout" else math.inf

    @property
    def warned(self) -> dict[str, str]:
        """The first of its warnings of each category, by category."""
        pairs = [text.partition(": ")[::2] for text in reversed(self.warnings)]
        told = {own: text.replace("NaN", "undefined") for own, text in pairs}
        return {
            own: text.replace("u_pairs", "share of pairs in order") for own, text in told.items()
        }

    def to_json(self) -> dict[str, Any]:
        """Return plain types that JSON has: NaN as None, infinities as ``"inf"``, ``"-inf"``."""
        names = [f.name for f in fields(self) if f.name != "packages" or self.packages]
        return {name: getattr(self, name) for name in names} | {
            "grid": [dict(point.values) for point in self.grid],
            "rows": [(*row[:5], _encoded(row[5])) for row in self.rows],
            "curves": {
                name: {axis: [_encoded(v) for v in values] for axis, values in curve.items()}
                for name, curve in self.curves.items()
            },
        }

    @classmethod
    def from_json(
        cls,
        *,
        rows: Iterable[tuple[Any, ...]],
        curves: Mapping[str, Mapping[str, list[float | str | None]]],
        grid: list[dict[str, Any]],
        **others: Any,
    ) -> "Record":
        """Rebuild a record from what `to_json` gave."""
        found = RecordRows((*place, _decoded(value)) for *place, value in rows)
        known = {
            name: {axis: [_decoded(v) for v in values] for axis, values in curve.items()}
            for name, curve in curves.items()
        }
        return cls(grid=grid_of(grid), rows=found, curves=known, **others)


_grids: dict[str, tuple[Point, ...]] = {}


def grid_of(data: list[dict[str, Any]]) -> tuple[Point, ...]:
    """Return the points of a grid, which records of a method share; 1 and 1.0 differ in `repr`."""
    text = repr(data)
    if text not in _grids:
        _grids[text] = tuple(Point.of(values) for values in data)
    return _grids[text]


def _encoded(value: float) -> float | str | None:
    if math.isfinite(value):
        return value
    return None if math.isnan(value) else str(value)


def _decoded(value: float | str | None) -> float:
    return math.nan if value is None else float(value)
