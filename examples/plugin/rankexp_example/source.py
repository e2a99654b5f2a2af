"""A data source: files with a JSON object a line."""

import json

import numpy as np

from rankexp.plugin import DataError, DataTable, Feature, locate


def from_json_lines(reference, entry, folders):
    """Return the table of the first such file in the folders; None where none has it.

    Texts are nominal, in the order of the alphabet; what an object lacks is missing.
    """
    path = locate(reference, folders)
    if path is None:
        return None
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        names = list(dict.fromkeys(name for row in rows for name in row))
    except (ValueError, TypeError) as error:
        raise DataError(f"{path}: expected a JSON object a line: {error}") from error
    pairs = [_column(name, [row.get(name) for row in rows]) for name in names]
    columns, values = zip(*pairs, strict=True)
    provenance = {"source": "json_lines", "file": path.name}
    return DataTable(path.stem, columns, np.column_stack(values), provenance)


def _column(name, cells):
    texts = tuple(sorted({cell for cell in cells if isinstance(cell, str)}))
    if not texts:
        return Feature(name), [np.nan if cell is None else float(cell) for cell in cells]
    codes = [np.nan if cell is None else texts.index(str(cell)) for cell in cells]
    return Feature(name, "nominal", texts), codes
