"""A table of texts, row by row, made columns: names, then numbers, then whatever is left."""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from operator import itemgetter
from pathlib import Path

import numpy as np

from rankexp.errors import DataError
from rankexp.runner.data.dataset import Feature, Floats, Table
from rankexp.runner.data.levels import large
from rankexp.runner.data.readers.cells import Cells, Made, Maker, described, short
from rankexp.runner.data.readers.numbers import LIKE_A_NUMBER
from rankexp.runner.data.readers.rules import Rules
from rankexp.runner.data.readers.second import matched
from rankexp.runner.data.reading import Layout

CHUNK = 1_000_000
"""Cells that are converted at once."""
FIRST = 50
"""Rows that delimiter and header are found out from."""

ENOUGH = 10
"""Rows in which a text of a column without name is expected to occur again."""

_DECIMAL = re.compile(
    r"(?:^|,)[+-]?(?:0[0-9.]|\.|[0-9]{4,}\.|[0-9]{1,3}\.(?:[0-9]{3}\.)*+(?![0-9]{3}(?:,|$)))"
)
"""A number, among others with commas between, whose point cannot separate thousands."""
_PADDED = re.compile(r"(?:^|,)0[0-9]")

Row = tuple[int, list[str]]
"""Line in the file, from 1, and cells."""
Rows = Callable[[], Iterator[Row]]


