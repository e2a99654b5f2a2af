"""What is kept of one cell: long rows for every grid point, times, warnings, a status."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from rankexp.runner.grid import Point
from rankexp.runner.run.rows import Row, Rows

__all__ = ["Record", "Row", "Status"]

Status = Literal["ok", "failed", "timeout", "skipped"]


@dataclass(frozen=True)
class Record:
    """One cell's outcome."""

    key: str
    status: Status = "ok"
    reason: str | None = None
    """One line, where the status is not ok."""
    grid: tuple[Point, ...] = ()
    """As configured, before scaling."""
    rows: Sequence[Row] = field(default_factory=list)
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

    @property
    def warned(self) -> set[str]:
        """The categories of its warnings."""
        return {text.partition(":")[0] for text in self.warnings}

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
        rows = Rows((*place, _decoded(value)) for *place, value in data["rows"])
        curves = {
            name: {axis: [_decoded(v) for v in values] for axis, values in curve.items()}
            for name, curve in data["curves"].items()
        }
        grid = _grid(data["grid"])
        return cls(**(data | {"grid": grid, "rows": rows, "curves": curves}))


_grids: dict[str, tuple[Point, ...]] = {}


def _grid(data: list[dict[str, Any]]) -> tuple[Point, ...]:
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
