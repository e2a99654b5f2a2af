"""Rows whose target may be recorded in another way than that of the others."""

import re
from collections.abc import Iterator

import numpy as np

from rankexp.arrays import Floats
from rankexp.charts.numbers import printed
from rankexp.runner.config.asking import option
from rankexp.runner.data.dataset import Dataset
from rankexp.runner.data.levels import number_text
from rankexp.runner.diagnostics.diagnostic import BeforeFitting, Said, TableFacts

REGISTER = {"RK112": "RecordedOtherwise", "RK113": "CountsRows"}

UNKNOWN = (0.0, -1.0)  # numbers that may stand for no target
SEVERAL, SHARE, ROWS = 3, 0.01, 20  # rows with such a number, and their share; rows of a part
GAP = 5  # so many times as far from the others as these are from each other
UNITS, CENTRE = 3.0, (0.01, 0.99)  # least factor between units; what does not count of a part
COUNTS = re.compile(r"freq(uency|s)?|counts?|n|cases|people|anzahl|h(ae|ä)ufigkeit", re.IGNORECASE)
OF_A_CELL = 20  # values that another column of a table of counts has at most
PURE = 0.98  # share of a category's rows in one part, from which it tells the part
TIMES = re.compile(
    r"(os|pfs|dfs|rfs|efs|ttf|ttr|surv(ival)?|time|days?|weeks?|months?|years?|hours?|tenure|"
    r"duration|lifetime|follow[ _.-]?up|tage|wochen|monate|jahre|dauer|laufzeit)",
    re.IGNORECASE,
)
EVENTS = re.compile(
    r"(death|dead|died|deceased|event|status|cens(or(ed|ing)?)?|failed|failure|relapsed?|"
    r"recurrence|progression|verstorben|tod|gestorben|zensiert|ereignis)",
    re.IGNORECASE,
)
"""Words in the names of times until an event, and of whether it came."""


class RecordedOtherwise(BeforeFitting):
    """The target of some rows may be unknown, in other units, or a time that was cut short."""

    def look(self, table: TableFacts) -> Said:
        data, name = table.dataset, table.reading.target or ""
        if data is None:
            return None
        looks = (_far_below, _two_units, _withheld, _cut_short)
        return next((said for look in looks if (said := look(data, name))), None)


class CountsRows(BeforeFitting):
    """A column may say how many rows there are of each kind, as in a table of counts."""

    def look(self, table: TableFacts) -> Said:
        data = table.dataset
        called = [f.name for f in data.features if COUNTS.fullmatch(f.name)] if data else []
        if data is None or data.weights is not None or len(called) != 1:
            return None
        kept = [j for j, feature in enumerate(data.features) if feature.name != called[0]]
        others = np.column_stack([np.nan_to_num(data.X[:, kept], nan=-np.inf), data.y])
        few = all(len(np.unique(values)) <= OF_A_CELL for values in others.T)
        if not few or len(np.unique(others, axis=0)) < (1 - SHARE) * len(others):
            return None
        name = called[0]
        said = f"'{name}' may count rows: nearly no row repeats another in all other columns."
        if data.levels is None:  # a measure of numbers takes no weights
            return said, f"If it does, write each row so many times, or {option('drop', name)}"
        return (
            said,
            f"If it does, this answer is about kinds of rows; say {option('weights', name)}",
        )


