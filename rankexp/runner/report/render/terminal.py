"""Aligned plain text for the terminal: the main tables only."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest

from rankexp.charts.letters import one_line
from rankexp.runner.report.model import Output, Table, footnotes
from rankexp.runner.report.render.text import all_notes, led, rows

NARROWEST = 9  # columns of the terminal that a column of a table keeps


def wrapped(text: str, width: int) -> str:
    """Return a paragraph on lines of a width; words with hyphens stay whole."""
    return textwrap.fill(text, width, break_on_hyphens=False)


def table(shown: Table, notes: Mapping[str, int] | None = None, width: int | None = None) -> str:
    """Return a table, its caption above; with a width, long cells are wrapped to keep to it."""
    cells = [list(map(one_line, row)) for row in rows(shown, notes)]
    header = list(map(one_line, shown.labels))
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    while width and sum(widths) + 2 * (len(widths) - 1) > width and max(widths) > NARROWEST:
        widths[widths.index(max(widths))] -= 1

    def line(row: Sequence[str]) -> str:
        wrapped = [textwrap.wrap(c, w) or [""] for c, w in zip(row, widths, strict=True)]
        return "\n".join(map(one, zip_longest(*wrapped, fillvalue="")))

    def one(row: Sequence[str]) -> str:
        parts = zip(row, widths, shown.right, strict=True)
        return "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in parts).rstrip()

    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    caption = [one_line(shown.title)] if shown.title else []
    return "\n".join([*caption, line(header), rule, *map(line, cells)])


def render(output: Output, width: int | None = None) -> str:
    """Return a block's main tables and its notes; with a width, what is no table keeps to it."""

    def lines(texts: Iterable[str]) -> list[str]:
        return [wrapped(text, width) if width else text for text in texts]

    numbered = footnotes(output.tables)
    parts = lines(map(one_line, output.incomplete))
    parts += lines(" ".join(filter(None, led(said))) for said in output.lead)
    parts += [table(one, numbered, width) for one in output.tables if not one.detail]
    parts += ["\n".join(lines(map(one_line, all_notes(output))))]
    return "\n\n".join(part for part in parts if part)
