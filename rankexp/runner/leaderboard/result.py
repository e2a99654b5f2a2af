"""An answer: its sentences and tables, for the page, the terminal and notebooks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from rankexp.runner.compare.results import folded, page, told
from rankexp.runner.leaderboard.judge import Found
from rankexp.runner.report.model import Output, Section
from rankexp.runner.report.render.text import all_notes, led, rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class VerdictsResult:
    """An answer: its sentences and tables; a notebook shows all of it."""

    found: Found
    lead: Output
    sections: Mapping[str, Section]  # by the names of their files
    reading: Output

    @property
    def answer(self) -> list[str]:
        """What is best, what is as good, tiers, and what would tell more."""
        return [" ".join(filter(None, led(one))) for one in self.lead.lead]

    @property
    def remarks(self) -> list[str]:
        """How the table was read, what was guessed and what is missing."""
        return self.reading.texts

    @property
    def standings(self) -> pd.DataFrame:
        """A row a method, the best first, with its difference from the best."""
        return self._numbers("standings")

    @property
    def pairs(self) -> pd.DataFrame:
        """A row a pair of methods, over data sets and on each."""
        return self._numbers("pairs")

    @property
    def sets(self) -> pd.DataFrame:
        """A row a data set and method; empty where there is one data set."""
        return self._numbers("sets")

    @property
    def first(self) -> Output:
        """The methods by what decides."""
        return next(iter(self.sections.values())).output

    @property
    def figure(self) -> "Figure | None":
        """Each method minus the best, drawn by matplotlib."""
        return self.first.figure

    def _numbers(self, name: str) -> pd.DataFrame:
        numbers = self.sections[name].output.numbers if name in self.sections else None
        return pd.DataFrame() if numbers is None else numbers

    def __repr__(self) -> str:
        return "\n\n".join([*self.answer, *self.remarks])

    def _repr_html_(self) -> str:
        (shown,) = self.first.tables
        table = pd.DataFrame(rows(shown), columns=shown.labels)
        drawn = table.to_html(index=False, border=0, justify="left")
        return page(
            told(self.answer),
            f'<div style="overflow-x: auto">{drawn}</div>',
            folded("What the table says", all_notes(self.first)),
            folded("How the table was read", self.remarks),
        )
