"""Read ARFF, as Weka and OpenML write it; errors name file and line, as no other reader's do."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

from rankexp.errors import DataError
from rankexp.registry import did_you_mean
from rankexp.runner.config.asking import message
from rankexp.runner.data.dataset import DataTable, Feature, Floats
from rankexp.runner.data.readers.cells import described, short
from rankexp.runner.data.readers.columns import plain_numbers
from rankexp.runner.data.readers.compressed import encoding_of, lines, pieces
from rankexp.runner.data.readers.grid import CHUNK
from rankexp.runner.data.reading import Layout

NUMERIC = {"numeric", "real", "integer"}
TEXT = {"string", "date"}
ASIDE = {"@relation", "@inputs", "@outputs", "@input", "@output"}
"""Lines of a head that say nothing of the table; all but the first are KEEL's."""
Row = tuple[int, list[str | None]]  # line and cells; None is an unquoted question mark

# Possessive (*+, ++): what matched is not tried otherwise, so time grows with the length alone.
_QUOTED = r"'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\""
_TOKEN = re.compile(rf"\s*+(?:({_QUOTED})\s*+|([^,'\"]*+))(,|$)")
_ATTRIBUTE = re.compile(rf"@attribute\s++({_QUOTED}|(?!['\"])[^\s{{]++)\s*+(.*+)", re.IGNORECASE)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


def read_arff(
    path: Path, missing: Collection[str] = ("",), encoding: str | None = None
) -> DataTable:
    """Return the table of an ARFF file; the texts in `missing` are missing, as a bare ``?`` is."""
    found = encoding_of(path, lambda: pieces(path), encoding)
    reader = _Reader(path, missing)
    rows = lines(path, found)
    reader.read_head(rows)
    table = reader.read_body(rows)
    layout = Layout("ARFF", encoding=found, dates=reader.dates, marks=described(reader.marks))
    return replace(table, layout=layout)


