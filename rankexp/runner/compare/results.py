"""What `rankexp.compare` and `rankexp.inspect` return."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from rankexp.runner.data.reading import CELLS, Reading
from rankexp.runner.diagnostics.diagnostic import Diagnosis
from rankexp.runner.report.build import Built
from rankexp.runner.report.model import Table
from rankexp.runner.report.numbers import capital
from rankexp.runner.report.render import html

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PNG = "answer.png"
MOST_COLUMNS = 60  # that a notebook shows


@dataclass(frozen=True, eq=False, repr=False)
class CompareResult:
    """The answer of `rankexp.compare`; a notebook shows it whole.

    Attributes
    ----------
    answer : list of str
        What training on pairs gains, which method ranks best, what each costs, how far the answer
        can be trusted, and what to do. What the diagnostics find in the results comes first.
    remarks : list of str
        What was guessed, left out or noticed on the way.
    diagnoses : list of Diagnosis
        What the diagnostics found in the table: `code` (``RK101``), `text` and `advice`.
    methods : DataFrame
        A row a method, the best first: `mean` of the `metric` on test rows, `se`, the interval
        from `low` to `high`, `seconds` a training run took, the settings `chosen`.
    contrasts : DataFrame
        A row a method on pairs: its `difference` from the same loss `on_points`, with `low_all`
        and `high_all`, which hold for all rows at once, adjusted p-values and the `verdict`.
        Both tables have the numbers of ``answer.csv``.
    figure : Figure or None
        Both tables, drawn by matplotlib.
    code : str
        Lines of Python that train the recommended method on all rows and save it; empty where
        there are none.
    reading : Reading
        How the table was read.
    folder : Path
        All files: ``report.md``, ``answer.csv``, ``answer.png``, ``study.yaml``, ... It is
        removed with this object unless it was named by `out`.
    """

    answer: list[str]
    remarks: list[str]
    diagnoses: list[Diagnosis]
    methods: pd.DataFrame
    contrasts: pd.DataFrame
    figure: "Figure | None"
    code: str
    reading: Reading
    folder: Path
    built: Built

    def __repr__(self) -> str:
        return "\n\n".join([*self.answer, *self.remarks])

    def _repr_html_(self) -> str:
        drawn = [png for name, png in self.built.files.items() if name == PNG]
        told = "Left: the methods. Right: what pairs gain. Both with intervals."
        parts = [
            html.body(self.built.output),
            *(html.picture(png, told) for png in drawn),
            html.folded("What was noticed on the way", html.sentences(self.remarks)),
            html.folded("How the table was read", html.lines(self.reading.text())),
            html.folded("Train the recommended method", html.lines(self.code)),
        ]
        return html.whole(parts)


@dataclass(frozen=True, eq=False, repr=False)
class InspectResult:
    """How a table is read, and what `compare` will do; a notebook shows it whole.

    Attributes
    ----------
    reading : Reading
        All that was read: `rows`, `levels` of the target with their rows, `layout`, ...
    diagnoses : list of Diagnosis
        What the diagnostics found: `code` (``RK101``), `text` and `advice`.
    plan : str
        What `compare` will do with the target, or why it would stop; empty without a target.
    """

    reading: Reading
    diagnoses: Sequence[Diagnosis] = ()
    plan: str = ""

    @property
    def notes(self) -> list[str]:
        """What the owner of the table should know: columns left out, texts that are numbers."""
        return list(self.reading.warnings)

    @property
    def columns(self) -> pd.DataFrame:
        """A row a column: its `kind`, its `role`, why it is left out, and what it holds."""
        return pd.DataFrame(map(vars, self.reading.columns))

    @property
    def sentences(self) -> list[str]:
        """The diagnoses, and what `compare` will do."""
        return [*map(str, self.diagnoses), *filter(None, [self.plan])]

    def __repr__(self) -> str:
        return "\n\n".join([self.reading.text(), *self.sentences])

    def _repr_html_(self) -> str:
        reading = self.reading
        shown = html.table(Table(list(CELLS), reading.cells(MOST_COLUMNS)))
        more = len(reading.columns) - MOST_COLUMNS
        rest = [f"and {more:,} more columns; .columns has all"] * (more > 0)
        below = map(capital, [*rest, *self.notes, *self.sentences])
        head = html.sentences([" · ".join(reading.head)])
        return html.whole([head, shown, html.sentences(below)])
