"""Read CSV and its kin: the delimiter is found out, the header too."""

import csv
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from rankexp.data.dataset import Feature, Floats, Table
from rankexp.data.readers.compressed import decode, open_data
from rankexp.errors import DataError

DELIMITERS = (",", ";", "\t", "|")
SPACES = r"\s+"
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|nan)", re.IGNORECASE)


class _Layout(NamedTuple):
    delimiter: str
    names: list[str]
    header: bool
    first_line: int
    """Line number of the first row that is not blank, the header included."""


def read_delimited(
    path: Path,
    missing: Collection[str] = ("?", ""),
    *,
    header: bool | None = None,
    nominal: Collection[str] = (),
) -> Table:
    """Return the table of a file with one row a line, plain or compressed.

    The delimiter is the one of comma, semicolon, tab, bar and white space that cuts the first
    lines alike. Without a header the columns are ``column1``, ``column2``, ... A column that
    holds a text is nominal, its categories sorted. `missing` are texts that mean a missing cell,
    `nominal` the columns in which a stray text is no mistake. Where `header` is None, the first
    line is one if no cell of it is a number or a mark of missing; a column with an empty name
    gets its number.

    Raises
    ------
    DataError
        Malformed, with file and line.
    """
    with open_data(path) as file:
        layout = _layout(path, file, missing, header)
    with open_data(path) as file:
        rows = _check_lines(path, file, layout)
    values = np.empty((rows, len(layout.names)))
    columns: list[Feature] = []
    texts = _read_numbers(path, layout, missing, values)
    for j, name in enumerate(layout.names):
        cells = texts.get(j)
        if cells is None:
            columns.append(Feature(name))
        elif all(cell is None or NUMBER.fullmatch(cell) for cell in cells):
            columns.append(Feature(name))  # beyond pandas' integers
            values[:, j] = [np.nan if cell is None else float(cell) for cell in cells]
        else:
            if name not in nominal:
                _refuse_stray_text(path, layout, name, cells)
            categories, values[:, j] = _codes(cells)
            columns.append(Feature(name, "nominal", categories))
    return Table(path.name, tuple(columns), values)


def _layout(path: Path, file: BinaryIO, missing: Collection[str], header: bool | None) -> _Layout:
    """Find delimiter and header from the first lines."""
    head: list[tuple[int, str]] = []
    for number, raw in enumerate(file, start=1):
        text = decode(raw, first=number == 1).strip("\r\n")
        if text.strip():
            head.append((number, text))
        if len(head) == 50:
            break
    if not head:
        raise DataError(f"{path}: the file is empty")
    delimiter = _sniff([text for _, text in head])
    cells = [cell.strip() for cell in _cut(head[0][1], delimiter)]
    if header is None:
        header = any(cells) and not any(
            NUMBER.fullmatch(cell) or (cell and cell in missing) for cell in cells
        )
    numbered = [f"column{j}" for j in range(1, len(cells) + 1)]
    names = [cell or number for cell, number in zip(cells, numbered, strict=True)]
    names = names if header else numbered
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(
            f"{path}:{head[0][0]}: column '{twice[0]}' occurs twice in the header; if this line "
            "is a row of data, say 'header: false'"
        )
    return _Layout(delimiter, names, header, head[0][0])


def _sniff(texts: Sequence[str]) -> str:
    """Return the delimiter that cuts most lines into as many cells as the first, over one."""

    def score(delimiter: str) -> tuple[int, int]:
        counts = [len(_cut(text, delimiter)) for text in texts]
        alike = sum(count == counts[0] for count in counts)
        return (alike, counts[0]) if counts[0] > 1 else (0, 0)

    best = max(DELIMITERS, key=score)
    return best if score(best)[0] * 2 > len(texts) else max((best, SPACES), key=score)


def _cut(text: str, delimiter: str) -> list[str]:
    if delimiter == SPACES:
        text, delimiter = " ".join(text.split()), " "
    if '"' not in text:
        return text.split(delimiter)
    return next(csv.reader([text], delimiter=delimiter, skipinitialspace=True))


