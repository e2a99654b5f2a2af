"""Read ARFF, as Weka and OpenML write it.

scipy's reader takes neither string attributes nor says where a file is malformed, liac-arff
refuses ``integer [1,10]``; this one keeps the order of declared values and names file and line.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from rankexp.data.dataset import Feature, Floats, Table
from rankexp.data.readers.compressed import lines, open_data
from rankexp.errors import DataError
from rankexp.registry import did_you_mean

CHUNK = 20_000
NUMERIC = {"numeric", "real", "integer"}
TEXT = {"string", "date"}

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_TOKEN = re.compile(rf"\s*({_QUOTED}|[^,'\"]*?)\s*(,|$)")
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(.*)", re.IGNORECASE)


def read_arff(path: Path, missing: Collection[str] = ("?", "")) -> Table:
    """Return the table of an ARFF file.

    It may be compressed. `missing` are texts that mean a missing cell, besides ``?``.

    Raises
    ------
    DataError
        Malformed, with file and line; sparse rows and relations, which are not supported.
    """
    with open_data(path) as file:
        reader = _Reader(path, {*missing, "?"})
        rows = lines(file)
        reader.read_head(rows)
        return reader.read_body(rows)


class _Reader:
    """One pass over a file: declarations, then rows, a chunk at a time."""

    def __init__(self, path: Path, missing: Collection[str]) -> None:
        self.path = path
        self.missing = frozenset(missing)
        self.attributes: list[tuple[str, str, tuple[str, ...]]] = []

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
            elif not text.startswith("%") and word != "@relation":
                raise self.fail(line, f"expected @attribute or @data, found {text[:60]!r}")
        raise self.fail(line, "the file ends before an @data line; is it ARFF?")

    def _attribute(self, line: int, text: str) -> tuple[str, str, tuple[str, ...]]:
        match = _ATTRIBUTE.fullmatch(text)
        if match is None:
            raise self.fail(line, f"cannot read the declaration {text[:60]!r}")
        name, kind = _bare(match[1]), match[2].strip()
        if name in [known for known, _, _ in self.attributes]:
            raise self.fail(line, f"attribute '{name}' is declared twice")
        if kind.startswith("{"):
            values = self.tokens(line, kind[1:-1]) if kind.endswith("}") else []
            if not values or len(set(values)) < len(values):
                raise self.fail(line, f"attribute '{name}' needs distinct values in braces")
            return name, "nominal", tuple(values)
        word = kind.split("[")[0].split()[0].lower() if kind else ""
        if word not in NUMERIC | TEXT:
            raise self.fail(
                line, f"attribute '{name}' is of type {kind!r}, which is not supported"
            )
        return name, "numeric" if word in NUMERIC else "text", ()

    def tokens(self, line: int, text: str) -> list[str]:
        """Return the comma-separated values of a text, without quotes."""
        if "'" not in text and '"' not in text:
            return [token.strip() for token in text.split(",")]
        found, at, comma = [], 0, ","
        while comma:
            match = _TOKEN.match(text, at)
            if match is None:
                raise self.fail(
                    line, f"a quote is not closed or stands alone in {text[at:][:40]!r}"
                )
            found.append(_bare(match[1]))
            at, comma = match.end(), match[2]
        return found

    def read_body(self, rows: Iterator[tuple[int, str]]) -> Table:
        parts: list[Floats] = []
        texts: dict[int, dict[str, int]] = {
            j: {value: code for code, value in enumerate(values)}
            for j, (_, kind, values) in enumerate(self.attributes)
            if kind != "numeric"
        }
        data = (row for row in rows if not row[1].startswith("%"))
        while chunk := [self._row(line, text) for line, text in islice(data, CHUNK)]:
            parts.append(self._chunk(chunk, texts))
        if not parts:
            raise DataError(f"{self.path}: no rows after @data")
        values = np.concatenate(parts)
        columns = tuple(
            Feature(name)
            if kind == "numeric"
            else Feature(name, "nominal", declared or _sort_codes(values[:, j], texts[j]))
            for j, (name, kind, declared) in enumerate(self.attributes)
        )
        return Table(self.path.name, columns, values)

    def _row(self, line: int, text: str) -> tuple[int, list[str]]:
        if text.startswith("{"):
            raise self.fail(line, "sparse rows are not supported; write every value")
        row = self.tokens(line, text)
        if len(row) != len(self.attributes):
            raise self.fail(line, f"{len(row)} values for {len(self.attributes)} attributes")
        return line, row

    def _chunk(
        self, rows: Sequence[tuple[int, list[str]]], texts: dict[int, dict[str, int]]
    ) -> Floats:
        values = np.empty((len(rows), len(self.attributes)))
        for j, cells in enumerate(zip(*[row for _, row in rows], strict=True)):
            name, kind, declared = self.attributes[j]
            convert = float if kind == "numeric" else texts[j].__getitem__
            if kind == "text":
                for cell in cells:
                    texts[j].setdefault(cell, len(texts[j]))
            try:
                values[:, j] = [
                    np.nan if cell in self.missing else convert(cell) for cell in cells
                ]
            except (ValueError, KeyError):
                raise self._bad_cell(rows, j, name, declared) from None
        return values

    def _bad_cell(
        self, rows: Sequence[tuple[int, list[str]]], j: int, name: str, declared: tuple[str, ...]
    ) -> DataError:
        """Find the cell that could not be converted."""
        for line, row in rows:
            if row[j] in self.missing:
                continue
            if declared and row[j] not in declared:
                hint = did_you_mean(row[j], declared)
                return self.fail(line, f"'{row[j]}' is no declared value of '{name}'{hint}")
            if not declared and not _is_number(row[j]):
                return self.fail(line, f"'{row[j]}' is no number, but '{name}' is numeric")
        raise AssertionError("a cell failed to convert and then did not")


def _bare(token: str) -> str:
    """Take off quotes and what escapes a character within them."""
    if token[:1] in ("'", '"') and len(token) > 1:
        return re.sub(r"\\(.)", r"\1", token[1:-1])
    return token


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _sort_codes(column: Floats, codes: dict[str, int]) -> tuple[str, ...]:
    """Recode a text column, in place, so that its codes follow the sorted texts; return these."""
    known = ~np.isnan(column)
    listed = np.array(list(codes), dtype=object)
    texts, column[known] = np.unique(listed[column[known].astype(int)], return_inverse=True)
    return tuple(texts.tolist())
