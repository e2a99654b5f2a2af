"""What a report is made of, as data: cells, tables, what one block shows, and the page.

A block says what stands where, never how it is written: a renderer (`report.render`)
turns this into Markdown, LaTeX, CSV or text for the terminal.

>>> from rankexp.runner.report.render.text import cell_text
>>> cell_text(Cell(0.0052, error=0.0002, mark=Mark.NEAR))
'.0052 ± .0002 ≈'
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from rankexp.charts.model import Chart, Drawing
from rankexp.charts.paint import painted
from rankexp.runner.report.heads import Head, Role
from rankexp.statistics.claims import Standing
from rankexp.statistics.verdicts import Kind, Note, Reproduction, Verdict

if TYPE_CHECKING:
    import pandas as pd

    from rankexp.charts.frame import Figure


class Mark(Enum):
    """What a value is marked with: near the published one, apart, not told, at its grid's edge."""

    NEAR = "≈"
    APART = "≠"
    UNDECIDED = "?"
    EDGE = "*"


@dataclass(frozen=True)
class Beside:
    """The published value that a cell's own stands beside, and how the two compare."""

    published: float
    tolerance: float  # differences that pass as reproduced; NaN where the noise is not known
    verdict: Reproduction
    z: float = math.nan  # the difference in units of its noise
    splits: str = ""  # how many of them there are, of how many
    chosen: str = ""  # the grid point
    note: str = ""  # a reason or a conjecture


@dataclass(frozen=True)
class Cell:
    """A value and how it is printed. Plain texts and counts stand in a table without a cell."""

    value: float | str | None = None  # None, and NaN, for what there is not
    error: float = math.nan  # standard error; NaN where it is unknown
    interval: tuple[float, float] | None = None  # behind the value, or alone
    mark: Mark | None = None
    remark: str = ""  # a few words in parentheses
    note: str = ""  # a sentence below the table, which the cell refers to
    link: str = ""  # a file that it leads to, from the folder of the page
    digits: int = 4  # decimals
    sign: bool = False  # whether positive numbers have one, too
    least: float = -math.inf  # smaller values are printed as smaller than this: ``<.001``
    tiny: bool = False  # what would look like 0 is printed as a power of ten: ``3e-13``
    beside: Beside | None = None  # what it reproduces
    claimed: tuple[float, float] | None = None  # the range in which it should lie
    verdict: Verdict | Reproduction | Standing | None = None  # that its words say
    pooled: bool = False  # whether its row is of all the others

    @property
    def judged(self) -> str:
        """The verdict in it; empty where there is none."""
        own = self.value if isinstance(self.value, Standing | Reproduction) else self.verdict
        return str(own or "")


@dataclass(frozen=True)
class Cells:
    """Several values in one place of a table, such as published / reproduced."""

    parts: Sequence["Cell | str"]
    between: str = " / "


Entry = Cell | Cells | str | int


@dataclass(frozen=True)
class Table:
    """Columns and cells."""

    columns: Sequence[str | Head]
    rows: Sequence[Sequence[Entry]]  # each as long as the columns
    caption: str = ""
    detail: bool = False  # whether it stands in the block's own files only
    of: Mapping[Role, str] = field(default_factory=dict)  # what all of it is of
    better: str = ""  # ``lower`` or ``higher``, where one of them is

    @property
    def title(self) -> str:
        """The caption, and which values are better."""
        told = f"{self.better} is better" if self.better else ""
        return "; ".join(filter(None, (self.caption, told)))

    @property
    def labels(self) -> list[str]:
        """What stands above the columns."""
        return list(map(str, self.columns))

    @cached_property
    def roles(self) -> list[Role]:
        """What is in each column: said by its head, or by the kinds of its entries."""
        return [
            head.role if isinstance(head, Head) else _role([row[place] for row in self.rows])
            for place, head in enumerate(self.columns)
        ]

    @cached_property
    def right(self) -> list[bool]:
        """Which columns hold numbers and stand to the right."""
        return [role.right for role in self.roles]

    def cells(self) -> Iterator[Cell]:
        """Yield the cells that are more than a text or a count, row by row."""
        for entry in chain.from_iterable(self.rows):
            parts = entry.parts if isinstance(entry, Cells) else [entry]
            yield from (part for part in parts if isinstance(part, Cell))


def _role(entries: Sequence[Entry]) -> Role:
    """Return what entries are, by their kinds."""
    parts = chain.from_iterable(e.parts if isinstance(e, Cells) else [e] for e in entries)
    values = [own.value if isinstance(own, Cell) else own for own in parts]
    if values and all(isinstance(own, int) for own in values):
        return Role.COUNT
    texts = sum(isinstance(own, str) for own in values)
    return Role.VALUE if values and 2 * texts <= len(values) else Role.LABEL


