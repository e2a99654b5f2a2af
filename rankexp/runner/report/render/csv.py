"""CSV: a block's numbers in full precision, and whether they are all there."""

import pandas as pd

from rankexp.runner.report.model import Output

SUFFIX = "csv"


def table(numbers: pd.DataFrame) -> str:
    """Return a table as CSV: full precision, an empty field for what is not there."""
    return str(numbers.to_csv(index=False, lineterminator="\n"))


def render(output: Output) -> str | None:
    """Return a block's file, or None where it has no numbers."""
    if output.numbers is None:
        return None
    return table(output.numbers.assign(run=" ".join(output.incomplete) or "complete"))
