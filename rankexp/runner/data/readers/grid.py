"""A table of texts, row by row, made columns: names, then numbers, then whatever is left."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa

from rankexp.errors import DataError
from rankexp.runner.config.asking import message
from rankexp.runner.data.dataset import DataTable, Feature, Floats, Ints, large, matched
from rankexp.runner.data.readers.cells import Maker, TextColumn, described, short
from rankexp.runner.data.readers.columns import Coded, any_padded, joined, lengths, numbers
from rankexp.runner.data.readers.numbers import LIKE_A_NUMBER, TextRules
from rankexp.runner.data.reading import Layout

CHUNK = 1 << 17  # cells that are converted at once
FIRST = 50  # rows that delimiter and header are found out from

ENOUGH = 10  # rows in which a text of a column without name is expected to occur again

_DECIMAL = re.compile(  # a number, among others with commas between, whose point is decimal
    r"(?:^|,)[+-]?(?:0[0-9.]|\.|[0-9]{4,}\.|[0-9]{1,3}\.(?:[0-9]{3}\.)*+(?![0-9]{3}(?:,|$)))"
)

Row = tuple[int, list[str]]  # line in the file, from 1, and cells
Rows = Callable[[], Iterator[Row]]
Cut = Callable[[int, int, Sequence[int]], Iterator[list[pa.StringArray]]]  # width, line, columns
Piece = tuple[Ints, list[pa.StringArray]]  # lines of some rows, and columns


class Grid:
    """One pass or more over the rows of a file.

    `rows` gives them anew, the line of names among them, none without cells; `cut` gives columns
    of the rows from a line on, quickly, and raises ValueError in doubt.
    """

    def __init__(self, path: str, rows: Rows, rules: TextRules, cut: Cut | None = None) -> None:
        self.path, self.rules, self._rows, self._cut = path, rules, rows, cut
        first = list(islice(rows(), FIRST))
        if not first:
            raise DataError(f"{path}: the file is empty")
        self.width = Counter(len(cells) for _, cells in first).most_common(1)[0][0]
        self.header = self._has_header(first) if rules.header is None else rules.header
        self.names = self._names(first[0])
        self._start = first[self.header][0] if len(first) > self.header else 0
        numbers = {f"column{j}": name for j, name in enumerate(self.names, start=1)}
        also = {numbers[n] for n in rules.lenient if n in numbers and n not in self.names}
        self.rules = replace(rules, lenient=rules.lenient | also)
        twice = self.names[0].startswith("Unnamed: 0")  # exported so
        bare = twice or (self.header and not first[0][1][0].strip())
        self.unnamed = self.names[0] if bare else ""
        self.empty = 0
        self.notes: list[str] = []
        self._second: tuple[Grid, list[int]] | None = None

    def append(self, other: "Grid") -> None:
        """Take the rows of another file after these; its columns are matched by name."""
        if self.header != other.header:
            has = "has a header" if other.header else "has no header"
            raise DataError(f"{other.path}: {has}, unlike {self.path}")
        self._second = other, matched(self.names, self.path, other.names, other.path)
        self.notes += [f"{Path(other.path).name}: {note}" for note in other.notes]

    def _has_header(self, first: Sequence[Row]) -> bool:
        """Tell whether the first row names columns: none of its cells is a number or missing.

        DataError where one is a number, and another stands above numbers or occurs nowhere below.
        """
        at, cells = f"{self.path}:{first[0][0]}", [cell.strip() for cell in first[0][1]]
        if len(first) > 1 and sum(map(bool, cells)) == 1 < len(cells) - 1:
            bare = [c for c in first[1][1] if LIKE_A_NUMBER.fullmatch(c.strip())]
            if all(map(str.strip, first[1][1])) and not bare:
                raise DataError(message("data.one_filled", at=at, next=first[1][0]))
        marks = self.rules.missing - {""}
        number = [c in marks or LIKE_A_NUMBER.fullmatch(c) is not None for c in cells]
        if not any(number):
            return any(cells)
        rows = [[cell.strip() for cell in row] for _, row in first[1:] if len(row) == len(cells)]
        texts = [j for j, cell in enumerate(cells) if cell and not number[j] and rows]
        below = {j: {row[j] for row in rows} - marks - {""} for j in texts}
        strange = [j for j in texts if cells[j] not in below[j]]
        above = [j for j in strange if below[j] and all(map(LIKE_A_NUMBER.fullmatch, below[j]))]
        if above or (strange and strange == texts and len(rows) >= ENOUGH):
            name, other = short(cells[(above or strange)[0]]), short(cells[number.index(True)])
            raise DataError(message("data.like_a_name", at=at, name=name, other=other))
        return False

    def _names(self, first: Row) -> list[str]:
        line, cells = first
        numbered = [f"column{j}" for j in range(1, self.width + 1)]
        if len(cells) != self.width:
            raise self._ragged(first, first=True)
        if not self.header:
            return numbered
        names = [cell.strip() or number for cell, number in zip(cells, numbered, strict=True)]
        name, count = Counter(names).most_common(1)[0]
        if count > 1:
            known = {"path": self.path, "line": line, "spaces": cells.count(name) < count}
            raise DataError(message("data.named_twice", name=short(name), **known))
        return names

    def _ragged(self, row: Row, *, first: bool = False) -> DataError:
        return DataError(message("data.ragged", grid=self, row=row, first=first))

    def _data(self) -> Iterator[Row]:
        """Give the rows of data; those without any value are left out."""
        self.empty = 0
        for row in islice(self._rows(), self.header, None):
            if len(row[1]) != self.width:
                raise self._ragged(row)
            if any(row[1]):
                yield row
            else:
                self.empty += 1

    def _judged(self, which: Sequence[int]) -> Iterator[Piece]:
        """Give some columns of the rows of data, as Python's csv module cuts them."""
        rows = self._data()
        while chunk := list(islice(rows, max(1, CHUNK // len(which)))):
            try:
                columns = [pa.array([cells[j] for _, cells in chunk], pa.string()) for j in which]
            except UnicodeEncodeError as error:
                text = f"holds half of a character: {error}"
                raise DataError(f"{self.path}:{chunk[0][0]}: {text}") from error
            yield np.array([line for line, _ in chunk]), columns

    def _quickly(self, which: Sequence[int]) -> Iterator[Piece]:
        """Give the same without their lines; ValueError where that is in doubt."""
        if self._cut is None or not self._start:
            raise ValueError
        asked = range(self.width) if self.empty else which
        self.empty = 0
        for found in self._cut(self.width, self._start, asked):
            columns = found
            if len(asked) == self.width:
                full = np.zeros(len(found[0]), dtype=bool)
                for column in found:
                    if full.all():
                        break
                    full |= lengths(column) > 0
                if not full.all():
                    self.empty += int((~full).sum())
                    columns = [column.filter(pa.array(full)) for column in found]
            if len(asked) > len(which):
                columns = [columns[j] for j in which]
            yield np.ones(len(columns[0]), dtype=np.int64), columns

    def _pieces(self, which: Sequence[int], *, quick: bool) -> Iterator[Piece]:
        """Give some columns of all rows, many at a time; lines of a second file are below 0."""
        yield from (self._quickly if quick else self._judged)(which)
        if self._second is not None:
            other, order = self._second
            wanted = [order[j] for j in which]
            for lines, columns in (other._quickly if quick else other._judged)(wanted):
                yield -lines, columns

    def read(self, layout: Layout) -> DataTable:
        """Return the table: read quickly, and if in doubt again, with the lines of its rows."""
        with suppress(DataError, ValueError):
            return self._read(layout, quick=True)
        return self._read(layout, quick=False)

    def _read(self, layout: Layout, *, quick: bool) -> DataTable:
        scan = self._scan(quick=quick)
        lines = np.concatenate(scan.lines)
        first = None if self._second is None else int((lines > 0).sum())
        if self._second is not None and first in (0, len(lines)):
            raise DataError(f"{self._second[0].path if first else self.path}: no rows of data")
        maker = Maker(self.path, lines, self.rules, self._second and self._second[0].path)
        texts = scan.texts | scan.large
        if self.rules.decimal == "," or self.rules.thousands == ".":
            texts |= scan.dotted
        found = self._texts(scan, maker, texts, quick=quick)
        maker.settle(list(found.values()))
        if maker.format.decimal != "." and (more := scan.dotted - texts):
            found |= self._texts(scan, maker, more, quick=quick)
            maker.settle(list(found.values()))
        columns = [Feature(name) for name in self.names]
        for j, column in found.items():
            columns[j], scan.values[:, j] = maker.make(column)
        layout = self._layout(layout, maker, scan, set(found))
        return DataTable(Path(self.path).name, tuple(columns), scan.values, {}, layout, first)

    def _scan(self, *, quick: bool) -> "_Scan":
        scan = _Scan(np.empty((0, self.width)))
        for lines, columns in self._pieces(range(self.width), quick=quick):
            begin = len(scan.values)
            scan.lines.append(lines)
            scan.values.resize((begin + len(lines), self.width), refcheck=False)  # no copy
            for j, column in enumerate(columns):
                if j in scan.coded:
                    scan.coded[j].add(column)
                elif j not in scan.texts:
                    scan.take(j, column, self.rules.marks(self.names[j]), begin)
        if not scan.lines:
            raise DataError(f"{self.path}: no rows of data")
        pa.default_memory_pool().release_unused()
        return scan

    def _texts(
        self, scan: "_Scan", maker: Maker, which: Collection[int], *, quick: bool
    ) -> dict[int, TextColumn]:
        coded = {j: scan.coded.get(j, Coded()) for j in sorted(which)}
        if again := [j for j in coded if j not in scan.coded]:
            for _, columns in self._pieces(again, quick=quick):
                for j, column in zip(again, columns, strict=True):
                    coded[j].add(column)
        return {j: maker.cells(self.names[j], one.known, one.codes()) for j, one in coded.items()}

    def _layout(self, layout: Layout, maker: Maker, scan: "_Scan", texts: set[int]) -> Layout:
        notes = [*self.notes, *maker.said()]
        if scan.dotted - texts and not scan.points - scan.texts and self.rules.thousands is None:
            notes.append(message("data.points"))
        padded = [self.names[j] for j in sorted(scan.padded - scan.texts)]
        if padded := [name for name in padded if name not in self.rules.lenient]:
            notes.append(message("data.padded", names=padded[:10]))
        plain = (marks for j, marks in scan.marks.items() if j not in texts)
        empty = self.empty + (self._second[0].empty if self._second else 0)
        form, dates, signed = maker.format, tuple(maker.dates), tuple(maker.signed)
        made = replace(layout, decimal=form.decimal, thousands=form.thousands, header=self.header)
        made = replace(made, dates=dates, signed=signed, unnamed=self.unnamed, empty_rows=empty)
        return replace(made, marks=described(sum(plain, maker.marks)), notes=tuple(notes))


@dataclass
class _Scan:
    """What is found in one pass over all rows: values, and columns, by what they have."""

    values: Floats
    lines: list[Ints] = field(default_factory=list)
    texts: set[int] = field(default_factory=set)
    large: set[int] = field(default_factory=set)  # numbers that may be rounded
    dotted: set[int] = field(default_factory=set)
    points: set[int] = field(default_factory=set)  # one that separates no thousands
    padded: set[int] = field(default_factory=set)  # a zero that leads
    marks: dict[int, Counter[str]] = field(default_factory=dict)
    coded: dict[int, Coded] = field(default_factory=dict)  # texts from the first row on

    def take(self, j: int, column: pa.StringArray, missing: Collection[str], begin: int) -> None:
        """Take a piece of a column that has held only numbers so far."""
        found, marks = numbers(column, missing)
        if found is None:
            self.texts.add(j)
            if not begin:
                self.coded[j] = Coded()
                self.coded[j].add(column)
            return
        self.values[begin:, j] = found
        self.marks.setdefault(j, Counter()).update(marks)
        if b"." in joined(column):
            self.dotted.add(j)
            if j not in self.points and _DECIMAL.search(",".join(column.to_pylist())):
                self.points.add(j)
        if large(found).any():
            self.large.add(j)  # for `Maker` to see which of them differ
        if j not in self.padded and any_padded(column):
            self.padded.add(j)
