"""The numbers of a report's tables with what they are of, for programs that read its page."""

import math
from collections.abc import Iterator

from rankexp.runner.report.heads import METHOD, Head, Role
from rankexp.runner.report.model import Cell, Cells, Entry, Table
from rankexp.runner.report.render.text import cell_text

Data = str | float | list["Data"] | dict[str, "Data"]

__all__ = ["METHOD", "Cell", "as_data"]


def as_data(table: Table, left_out: int = 0) -> dict[str, Data]:
    """Return a table's columns, its texts, and its numbers as precise as they are known.

    What a number is of is said by the table, by its row's texts in columns such as "method", and
    by its column, where that "names" something. Where an entry holds several, each has its role.
    Its last rows may be left out.
    """
    columns: list[Data] = []
    for head, name, role in zip(table.columns, table.labels, table.roles, strict=True):
        unit, names = (head.unit, head.names) if isinstance(head, Head) else ("", None)
        columns.append({"label": name, "role": role, **_there(unit=unit, names=names)})
    shown = table.rows[: len(table.rows) - left_out]
    rows: list[Data] = [list(map(_entry, row)) for row in shown]
    of: Data = {str(role): text for role, text in table.of.items()}
    more = _there(of=of, left_out=left_out, better=table.better)
    return {"caption": table.caption, "columns": columns, "rows": rows, **more}


def _there(**given: Data | None) -> dict[str, Data]:
    return {name: value for name, value in given.items() if value}


def _entry(entry: Entry) -> Data:
    if isinstance(entry, int):
        return entry
    numbers = list(_numbers(entry))
    return numbers or cell_text(entry)


def _numbers(entry: Entry) -> Iterator[Data]:
    """Yield what is known of each number in an entry; a verdict is that of all of it."""
    cells = entry.parts if isinstance(entry, Cells) else [entry]
    found = [one for one in cells if isinstance(one, Cell)]
    beside = next((one.beside for one in found if one.beside), None)
    verdict = str(beside.verdict) if beside else next(filter(None, (c.judged for c in found)), "")
    for cell in found:
        low, high = cell.interval or (math.nan, math.nan)
        known = {"value": cell.value, "error": cell.error, "low": low, "high": high}
        known |= dict(zip(("from", "to"), cell.claimed or (), strict=False))
        own: dict[str, Data] = {
            name: number
            for name, number in known.items()
            if isinstance(number, int | float) and math.isfinite(number)
        }
        if not own:
            continue
        printed = beside and not cell.beside
        if beside:
            own["role"] = Role.PUBLISHED if printed else Role.REPRODUCED
        if verdict and not printed:
            own["verdict"] = verdict
        yield own
