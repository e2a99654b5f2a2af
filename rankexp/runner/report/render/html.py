"""The page of a study: one file that holds all it shows, and loads nothing.

A template writes it, so that every text is escaped; what is markup already comes from charts.
"""

import math
import re
import tomllib
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankexp.charts.letters import one_line
from rankexp.charts.marks import words
from rankexp.charts.model import Chart, Drawing, Intervals
from rankexp.charts.web import points, web
from rankexp.charts.web.strip import over, strip
from rankexp.runner.report.model import (
    Card,
    Cell,
    Cells,
    Entry,
    Output,
    Page,
    Section,
    Table,
    footnotes,
)
from rankexp.runner.report.records import Data, as_data
from rankexp.runner.report.render.text import cell_text, led
from rankexp.runner.sentences import paragraphs

if TYPE_CHECKING:
    from jinja2 import Environment

SALT = "rankexp"  # names within a picture are made of it, so that they are the same each time
LARGEST = 150_000  # bytes of a drawing; a larger one is left to its own files
MOST_CELLS, MOST_POINTS = 5_000, 20_000  # of a table and of a chart; the rest is in files
LARGEST_PAGE = 1_500_000  # bytes; a larger one is written again with less of each table
ROWS = (400, 60, 8)  # of a table at most: at first, and where the page is too large
_KNOWN = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
SIGNS: dict[str, str] = _KNOWN["signs"]  # of verdicts: a page shows them by sign, word and colour
RANKED: list[str] = _KNOWN["ranked"]  # verdicts on sources, best first
WORDS: dict[str, str] = _KNOWN["words"]  # of verdicts that a page says in others than files
_NAMED = re.compile(r' id="(?![a-z][0-9a-f]{10}")[^"]*"')  # what nothing refers to
_BEGINNING = re.compile(r"\n\s*(?://[^\n]*)?")  # of a line of style or script; all its comment
FEW_LETTERS = 40  # of a sentence that has no line of its own
_SENTENCE = re.compile(r"(?<=[^.!?]{12}\.) (?=[A-Z])")  # one of a word is part of the next
INK = {"#000000": "currentColor", "#ffffff": "var(--ground)"}


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("rankexp.runner.report.render", "page")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    made.filters |= {"line": one_line, "led": led, "strip": strip, "sentences": sentences}
    made.policies |= {"json.dumps_kwargs": {"sort_keys": True, "separators": (",", ":")}}
    made.filters |= {"ordered": lambda verdicts: sorted(verdicts, key=RANKED.index)}
    return made


def sentences(text: str) -> list[str]:
    """Return a long paragraph in lines of a sentence; a short one stands with its neighbour.

    >>> sentences("No, never. " + "It changes by 5 % (95 % CI .1 to .2). A margin of .3 would do.")
    ['No, never. It changes by 5 % (95 % CI .1 to .2). A margin of .3 would do.']
    """
    found: list[str] = []
    for one in _SENTENCE.split(text):
        if found and (one.startswith("A margin") or len(found[-1]) < FEW_LETTERS):
            found[-1] += f" {one}"
        else:
            found.append(one)
    return found


class Piece(NamedTuple):
    """Text in a cell."""

    text: str
    link: str = ""
    note: int = 0  # number of the note that it refers to; 0 for none
    sign: str = ""  # of the verdict that it says


class PageCell(NamedTuple):
    """A cell as the template writes it."""

    pieces: list[Piece]
    verdict: str = ""
    sign: str = ""
    say: str = ""  # how it stands beside a published value, in words
    far: float = math.nan  # its difference in units of what passes
    strip: str = ""  # a picture of it over the range claimed
    below: str = ""  # what it says in full
    pooled: bool = False  # whether its row is of all the others