@dataclass(frozen=True)
class Tally:
    """How much of a source is reproduced, in three pieces of a sentence, which may be empty."""

    found: str = ""  # ``9 of 27 published values``, of those that were run
    lacks: str = ""  # what of these is not reproduced
    left: str = ""  # what was not run: ``6 published values (vote and colic)``
    verdicts: Sequence[str] = ()  # each of them

    @property
    def gist(self) -> str:
        """The pieces as a sentence."""
        rest = {"not": self.lacks, "not run": self.left}
        parts = [self.found, *(f"{label}: {text}" for label, text in rest.items() if text)]
        text = "; ".join(filter(None, parts))
        return f"{text[:1].upper()}{text[1:]}."


@dataclass(frozen=True)
class Said:
    """A paragraph that a few words in bold lead."""

    label: str
    text: str
    word: str = ""  # the answer in a word or two, which the text goes on from
    open: bool = False  # whether this is no answer, or half of one
    tallies: Sequence[Tally] = ()  # what it counts

    @property
    def whole(self) -> str:
        """All of it."""
        return f"{self.word}. {self.text}" if self.word else self.text


@dataclass(frozen=True)
class Measured:
    """A difference as a number; it is a gain where it is better by its metric."""

    value: float
    low: float
    high: float
    margin: float  # NaN where none is declared
    higher: bool  # whether higher values of the metric are better
    over: str  # ``9 data sets``

    @property
    def gain(self) -> tuple[float, float, float]:
        """The gain with its interval: positive is better."""
        ends = (self.low, self.high) if self.higher else (-self.high, -self.low)
        return (self.value if self.higher else -self.value, *ends)


@dataclass(frozen=True)
class Fact:
    """A number that was found, in words with its interval, and the verdict on it."""

    verdict: str  # ``equivalent``, ``holds``, ...: by which a study draws its conclusion
    text: str
    experiments: Sequence[str] = ()  # that it is of; empty for all of its block
    turn: str = ""  # what would turn the verdict, a sentence without its full stop
    measured: Measured | None = None

    @property
    def known(self) -> bool:
        """Whether there is a number."""
        return bool(self.text) and self.verdict != "not run"


@dataclass(frozen=True)
class Output:
    """All that one block shows."""

    numbers: "pd.DataFrame | None" = None  # full precision, for the .csv
    tables: list[Table] = field(default_factory=list)
    chart: Chart | Drawing | None = None  # for .png, .pdf and the page
    notes: Sequence[Note | str] = field(default_factory=list)  # below; a plain one is of a method
    incomplete: list[str] = field(default_factory=list)  # why it failed, or what the run lacks
    failed: bool = False
    lead: Sequence[str | Said] = field(default_factory=list)  # paragraphs above the tables
    gist: str = ""  # all of it in a plain sentence with its numbers
    word: str = ""  # the answer in a word or two, where the paragraphs begin without it
    tally: Tally | None = None  # for the head of the page, as are
    facts: Mapping[str, Fact] = field(default_factory=dict)  # by what each is of
    gains: Mapping[str, Fact] = field(default_factory=dict)  # by label: for the index of studies
    rests_on: Sequence[str] = ()  # the blocks behind an answer, the first of them first
    units: "pd.DataFrame | None" = None  # a value a unit, where a chart shows them
    quoted: Mapping[str, str] = field(default_factory=dict)  # so are these, below the text
    unfolded: Mapping[str, Table] = field(default_factory=dict)  # on pages: by a row's first text

    @cached_property
    def figure(self) -> "Figure | None":
        """Its chart as it is on paper."""
        return painted(self.chart) if self.chart else None

    @property
    def texts(self) -> list[str]:
        """Its notes as sentences."""
        return list(map(str, self.notes))

    @property
    def warnings(self) -> list[str]:
        """Notes that reach the page whatever else does."""
        notes = (note for note in self.notes if isinstance(note, Note))
        return [note.text for note in notes if note.kind is Kind.WARNING]


@dataclass(frozen=True)
class Section:
    """A heading, the study's own words, what is shown, and the files that hold it."""

    title: str
    text: str
    output: Output
    files: Sequence[str] = ()
    role: str = ""  # the kind of its block
    primary: bool = False  # whether it decides the study's question


@dataclass(frozen=True)
class Page:
    """A whole report: what the study is, and its sections in order."""

    title: str
    source: str
    text: str
    incomplete: list[str]
    sections: list[Section]
    aside: Sequence[Section] = ()  # a line each
    quick: bool = False  # whether it is of a slice, whose numbers are no findings
    cite: str = ""  # BibTeX
    command: str = ""  # that repeats the run
    problems: Sequence[str] = ()  # what its data sets are called, which may be shown one by one


@dataclass(frozen=True)
class Card:
    """A study on the index."""

    folder: str
    title: str
    source: str
    quick: bool
    answer: str
    said: dict[str, str]  # the sentences of its head, by label
    incomplete: list[str]
    gains: dict[str, Fact]  # by label


def footnotes(tables: Iterable[Table]) -> dict[str, int]:
    """Return the number of each note that cells refer to, counted as they appear."""
    notes = dict.fromkeys(cell.note for table in tables for cell in table.cells() if cell.note)
    return {note: i for i, note in enumerate(notes, 1)}