class Grid:
    """One pass or more over the rows of a file.

    Parameters
    ----------
    path : str
    rows : callable
        Gives the rows anew, the line of names among them; none is without cells.
    rules : Rules
    """

    def __init__(self, path: str, rows: Rows, rules: Rules) -> None:
        self.path, self.rules, self._rows = path, rules, rows
        self.lines = array("q")
        first = list(islice(rows(), FIRST))
        if not first:
            raise DataError(f"{path}: the file is empty")
        self.width = Counter(len(cells) for _, cells in first).most_common(1)[0][0]
        self.header = self._has_header(first) if rules.header is None else rules.header
        self.names = self._names(first[0])
        numbers = {f"column{j}": name for j, name in enumerate(self.names, start=1)}
        also = {numbers[n] for n in rules.lenient if n in numbers and n not in self.names}
        self.rules = replace(rules, lenient=rules.lenient | also)
        self.unnamed = self.names[0] if self.header and not first[0][1][0].strip() else ""
        if self.names[0].startswith("Unnamed: 0"):  # exported twice
            self.unnamed = self.names[0]
        self.empty = 0
        self.notes: list[str] = []
        self._marks: dict[int, Counter[str]] = {}
        self._padded: dict[str, None] = {}
        self._points = False
        self._second: tuple[Grid, list[int]] | None = None

    def append(self, other: "Grid") -> None:
        """Take the rows of another file after these; its columns are matched by name.

        Raises
        ------
        DataError
            A column is in one file only, or one file alone has a line of names.
        """
        if self.header != other.header:
            has = "has a line of names" if other.header else "has no line of names"
            raise DataError(f"{other.path}: {has}, unlike {self.path}")
        self._second = other, matched(self.names, self.path, other.names, other.path)
        self.notes += [f"{Path(other.path).name}: {note}" for note in other.notes]

    def _has_header(self, first: Sequence[Row]) -> bool:
        """Tell whether the first row names columns: none of its cells is a number or missing.

        Raises
        ------
        DataError
            One cell is a number, and another seems to be a name: it stands above numbers, or no
            text of the row occurs below it.
        """
        line, cells = first[0][0], [cell.strip() for cell in first[0][1]]
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
            raise DataError(
                f"{self.path}:{line}: '{name}' looks like the name of a column, '{other}' beside "
                "it does not; say 'header: true' or 'header: false'"
            )
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
            raise DataError(
                f"{self.path}:{line}: column '{short(name)}' occurs twice in the header: rename "
                "one, or if this line is a row of data, say 'header: false'"
            )
        return names

    def _ragged(self, row: Row, *, first: bool = False) -> DataError:
        line, cells = row
        hint = ""
        if first and len(cells) == 1:
            hint = "; if it is a title, take it out"
        elif first and len(cells) == self.width - 1:
            hint = "; if the first column has no name, begin the line with its delimiter"
        return DataError(f"{self.path}:{line}: {len(cells)} values for {self.width} columns{hint}")

    def _data(self) -> Iterator[Row]:
        """Give the rows of data; those without any value are left out.

        Lines of a second file are below 0.
        """
        self.empty = 0
        for row in islice(self._rows(), self.header, None):
            if len(row[1]) != self.width:
                raise self._ragged(row)
            if any(row[1]):
                yield row
            else:
                self.empty += 1
        if self._second is not None:
            other, order = self._second
            for line, cells in other._data():
                yield -line, [cells[j] for j in order]
            self.empty += other.empty

    def read(self, kind: str, **how: str | None) -> Table:
        """Return the table; `how` goes into its layout."""
        values, texts, dotted = self._numbers()
        lines = np.frombuffer(self.lines, dtype=np.int64)
        first = None if self._second is None else int((lines > 0).sum())
        if self._second is not None and first in (0, len(lines)):
            raise DataError(f"{self._second[0].path if first else self.path}: no rows of data")
        maker = Maker(self.path, lines, self.rules, self._second and self._second[0].path)
        if self.rules.decimal == "," or self.rules.thousands == ".":
            texts |= dotted
        cells = self._cells(maker, texts)
        maker.settle(list(cells.values()))
        if maker.format.decimal != "." and (more := dotted - texts):
            cells |= self._cells(maker, more)
            maker.settle(list(cells.values()))
        made = {j: maker.make(column) for j, column in cells.items()}
        for j, column in made.items():
            values[:, j] = column.values
        columns = [made[j].feature if j in made else Feature(n) for j, n in enumerate(self.names)]
        layout = self._layout(kind, maker, made, how, bool(dotted - made.keys()))
        return Table(Path(self.path).name, tuple(columns), values, layout=layout, first=first)

    def _numbers(self) -> tuple[Floats, set[int], set[int]]:
        """Return the values, which columns hold texts, and which have a point somewhere."""
        parts: list[Floats] = []
        texts: set[int] = set()
        dotted: set[int] = set()
        rows = self._data()
        while chunk := list(islice(rows, max(1, CHUNK // self.width))):
            self.lines.extend(line for line, _ in chunk)
            part = np.full((len(chunk), self.width), np.nan)
            for j, column in enumerate(zip(*(cells for _, cells in chunk), strict=True)):
                if j in texts:
                    continue
                joined = ",".join(column)
                numbers = plain_numbers(column, joined, self.rules.marks(self.names[j]))
                if numbers is None:
                    texts.add(j)
                    continue
                part[:, j] = numbers
                if np.isnan(part[:, j]).any():
                    marks = self._marks.setdefault(j, Counter())
                    marks.update(cell for cell in column if cell in self.rules.missing)
                if "." in joined:
                    dotted.add(j)
                    self._points = self._points or _DECIMAL.search(joined) is not None
                if large(part[:, j]).any():
                    texts.add(j)  # for `Maker` to see which of them differ
                if "0" in joined and _PADDED.search(joined):
                    self._padded[self.names[j]] = None
            parts.append(part)
        if not parts:
            raise DataError(f"{self.path}: no rows of data")
        return np.concatenate(parts), texts, dotted - texts

    def _cells(self, maker: Maker, which: Collection[int]) -> dict[int, Cells]:
        """Return some columns as texts."""
        if not which:
            return {}
        wanted = sorted(which)
        pick = itemgetter(*wanted) if len(wanted) > 1 else lambda cells: (cells[wanted[0]],)
        known: list[dict[str, int]] = [{} for _ in wanted]
        codes = [array("q") for _ in wanted]
        rows = self._data()
        while chunk := [pick(cells) for _, cells in islice(rows, max(1, CHUNK // len(wanted)))]:
            for seen, found, column in zip(known, codes, zip(*chunk, strict=True), strict=True):
                found.extend([seen.setdefault(cell, len(seen)) for cell in column])
        return {
            j: maker.cells(self.names[j], seen, np.frombuffer(found, dtype=np.int64))
            for j, seen, found in zip(wanted, known, codes, strict=True)
        }

    def _layout(
        self,
        kind: str,
        maker: Maker,
        made: dict[int, Made],
        how: dict[str, str | None],
        dotted: bool,
    ) -> Layout:
        notes = [*self.notes, *maker.said()]
        if dotted and not self._points and self.rules.thousands is None:
            notes.append(
                "every number with a point has three digits after it; it was read as a decimal "
                "point, 'thousands: \".\"' reads it otherwise"
            )
        padded = [name for name in self._padded if name not in self.rules.lenient]
        if padded:
            notes.append(
                f"numbers with leading zeros were read as numbers: {', '.join(padded[:10])}; if "
                "they are codes, list the column in 'nominal'"
            )
        plain = (marks for j, marks in self._marks.items() if j not in made)
        return Layout(
            kind,
            **how,
            decimal=maker.format.decimal,
            thousands=maker.format.thousands,
            header=self.header,
            marks=described(sum(plain, maker.marks)),
            dates=tuple(column.feature.name for column in made.values() if column.date),
            labels=(),
            unnamed=self.unnamed,
            empty_rows=self.empty,
            notes=tuple(notes),
        )


def plain_numbers(
    column: Sequence[str], joined: str, missing: Collection[str]
) -> list[float] | None:
    """Return the numbers of a column that holds nothing else, quickly; None if it may not.

    `joined` are its texts together. Python also takes 1_000 and the digits of other scripts.
    """
    if "_" in joined or not joined.isascii():
        return None
    try:
        return [np.nan if cell in missing else float(cell) for cell in column]
    except ValueError:
        return None
