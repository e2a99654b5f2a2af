"""CSV: a block's numbers in full precision, and whether they are all there."""

from collections.abc import Hashable

import pandas as pd

from rankexp.runner.report.model import Output

SUFFIX = "csv"


def table(numbers: pd.DataFrame) -> str:
    """Return a table as CSV: full precision, an empty field for what is not there.

    Text that a spreadsheet would take for a formula, such as a label ``=1+2`` of the user's
    table, has a ``'`` in front.
    """
    for name in numbers.columns[[kind.kind not in "biuf" for kind in numbers.dtypes]]:
        odd = {text: f"'{text}" for text in numbers[name].unique() if is_formula(text)}
        if odd:
            marked = {name: [odd.get(text, text) for text in numbers[name]]}
            numbers = numbers.assign(**marked)
    odd = {name: f"'{name}" for name in numbers.columns if is_formula(name)}
    numbers = numbers.rename(columns=odd) if odd else numbers
    return str(numbers.to_csv(index=False, lineterminator="\n"))


def is_formula(cell: Hashable) -> bool:
    """Tell whether a spreadsheet would work out a cell: a text that begins so, and no number."""
    if not (isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t"))):
        return False
    try:
        float(cell)
    except ValueError:
        return True
    return False


def render(output: Output) -> str | None:
    """Return a block's file, or None where it has no numbers."""
    if output.numbers is None:
        return None
    return table(output.numbers.assign(run=" ".join(output.incomplete) or "complete"))
