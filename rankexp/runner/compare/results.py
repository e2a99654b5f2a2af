"""What `rankexp.compare` and `rankexp.inspect` return."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from jinja2 import Template

from rankexp.runner.data.reading import Reading
from rankexp.runner.diagnostics.diagnostic import Diagnosis
from rankexp.runner.report.model import Output
from rankexp.runner.report.render.text import all_notes, rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class CompareResult:
    """An answer: its sentences, tables and figure; a notebook shows all of it."""

    output: Output  # as in ``report.md``
    remarks: list[str]  # what was guessed, left out or noticed on the way
    diagnoses: list[Diagnosis]  # of the table: `code`, `text` and `advice`
    reading: Reading  # how the table was read
    code: str  # trains the recommended method on all rows; empty where there is none
    folder: Path  # all files; removed with the answer unless `out` named it

    @property
    def answer(self) -> list[str]:
        """What pairs gain, what ranks best, what it costs, can it be trusted, what now."""
        return list(map(str, self.output.lead))

    @property
    def methods(self) -> pd.DataFrame:
        """The numbers of ``answer.csv``: a row a method, the best first."""
        assert self.output.numbers is not None
        return self.output.numbers.loc[:, :"flat"]

    @property
    def contrasts(self) -> pd.DataFrame:
        """A row a method on pairs: its `difference` from its like on points, and the verdict."""
        assert self.output.numbers is not None
        own = self.output.numbers.set_index("method").loc[:, "on_points":"verdict"]
        return own[own.on_points != ""].reset_index()

    @property
    def figure(self) -> "Figure | None":
        """Both tables, drawn by matplotlib."""
        return self.output.figure

    def __repr__(self) -> str:
        return "\n\n".join([*self.answer, *self.remarks])

    def _repr_html_(self) -> str:
        (shown,) = self.output.tables
        table = pd.DataFrame(rows(shown), columns=shown.labels)
        with pd.option_context("display.max_colwidth", None):
            drawn = table.to_html(index=False, border=0, justify="left")
        return page(
            table=drawn,
            png=b64encode((self.folder / "answer.png").read_bytes()).decode(),
            sentences=self.answer,
            notes="\n".join(all_notes(self.output)),
            remarks="\n".join(self.remarks),
            reading=self.reading.text(),
            code=self.code,
        )


@dataclass(frozen=True, eq=False, repr=False)
class InspectResult:
    """How a table is read, and what `compare` will do with it."""

    reading: Reading
    diagnoses: Sequence[Diagnosis] = ()
    plan: str = ""  # what `compare` will do, or why it would stop; empty without a target

    @property
    def notes(self) -> list[str]:
        """What the owner of the table should know."""
        return list(self.reading.warnings)

    @property
    def columns(self) -> pd.DataFrame:
        """A row a column: its `kind`, its `role`, why it is left out, and what it holds."""
        return pd.DataFrame(map(vars, self.reading.columns))

    @property
    def sentences(self) -> list[str]:
        """What is said below the table of columns."""
        return [*map(str, self.diagnoses), *filter(None, [self.plan])]

    def __repr__(self) -> str:
        return "\n\n".join([self.reading.text(), *self.sentences])

    def _repr_html_(self) -> str:
        return page(sentences=self.sentences, reading=self.reading.text())


def page(**known: str | Sequence[str]) -> str:
    """Return a page for a notebook, of sentences, a table, a picture and what unfolds."""
    text = Path(__file__).with_suffix(".jinja").read_text(encoding="utf-8")
    made: str = Template(text, trim_blocks=True).render(known, escape=escape)
    return made
