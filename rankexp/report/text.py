"""Numbers as text, and tables as Markdown, LaTeX and plain text."""

import math
import re
from collections.abc import Sequence

from rankexp.report.output import Grid, Output

NOTHING = "–"
_TEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "≈": r"$\approx$",
    "≠": r"$\neq$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "−": r"$-$",
    "λ": r"$\lambda$",
    "∞": r"$\infty$",
    "–": "--",
    "—": "---",
}
_NUMERIC = re.compile(r"[-+±.\d\s/≈≠()e%–×]*")


def number(value: float, digits: int = 4, *, sign: bool = False) -> str:
    """Return a number as the papers print it: ``.0051``, ``-.0019``, ``∞``; NaN is a dash."""
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return "-∞" if value < 0 else "∞"
    text = f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"
    if float(text) == 0.0:
        text = text.lstrip("+-")
    return re.sub(r"^([+-]?)0\.", r"\1.", text)


def with_error(value: float, se: float, digits: int = 4, *, sign: bool = False) -> str:
    """Return ``.0052 ± .0002``; without the second where it is unknown."""
    text = number(value, digits, sign=sign)
    return text if math.isnan(se) or math.isnan(value) else f"{text} ± {number(se, digits)}"


def tex(text: str) -> str:
    """Escape text for LaTeX."""
    return "".join(_TEX.get(letter, letter) for letter in " ".join(text.splitlines()))


def markdown(text: str) -> str:
    """Escape what would break a table's row or be taken for markup or HTML."""
    escaped = re.sub(r"([\\|*_`<\[])", r"\\\1", text)
    return " ".join(escaped.splitlines())


def _right(grid: Grid) -> list[bool]:
    """Which columns hold numbers and stand to the right."""
    columns = zip(*grid.rows, strict=True) if grid.rows else [()] * len(grid.header)
    return [bool(c) and all(_NUMERIC.fullmatch(cell) for cell in c) for c in columns]


def markdown_grid(grid: Grid) -> str:
    """Return a table in Markdown, its caption above in bold."""
    rule = ["---:" if right else ":---" for right in _right(grid)]
    body = [grid.header, *grid.rows]
    lines = ["| " + " | ".join(map(markdown, row)) + " |" for row in body]
    lines.insert(1, "|" + "|".join(rule) + "|")
    caption = [f"**{markdown(grid.caption)}**", ""] if grid.caption else []
    return "\n".join([*caption, *lines])


def tex_grid(grid: Grid, remarks: Sequence[str] = ()) -> str:
    r"""Return a ``table`` environment that needs no package; remarks stand in its body."""
    columns = "".join("r" if right else "l" for right in _right(grid))
    rows = [" & ".join(map(tex, row)) + r" \\" for row in grid.rows]
    remarks = [rf"\multicolumn{{{len(columns)}}}{{l}}{{{tex(text)}}} \\" for text in remarks]
    lines = [
        r"\begin{table}",
        r"\centering",
        *([rf"\caption{{{tex(grid.caption)}}}"] if grid.caption else []),
        rf"\begin{{tabular}}{{{columns}}}",
        r"\hline",
        " & ".join(map(tex, grid.header)) + r" \\",
        r"\hline",
        *rows,
        r"\hline",
        *remarks,
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def plain_grid(grid: Grid) -> str:
    """Return a table in aligned plain text."""
    rows = [grid.header, *grid.rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(grid.header))]
    right = _right(grid)

    def line(row: Sequence[str]) -> str:
        cells = zip(row, widths, right, strict=True)
        return "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in cells).rstrip()

    lines = [line(grid.header), "-" * len(line(["-" * w for w in widths]))]
    return "\n".join([*([grid.caption] if grid.caption else []), *lines, *map(line, grid.rows)])


def markdown_output(output: Output) -> str:
    """Return all tables and notes of a block in Markdown."""
    parts = [f"**{markdown(text)}**" for text in output.incomplete]
    parts += [markdown(text) for text in output.lead]
    parts += [markdown_grid(grid) for grid in output.grids]
    parts += ["\n".join(f"- {markdown(note)}" for note in output.notes)] if output.notes else []
    return "\n\n".join(parts)


def tex_output(output: Output) -> str:
    """Return all tables of a block in LaTeX, the notes as text below."""
    parts = [rf"\noindent {tex(text)}\par" for text in output.lead]
    parts += [tex_grid(grid, output.incomplete) for grid in output.grids]
    parts += [rf"\noindent {tex(note)}\par" for note in output.notes]
    return "\n\n".join(parts)


def plain_output(output: Output) -> str:
    """Return a block's main tables and notes for the terminal."""
    parts = [*output.incomplete, *output.lead]
    parts += [plain_grid(grid) for grid in output.grids if not grid.detail]
    parts += ["\n".join(output.notes)] if output.notes else []
    return "\n\n".join(parts)