@dataclass(frozen=True)
class PagePart:
    """A section as the template writes it."""

    name: str  # of its place on the page
    section: Section
    picture: str = ""
    numbers: dict[str, int] = field(default_factory=dict)  # of the notes that cells refer to
    most: int = ROWS[0]  # rows of a table

    @property
    def output(self) -> Output:
        """What it shows."""
        return self.section.output

    def rows(self, table: Table) -> list[list[PageCell]]:
        """Return the cells of a table that the page shows."""
        shown = table.rows[: len(table.rows) - self.left_out(table)]
        of_one = any(table is one for one in self.output.unfolded.values())
        view = _ends(table.cells()) if of_one else []
        made = []
        for row in shown:
            name, entries = cell_text(row[0]), zip(table.labels, row, strict=True)
            cells = [self._cell(entry, f"{name}, {label}", view) for label, entry in entries]
            link = f"#{place}" if (place := self.unfolds(name)) else ""
            full = "" if table.detail else self.output.quoted.get(name, "")
            if link or full:
                cells[0] = PageCell([Piece(name, link)], below=full)
            made.append(cells)
        return made

    def unfolds(self, name: str) -> str:
        """Return where a row unfolds to all behind it; empty where it does not."""
        known = list(self.output.unfolded)
        return f"{self.name}-all-{known.index(name)}" if name in known else ""

    def _cell(self, entry: Entry, place: str, view: Sequence[float]) -> PageCell:
        pieces = list(self._pieces(entry))
        if isinstance(entry, Cell) and entry.pooled:
            return PageCell(pieces, pooled=True)
        if isinstance(entry, Cell) and entry.claimed and isinstance(entry.value, int | float):
            shown = over(entry.value, entry.interval, entry.claimed, view or _ends([entry]))
            return PageCell(pieces, strip=shown)
        parts = entry.parts if isinstance(entry, Cells) else [entry]
        cells = [part for part in parts if isinstance(part, Cell)]
        if verdict := next(filter(None, (own.judged for own in cells)), ""):
            return PageCell(pieces, WORDS.get(verdict, verdict), SIGNS[verdict])
        for own in cells:
            if (beside := own.beside) is not None:
                sign = SIGNS[beside.verdict]
                return PageCell(pieces, beside.verdict, sign, _told(own, place), _far(own))
        return PageCell(pieces)

    def _pieces(self, entry: Entry) -> Iterator[Piece]:
        """Yield what stands in a cell, with where it leads and the note that it refers to."""
        if isinstance(entry, Cells):
            for place, part in enumerate(entry.parts):
                yield from [Piece(entry.between)] * (place > 0)
                yield from self._pieces(part)
            return
        note = getattr(entry, "note", "")
        number = self.numbers.get(note, 0) if note else 0
        verdict = entry.judged if isinstance(entry, Cell) else ""
        yield Piece(cell_text(entry), _link(entry), number, SIGNS.get(verdict, ""))

    def left_out(self, table: Table) -> int:
        """How many rows are in the files alone."""
        most = min(self.most, max(MOST_CELLS // max(len(table.columns), 1), 1))
        return max(len(table.rows) - most, 0)


def _ends(cells: Iterable[Cell]) -> list[float]:
    """Return the numbers that pictures over claimed ranges must show."""
    ends = ((*(c.interval or ()), *c.claimed, c.value) for c in cells if c.claimed)
    known = chain.from_iterable(ends)
    return [end for end in known if isinstance(end, int | float) and math.isfinite(end)]


def _far(cell: Cell) -> float:
    """Return a difference in units of what passes; NaN where either is not known."""
    beside = cell.beside
    if beside is None or not isinstance(cell.value, float):
        return math.nan
    off = cell.value - beside.published
    beyond = math.copysign(math.inf, off) if off else 0.0
    return off / beside.tolerance if beside.tolerance else beyond


def _told(cell: Cell, place: str) -> str:
    """Return in words how a value compares to the published one, and why."""
    beside = cell.beside
    assert beside is not None
    known: dict[str, float | str] = {"place": place, "digits": cell.digits, "here": ""}
    if isinstance(cell.value, float):
        here = cell_text(Cell(cell.value, cell.error, digits=cell.digits))
        known |= {"here": here, "off": cell.value - beside.published}
    (said,) = paragraphs("beside", beside=beside, **known)
    return said.rstrip(". ") + "."


def page(shown: Page, run: Output) -> str:
    """Return the page of a study; `run` is all that is known of how it was run.

    One that would be too large has less of its tables, and no charts of what is set aside.
    """
    made = ""
    for most in ROWS:
        made = _page(shown, run, most)
        if len(made.encode(errors="replace")) <= LARGEST_PAGE:
            break
    return made


def _page(shown: Page, run: Output, most: int) -> str:
    parts = [_part(one, i, most) for i, one in enumerate(shown.sections)]
    short = most < ROWS[0]
    aside = [_part(one, i, most, bare=short) for i, one in enumerate(shown.aside, len(parts))]
    last = Section("All of how it was run", "", run)
    whole = _part(last, len(parts) + len(aside), most)
    head = next((one for one in parts if one.section.role == "summary"), None)
    first = next((one for one in [*parts, *aside] if one.section.primary), None)
    answers = head.output.rests_on if head else ()
    charts = [
        (one.name not in answers, not isinstance(chart.panels[0], Intervals), place)
        for place, one in enumerate([*parts, *aside])
        if isinstance(chart := one.output.chart, Chart)
        and one.picture
        and (place < len(parts) or one.name in answers)
    ]
    if not (first and first.picture) and charts:
        first = [*parts, *aside][min(charts)[-1]]
    template = _templates().get_template("page.html.jinja")
    return template.render(
        page=shown,
        head=head,
        first=first,
        parts=[one for one in parts if one is not head],
        aside=aside,
        whole=whole,
        most=most if short else 0,
        numbers=[] if short else _numbers([*parts, *aside]),
        **_own(),
    )


def _numbers(parts: Sequence[PagePart]) -> list[Data]:
    """Return the numbers of the tables that a page shows, part by part."""
    made: list[Data] = []
    for one in parts:
        tables: list[Data] = [as_data(each, one.left_out(each)) for each in one.output.tables]
        made += [{"title": one.section.title, "tables": tables}] if tables else []
    return made


def _own() -> dict[str, str]:
    """Return style and script of a page, and the digest by which a browser knows the script."""
    script = _file("script.js")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return {"style": _file("style.css"), "script": script, "digest": digest}


def index(studies: Sequence[Card], chart: Chart | None, headline: str) -> str:
    """Return the page of all studies of a folder of results."""
    picture = web(chart) if chart else ""
    template = _templates().get_template("index.html.jinja")
    return template.render(studies=studies, headline=headline, picture=picture, **_own())


@cache
def _file(name: str) -> str:
    file = Path(__file__).parent / "page" / name
    return _BEGINNING.sub("\n", file.read_text("utf-8"))


def _part(section: Section, place: int, most: int, *, bare: bool = False) -> PagePart:
    stem = next((name.rpartition(".")[0] for name in section.files), f"part-{place}")
    picture, chart = "", None if bare and not section.primary else section.output.chart
    if isinstance(chart, Drawing):
        picture = _drawing(section.output, section.title)
    elif chart and points(chart) <= MOST_POINTS:
        picture = web(chart)
    return PagePart(stem, section, picture, footnotes(section.output.tables), most)


def _drawing(output: Output, title: str) -> str:
    """Return a drawing as SVG in the page's own colours; nothing where it is too large."""
    import matplotlib as mpl

    buffer, figure = BytesIO(), output.figure
    assert figure is not None
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": SALT + title}):
        figure.savefig(buffer, format="svg", metadata={"Date": None}, transparent=True)
    made = buffer.getvalue().decode()
    if len(made) > LARGEST:
        return ""
    made = _NAMED.sub("", made[made.index("<svg") :])
    made = made.replace("<svg", f'<svg role="img" aria-label="{words(title)}"', 1)
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
