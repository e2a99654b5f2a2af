"""Two columns of numbers from which the target was calculated."""

from collections.abc import Callable
from itertools import permutations, product

import numpy as np

from rankexp.arrays import Floats
from rankexp.charts.numbers import printed
from rankexp.runner.data.levels import number_text
from rankexp.runner.diagnostics.diagnostic import BeforeFitting, Said, TableFacts, told

REGISTER = {"RK111": "Calculated"}

FEWEST, DIFFERENT = 20, 20  # rows; values of the target
SAMPLE, MOST_COLUMNS = 40, 40  # rows looked at first; columns
NEARLY = 0.99  # share of rows that a formula gives
FINE = 0.05  # of the target's standard deviation that rounding may make up
ALONE = 0.9999  # share of pairs in order of a column that is the target by itself
FORMS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "('{}' + '{}')": np.add,
    "('{}' − '{}')": np.subtract,
    "'{}' · '{}'": np.multiply,
    "'{}' / '{}'": np.divide,
}
"""Each is tried with two columns in both orders, and with its multiples."""


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