def _far_below(data: Dataset, name: str) -> Said:
    """Say that zeros or minus ones are far below all other numbers, which are near each other."""
    each, rows = np.unique(data.y, return_counts=True)
    low, others = float(each[0]), np.sort(data.y[data.y > each[0]])
    few = data.levels is not None or len(each) < ROWS
    if few or low not in UNKNOWN or rows[0] < max(SEVERAL, SHARE * len(data.y)):
        return None
    steps = np.diff(others[len(others) // 20 : len(others) // 2])
    if others[0] < 0 or others[0] - low < GAP * max(steps, default=np.inf):
        return None
    value = number_text(low)
    said = (
        f"'{name}' is {value} in {rows[0]:,} rows, and {number_text(float(others[0]))} or more in "
        f"all others. Is {value} a value, or was none recorded?"
    )
    return said, f"If none was, empty these cells of '{name}': rows without a target are left out"


def _two_units(data: Dataset, name: str) -> Said:
    """Say that positive numbers lie in two parts, each narrower than the gap between them."""
    y = data.y.astype(np.float64)
    if data.levels is not None or len(y) < 2 * ROWS or y.min() <= 0:
        return None
    logs, part = np.sort(np.log10(y)), max(ROWS, int(SHARE * len(y)))
    steps = np.diff(logs)[part - 1 : len(y) - part]
    if not len(steps):
        return None
    cut = int(np.argmax(steps)) + part
    widths = [float(np.ptp(np.quantile(own, CENTRE))) for own in (logs[:cut], logs[cut:])]
    if steps.max() <= max(np.log10(UNITS), *widths):
        return None
    factor = printed(f"{10 ** (np.median(logs[cut:]) - np.median(logs[:cut])):.3g}")
    above = y > 10 ** ((logs[cut - 1] + logs[cut]) / 2)
    told = next((own for own, shares in _shares(data, above) if _pure(shares)), "")
    tells = f", as '{told}' tells" * bool(told)
    said = f"The numbers of {len(y) - cut:,} rows are about {factor} times those of the other"
    return (
        f"'{name}' has two parts{tells}. {said} {cut:,}. Is it in two units?",
        "If so, put all rows into one unit and compare again",
    )


def _shares(data: Dataset, hit: Floats) -> Iterator[tuple[str, Floats]]:
    """Yield columns of categories, and in which share of the rows of each something is so."""
    for feature, values in zip(data.features, data.X.T, strict=True):
        if feature.categories:
            codes = np.where(np.isnan(values), len(feature.categories), values).astype(np.int64)
            rows = np.bincount(codes)
            yield feature.name, np.bincount(codes, hit)[rows > 0] / rows[rows > 0]


def _pure(shares: Floats) -> bool:
    return bool(((shares >= PURE) | (shares <= 1 - PURE)).all())


def _withheld(data: Dataset, name: str) -> Said:
    """Say that the rows of one value stand at an end, or are all rows of a category."""
    each, rows = np.unique(data.y, return_counts=True)
    wanted = each if data.levels is not None else each[[0, -1]]
    for value, count in zip(wanted, rows[np.searchsorted(each, wanted)], strict=True):
        here = data.y == value
        changes = np.count_nonzero(np.diff(data.y[~here]))
        if count < ROWS or len(each) < 3 or changes < len(each):
            continue  # too few, or all values stand in blocks
        at_end = here[:count].all() or here[-count:].all()
        only = next(
            (own for own, shares in _shares(data, here) if shares.sum() == shares.max() == 1), ""
        )
        if at_end or only:
            label = number_text(float(value)) if data.levels is None else data.levels[int(value)]
            place = f"a value of '{only}' has just these rows" if only else "they stand together"
            said = (
                f"'{name}' is {label} in {count:,} rows, and {place}. Is the target known there?"
            )
            return said, f"If not, take these rows out, or say {option('missing', label)}"
    return None


def _cut_short(data: Dataset, name: str) -> Said:
    """Say that a time is perhaps one until an event that did not come in all rows."""
    if data.levels is not None or not _words(TIMES, name):
        return None
    for feature, values in zip(data.features, data.X.T, strict=True):
        if _words(EVENTS, feature.name) and len(np.unique(values[~np.isnan(values)])) == 2:
            said = (
                f"'{name}' may be a time until an event, and '{feature.name}' may say whether it "
                "came. Where it did not come, the time is only the least that it can be."
            )
            return said, (
                f"rankexp does not rank such times. Rank by whether the event came within a fixed "
                f"time, of all rows that began so long before the end of the study. "
                f"'{feature.name}' itself is known only afterwards: {option('drop', feature.name)}"
            )
    return None


def _words(known: re.Pattern[str], name: str) -> bool:
    """Tell whether one of the words of a name is known."""
    return any(map(known.fullmatch, re.split(r"[ _.-]+|(?<=[a-z])(?=[A-Z])", name)))
