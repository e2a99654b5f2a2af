"""What a column of a table is: a feature, a name of rows or of groups, their order, their sums."""

import re
import warnings
from collections.abc import Iterator, Sequence

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.errors import DataError
from rankexp.runner.config.asking import message
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.dataset import Feature, called, number_text
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
    return _numbers(column.name, values) if column.kind == "numeric" else _texts(column, values)


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
        most = entry.most_coded
        raise DataError(message("data.wide", coded=coded, most=most, largest=largest))
    check_matrix(rows, sum(width), f"most columns come from {largest}; " if largest else "")


FEW, NAMES, RANGE = 10, 20, 61
"""Values from which numbers, and texts and numbers without such names, are those of groups; and
the range of numbers from which these are no hours, minutes or days."""
EVEN = 0.3  # of the variance that sizes of blocks have if rows fall at random
THRICE = 3  # rows of each value, of which two may be those of a pair that is measured once
SAME, OF_GROUPS = 0.5, 0.2  # agreement of targets that is said, and for what is called a group
NEIGHBOURS = 0.5  # correlation of targets of next values from which numbers measure something
MOST = 50_000  # rows up to which numbers that are not whole are looked at
SURE, FEWEST = 1e-6, 20  # chance of such agreement; rows that differ from the usual target
LAST, ABOVE, SOME = 3, 10, 1000  # rows looked at; rows above; those looked at first

_SHORT = re.compile(r"([0-9]{1,2})[./-]([0-9]{1,2})[./-][0-9]{2,4}.*", re.DOTALL)
"""A date that begins with the day or with the month."""
NEARLY = 0.99  # Spearman's correlation with the row number from which rows are in order
SAMPLE = 500  # rows at which a column is looked at


def of_groups(column: Feature, values: Floats, *, known: bool) -> Unfit | None:
    """Return why a column is of groups, not a feature; unless some are `known`, by values, too."""
    some = values[~np.isnan(values)]
    count, names = len(np.unique(some)), False
    if _called(column):
        least = 3 if called("query", column.name) else NAMES if column.categories else FEW
        names = count >= least and (bool(column.categories) or whole(some))
    elif not (known or column.categories or called("measures", column.name)):
        few = NAMES <= count <= len(some) / 2 and len(some) == len(values)
        names = few and whole(values) and _in_blocks(values, count)
    said = f"its {count:,} values seem to say which rows belong together"
    return ("groups", said) if names else None


def _called(column: Feature) -> bool:
    mail = bool(column.categories) and called("mail", column.name) is not None
    return mail or called("groups", column.name) is not None


def _in_blocks(values: Floats, count: int) -> bool:
    """Tell whether numbers repeat as those of groups do, and not as those of a measure."""
    if np.ptp(values) < RANGE or (values.min() >= 1900 and values.max() <= 2100):
        return False
    step = np.diff(values)
    sizes = np.unique(values, return_counts=True)[1]
    if np.count_nonzero(step) >= count:  # not each in one block: as many rows of each, or none
        return bool(sizes.min() == sizes.max() >= THRICE)
    in_order = (step >= 0).all() or (step <= 0).all()
    return count >= RANGE and (not in_order or bool(sizes.var() <= EVEN * sizes.mean()))


def alike(
    column: Feature, values: Floats, y: Ints | Floats, *, of_groups: bool
) -> tuple[int, float] | None:
    """Return how many values a column has, and how much the targets of equal values agree.

    The agreement is the intraclass correlation of the targets' ranks. None if it is low, or may be
    by chance, or values repeat too seldom. Of numbers, next values must differ: if not, the column
    measures something that the target depends on.
    """
    import pandas as pd
    from scipy import special

    if len(values) > MOST and not (column.categories or whole(values)):
        return None
    known = ~np.isnan(values)
    codes, found = pd.factorize(values[known], sort=True)
    n, count, sizes = len(codes), len(found), np.bincount(codes)
    if count < FEW or not 2 * count <= n or len(values) > 2 * n or sizes.max() > n / 4:
        return None
    rank = pd.Series(y[known]).rank().to_numpy()
    if n - np.unique(rank, return_counts=True)[1].max() < FEWEST:
        return None
    means = np.bincount(codes, weights=rank) / sizes
    between = float((sizes * (means - rank.mean()) ** 2).sum()) / (count - 1)
    inside = max(float(((rank - means[codes]) ** 2).sum()) / (n - count), 1e-9)
    size = (n - float((sizes**2).sum()) / n) / (count - 1)
    agreement = (between - inside) / (between + (size - 1) * inside)
    own = of_groups or _called(column)
    chance = special.fdtrc(count - 1, n - count, between / inside)
    if agreement < (OF_GROUPS if own else SAME) or chance > SURE:
        return None
    if not (own or column.categories) and np.corrcoef(means[1:], means[:-1])[0, 1] > NEIGHBOURS:
        return None
    return count, float(agreement)


def totals(columns: Sequence[Feature], values: Floats) -> Iterator[tuple[int, list[str]]]:
    """Yield which of the last rows hold sums, and of which columns.

    These are two columns or more, and half of those with a number there; or the only such column.
    """
    found: list[int] = []
    for at in range(max(len(values) - LAST, ABOVE), len(values)):
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


def orders(column: Feature, values: Floats) -> list[Floats]:
    """Return the times, (n,), that a column may hold, NaN where it has none; empty for no times.

    There are several where its dates may begin with the day or with the month.
    """
    if column.kind == "numeric":
        return [values]
    known, found = ~np.isnan(values), []
    used, index = np.unique(values[known].astype(int), return_inverse=True)
    texts = [column.categories[code] for code in used]
    for day_first in _day_first(texts):
        if (parsed := _parsed(texts, day_first)) is not None:
            found.append(np.full(len(values), np.nan))
            found[-1][known] = parsed[index]
    return found


def ascends(column: Feature, values: Floats) -> bool | None:
    """Tell whether rows stand in order of a column, the oldest (true) or the newest first.

    A little noise does not count. None where they do not, or where it has fewer than three times.
    """
    some = values[:: max(1, len(values) // SAMPLE)]
    ways = {way for times in orders(column, some) if (way := _way(times)) is not None}
    return True in ways if ways else None


def _way(times: Floats) -> bool | None:
    from scipy.stats import rankdata  # takes a second

    known = times[~np.isnan(times)]
    if 2 * len(known) < len(times) or len(np.unique(known)) < 3:
        return None
    along = float(np.corrcoef(rankdata(known), np.arange(len(known)))[0, 1])
    return along > 0 if abs(along) >= NEARLY else None


def _day_first(texts: Sequence[str]) -> list[bool]:
    """Return whether dates begin with the day, both where they may begin with the month, too."""
    short = [match for text in texts if (match := _SHORT.fullmatch(text))]
    if any("." in match[0][:3] or int(match[1]) > 12 for match in short):
        return [True]
    return [False] if not short or any(int(match[2]) > 12 for match in short) else [True, False]


def _parsed(texts: Sequence[str], day_first: bool) -> Floats | None:
    import pandas as pd

    series = pd.Series(texts, dtype=str)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of formats that are looked for text by text
        for how in ("ISO8601", None, "mixed"):
            found = pd.to_datetime(series, "coerce", dayfirst=day_first, format=how, utc=True)
            if found.notna().all():
                return found.to_numpy(dtype="datetime64[ns]").astype(np.int64) / 1e9
    return None