class _Reader:
    """One pass over a file: declarations, then rows, a chunk at a time."""

    def __init__(self, path: Path, missing: Collection[str]) -> None:
        self.path = path
        self.missing: frozenset[str | None] = frozenset({None, *missing})
        self.marks: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, tuple[str, ...]]] = []
        self.dates: tuple[str, ...] = ()
        self.codes: dict[int, dict[str, int]] = {}  # of texts, by the place of their column
        self._known: set[str] = set()

    def fail(self, line: int, what: str) -> DataError:
        return DataError(f"{self.path}:{line}: {what}")

    def read_head(self, rows: Iterator[tuple[int, str]]) -> None:
        line = 0
        for line, text in rows:
            word = text.split(maxsplit=1)[0].lower()
            if word == "@data":
                if not self.attributes:
                    raise self.fail(line, "@data before any @attribute")
                return
            if word == "@attribute":
                self.attributes.append(self._attribute(line, text))
            elif not text.startswith("%") and word not in ASIDE:
                raise self.fail(line, f"expected @attribute or @data, found {text[:60]!r}")
        raise self.fail(line, "there is no @data line; is this an ARFF file?")

    def _attribute(self, line: int, text: str) -> tuple[str, str, tuple[str, ...]]:
        match = _ATTRIBUTE.fullmatch(text)
        if match is None:
            raise self.fail(line, f"cannot parse the declaration {text[:60]!r}")
        name, kind = _bare(match[1]), match[2].strip()
        if name in self._known:
            raise self.fail(line, f"attribute '{name}' is declared twice")
        self._known.add(name)
        if kind.startswith("{"):
            given = self.tokens(line, kind[1:-1]) if kind.endswith("}") else []
            values = ["?" if value is None else value for value in given]
            if not values or len(set(values)) < len(values):
                raise self.fail(line, f"attribute '{name}' needs distinct values in braces")
            return name, "nominal", tuple(values)
        word = (kind.split("[")[0].split() or [""])[0].lower()
        if word == "date":
            self.dates += (name,)
        if word not in NUMERIC | TEXT:
            raise self.fail(line, message("data.type", name=name, kind=repr(kind)))
        return name, "numeric" if word in NUMERIC else "text", ()

    def tokens(self, line: int, text: str) -> list[str | None]:
        """Return the comma-separated values of a text, without quotes; None is missing."""
        if "'" not in text and '"' not in text:
            bare: list[str | None] = [token.strip() for token in text.split(",")]
            return [None if token == "?" else token for token in bare] if "?" in text else bare
        found: list[str | None] = []
        at, comma = 0, ","
        while comma:
            match = _TOKEN.match(text, at)
            if match is None:
                raise self.fail(line, message("data.quote", text=repr(text[at:][:40])))
            quoted, token = match[1], (match[2] or "").strip()
            found.append(_bare(quoted) if quoted else None if token == "?" else token)
            at, comma = match.end(), match[3]
        return found

    def read_body(self, rows: Iterator[tuple[int, str]]) -> DataTable:
        parts: list[Floats] = []
        for j, (_, kind, declared) in enumerate(self.attributes):
            if kind != "numeric":
                self.codes[j] = {value: code for code, value in enumerate(declared)}
        data = (row for row in rows if not row[1].startswith("%"))
        size = max(1, CHUNK // len(self.attributes))
        while chunk := [self._row(line, text) for line, text in islice(data, size)]:
            parts.append(self._chunk(chunk))
        if not parts:
            raise DataError(f"{self.path}: there are no rows after @data")
        values = np.concatenate(parts)
        columns = [Feature(name) for name, _, _ in self.attributes]
        for j, codes in self.codes.items():
            name, _, declared = self.attributes[j]
            columns[j] = Feature(name, "nominal", declared or _sort_codes(values[:, j], codes))
        return DataTable(self.path.name, tuple(columns), values)

    def _row(self, line: int, text: str) -> Row:
        if text.startswith("{"):
            raise self.fail(line, "sparse rows are not supported; write out every value")
        row = self.tokens(line, text)
        if len(row) != len(self.attributes):
            raise self.fail(line, f"{len(row)} values for {len(self.attributes)} attributes")
        return line, row

    def _chunk(self, rows: Sequence[Row]) -> Floats:
        values = np.full((len(rows), len(self.attributes)), np.nan)
        for j, cells in enumerate(zip(*[row for _, row in rows], strict=True)):
            known = [i for i, cell in enumerate(cells) if cell not in self.missing]
            if len(known) < len(cells):
                marks = (cell for cell in cells if cell in self.missing)
                self.marks.update("?" if mark is None else mark for mark in marks)
            numbers = self._codes([cells[i] for i in known], j)
            if numbers is None:
                raise self._bad_cell(rows, j)
            values[known, j] = numbers
        return values

    def _codes(self, cells: Sequence[str], j: int) -> Sequence[float] | None:
        if (kind := self.attributes[j][1]) == "numeric":
            return plain_numbers(cells)
        if kind == "text":
            for cell in cells:
                self.codes[j].setdefault(cell, len(self.codes[j]))
        try:
            return [self.codes[j][cell] for cell in cells]
        except KeyError:
            return None

    def _bad_cell(self, rows: Sequence[Row], j: int) -> DataError:
        name, _, declared = self.attributes[j]
        for line, row in rows:
            if (cell := row[j]) is None or cell in self.missing:
                continue
            if declared and cell not in declared:
                text = f"is not a declared value of '{name}'{did_you_mean(cell, declared)}"
                return self.fail(line, f"'{short(cell)}' {text}")
            if not declared and plain_numbers([cell]) is None:
                return self.fail(line, f"'{short(cell)}' is not a number, but '{name}' is numeric")
        raise AssertionError("a cell failed to convert and then did not")


def _bare(token: str) -> str:
    if token[:1] in ("'", '"') and len(token) > 1:
        return re.sub(r"\\(.)", lambda m: _ESCAPED.get(m[1], m[1]), token[1:-1])
    return token


def _sort_codes(column: Floats, codes: dict[str, int]) -> tuple[str, ...]:
    """Recode a text column, in place, so that its codes follow the sorted texts; return these."""
    known = ~np.isnan(column)
    listed = np.array(list(codes), dtype=object)
    texts, column[known] = np.unique(listed[column[known].astype(int)], return_inverse=True)
    return tuple(texts.tolist())
