"""CSV: a block's numbers in full precision, and whether they are all there."""

import re
from collections.abc import Hashable

import pandas as pd

from rankexp.runner.report.model import Output

SUFFIX = "csv"
_FORMULA = re.compile(r"[=@\t]|[+-](?!([0-9.]+(e[+-]?[0-9]+)?|inf|nan)$)", re.IGNORECASE)


def table(numbers: pd.DataFrame) -> str:
    """Return a table as CSV: full precision, and a ``'`` before a text that is like a formula."""
    for name in map(str, numbers.select_dtypes(exclude="number")):
        marked = {text: _marked(text) for text in numbers[name].unique()}
        if any(text is not cell for text, cell in marked.items()):
            numbers = numbers.assign(**{name: [marked.get(text, text) for text in numbers[name]]})
    header = [str(_marked(name)) for name in numbers.columns]
    return str(numbers.to_csv(index=False, header=header, lineterminator="\n"))


def _marked(cell: Hashable) -> Hashable:
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def render(output: Output) -> str | None:
    """Return a block's file, or None where it has no numbers."""
    if output.numbers is None:
        return None
    return table(output.numbers.assign(run=" ".join(output.incomplete) or "complete"))
