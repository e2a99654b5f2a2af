"""Numbers of tables with what they are of: precise, complete, and the same as in the files."""

import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankexp.runner.report import build
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import METHOD, PROBLEM, Head, Role, heads
from rankexp.runner.report.model import Beside, Cell, Cells, Table
from rankexp.runner.report.records import as_data
from rankexp.runner.report.render import csv
from rankexp.statistics.claims import Standing
from rankexp.statistics.verdicts import Reproduction, Verdict

Make = Callable[..., Context]
NUMBER = re.compile(r"-?[\d.]+(?:e-?\d+)?$")


def entries(table: dict[str, Any]) -> Iterator[tuple[dict[str, str], dict[str, Any]]]:
    """Yield each number with what it is of, as a reader of the data would."""
    for row in table["rows"]:
        said = {
            column["role"]: text
            for column, text in zip(table["columns"], row, strict=True)
            if isinstance(text, str)
        }
        for column, entry in zip(table["columns"], row, strict=True):
            own = {column["names"]: column["label"]} if "names" in column else {}
            numbers = entry if isinstance(entry, list) else []
            for number in numbers:
                yield {**table.get("of", {}), **said, **own}, {"role": column["role"], **number}


def test_a_number_is_told_by_its_table_its_row_and_its_column() -> None:
    beside = Beside(0.5, 0.01, Reproduction.NEAR)
    both = Cells([Cell(0.5), Cell(0.5123456789, 0.001, beside=beside)])
    verdict = Verdict("better", equivalent=True)
    gain = Cells([Cell(-0.01, interval=(-0.02, 0.0)), Cell("better ≈", verdict=verdict)])
    header = [
        PROBLEM,
        *heads(Role.VALUE, "Pairs", names=Role.METHOD),
        Head("Gain", Role.DIFFERENCE),
    ]
    table = Table(header, [["iris", both, gain]], of={Role.METRIC: "rank loss"}, better="lower")
    made = json.loads(json.dumps(as_data(table)))
    (of, printed), (_, here), (of_gain, difference) = entries(made)
    assert of == {"problem": "iris", "method": "Pairs", "metric": "rank loss"}
    assert printed == {"role": "published", "value": 0.5}
    assert here == {"role": "reproduced", "value": 0.5123456789, "error": 0.001, "verdict": "near"}
    assert of_gain == {"problem": "iris", "metric": "rank loss"} and made["better"] == "lower"
    assert difference["role"] == "difference" and difference["verdict"] == "better, equivalent"
    assert (difference["low"], difference["high"]) == (-0.02, 0.0)


@pytest.mark.parametrize(
    ("entry", "role"),
    [
        (3, Role.COUNT),
        (Cell(0.5), Role.VALUE),
        (Cell(), Role.VALUE),
        (Cell("none"), Role.LABEL),
        ("0.5", Role.LABEL),
        (Cells([Cell(0.5), Cell("better")]), Role.VALUE),
        (Cell(Standing.HOLDS), Role.LABEL),
    ],
)
def test_a_plain_head_has_its_role_from_the_kinds_of_its_entries(entry: Any, role: Role) -> None:
    table = Table(["a", METHOD], [[entry, "points"]])
    assert table.roles == [role, Role.METHOD] and table.right == [role.right, False]


def test_numbers_that_there_are_not_are_texts() -> None:
    (row,) = as_data(Table(["a", "b", "c"], [[Cell(math.nan), Cell(math.inf), 2]]))["rows"]  # type: ignore[misc,union-attr]
    assert row == ["–", "∞", 2]


def test_the_numbers_of_a_page_are_in_its_files(
    make: Make, save: Callable[[Context, Path], Path], tmp_path: Path, undrawn: None
) -> None:
    folder = save(make(), tmp_path / "a")
    report = build.open_report(folder)
    report.write()
    page = (folder / "report.html").read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="numbers">(.*?)</script>', page)
    assert found is not None
    parts = {one["title"]: one["tables"] for one in json.loads(found[1])["parts"]}
    checked = 0
    for block in report.context.study.report:
        output = report._output(block)
        if output.numbers is None or block.block not in ("paired_table", "comparison"):
            continue
        tables = parts[build.Built(block, output).section.title]
        values = {own["value"] for one in tables for _, own in entries(one) if "value" in own}
        known = [own for own in re.split(r"[,\s]", csv.table(output.numbers)) if NUMBER.match(own)]
        there = np.sort(np.array(known, dtype=float))
        nearest = [there[np.abs(there - value).argmin()] for value in values]
        np.testing.assert_allclose(list(values), nearest, rtol=1e-9)
        checked += len(values)
    assert checked > 10
