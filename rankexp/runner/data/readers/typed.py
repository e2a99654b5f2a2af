"""Read Parquet, and Excel by openpyxl, which is an extra."""

import io
import zipfile
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pyarrow import parquet

from rankexp.errors import DataError, one_line
from rankexp.runner.config.asking import message
from rankexp.runner.data.dataset import EXACT, DataTable, Feature
from rankexp.runner.data.readers.cells import Maker, TextColumn, described
from rankexp.runner.data.readers.columns import Codes
from rankexp.runner.data.readers.compressed import check_size, unpacked
from rankexp.runner.data.readers.grid import Grid, Row
from rankexp.runner.data.readers.numbers import DEFAULT, TextRules
from rankexp.runner.data.reading import Layout

if TYPE_CHECKING:
    import pandas as pd
    from openpyxl.cell.read_only import ReadOnlyCell

INDEX = "__index_level_0__"  # what pandas calls an index without name in a Parquet file
MOST_ROWS = 1_048_576  # of a sheet of Excel; openpyxl makes all rows before a far one
FAR = 1_000  # a wider sheet is refused if fewer than a tenth of its columns hold anything


def read_parquet(path: Path, rules: TextRules = DEFAULT) -> DataTable:
    """Return the table of a Parquet file: numbers as they stand, texts as those of CSV."""
    content = unpacked(path)
    try:
        file = parquet.ParquetFile(io.BytesIO(content))
        meta = file.metadata
        groups = [meta.row_group(i).total_byte_size for i in range(file.num_row_groups)]
        check_size(path, max(sum(groups), 8 * meta.num_rows * meta.num_columns))
        table = file.read()
        table.validate(full=True)  # otherwise texts that are none show only when they are used
        frame = table.to_pandas(ignore_metadata=True)
    except DataError:
        raise
    except Exception as error:  # damaged files raise nearly anything
        raise DataError(f"{path}: the Parquet file is damaged: {one_line(error)}") from error
    return _from_frame(path, frame, rules)


def _from_frame(path: Path, frame: "pd.DataFrame", rules: TextRules) -> DataTable:
    names = [str(name) for name in frame.columns]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice or not names or not len(frame):
        what = f"column '{twice[0]}' occurs twice" if twice else "there are no data rows"
        raise DataError(f"{path}: {what}")
    maker = Maker(str(path), np.arange(1, len(frame) + 1), rules)
    values = np.empty((len(frame), len(names)))
    dates = [name for j, name in enumerate(names) if frame.dtypes.iloc[j].kind in "mM"]
    cells: dict[int, TextColumn] = {}
    for j, name in enumerate(names):
        column = frame.iloc[:, j]
        whole = column.dtype.kind in "iu"
        rounded = whole and max(-int(column.min()), int(column.max())) >= EXACT
        if column.dtype.kind in "iuf" and not rounded:
            values[:, j] = column.to_numpy(dtype=np.float64, na_value=np.nan)
            if missing := int(np.isnan(values[:, j]).sum()):
                maker.marks.update({"": missing})
            continue
        cells[j] = maker.cells(name, *_texts(path, name, column))
    maker.settle(list(cells.values()))
    columns = [Feature(name) for name in names]
    for j, found in cells.items():
        columns[j], values[:, j] = maker.make(found)
    unnamed = INDEX if INDEX in names else names[0] if names[0].startswith("Unnamed: 0") else ""
    timed, signed = tuple(dict.fromkeys([*dates, *maker.dates])), tuple(maker.signed)
    layout = Layout("Parquet", dates=timed, signed=signed, unnamed=unnamed, notes=maker.said())
    decimal = None if maker.format.decimal == "." else maker.format.decimal
    marks, thousands = described(maker.marks), maker.format.thousands or None
    layout = replace(layout, marks=marks, decimal=decimal, thousands=thousands)
    return DataTable(path.name, tuple(columns), values, layout=layout)


