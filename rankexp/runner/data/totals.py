"""Last rows that are no rows like the others: sums or means of those above."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

import numpy as np

from rankexp.arrays import Floats
from rankexp.runner.data.dataset import Feature

LAST, FEWEST, SOME = 3, 10, 1000  # rows looked at; rows above; those looked at first
CALLED = re.compile(
    r"\W*((grand |sub)?totals?|sum|averages?|mean|avg|summen?|gesamt(summe)?|insgesamt|"
    r"durchschnitt|mittel(wert)?|ø|total général|moyenne|suma|razem|totale|media)\b.*",
    re.IGNORECASE,
)
"""What such rows are called."""

Total = tuple[int, str, str, tuple[str, ...]]
"""The row from 0, what it is called, ``sums`` or ``means``, and of which columns."""


def totals(columns: Sequence[Feature], values: Floats) -> Iterator[Total]:
    """Yield which of the last rows hold sums, or means and say so, of two columns or more.

    One is enough where no other holds a number there.
    """
    n, found = len(values), list[int]()
    for at in range(max(n - LAST, FEWEST), n):
        texts = [
            columns[j].categories[int(values[at, j])]
            for j in range(len(columns))
            if columns[j].categories and not np.isnan(values[at, j])
        ]
        called = next(filter(CALLED.fullmatch, texts), "")
        there = [
            j for j, c in enumerate(columns) if not c.categories and np.isfinite(values[at, j])
        ]
        for kind in ("sums", "means") if called else ("sums",):
            own = [
                j
                for j in there
                if _is(kind, float(values[at, j]), np.delete(values[:at, j], found))
            ]
            if len(own) >= min(2, len(there)) and 2 * len(own) >= len(there) > 0:
                found.append(at)
                yield at, called, kind, tuple(columns[j].name for j in own)
                break


def _is(kind: str, cell: float, above: Floats) -> bool:
    """Tell whether a number is what a column adds up to, as it was rounded, or its mean."""
    if kind == "sums" and not abs(cell) > np.nanmax(np.abs(above[:SOME]), initial=0.0):
        return False
    known = above[np.isfinite(above)]
    if not len(known) or np.ptp(known) == 0:
        return False
    expected = float(known.sum() if kind == "sums" else known.mean())
    unit = 10.0 ** Decimal(repr(cell)).normalize().as_tuple().exponent  # type: ignore[operator]
    near = abs(cell - expected) <= min(unit, 1.0) + 1e-6 * abs(expected)
    return near and (kind == "means" or abs(cell) > np.abs(known).max())
