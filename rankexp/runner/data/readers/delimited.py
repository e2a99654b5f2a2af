"""Read CSV and its kin: encoding, delimiter, header and number format are found out or given."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from rankexp.errors import DataError
from rankexp.runner.config.asking import message
from rankexp.runner.data.dataset import DataTable
from rankexp.runner.data.readers.cells import short
from rankexp.runner.data.readers.columns import LONGEST_CELL, Columns, ahead, cut
from rankexp.runner.data.readers.compressed import encoding_of, opened, pieces, unpacked
from rankexp.runner.data.readers.grid import FIRST, Grid, Row
from rankexp.runner.data.readers.numbers import DEFAULT, LIKE_A_NUMBER, TextRules
from rankexp.runner.data.reading import Layout

DELIMITERS = ("\t", ";", "|", ",")
SPACES = " "
_SAID = re.compile(r"sep=(.)\s*", re.IGNORECASE)  # a first line that tells Excel the delimiter
_MALFORMED = {  # by what Python's csv module says
    "field larger": f"a cell has more than {LONGEST_CELL:,} characters; is a quote left open?",
    "end of data": "a quoted value is never closed",
    "expected after": "text follows a closing quote; to have a quote inside a value, double it",
}
_NO_TABLES = {("{", "[{", "[[", '["'): "JSON", ("<!", "<html", "<?xml", "<table"): "HTML or XML"}


def read_delimited(path: Path, rules: TextRules = DEFAULT, test: Path | None = None) -> DataTable:
    """Return the table of a file of text with one row a line, plain or compressed.

    The delimiter is the one of tab, semicolon, bar and comma that cuts the most of the first rows
    alike; of several, the one that leaves the most numbers; white space where none does. Leading
    lines that begin with ``#`` are left out. The first row names the columns if none of its cells
    is a number or a mark of missing; otherwise they are ``column1``, ``column2``, ... A column
    that holds a text is nominal, its categories sorted. `test` is a second file of the same
    columns. A DataError names file and line, and where the text is in doubt, the option that
    settles it.
    """
    limit = csv.field_size_limit(LONGEST_CELL)  # of the process: other packages raise it
    try:
        grid, layout = _grid(path, rules)
        if test is not None:
            grid.append(_grid(test, rules)[0])
        return grid.read(layout)
    finally:
        csv.field_size_limit(limit)


def _grid(path: Path, rules: TextRules) -> tuple[Grid, Layout]:
    source = path if path.is_file() else unpacked(path)  # what is no file is read but once
    content = [source] if isinstance(source, bytes) else None
    encoding = encoding_of(path, lambda: content or pieces(path), rules.encoding)
    file = _Text(path, source, encoding)
    delimiter = rules.delimiter or file.declared or file.sniff()
    if rules.header is None:
        file.check_comment(delimiter)
    grid = Grid(str(path), lambda: file.rows(delimiter), rules, partial(file.cut, delimiter))
    if encoding == "cp1252" and rules.encoding is None:
        grid.notes.append(message("data.windows"))
    return grid, Layout("delimited text", encoding, delimiter)


def width_of(path: Path, head: bytes, delimiter: str | None = None) -> int:
    """Return how many columns most of the first rows have of a text that begins so."""
    file = _Text(path, head, "latin-1")
    rows = file.rows(delimiter or file.declared or file.sniff(), strict=False)
    return Counter(len(cells) for _, cells in islice(rows, FIRST)).most_common(1)[0][0]


class _Text:
    """A file of text, cut into rows as often as wanted."""

    def __init__(self, path: Path, source: Path | bytes, encoding: str) -> None:
        self.path, self._open = path, partial(opened, source, encoding)
        self.declared: str | None = None
        self._comment, self._before, start = "", 0, ""
        with self._open() as file:
            for line in file:
                if line.startswith("#"):
                    self._comment = line
                elif (said := _SAID.fullmatch(line)) and not self._before:
                    self.declared = said[1]
                elif line.strip():
                    start = line.lstrip()[:20]
                    break
                self._before += 1
        if re.match(r"\S+\s+qid:", start):
            raise DataError(message("data.letor", path=path))
        for starts, what in _NO_TABLES.items():
            if start.lower().startswith(starts):
                raise DataError(f"{path}: the file is {what}, not a table; save it as CSV")

    def rows(self, delimiter: str, *, strict: bool = True) -> Iterator[Row]:
        """Give line and cells of each row that is not blank, from the line of names on."""
        with self._open() as file:
            lines: Iterator[str] = islice(file, self._before, None)
            if delimiter == SPACES:
                lines = (" ".join(line.split()) + "\n" for line in lines)
            reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=strict)
            line = self._before + 1
            while True:
                try:
                    cells = next(reader, None)
                except csv.Error as error:
                    what = next((w for part, w in _MALFORMED.items() if part in str(error)), error)
                    raise DataError(f"{self.path}:{line}: {what}") from error
                if cells is None:
                    return
                if len(cells) > 1 or (cells and cells[0].strip().strip("\x1a")):
                    yield line, cells
                line = self._before + reader.line_num + 1

    def cut(self, mark: str, width: int, first: int, which: Sequence[int]) -> Iterator[Columns]:
        """Give some columns of the rows from a line on, quickly; `columns.cut` raises in doubt."""
        with self._open() as file:
            for _ in range(first - 1):
                file.readline()
            yield from ahead(cut(file, mark, width, which))

    def sniff(self) -> str:
        """Return the delimiter of the first rows; DataError where two do as well."""
        scores = {delimiter: self._score(delimiter) for delimiter in DELIMITERS}
        best = max(scores.values())
        found = [delimiter for delimiter, score in scores.items() if score == best]
        if best[0] < 0.5:
            return SPACES if self._score(SPACES) > best else ","
        if len(found) > 1:
            raise DataError(message("data.delimiter", path=self.path, found=[*map(repr, found)]))
        return found[0]

    def _score(self, delimiter: str) -> tuple[float, float]:
        """Return the shares of rows cut alike and of cells that are numbers."""
        try:
            rows = [cells for _, cells in islice(self.rows(delimiter, strict=False), FIRST)]
        except DataError:
            return 0.0, 0.0
        width, alike = Counter(map(len, rows)).most_common(1)[0] if rows else (0, 0)
        if width < 2:
            return 0.0, 0.0
        cells = [cell.strip() for row in rows for cell in row]
        numbers = sum(LIKE_A_NUMBER.fullmatch(cell) is not None for cell in cells)
        return alike / len(rows), numbers / len(cells)

    def check_comment(self, delimiter: str) -> None:
        """Hold that the last of the leading comments is no header."""
        one = csv.reader([self._comment[:9999]], delimiter=delimiter, skipinitialspace=True)
        row = next(self.rows(delimiter, strict=False), (0, []))[1]
        if len(next(one, [])) == len(row) > 1:
            said = short(self._comment.strip())
            raise DataError(message("data.comment", path=self.path, line=self._before, said=said))
