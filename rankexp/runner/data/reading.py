"""What was read of a table, for people: it enters no fingerprint and no key."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from shutil import get_terminal_size
from textwrap import TextWrapper
from typing import Any, Literal

from rankexp.charts.letters import one_line
from rankexp.runner.config.asking import messages

Role = Literal["feature", "target", "groups", "weights", "part", "time", "dropped", "left out"]
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Kind = Literal["numeric", "nominal", "date", "identifier", "text", "empty", "constant", "groups"]

MOST_NAMED = 100  # columns left out that a manifest names
FREQUENT = 5  # categories of a column that a reading names
EMPTY = "empty cells"  # what `Layout.marks` calls them
LEVELS = 30  # levels of a target that a reading names
WIDTH = 100  # columns of the text that `Reading.text` gives, where no terminal says how wide it is


@dataclass(frozen=True)
class Layout:
    """How a file was taken apart, as was found out or given; None where its format has no such."""

    format: str  # ``delimited text``, ``ARFF``, ``Parquet`` or ``Excel``
    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    header: bool | None = None
    marks: Mapping[str, int] = field(default_factory=dict)  # read as missing, in so many cells
    dates: tuple[str, ...] = ()  # columns of dates or times
    signed: tuple[str, ...] = ()  # columns of numbers that lost signs of per cent or currency
    labels: tuple[str, ...] = ()  # columns of queries or parts, which are never features
    unnamed: str = ""  # the first column if the file gives it no name, as an exported index
    empty_rows: int = 0  # left out
    notes: tuple[str, ...] = ()  # what the owner should know, a sentence each


@dataclass(frozen=True)
class Column:
    """A column as it was read, over the rows that are kept."""

    name: str
    kind: Kind
    role: Role  # ``dropped`` is what the entry drops, ``left out`` what the reading leaves out
    why: str = ""  # it is left out
    missing: int = 0
    categories: int = 0  # distinct texts; 0 where it holds numbers
    frequent: tuple[tuple[str, int], ...] = ()  # the most frequent categories and their rows
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, repr=False)
class Reading:
    """What was read of a table, and what was left out."""

    file: str  # its name without folder, or what another source calls the table
    layout: Layout
    rows: int  # that are kept
    without_target: int = 0  # rows left out because they have no target
    drawn_from: int = 0  # rows that these were drawn from; 0: all are there
    columns: tuple[Column, ...] = ()
    target: str | None = None
    levels: tuple[tuple[str, int], ...] = ()
    """Of the target, worst to best, with their rows; the raw values where no levels were given;
    empty for a continuous target."""
    width: int = 0  # columns after one-hot coding
    warnings: tuple[str, ...] = ()  # a sentence each
    parts: tuple[tuple[str, int], ...] = ()  # of the data, with their rows
    in_order: tuple[tuple[str, bool], ...] = ()  # columns that rows follow; is the lowest first?
    belonging: tuple[tuple[str, int, float], ...] = ()
    """Columns of which rows with equal values have similar targets: values and agreement."""
    totals: tuple[tuple[str, str], ...] = ()  # rows of sums, and of which columns, in words

    @property
    def left_out(self) -> dict[str, str]:
        """The columns that the reading left out, and why."""
        return {c.name: c.why for c in self.columns if c.role == "left out"}

    @property
    def size(self) -> int:
        """Bytes of the matrix of features after one-hot coding."""
        return 8 * self.rows * self.width

    def in_short(self) -> dict[str, Json]:
        """Return what a manifest keeps and a report shows, in JSON's types."""
        features = [c for c in self.columns if c.role == "feature"]
        kinds = Counter(column.kind for column in features)
        levels = " < ".join(f"{name} ({count:,})" for name, count in self.levels)
        return {
            "read": _described(self.layout),
            "features": ", ".join(f"{count:,} {kind}" for kind, count in kinds.items()),
            "columns_coded": self.width,
            "levels": [list(level) for level in self.levels],
            **({"parts": [list(part) for part in self.parts]} if self.parts else {}),
            "target": f"{self.target}: {levels or 'a number'}",
            "missing": sum(column.missing for column in features),
            "without_target": self.without_target,
            "left_out": dict(list(self.left_out.items())[:MOST_NAMED]),
            "warnings": list(self.warnings),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Reading":
        """Return what `dataclasses.asdict`, or JSON of it, holds."""
        plain = frozen(given)
        layout, columns = Layout(**plain.pop("layout")), plain.pop("columns")
        return cls(layout=layout, columns=tuple(Column(**column) for column in columns), **plain)

    def __repr__(self) -> str:
        return self.text()

    def text(self, most: int = 60) -> str:
        """Return a plain table, a line a column, at most `most` of them, those left out first."""
        width = terminal_width()
        known = {"described": _described(self.layout), "size": _bytes(self.size), "most": LEVELS}
        head = messages("reading", reading=self, counted=_shown, **known)
        shown = sorted(self.columns, key=lambda c: c.role != "left out")[:most]
        cells = [("column", "type", "role", "missing", "values")]
        cells += [(c.name, c.kind, c.role, f"{c.missing:,}", _values(c)) for c in shown]
        wide = [min(24, max(len(row[i]) for row in cells)) for i in range(4)]
        lines = [
            "  ".join(f"{_cut(row[i], wide[i]):<{wide[i]}}" for i in range(4)) + "  " + row[4]
            for row in cells
        ]
        if len(self.columns) > most:
            lines.append(f"and {len(self.columns) - most:,} more columns")
        notes = _wrapped((f"- {warning}" for warning in self.warnings), width)
        lines = [line.rstrip() for line in lines]
        lines = [line if len(line) <= width else line[: width - 3] + "..." for line in lines]
        parts = [_wrapped(head, width), lines, notes]
        return "\n\n".join("\n".join(part) for part in parts if part)


_SAID = {"\t": "tab", " ": "white space", ",": "comma", ".": "point", ";": "semicolon"}


def frozen(value: Any) -> Any:
    """Return JSON's lists as tuples."""
    if isinstance(value, Mapping):
        return {key: frozen(one) for key, one in value.items()}
    return tuple(map(frozen, value)) if isinstance(value, list | tuple) else value


def _described(layout: Layout) -> str:
    marks = ("encoding", "delimiter", "decimal", "thousands")
    said = {name: mark for name in marks if (mark := getattr(layout, name))}
    parts = [layout.format, *(f"{name} {_SAID.get(mark, mark)}" for name, mark in said.items())]
    if layout.header is not None:
        parts.append("with a header" if layout.header else "no header")
    return ", ".join(parts)


def _values(column: Column) -> str:
    if column.why:
        return column.why
    if column.low is not None:
        ends = (column.low, column.high or 0.0)
        return " to ".join(format(x, ",.0f" if 1e5 <= abs(x) < 1e15 else ",g") for x in ends)
    more = column.categories - len(column.frequent)
    return _shown(column.frequent) + (f", and {more:,} more" if more > 0 else "")


def _shown(counts: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{_cut(text, 20)} ({count:,})" for text, count in counts)


def _cut(text: str, most: int) -> str:
    text = " ".join("".join(c if c.isprintable() else "?" for c in text).split())
    return text if len(text) <= most else text[: most - 3] + "..."


def _bytes(size: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:,.3g} GB"


def _wrapped(sentences: Iterable[str], width: int) -> list[str]:
    lines = TextWrapper(width, subsequent_indent="  ", break_on_hyphens=False)
    return [line for text in sentences for line in lines.wrap(one_line(text))]


def terminal_width() -> int:
    """Return the columns of the terminal, or of COLUMNS; `WIDTH` where there is none."""
    return max(get_terminal_size((WIDTH, 24)).columns, 40)
