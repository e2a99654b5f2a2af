"""Rows that are no rows like the others: sums of those above."""

from collections.abc import Iterator, Sequence

import numpy as np

from rankexp.arrays import Floats
from rankexp.runner.data.called import called
from rankexp.runner.data.dataset import Feature
from rankexp.runner.data.levels import number_text

LAST, FEWEST, SOME = 3, 10, 1000  # rows looked at; rows above; those looked at first


def totals(columns: Sequence[Feature], values: Floats) -> Iterator[tuple[int, list[str]]]:
    """Yield which of the last rows hold sums, and of which columns.

    These are two columns or more, and half of those with a number there; or the only such column.
    """
    found: list[int] = []
    for at in range(max(len(values) - LAST, FEWEST), len(values)):
        known = np.flatnonzero(np.isfinite(values[at])).tolist()
        there = [j for j in known if not columns[j].categories]
        own = [j for j in there if _adds_up(values[at, j], values[:at, j], found)]
        if len(own) >= min(2, len(there)) and 2 * len(own) >= len(there) > 0:
            found.append(at)
            yield at, [columns[j].name for j in own]


def called_sums(columns: Sequence[Feature], values: Floats) -> Iterator[tuple[str, int]]:
    """Yield in words which rows are called sums, and how many there are."""
    for column, codes in zip(columns, values.T, strict=True):
        for code, name in enumerate(column.categories):
            if called("totals", name.strip()) and (rows := int((codes == code).sum())):
                yield f"in which '{column.name}' is '{name}'", rows


def _adds_up(cell: float, above: Floats, found: Sequence[int]) -> bool:
    """Tell whether a number is above all others, and their sum but for its rounding."""
    if abs(cell) <= np.nanmax(np.abs(above[: min(SOME, len(above) - LAST)]), initial=0.0):
        return False
    known = np.delete(np.where(np.isfinite(above), above, 0.0), found)
    unit = 10.0 ** -len(number_text(cell).partition(".")[2])
    near = abs(cell - known.sum()) <= unit + 1e-6 * abs(cell)
    return bool(near and abs(cell) > np.abs(known).max(initial=0.0) > 0)
