"""Two columns of numbers from which the target was calculated."""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from rankexp.arrays import Floats
from rankexp.charts.numbers import printed
from rankexp.runner.config.asking import option
from rankexp.runner.data.dataset import Dataset
from rankexp.runner.data.levels import number_text
from rankexp.runner.diagnostics.diagnostic import BeforeFitting, Said, TableFacts

REGISTER = {"RK111": "Calculated"}

FEWEST, DIFFERENT = 20, 20  # rows; values of the target
SAMPLE, MOST_COLUMNS = 40, 40  # rows looked at first; columns
NEARLY = 0.99  # share of rows that a formula gives
FINE = 0.05  # of the target's standard deviation that rounding may make up
DECIMALS = 9
ALONE = 0.9999  # share of pairs in order of a column that is the target by itself
FORMS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "'{a}' + '{b}'": np.add,
    "'{a}' − '{b}'": np.subtract,
    "'{b}' − '{a}'": lambda a, b: b - a,
    "'{a}' · '{b}'": np.multiply,
    "'{a}' / '{b}'": np.divide,
    "'{b}' / '{a}'": lambda a, b: b / a,
}


class Formula(NamedTuple):
    """How two columns give the target, and in what share of the rows with both."""

    columns: tuple[str, str]
    text: str
    rows: int  # in which it does
    of: int  # with both


def formulas(dataset: Dataset) -> Iterator[Formula]:
    """Yield sums, differences, products and ratios of two columns, and their multiples.

    They are the target up to the rounding that its decimals show.
    """
    y = dataset.y.astype(np.float64)
    if dataset.levels is not None or len(y) < FEWEST or len(np.unique(y)) < DIFFERENT:
        return
    known = [j for j, f in enumerate(dataset.features) if f.kind == "numeric"][:MOST_COLUMNS]
    some = np.unique(np.linspace(0, len(y) - 1, SAMPLE).astype(int))
    unit = _unit(y[some])
    if unit > FINE * y.std():
        return
    for i, j in combinations(known, 2):
        a, b = dataset.X[:, i], dataset.X[:, j]
        for form, made in FORMS.items():
            with np.errstate(all="ignore"):
                if _factor(made(a[some], b[some]), y[some], unit, FEWEST) is None:
                    continue
                own = made(a, b)
                if found := _factor(own, y, unit, len(y) / 2):
                    factor, rows = found
                    names = dataset.features[i].name, dataset.features[j].name
                    text = form.format(a=names[0], b=names[1])
                    text = text if factor == 1 else f"{_said(factor)} · {_bracketed(text)}"
                    yield Formula(names, text, rows, int(np.isfinite(own).sum()))


def _unit(y: Floats) -> float:
    """Return half of the last decimal that numbers have."""
    each = (number_text(float(round(value, DECIMALS))) for value in y)
    return 0.51 * 10.0 ** -max(len(text.partition(".")[2]) for text in each)


def _factor(made: Floats, y: Floats, unit: float, least: float) -> tuple[float, int] | None:
    """Return which multiple of numbers is the target in nearly all rows, and in how many."""
    known = np.isfinite(made)
    made, y = made[known], y[known]
    if len(y) < least or not made.any():
        return None
    exact = float(made @ y / (made @ made))
    for factor in (float(f"{exact:.2g}"), exact):
        rows = int((np.abs(factor * made - y) <= unit + 1e-9 * np.abs(y)).sum())
        if rows >= NEARLY * len(y) and factor > 0:
            return factor, rows
    return None


def _said(factor: float) -> str:
    return number_text(factor) if factor.is_integer() else printed(f"{factor:.4g}")


def _bracketed(text: str) -> str:
    return f"({text})" if "' + '" in text or "' − '" in text else text


class Calculated(BeforeFitting):
    """Two columns together give the target exactly, so it was calculated from them."""

    def look(self, table: TableFacts) -> Said:
        data, best = table.dataset, table.alone
        if data is None or (best is not None and best.value >= ALONE):
            return None
        found = next(formulas(data), None)
        if found is None:
            return None
        target = f"'{table.reading.target}'" if table.reading.target else "The target"
        all_of = (
            f"all {found.of:,}" if found.rows == found.of else f"{found.rows:,} of {found.of:,}"
        )
        said = (
            f"{target} is {found.text} in {all_of} rows, up to rounding. Are both columns known "
            "before the target is?"
        )
        either = " or ".join(option("drop", name) for name in found.columns)
        return said, f"If not, leave one out with {either}. If they are, calculate it instead"
