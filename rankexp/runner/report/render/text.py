"""What all renderers share: a cell as text, and which columns stand to the right."""

import math
from collections.abc import Callable, Mapping

from rankexp.charts.letters import one_line
from rankexp.charts.numbers import NOTHING, number, span
from rankexp.runner.report.model import Cell, Cells, Entry, Mark, Output, Said, Table, footnotes

Write = Callable[[str, str], str]  # a text and its link


def cell_text(
    entry: Entry, notes: Mapping[str, int] | None = None, write: Write = lambda text, _: text
) -> str:
    """Return what stands in one place of a table; `notes` numbers those that cells refer to."""
    if isinstance(entry, Cells):
        return entry.between.join(cell_text(part, notes, write) for part in entry.parts)
    if not isinstance(entry, Cell):
        return write(str(entry), "")
    text = _value(entry)
    if entry.mark:
        text += entry.mark.value if entry.mark is Mark.EDGE else f" {entry.mark.value}"
    behind = [f"({entry.remark})"] if entry.remark else []
    if entry.interval and entry.value is not None:
        behind.append(f"({_span(entry)})")
    behind += [f"[{notes[entry.note]}]"] if notes and entry.note else []
    return write(" ".join([text, *behind] if text else behind), entry.link)


def _value(cell: Cell) -> str:
    if isinstance(cell.value, str):
        return cell.value
    if cell.value is None:
        return _span(cell) if cell.interval else NOTHING
    if cell.value < cell.least / 2:
        return f"<{number(cell.least, cell.digits)}"
    text = number(cell.value, cell.digits, sign=cell.sign, tiny=cell.tiny)
    known = not (math.isnan(cell.error) or math.isnan(cell.value))
    return f"{text} ± {number(cell.error, cell.digits, tiny=cell.tiny)}" if known else text


def _span(cell: Cell) -> str:
    assert cell.interval is not None
    return span(*cell.interval, cell.digits, sign=cell.sign, tiny=cell.tiny)


def led(said: str | Said) -> tuple[str, str]:
    """Return the words that lead a paragraph, with their full stop, and the paragraph."""
    if isinstance(said, str):
        return "", one_line(said)
    label = one_line(said.label).rstrip()
    return label if label.endswith((".", "?", "!")) else f"{label}.", one_line(said.whole)


def rows(
    table: Table, notes: Mapping[str, int] | None = None, write: Write = lambda text, _: text
) -> list[list[str]]:
    """Return a table's cells as text."""
    return [[cell_text(entry, notes, write) for entry in row] for row in table.rows]


def all_notes(output: Output) -> list[str]:
    """Return a block's notes and, numbered behind them, those that its cells refer to."""
    numbered = (f"[{i}] {note}" for note, i in footnotes(output.tables).items())
    return [*output.texts, *numbered]
