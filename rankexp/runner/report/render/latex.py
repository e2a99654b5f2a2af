r"""LaTeX: a ``table`` environment a table, which needs no package."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from rankexp.charts.letters import one_line
from rankexp.runner.report.model import Output, Table, footnotes
from rankexp.runner.report.render.text import all_notes, led, rows

SUFFIX = "tex"
_SIGNS = str.maketrans(tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")))


def escape(text: str) -> str:
    """Escape text for LaTeX."""
    return one_line(text).translate(_SIGNS)


def _row(cells: Sequence[str]) -> str:
    r"""Return a row; an empty group keeps ``\\`` from taking a first ``[`` or ``*`` as its own."""
    line = " & ".join(map(escape, cells)) + r" \\"
    return "{}" + line if line.lstrip().startswith(("[", "*")) else line


def table(shown: Table, remarks: Sequence[str], notes: Mapping[str, int] | None = None) -> str:
    """Return a table; remarks stand in its body."""
    cells = rows(shown, notes)
    columns = "".join("r" if r else "l" for r in shown.right)
    lines = [
        r"\begin{table}",
        r"\centering",
        *([rf"\caption{{{escape(shown.title)}}}"] if shown.title else []),
        rf"\begin{{tabular}}{{{columns}}}",
        r"\hline",
        _row(shown.labels),
        r"\hline",
        *map(_row, cells),
        r"\hline",
        *(rf"\multicolumn{{{len(columns)}}}{{l}}{{{escape(text)}}} \\" for text in remarks),
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def render(output: Output) -> str | None:
    """Return a block's file, the notes as text below, or None where it has no table."""
    if not output.tables:
        return None
    numbered = footnotes(output.tables)
    parts = []
    for label, words in map(led, output.lead):
        bold = rf"\textbf{{{escape(label)}}} " if label else ""
        parts.append(rf"\noindent {bold}{escape(words)}\par")
    parts += [table(one, output.incomplete, numbered) for one in output.tables]
    parts += [rf"\noindent {escape(note)}\par" for note in all_notes(output)]
    return "\n\n".join(parts) + "\n"
