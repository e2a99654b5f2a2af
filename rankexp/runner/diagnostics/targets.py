"""A target that was calculated, or that some rows may have in another way, or not at all."""

import math
import re
from collections.abc import Callable, Iterator
from itertools import permutations, product

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.charts.numbers import printed
from rankexp.runner.data.dataset import Dataset, Feature, called, in_words, number_text
from rankexp.runner.diagnostics.alone import unusual
from rankexp.runner.diagnostics.diagnostic import BeforeFitting, Said, TableFacts, told

REGISTER = {
    "RK109": "OneValueOfTarget",
    "RK110": "RowOfTotals",
    "RK111": "Calculated",
    "RK112": "RecordedOtherwise",
    "RK113": "CountsRows",
}

FEWEST, SURE = 20, 1e-6  # rows; chance that all have one value, times the values looked at
MOST_VALUES, SOME = 50, 1000  # of a column of numbers, in its first rows
ALIKE, OTHERS = 0.05, 3  # p-value from which other categories seem alike; these, at least
NAMED, MOST_NAMED = 4, 3  # values of a column, and columns

UNKNOWN = (0.0, -1.0)  # numbers that may stand for no target
SEVERAL, SHARE, ROWS = 3, 0.01, 20  # rows with such a number, and their share; rows of a part
GAP = 5  # so many times as far from the others as these are from each other
UNITS, CENTRE = 3.0, (0.01, 0.99)  # least factor between units; what does not count of a part
OF_A_CELL = 20  # values that another column of a table of counts has at most
PURE = 0.98  # share of a category's rows in one part, from which it tells the part

DIFFERENT = 20  # values of the target, from which it may have been calculated
SAMPLE, MOST_COLUMNS = 40, 40  # rows looked at first; columns
NEARLY = 0.99  # share of rows that a formula gives
FINE = 0.05  # of the target's standard deviation that rounding may make up
ALONE = 0.9999  # share of pairs in order of a column that is the target by itself
Form = Callable[[Floats, Floats], Floats]
FORMS: dict[str, Form] = {"('{}' + '{}')": np.add, "('{}' − '{}')": np.subtract}
FORMS |= {"'{}' · '{}'": np.multiply, "'{}' / '{}'": np.divide}
"""Each is tried with two columns in both orders, and with its multiples."""


class OneValueOfTarget(BeforeFitting):
    """Rows with some value of a column have one value of the target, as where none is recorded."""

    def look(self, table: TableFacts) -> Said:
        data, best = table.dataset, table.alone
        if data is None:
            return None
        known = {*unusual(data), *([best.column] if best and best.gives_away else ())}
        found = [one for one in lone_targets(data) if one[0] not in known][:MOST_NAMED]
        columns, texts = dict.fromkeys(column for column, _ in found), [said for _, said in found]
        return told("RK109", found=texts, columns=list(columns)) if found else None


class RowOfTotals(BeforeFitting):
    """Rows hold sums of the rows above, so they are no rows like these."""

    def look(self, table: TableFacts) -> Said:
        found = [f"{rows} sums of those above{names}" for rows, names in table.reading.totals]
        return told("RK110", found="; ".join(found)[1:]) if found else None


class Calculated(BeforeFitting):
    """Two columns together give the target exactly, so it was calculated from them."""

    def look(self, table: TableFacts) -> Said:
        data, best = table.dataset, table.alone
        if data is None or data.levels is not None or (best and best.value >= ALONE):
            return None
        y = data.y.astype(np.float64)
        some = np.unique(np.linspace(0, len(y) - 1, SAMPLE).astype(int))
        texts = (number_text(round(float(value), 9)) for value in y[some])
        unit = 0.51 * 10.0 ** -max(len(text.partition(".")[2]) for text in texts)
        if unit > FINE * y.std() or len(np.unique(y)) < DIFFERENT:
            return None
        known = [j for j, one in enumerate(data.features) if one.kind == "numeric"]
        first = data.X[some]
        for (a, b), form in product(permutations(known[:MOST_COLUMNS], 2), FORMS):
            with np.errstate(all="ignore"):
                if not _gives(FORMS[form](first[:, a], first[:, b]), y[some], unit, FEWEST):
                    continue
                found = _gives(FORMS[form](data.X[:, a], data.X[:, b]), y, unit, len(y) / 2)
            if found:
                one, other = data.features[a].name, data.features[b].name
                text = found[0] + (form if found[0] else form.strip("()")).format(one, other)
                rows, target = {"rows": found[1], "known": found[2]}, table.reading.target
                return told("RK111", target=target, formula=text, one=one, **rows)
        return None


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
        named = [f.name for f in data.features if called("counts", f.name)] if data else []
        if data is None or data.weights is not None or len(named) != 1:
            return None
        kept = [j for j, feature in enumerate(data.features) if feature.name != named[0]]
        others = np.column_stack([np.nan_to_num(data.X[:, kept], nan=-np.inf), data.y])
        few = all(len(np.unique(values)) <= OF_A_CELL for values in others.T)
        if not few or len(np.unique(others, axis=0)) < (1 - SHARE) * len(others):
            return None
        # A measure of numbers takes no weights.
        return told("RK113", name=named[0], levels=data.levels is not None)


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
    value, least = number_text(low), number_text(float(others[0]))
    return told("RK112", what="far below", name=name, value=value, rows=int(rows[0]), least=least)


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
    pure = (own for own, at in _shares(data, above) if ((at >= PURE) | (at <= 1 - PURE)).all())
    sizes = {"above": len(y) - cut, "below": cut}
    return told("RK112", what="two units", name=name, factor=factor, told=next(pure, ""), **sizes)


