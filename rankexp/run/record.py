"""What is kept of one cell: long rows for every grid point, times, warnings, a status."""

import math
from dataclasses import dataclass, field, fields
from sys import intern
from typing import Any, Literal, NamedTuple

from rankexp.grid import Point

Status = Literal["ok", "failed", "timeout", "skipped"]


class Row(NamedTuple):
    """One number."""

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
    value: float
    """NaN where it is undefined (one class in a fold)."""


@dataclass(frozen=True)
class Record:
    """One cell's outcome."""

    key: str
    status: Status = "ok"
    reason: str | None = None
    """One line, where the status is not ok."""
    grid: tuple[Point, ...] = ()
    """As configured, before scaling."""
    rows: list[Row] = field(default_factory=list)
    curves: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    """Name -> ``{"x": [...], "y": [...]}``."""
    texts: dict[str, str] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    """``Category: message``, each once; ``Category: message (3 times)``."""
    version: str = ""
    """Of the package that made it."""
    packages: dict[str, str] = field(default_factory=dict)
    """Versions that are in no key although numbers may depend on them: scikit-learn's, for
    methods from outside rankexp."""

    def to_json(self) -> dict[str, Any]:
        """Return plain types that JSON has: NaN as None, infinities as ``"inf"``, ``"-inf"``."""
        data = {f.name: getattr(self, f.name) for f in fields(self)}
        if not self.packages:
            del data["packages"]
        data["grid"] = [dict(point.values) for point in self.grid]
        data["rows"] = [(*row[:5], _encoded(row[5])) for row in self.rows]
        data["curves"] = {
            name: {axis: [_encoded(v) for v in values] for axis, values in curve.items()}
            for name, curve in self.curves.items()
        }
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Record":
        """Rebuild a record from what `to_json` gave."""
        rows = [
            Row(intern(part), grid, step, group, intern(quantity), _decoded(value))
            for part, grid, step, group, quantity, value in data["rows"]
        ]
        curves = {
            name: {axis: [_decoded(v) for v in values] for axis, values in curve.items()}
            for name, curve in data["curves"].items()
        }
        grid = tuple(Point.of(values) for values in data["grid"])
        return cls(**(data | {"grid": grid, "rows": rows, "curves": curves}))


def _encoded(value: float) -> float | str | None:
    if math.isfinite(value):
        return value
    return None if math.isnan(value) else str(value)


def _decoded(value: float | str | None) -> float:
    return math.nan if value is None else float(value)
