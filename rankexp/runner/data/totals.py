"""Last rows that are no rows like the others: sums or means of those above."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from rankexp.arrays import Floats
from rankexp.runner.data.dataset import Feature
from rankexp.runner.data.levels import number_text

LAST, FEWEST, SOME = 3, 10, 1000  # rows looked at; rows above; those looked at first
CALLED = re.compile(
    r"\W*((grand |sub)?totals?|sum|averages?|mean|avg|summen?|gesamt(summe)?|insgesamt|"
    r"durchschnitt|mittel(wert)?|ø|total général|moyenne|suma|razem|totale|media)\b.*",
    re.IGNORECASE,
)
"""What such rows are called."""


def totals(columns: Sequence[Feature], values: Floats) -> Iterator[tuple[int, str, list[int]]]:
    """Yield which of the last rows hold sums of two columns or more, or means and say so.

    They come with what they hold and their columns. One is enough where no other holds a number.
    """
    texts = [j for j, one in enumerate(columns) if one.categories]
    found: list[int] = []
    for at in range(max(len(values) - LAST, FEWEST), len(values)):
        known = np.flatnonzero(np.isfinite(values[at])).tolist()
        there = [j for j in known if j not in texts]
        words = [columns[j].categories[int(values[at, j])] for j in known if j in texts]
        kinds = ("sums", "means") if any(map(CALLED.fullmatch, words)) else ("sums",)
        for kind in kinds:
            own = [j for j in there if _is(kind, values[at, j], np.delete(values[:at, j], found))]
            if len(own) >= min(2, len(there)) and 2 * len(own) >= len(there) > 0:
                found.append(at)
                yield at, f"{kind} of the rows above", own
                break


def _is(kind: str, cell: float, above: Floats) -> bool:
    """Tell whether a number is what a column adds up to, as it was rounded, or its mean."""
    if kind == "sums" and not abs(cell) > np.nanmax(np.abs(above[:SOME]), initial=0.0):
        return False
    known = above[np.isfinite(above)]
    if not len(known) or np.ptp(known) == 0:
        return False
    expected = float(known.sum() if kind == "sums" else known.mean())
    unit = 10.0 ** -len(number_text(cell).partition(".")[2])
    near = abs(cell - expected) <= unit + 1e-6 * abs(expected)
    return near and (kind == "means" or abs(cell) > np.abs(known).max())