def _shares(data: Dataset, hit: Floats) -> Iterator[tuple[str, Floats]]:
    """Yield columns of categories, and in which share of the rows of each something is so."""
    for feature, values in zip(data.features, data.X.T, strict=True):
        if feature.categories:
            codes = np.where(np.isnan(values), len(feature.categories), values).astype(np.int64)
            rows = np.bincount(codes)
            yield feature.name, np.bincount(codes, hit)[rows > 0] / rows[rows > 0]


def _withheld(data: Dataset, name: str) -> Said:
    """Say that the rows of one value stand at an end, or are all rows of a category."""
    each, rows = np.unique(data.y, return_counts=True)
    wanted = each if data.levels is not None else each[[0, -1]]
    for value, count in zip(wanted, rows[np.searchsorted(each, wanted)], strict=True):
        here = data.y == value
        if count < ROWS or len(each) < 3 or np.count_nonzero(np.diff(data.y[~here])) < len(each):
            continue  # too few, or all values stand in blocks
        at_end = here[:count].all() or here[-count:].all()
        lone = (own for own, shares in _shares(data, here) if shares.sum() == shares.max() == 1)
        only = next(lone, "")
        if at_end or only:
            label = number_text(float(value)) if data.levels is None else data.levels[int(value)]
            known = {"what": "withheld", "name": name, "label": label, "only": only}
            return told("RK112", rows=int(count), **known)
    return None


def _cut_short(data: Dataset, name: str) -> Said:
    """Say that a time is perhaps one until an event that did not come in all rows."""
    if data.levels is not None or not _words("times", name):
        return None
    for feature, values in zip(data.features, data.X.T, strict=True):
        if _words("events", feature.name) and len(np.unique(values[~np.isnan(values)])) == 2:
            return told("RK112", what="cut short", name=name, event=feature.name)
    return None


def _words(kind: str, name: str) -> bool:
    """Tell whether one of the words of a name is of a kind."""
    return any(called(kind, word) for word in re.split(r"[ _.-]+|(?<=[a-z])(?=[A-Z])", name))


def lone_targets(dataset: Dataset) -> Iterator[tuple[str, str]]:
    """Yield columns of which some values have rows with only one end of the target, in words."""
    tries, found, n = 0, [], len(dataset.y)
    for feature, values in zip(dataset.features, dataset.X.T, strict=True):
        labels, codes = _coded(feature, values)
        rows = np.bincount(codes, minlength=len(labels))
        often = rows >= FEWEST
        for end, name in _ends(dataset):
            hits = np.bincount(codes, dataset.y == end, minlength=len(labels))
            pure, tries = often & (hits == rows), tries + int(often.sum())
            count, other = int(rows[pure].sum()), often & ~pure
            graded = feature.kind == "numeric" or not _alike(hits[other], rows[other])
            censored = dataset.levels is None and end > dataset.y.min()
            if 0 < count < n and (censored or 2 * count >= n or not graded):
                own = [label for label, lone in zip(labels, pure, strict=True) if lone]
                more = [f"{len(own) - NAMED} more"] * (len(own) > NAMED)
                where = f"in which '{feature.name}' is {' or '.join([*own[:NAMED], *more])}"
                ways, share = math.comb(int(often.sum()), len(own)), float(hits.sum()) / n
                said = f"all {count:,} rows {where} have {name}"
                found.append((ways * share**count, feature.name, said))
    yield from ((column, said) for chance, column, said in found if tries * chance <= SURE)


def _ends(dataset: Dataset) -> list[tuple[float, str]]:
    """Return both ends of the target, and what they are called."""
    y, levels = dataset.y, dataset.levels
    if levels is not None:
        return [(k, f"the target '{in_words(levels[k])}'") for k in (0, len(levels) - 1)]
    ends = (("smallest", float(y.min())), ("largest", float(y.max())))
    return [(end, f"the {which} target, {number_text(end)}") for which, end in ends]


def _coded(feature: Feature, values: Floats) -> tuple[list[str], Ints]:
    """Return the values of a column in words, missing as the last, and that of each row."""
    missing, names = np.isnan(values), feature.categories
    if feature.kind == "nominal" or len(np.unique(values[:SOME])) > MOST_VALUES:
        codes = np.where(missing, len(names), values if names else 1 - missing)
        return [*names, "missing", "known"], codes.astype(np.int64)
    distinct, codes = np.unique(values, return_inverse=True)
    return ["missing" if np.isnan(one) else number_text(one) for one in distinct], codes


def _alike(hits: Floats, rows: Ints) -> bool:
    """Tell whether categories seem to have a value of the target equally often."""
    share = hits.sum() / max(rows.sum(), 1)
    if len(rows) < OTHERS or not 0 < share < 1:
        return False
    from scipy import special

    chi = float(((hits - share * rows) ** 2 / (rows * share * (1 - share))).sum())
    return bool(special.chdtrc(len(rows) - 1, chi) >= ALIKE)


def _gives(made: Floats, y: Floats, unit: float, least: float) -> tuple[str, int, int] | None:
    """Return which multiple of numbers is the target in nearly all of the rows they are known."""
    made, y = made[np.isfinite(made)], y[np.isfinite(made)]
    if len(y) < least or not made.any():
        return None
    exact = float(made @ y / (made @ made))
    for factor in (float(f"{exact:.2g}"), exact):
        rows = int((np.abs(factor * made - y) <= unit + 1e-9 * np.abs(y)).sum())
        if rows >= NEARLY * len(y) and factor > 0:
            return f"{printed(f'{factor:.4g}')} · " * (factor != 1), rows, len(y)
    return None
