"""What rows are to each other: sums of those above, or rows of one query, person or order."""

import re
import warnings
from collections.abc import Iterator, Sequence

import numpy as np
from scipy import special, stats

from rankexp.arrays import Floats, Ints
from rankexp.runner.data.dataset import Feature
from rankexp.runner.data.levels import called, number_text
from rankexp.runner.data.suitable import Unfit, whole

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
    known = times[~np.isnan(times)]
    if 2 * len(known) < len(times) or len(np.unique(known)) < 3:
        return None
    along = float(np.corrcoef(stats.rankdata(known), np.arange(len(known)))[0, 1])
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
