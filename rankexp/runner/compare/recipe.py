"""The lines of Python that train the recommended method on all rows and save it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Template

from rankexp.errors import RankexpError
from rankexp.runner.compare.question import Question
from rankexp.runner.compare.study import Asked
from rankexp.runner.config.estimators import estimator_of
from rankexp.runner.config.methods import takes
from rankexp.runner.config.schema import Method
from rankexp.runner.data.dataset import Dataset
from rankexp.runner.data.levels import numbers_of
from rankexp.runner.data.readers.numbers import SIGNS
from rankexp.runner.data.reading import EMPTY, Json, Layout
from rankexp.runner.report.blocks.statistics.pairs_or_points import PairsOrPoints
from rankexp.runner.report.build import Report
from rankexp.runner.report.gain_words import recommended

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
    kinds = {"numeric": "numbers", "nominal": "names"}
    known: dict[str, Any] = {"asked": asked, "file": file, "levels": _levels(asked.question)}
    known |= {"module": module or "rankexp.estimators", "name": own, "params": params}
    known |= {kinds[k]: [f.name for f in dataset.features if f.kind == k] for k in kinds}
    known |= {"files": [str(file) for file in (asked.table, asked.test) if file is not None]}
    known |= {"reader": reader, "reading": _reading(asked, layout, marks), "marks": marks}
    known |= {"layout": layout, "takes": takes(method), "repr": repr}
    known |= {"away": rf"[{SIGNS}\s{layout.thousands or ''}]"}  # of per cent or currency
    known |= {"score": next(way for way in ways if way in model)}
    text = Path(__file__).with_suffix(".jinja").read_text(encoding="utf-8")
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
