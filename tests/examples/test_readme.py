"""The README's Python runs as it stands, on data of the kind that it speaks of."""

import ast
import doctest
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from rankexp.runner.config.load import load
from rankexp.runner.report.build import open_report
from rankexp.runner.run.execute import execute

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


PAGES = [
    TEXT,
    *(f.read_text(encoding="utf-8") for f in (DOCS / "methods.md", DOCS / "rank-pairwise.md")),
]
PASTED = [block for page in PAGES for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL)]


@pytest.mark.parametrize("code", PASTED, ids=lambda code: code.split(".")[0][:40])
def test_a_block_runs_when_pasted(code: str) -> None:
    if "xgboost" in code:
        pytest.importorskip("xgboost")
    names, shown = {}, {}
    for line in ast.parse(code).body:
        if isinstance(line, ast.Expr):
            shown[ast.unparse(line)] = eval(ast.unparse(line), names)
        else:
            exec(ast.unparse(line), names)
    in_order = [
        1.0 - np.mean(value) if text.startswith("rank_loss") else np.mean(value)
        for text, value in shown.items()
        if np.asarray(value).dtype.kind == "f"
    ]
    assert len(in_order) == (2 if code in BLOCKS else 0)
    assert all(0.7 < share < 1.0 for share in in_order)


def test_there_are_blocks() -> None:
    assert BLOCKS


def test_what_the_library_page_shows_is_so() -> None:
    page = Path(__file__).parents[2] / "docs/library.md"
    found = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert found.failed == 0
    assert found.attempted > 10


def test_the_study_of_ones_own_data_runs_and_is_that_of_the_example(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    (block,) = re.findall(r"```yaml\n(version: 1\n.*?)```", TEXT, re.DOTALL)
    (tmp_path / "mine.yaml").write_text(block, encoding="utf-8")
    shutil.copy(root / "configs" / "example.csv", tmp_path)
    mine, example = load(tmp_path / "mine.yaml"), load(root / "configs/example-own-data.yaml")
    assert mine.model_dump(exclude={"profiles"}) == example.model_dump(exclude={"profiles"})
    assert "repeats: 10" in block
    (tmp_path / "mine.yaml").write_text(block.replace("repeats: 10", "repeats: 2"))
    few = load(tmp_path / "mine.yaml")
    outcome = execute(few, results=tmp_path / "results", workers=1, quiet=True)
    assert outcome.exit_code == 0
    report = open_report(outcome.folder)
    assert report.blocks[0].output.lead[0].startswith(("Training on pairs", "The data", "No gain"))
