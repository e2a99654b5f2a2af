"""Which columns of a table can be features, and how many columns coding makes of them."""

import re
from collections.abc import Sequence

import numpy as np

from rankexp.errors import DataError
from rankexp.runner.config.asking import message
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.dataset import Feature, Floats
from rankexp.runner.data.levels import called
from rankexp.runner.data.memory import check_matrix
from rankexp.runner.data.reading import Kind, Layout

FEWEST_ROWS = 20  # fewer may ascend or have distinct texts by chance
ENOUGH, DENSE = 50, 2
"""From so many rows on, different whole numbers in any order are taken to name the rows where
their range has at most so many numbers a row: at random, they would differ once in exp(n/4)."""
NEAR_UNIQUE = 0.5  # share of distinct texts above which a column names its rows, as tickets do
FEW_NAMES, UNITS = 10, 3  # more names, in at most so many units, were meant as numbers
FEWEST_WORDS = 4  # a row, from which different texts look like free text, not like names
WORDS = "counts of words (sklearn.feature_extraction.text.CountVectorizer)"
"""Numbers that one can make of free text."""

_UUID = re.compile(r"\{?[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}\}?", re.IGNORECASE)
_QUANTITY = re.compile(r"(\D{1,4}(?=\d*[.,]\d))?[+-]?\d[\d.,]*(\s?[^\d\s]\D{0,11})?")

Unfit = tuple[Kind, str]


def unfit(column: Feature, values: Floats, layout: Layout | None) -> Unfit | None:
    """Return why a column is no feature: what it is, and the reason in words."""
    if np.isnan(values).all():
        return "empty", "it has no values"
    if layout is not None and column.name in layout.labels:
        return "identifier", message("data.labels")
    if layout is not None and column.name in layout.dates:
        return "date", "it holds dates or times"
    if layout is not None and column.name == layout.unnamed and whole(values):
        return "identifier", "it is the first column and has no name, like an exported index"
    if column.kind == "numeric":
        return _numbers(column.name, values)
    return _texts(column, values)


def whole(values: Floats) -> bool:
    """Tell whether all known values are whole numbers."""
    known = values[~np.isnan(values)]
    return bool(np.isfinite(known).all() and (known == np.floor(known)).all())


def _numbers(name: str, values: Floats) -> Unfit | None:
    n = len(values)
    if n < FEWEST_ROWS or np.isnan(values).any() or not whole(values):
        return None
    step = np.diff(values)
    if (step > 0).all() or (step < 0).all():
        order = "ascend" if step[0] > 0 else "descend"
        return "identifier", f"its whole numbers {order} from row to row, like an index"
    distinct = len(np.unique(values))
    span = values.max() - values.min() + 1
    if distinct == n and (span == n or (n >= ENOUGH and span <= DENSE * n)):
        return "identifier", "its whole numbers are all different, with few gaps"
    if distinct > 0.9 * n and called("rows", name):
        return "identifier", "its name says so, and nearly every row differs"
    return None


def constant(values: Floats) -> Unfit | None:
    """Return why a column is no feature if all rows have the same value."""
    same = not np.isnan(values).any() and np.ptp(values) == 0 and len(values) >= FEWEST_ROWS
    return ("constant", "it has the same value in every row") if same else None


def dubious(column: Feature, values: Floats) -> bool:
    """Tell whether a feature may be another thing: row numbers, or numbers with a unit."""
    if column.kind == "nominal":
        return _quantities(column)
    if len(values) < ENOUGH or np.isnan(values).any():
        return False
    return whole(values) and len(np.unique(values)) == len(values)


def _texts(column: Feature, values: Floats) -> Unfit | None:
    codes = np.unique(values[~np.isnan(values)]).astype(int)
    if all(_UUID.fullmatch(column.categories[code]) for code in codes):
        return "identifier", "it holds UUIDs"
    known = int((~np.isnan(values)).sum())
    if known >= FEWEST_ROWS and len(codes) > NEAR_UNIQUE * known:
        words = sum(len(column.categories[code].split()) for code in codes) / len(codes)
        if words >= FEWEST_WORDS:
            return "text", f"looks like free text ({words:.0f} words a row)"
        said = f"it has {len(codes):,} different texts in {known:,} rows"
        meant = f", such as {column.categories[0]!r}; write the numbers without units"
        return "identifier", said + meant * _quantities(column)
    return None


def _quantities(column: Feature) -> bool:
    """Tell whether nearly all texts are numbers with a unit, like ``0.4 kg`` or ``EUR 3.50``."""
    found = [match.groups() for text in column.categories if (match := _QUANTITY.fullmatch(text))]
    units = set(found)
    enough = len(found) > max(FEW_NAMES, 0.9 * len(column.categories))
    return enough and len(units) <= UNITS and units != {(None, None)}


def coded_width(features: Sequence[Feature]) -> list[int]:
    """Return how many columns one-hot coding makes of each feature."""
    return [len(f.categories) if len(f.categories) > 2 else 1 for f in features]


def check_width(features: Sequence[Feature], rows: int, entry: DataEntry) -> None:
    """Hold that the features, coded, are not too many, before anything is fitted."""
    width = coded_width(features)
    sized = sorted(zip(width, (f.name for f in features), strict=True), reverse=True)
    largest = ", ".join(f"'{name}' {count:,}" for count, name in sized[:5] if count > 1)
    coded = sum(count for count in width if count > 1)
    if coded > entry.most_coded:
        known = {"coded": coded, "most": entry.most_coded, "largest": largest}
        raise DataError(message("data.wide", **known))
    check_matrix(rows, sum(width), f"most columns come from {largest}; " if largest else "")
