"""HTML for a notebook, in the colours that the page around it has: everything is escaped."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from rankexp.runner.report.model import Output, Table, footnotes
from rankexp.runner.report.render.text import all_notes, led, one_line, rows, to_the_right

SHORT = 24  # characters: fewer are kept on one line
STYLE = """\
<style>
.rankexp {max-width: 60em; line-height: 1.45; text-align: left}
.rankexp p {margin: .5em 0}
.rankexp .scroll {overflow-x: auto}
.rankexp table {border-collapse: collapse; margin: .6em 0; font-size: .95em}
.rankexp caption {text-align: left; opacity: .75; padding-bottom: .2em}
.rankexp th, .rankexp td {padding: .2em .7em; text-align: left; vertical-align: top; border: 0;
  border-bottom: 1px solid rgba(128, 128, 128, .35)}
.rankexp .number {text-align: right; font-variant-numeric: tabular-nums}
.rankexp .number, .rankexp .short {white-space: nowrap}
.rankexp img {max-width: 100%; background: white}
.rankexp .notes {opacity: .75; font-size: .9em}
.rankexp summary {cursor: pointer}
.rankexp pre {overflow-x: auto; font-size: .9em}
</style>
"""


def table(shown: Table, notes: Mapping[str, int] | None = None) -> str:
    """Return a table, its caption above; it is scrolled where the page is narrow."""
    cells = rows(shown, notes)
    right = to_the_right(len(shown.columns), cells)
    caption = f"<caption>{text(shown.caption)}</caption>" if shown.caption else ""
    head = _row("th", shown.columns, right)
    body = "\n".join(_row("td", row, right) for row in cells)
    inside = f"{caption}<thead>{head}</thead><tbody>{body}</tbody>"
    return f'<div class="scroll"><table>{inside}</table></div>'


def _row(tag: str, cells: Sequence[str], right: Sequence[bool]) -> str:
    kinds = (
        "number" if r else "short" * (len(c) < SHORT) for c, r in zip(cells, right, strict=True)
    )
    made = (f'<{tag} class="{k}">{text(c)}</{tag}>' for c, k in zip(cells, kinds, strict=True))
    return f"<tr>{''.join(made)}</tr>"


def text(plain: str) -> str:
    """Return a text, escaped, on one line."""
    return escape(one_line(plain))


def sentences(texts: Iterable[str], kind: str = "") -> str:
    """Return a paragraph a text."""
    start = f'<p class="{kind}">' if kind else "<p>"
    return "\n".join(f"{start}{text(one)}</p>" for one in texts)


def folded(title: str, inside: str) -> str:
    """Return what is hidden until its title is clicked."""
    return f"<details><summary>{text(title)}</summary>{inside}</details>" if inside else ""


def lines(plain: str) -> str:
    """Return lines as they stand, escaped."""
    return f"<pre>{escape(plain)}</pre>" if plain else ""


def picture(png: bytes, told: str) -> str:
    """Return a picture that needs no file; `told` is read where it is not seen."""
    data = b64encode(png).decode()
    return f'<img alt="{text(told)}" src="data:image/png;base64,{data}">'


def body(output: Output) -> str:
    """Return a block's paragraphs, tables and notes; the first paragraph is the answer."""
    numbered = footnotes(output.tables)
    told = [" ".join(filter(None, led(said))) for said in output.lead]
    parts = [f"<p><strong>{text(one)}</strong></p>" for one in output.incomplete]
    parts += [sentences(told), *(table(one, numbered) for one in output.tables if not one.detail)]
    return "\n".join([*parts, sentences(all_notes(output), "notes")])


def whole(parts: Iterable[str]) -> str:
    """Return what a notebook shows."""
    return "\n".join([f'{STYLE}<div class="rankexp">', *filter(None, parts), "</div>"])
