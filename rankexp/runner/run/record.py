"""What is kept of one cell: long rows for every grid point, times, warnings, a status."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from rankexp.runner.grid import Point
from rankexp.runner.run.rows import RecordRow, RecordRows

__all__ = ["Record", "RecordRow", "Status"]

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
    rows: Sequence[RecordRow] = field(default_factory=list)
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
    def fit_seconds(self) -> float:
        """What fitting took; NaN where it is unknown."""
        return self.times.get("fit", math.nan)

    @property
    def seconds(self) -> float:
        """What fitting and scoring took; NaN where it is unknown."""
        return self.fit_seconds + self.times.get("score", 0.0)

    @property
    def warned(self) -> set[str]:
        """The categories of its warnings."""
        return {text.partition(":")[0] for text in self.warnings}

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
    def from_json(cls, data: dict[str, Any]) -> "Record":
        """Rebuild a record from what `to_json` gave."""
        return cls._from_parts(**data)

    @classmethod
    def _from_parts(
        cls,
        *,
        rows: Iterable[tuple[Any, ...]],
        curves: Mapping[str, Mapping[str, list[float | str | None]]],
        grid: list[dict[str, Any]],
        **others: Any,
    ) -> "Record":
        found = RecordRows((*place, _decoded(value)) for *place, value in rows)
        known = {
            name: {axis: [_decoded(v) for v in values] for axis, values in curve.items()}
            for name, curve in curves.items()
        }
        return cls(grid=_grid(grid), rows=found, curves=known, **others)


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
