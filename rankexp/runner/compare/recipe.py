"""The lines of Python that train the recommended method on all rows and save it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Template

from rankexp.errors import RankexpError
from rankexp.runner.compare.study import Asked
from rankexp.runner.config.estimators import Fits, estimator_of
from rankexp.runner.config.methods import takes
from rankexp.runner.config.schema import Method
from rankexp.runner.data.dataset import Dataset
from rankexp.runner.data.levels import numbers_of
from rankexp.runner.data.readers.numbers import SIGNS
from rankexp.runner.data.reading import EMPTY, Json, Layout
from rankexp.runner.report.blocks.statistics.pairs_or_points import PairsOrPoints
from rankexp.runner.report.build import Report
from rankexp.runner.report.gain_words import recommended

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
    maker = estimator_of(method)
    module, _, own = method.estimator.rpartition(".")
    params = {**method.params, **chosen}
    call = ", ".join(f"{key}={value!r}" for key, value in params.items())
    kinds = {"numeric": "numbers", "nominal": "names"}
    columns = {kinds[k]: [f.name for f in dataset.features if f.kind == k] for k in kinds}
    features = " + ".join(what for what, named in columns.items() if named)
    template = Template(
        Path(__file__).with_suffix(".jinja").read_text(encoding="utf-8"),
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    text: str = template.render(
        **columns,
        module=module or "rankexp.estimators",
        name=own,
        read=_read(asked, layout, reader),
        signed=[*layout.signed],
        away=repr(rf"[{SIGNS}\s{layout.thousands or ''}]"),  # of per cent or currency
        needed=[asked.target],
        target=_target(asked),
        call=f"{own}({call})",
        features=features,
        beside=_beside(asked, takes(method)),
        file=repr(file),
        score=_score(maker(**params), features),
    )
    return text


def _read(asked: Asked, layout: Layout, reader: str) -> str:
    given: dict[str, Any] = {f"{k}_name": v for k, v in asked.entry.items() if k == "sheet"}
    marks = sorted({"", *layout.marks} - {EMPTY})
    if layout.delimiter:
        given = {"sep": r"\s+" if layout.delimiter == " " else layout.delimiter}
        given |= {"encoding": layout.encoding, "decimal": layout.decimal}
        given |= {"thousands": layout.thousands, "na_values": marks, "keep_default_na": False}
        if {*map(str.lower, asked.question.values)} <= {"true", "false"}:  # kept as texts
            given |= {"dtype": {asked.target: "str"}}
    usual = {"sep": ",", "encoding": "utf-8", "decimal": "."}
    said = [f", {k}={v!r}" for k, v in given.items() if v not in (None, "", usual.get(k))]
    own = f".replace({marks!r}, float('nan'))" if marks[1:] and not layout.delimiter else ""
    files = [file for file in (asked.table, asked.test) if file is not None]
    calls = [f"pd.{reader}({str(file)!r}{''.join(said)})" for file in files]
    read = asked.held or (calls[0] if len(calls) == 1 else f"pd.concat([{', '.join(calls)}])")
    return f"table = {read}{own}"


def _target(asked: Asked) -> str:
    """Return how the target becomes 0, 1, ... from the worst level to the best; or a number."""
    column = f"table[{asked.target!r}]"
    if asked.question.levels is None:
        return f"{column}.astype(float)"
    levels = [[own] if isinstance(own, str) else own for own in asked.question.levels]
    codes = {name: code for code, level in enumerate(levels) for name in level if name != "*"}
    numbers = numbers_of(codes) if numbers_of(asked.question.values) else None
    keyed = dict(zip(numbers or codes, codes.values(), strict=True))
    found = f"{column}{'.astype(float)' if numbers else '.astype(str).str.strip()'}.map({keyed!r})"
    return f"{found}.fillna(0)" if levels[0] == ["*"] else found


def _beside(asked: Asked, known: frozenset[str]) -> str:
    given = {"groups": "groups" if asked.within else "", "sample_weight": "weights"}
    return "".join(
        f", ranker__{name}=table[{asked.entry[key]!r}]"
        for name, key in given.items()
        if name in known and key in asked.entry
    )


def _score(model: Fits, features: str) -> str:
    known = dir(model)
    way = next(way for way in ("decision_function", "predict_proba", "predict") if way in known)
    return f"{way}(table[{features}]){'[:, 1]' * (way == 'predict_proba')}"
