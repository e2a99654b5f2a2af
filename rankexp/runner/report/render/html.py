"""The page of a study: one file that holds all it shows, and loads nothing.

A template writes it, so that every text is escaped; what is markup already comes from charts.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from rankexp.charts.letters import one_line
from rankexp.charts.model import Chart, Drawing, Intervals
from rankexp.charts.web import web
from rankexp.runner.report.model import Cells, Entry, Output, Page, Section, Table, footnotes
from rankexp.runner.report.render.text import cell_text, led, to_the_right
from rankexp.runner.report.render.text import rows as texts

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

SALT = "rankexp"  # names within a picture are made of it, so that they are the same each time
LARGEST = 150_000  # bytes of a drawing; a larger one is left to its own files
MOST_ROWS = 400  # of a table; the rest is in its files
INK = {"#000000": "currentColor", "#ffffff": "var(--ground)"}


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("rankexp.runner.report.render", "page")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    made.filters |= {"line": one_line, "led": led}
    return made


class Piece(NamedTuple):
    """Text in a cell."""

    text: str
    link: str = ""
    note: int = 0  # number of the note that it refers to; 0 for none


@dataclass(frozen=True)
class PagePart:
    """A section as the template writes it."""

    name: str  # of its place on the page
    section: Section
    picture: "Markup | str" = ""
    numbers: dict[str, int] | None = None  # of the notes that cells refer to

    @property
    def output(self) -> Output:
        """What it shows."""
        return self.section.output

    @property
    def footnotes(self) -> list[str]:
        """Notes that cells refer to, in the order of their numbers."""
        return list(self.numbers or {})

    def rows(self, table: Table) -> list[list[list[Piece]]]:
        """Return the cells of a table, each in pieces."""
        shown = table.rows[:MOST_ROWS]
        return [[list(self._pieces(entry)) for entry in row] for row in shown]

    def _pieces(self, entry: Entry) -> Iterator[Piece]:
        """Yield what stands in a cell, with where it leads and the note that it refers to."""
        if isinstance(entry, Cells):
            for place, part in enumerate(entry.parts):
                yield from [Piece(entry.between)] * (place > 0)
                yield from self._pieces(part)
            return
        note = getattr(entry, "note", "")
        number = (self.numbers or {}).get(note, 0) if note else 0
        yield Piece(cell_text(entry), _link(entry), number)

    def right(self, table: Table) -> list[bool]:
        """Which columns stand to the right."""
        return to_the_right(len(table.columns), texts(table, self.numbers))

    def left_out(self, table: Table) -> int:
        """How many rows are in the files alone."""
        return max(len(table.rows) - MOST_ROWS, 0)


def page(shown: Page, run: Output) -> str:
    """Return the page of a study; `run` is all that is known of how it was run."""
    parts = [_part(one, i) for i, one in enumerate(shown.sections)]
    aside = [_part(one, i) for i, one in enumerate(shown.aside, len(parts))]
    whole = _part(Section("All of how it was run", "", run), len(parts) + len(aside))
    head = next((one for one in parts if one.section.role == "summary"), None)
    first = next((one for one in [*parts, *aside] if one.section.primary), None)
    pictured = (one for one in parts if one.picture and _intervals(one.output))
    template = _templates().get_template("page.html.jinja")
    return template.render(
        page=shown,
        head=head,
        first=first or next(pictured, None),
        parts=[one for one in parts if one is not head],
        aside=aside,
        whole=whole,
        style=_file("style.css"),
        script=_file("script.js"),
    )


def index(studies: Sequence[Mapping[str, Any]], chart: Chart | None, headline: str) -> str:
    """Return the page of all studies of a folder of results."""
    from markupsafe import Markup

    picture = Markup(web(chart)) if chart else ""
    given = {"style": _file("style.css"), "script": _file("script.js"), "picture": picture}
    template = _templates().get_template("index.html.jinja")
    return template.render(studies=studies, headline=headline, **given)


def _intervals(output: Output) -> bool:
    return isinstance(output.chart, Chart) and isinstance(output.chart.panels[0], Intervals)


@cache
def _file(name: str) -> "Markup":
    from markupsafe import Markup

    env = _templates()
    assert env.loader is not None
    return Markup(env.loader.get_source(env, name)[0])


def _part(section: Section, place: int) -> PagePart:
    stem = next((name.rpartition(".")[0] for name in section.files), f"part-{place}")
    output = section.output
    return PagePart(stem, section, _picture(output), footnotes(output.tables))


def _picture(output: Output) -> "Markup | str":
    from markupsafe import Markup

    if isinstance(output.chart, Drawing):
        return Markup(_drawing(output))
    return Markup(web(output.chart)) if output.chart else ""


def _drawing(output: Output) -> str:
    """Return a drawing as SVG in the page's own colours; nothing where it is too large."""
    import matplotlib as mpl

    buffer, figure = BytesIO(), output.figure
    assert figure is not None
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": SALT}):
        figure.savefig(buffer, format="svg", metadata={"Date": None}, transparent=True)
    made = buffer.getvalue().decode()
    if len(made) > LARGEST:
        return ""
    made = made[made.index("<svg") :]
    for own, theirs in INK.items():
        made = made.replace(own, theirs)
    width = re.search(r'width="([\d.]+)pt"', made)
    points = float(width[1]) if width else math.nan
    return f'<div class="drawing" style="max-width:{1.35 * points:.0f}px">{made}</div>'


def _link(entry: Entry) -> str:
    """Return where a cell leads: to the part of a page that shows what a file holds."""
    link = getattr(entry, "link", "")
    if not link.endswith(".md"):
        return link
    folder, _, name = link.rpartition("/")
    return f"{folder}/report.html#{name[:-3]}" if folder else f"#{name[:-3]}"