def _texts(path: Path, name: str, column: "pd.Series[Any]") -> tuple[dict[str, int], Codes]:
    """Return the distinct texts of a column, an empty one among them, and their codes."""
    try:
        codes, distinct = column.factorize()
    except TypeError as error:
        text = f"{path}: column '{name}' holds lists or other nested values"
        raise DataError(f"{text}; leave it out before saving") from error
    known = {"": 0}
    order = [0]
    for value in distinct:
        if (cell := _text(value)) is None:
            text = f"{path}: column '{name}' holds values of type {type(value).__name__}"
            raise DataError(f"{text}; leave it out before saving")
        order.append(known.setdefault(cell, len(known)))
    return known, np.array(order, dtype=np.int32)[codes + 1]


def _text(value: object) -> str | None:
    """Return a value as CSV would hold it; None where it would not."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is None:
        return ""
    if isinstance(value, str | bool | int | Decimal):
        return str(value)
    if isinstance(value, float):
        return "" if np.isnan(value) else repr(float(value))
    return value.isoformat() if hasattr(value, "isoformat") else None


def read_excel(path: Path, rules: TextRules = DEFAULT, test: Path | None = None) -> DataTable:
    """Return the table of an Excel file's only or named sheet, then the rows of `test`."""
    grid, sheet = _grid(path, rules)
    if test is not None:
        grid.append(_grid(test, rules)[0])
    return grid.read(Layout(f"Excel, sheet {sheet}"))


def _grid(path: Path, rules: TextRules) -> tuple[Grid, str]:
    if find_spec("openpyxl") is None:
        raise DataError(message("data.openpyxl", path=path))
    content = unpacked(path)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            check_size(path, sum(part.file_size for part in packed.infolist()))
        sheets = _sheets(path, content)
    except DataError:
        raise
    except Exception as error:  # damaged files raise nearly anything
        raise DataError(f"{path}: the Excel file is damaged: {one_line(error)}") from error
    if rules.sheet is not None:
        sheets = {name: rows for name, rows in sheets.items() if name == rules.sheet}
    if len(sheets) != 1:
        raise DataError(message("data.sheets", path=path, sheets=list(sheets), wanted=rules.sheet))
    ((name, rows),) = sheets.items()
    return Grid(str(path), lambda: iter(rows), rules), name


def _sheets(path: Path, content: bytes) -> dict[str, list[Row]]:
    """Return the sheets that hold something, as texts; rows that are blank are left out."""
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
    found: dict[str, list[Row]] = {}
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # which may be wrong
        rows, room, used = [], 0, set[int]()
        for line, cells in enumerate(sheet.rows, start=1):
            room += 8 * (1 + len(cells))  # far ones bring blank ones with them
            if line > MOST_ROWS:
                raise DataError(message("data.far_row", path=path, most=MOST_ROWS))
            if line % 100 == 1:
                check_size(path, room)
                _check_gaps(path, sheet.title, used)
            row = list(map(_cell_text, cells))
            if any(map(str.strip, row)):
                rows.append((line, row))
                used.update(j for j, text in enumerate(row, start=1) if text)
        check_size(path, 8 * (width := max(used, default=0)) * len(rows))
        _check_gaps(path, sheet.title, used)
        if rows:
            found[sheet.title] = [(n, row[:width] + [""] * (width - len(row))) for n, row in rows]
    return found


def _check_gaps(path: Path, title: str, used: Collection[int]) -> None:
    """Hold that a wide sheet is not so for one cell that is far from all others."""
    if 10 * len(used) < (width := max(used, default=0)) > FAR:
        raise DataError(message("data.far_column", path=path, width=width, title=title, used=used))


def _cell_text(cell: "ReadOnlyCell") -> str:
    """Return the text of a cell; an error, such as of a formula, is missing."""
    whole = isinstance(cell.value, float) and cell.value.is_integer()
    return "" if cell.data_type == "e" else _text(int(cell.value) if whole else cell.value) or ""
