"""What `rankexp.compare` and `rankexp.inspect` return, and lines of Python that train a method."""

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

from collections.abc import Mapping
from typing import Any

from rankexp.errors import RankexpError
from rankexp.runner.compare.question import Question
from rankexp.runner.compare.study import Asked
from rankexp.runner.config.estimators import estimator_of
from rankexp.runner.config.methods import takes
from rankexp.runner.config.schema import Method
from rankexp.runner.data.dataset import Dataset, numbers_of
from rankexp.runner.data.readers.numbers import SIGNS
from rankexp.runner.data.reading import EMPTY, Json, Layout
from rankexp.runner.report.blocks.statistics.pairs_or_points import PairsOrPoints
from rankexp.runner.report.build import Report
from rankexp.runner.report.gain_words import recommended


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
        png = b64encode((self.folder / "answer.png").read_bytes()).decode()
        lists = {"notes": all_notes(self.output), "remarks": self.remarks}
        known = {name: "\n".join(own) for name, own in lists.items()} | {"code": self.code}
        reading = self.reading.text()
        return page(table=drawn, png=png, sentences=self.answer, reading=reading, **known)


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


Known = dict[str, Any]  # what a function of pandas is told
READERS = {".parquet": "read_parquet", ".pq": "read_parquet", ".xlsx": "read_excel"}


def of_report(report: Report, asked: Asked, dataset: Dataset, folder: Path) -> str:
    """Return the lines for the method that a report recommends; empty where it has none."""
    block = report.context.study.report[0]
    try:
        found = PairsOrPoints.model_validate(block.options).gains(report.context, block)
    except RankexpError:  # the report says so
        return ""
    if (best := recommended(found)) is None:
        return ""
    chosen = dict(best.chosen.values) if best.chosen else {}
    file = (Path() if asked.held else folder) / "ranker.joblib"
    return lines(asked, dataset, best.method, chosen, file.as_posix())


def lines(asked: Asked, dataset: Dataset, name: str, chosen: Mapping[str, Json], file: str) -> str:
    """Return the lines for a method with the parameters chosen, which save it to `file`.

    They are to be run where the table's path is right. Empty where pandas cannot read it, or
    its columns have no names.
    """
    assert dataset.reading is not None
    layout = dataset.reading.layout
    reader = "read_csv" if layout.delimiter else READERS.get(asked.table.suffix.lower())
    if reader is None or layout.header is False:
        return ""
    method = Method.model_validate(asked.offer.methods[name].content)
    module, _, own = method.estimator.rpartition(".")
    params = {**method.params, **chosen}
    model = dir(estimator_of(method)(**params))
    ways = ("decision_function", "predict_proba", "predict")
    marks = sorted({"", *layout.marks} - {EMPTY})
    known: dict[str, Any] = {"asked": asked, "file": file, "levels": _levels(asked.question)}
    known |= {"module": module or "rankexp.estimators", "name": own, "params": params}
    known |= {"columns": dataset.features, "signs": SIGNS, "reader": reader, "marks": marks}
    known |= {"layout": layout, "takes": takes(method), "reading": _reading(asked, layout, marks)}
    known |= {"repr": repr} | {"score": next(way for way in ways if way in model)}
    text = Path(__file__).with_name("recipe.jinja").read_text(encoding="utf-8")
    made: str = Template(text, trim_blocks=True, keep_trailing_newline=True).render(known)
    return made


def _reading(asked: Asked, layout: Layout, marks: list[str]) -> Known:
    """Return what pandas is told of how the table's files are read."""
    if not layout.delimiter:
        return {f"{k}_name": v for k, v in asked.entry.items() if k == "sheet"}
    given: Known = {"sep": r"\s+" if layout.delimiter == " " else layout.delimiter}
    given |= {"encoding": layout.encoding, "decimal": layout.decimal}
    given |= {"thousands": layout.thousands, "na_values": marks, "keep_default_na": False}
    if {*map(str.lower, asked.question.values)} <= {"true", "false"}:  # kept as texts
        given |= {"dtype": {asked.target: "str"}}
    usual = {"sep": ",", "encoding": "utf-8", "decimal": "."}
    return {k: v for k, v in given.items() if v not in (None, "", usual.get(k))}


def _levels(question: Question) -> dict[str, int] | dict[float, int]:
    """Return the code of each value from the worst level to the best; none of a number."""
    levels = [[own] if isinstance(own, str) else own for own in question.levels or ()]
    codes = {name: code for code, level in enumerate(levels) for name in level if name != "*"}
    numbers = numbers_of(codes) if numbers_of(question.values) else None
    return dict(zip(numbers, codes.values(), strict=True)) if numbers else codes