def _check_lines(path: Path, file: BinaryIO, layout: _Layout) -> int:
    """Count the rows and hold that each has as many cells as there are columns.

    pandas fills a short row up with missing cells and says nothing.
    """
    wanted = len(layout.names)
    count: Callable[[bytes], int] = lambda raw: len(raw.split())  # noqa: E731
    if layout.delimiter != SPACES:
        mark = layout.delimiter.encode()
        count = lambda raw: raw.count(mark) + 1  # noqa: E731
    rows = -layout.header
    for number, raw in enumerate(file, start=1):
        if not raw.strip():
            continue
        rows += 1
        if b'"' in raw:
            if raw.count(b'"') % 2:
                raise DataError(f"{path}:{number}: a quoted value does not end on its line")
            found = len(_cut(decode(raw).strip(), layout.delimiter))
        else:
            found = count(raw.strip(b"\r\n"))
        if found != wanted:
            raise DataError(f"{path}:{number}: {found} values for {wanted} columns")
    if not rows:
        raise DataError(f"{path}: no rows of data")
    return rows


def _read_numbers(
    path: Path, layout: _Layout, missing: Collection[str], values: Floats
) -> dict[int, Sequence[str | None]]:
    """Fill in the numeric columns and return the cells of the others."""
    import pandas as pd

    options: dict[str, Any] = {
        "sep": layout.delimiter,
        "header": None,
        "skiprows": layout.first_line if layout.header else 0,
        "names": range(len(layout.names)),
        "index_col": False,
        "skipinitialspace": True,
        "keep_default_na": False,
        "na_values": sorted({*missing, "nan", "NaN"}),
        "engine": "c",
    }
    if tuple(int(part) for part in pd.__version__.split(".")[:2]) < (3, 1):
        options["float_precision"] = "round_trip"  # from 3.1 on it always is
    with open_data(path) as file:
        frame = _parse(path, file, options)
    others = []
    for j in list(frame.columns):
        column = frame.pop(j)
        if column.dtype.kind in "iuf":
            values[:, j] = column.to_numpy()
        else:
            others.append(j)
    if not others:
        return {}
    # again as text: pandas reads True, and a column of chunks of unlike types, as it likes
    with open_data(path) as file:
        frame = _parse(path, file, options | {"usecols": others, "dtype": str})
    return {
        j: [None if pd.isna(cell) else str(cell) for cell in frame[j].str.strip()] for j in others
    }


def _parse(path: Path, file: BinaryIO, options: dict[str, Any]) -> Any:
    import warnings

    import pandas as pd

    start = file.tell()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pd.errors.DtypeWarning)
            try:
                return pd.read_csv(file, **options)
            except UnicodeDecodeError:
                file.seek(start)
                return pd.read_csv(file, encoding="latin-1", **options)
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise DataError(f"{path}: {error}") from error


def _refuse_stray_text(
    path: Path, layout: _Layout, name: str, cells: Sequence[str | None]
) -> None:
    """Hold that a column is not one of numbers with a few mistakes in it."""
    known = [(row, cell) for row, cell in enumerate(cells) if cell is not None]
    strays = [(row, cell) for row, cell in known if not NUMBER.fullmatch(cell)]
    if strays and len(strays) * 10 < len(known):
        row, cell = strays[0]
        line = layout.first_line + layout.header + row
        raise DataError(
            f"{path}:{line}: '{cell}' is no number, but almost all of column '{name}' is; "
            "repair it, or add it to 'missing_values', or list the column in 'nominal'"
        )


def _codes(cells: Sequence[str | None]) -> tuple[tuple[str, ...], list[float]]:
    categories = sorted({cell for cell in cells if cell is not None})
    codes: dict[str | None, float] = {text: float(code) for code, text in enumerate(categories)}
    codes[None] = np.nan
    return tuple(categories), [codes[cell] for cell in cells]
