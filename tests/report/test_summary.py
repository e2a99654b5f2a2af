"""The head of a page: sentences that other blocks say of themselves."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankexp import registry
from rankexp.config.schema import Block, Study
from rankexp.plan import Cell
from rankexp.report import build
from rankexp.report.context import Context
from rankexp.report.model import Output
from rankexp.run.record import Record

Make = Callable[..., Context]
Save = Callable[[Context, Path], Path]
ASKED = "Does 100 % of *it* hold?"


@pytest.fixture(name="study")
def _study(make: Make, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """A study with a summary at its head, whose table says its first number."""
    kind = registry.get("report.blocks", "published_table")
    plain = kind.output

    def output(self: Any, context: Context, block: Block) -> Output:
        made: Output = plain(self, context, block)
        assert made.numbers is not None
        return replace(made, gist=f"The first value is {made.numbers['reproduced'].iloc[0]:.6f}.")

    monkeypatch.setattr(kind, "output", output)
    study = copy.deepcopy(make().manifest["study"])
    head = {"block": "summary", "name": "summary", "title": "In short"}
    head["options"] = {"asked": ASKED, "of": {"Reproduced": "table1"}}
    study["report"] = [head, *study["report"]]
    yield study


def page_of(context: Context, save: Save, folder: Path) -> str:
    build.open_report(save(context, folder)).write()
    return (folder / "report.md").read_text(encoding="utf-8")


def test_it_stands_first_and_says_what_blocks_behind_it_found(
    make: Make, save: Save, tmp_path: Path, study: dict[str, Any]
) -> None:
    page = page_of(make(study), save, tmp_path / "a")
    head = page.partition("## Table 1")[0]
    assert "**Asked.** Does 100 % of \\*it\\* hold?" in head
    assert "**Reproduced.** The first value is 0." in head
    assert (
        "**Done.** 3 methods, 1 data set, 2 generators, 1 simulation; all 117 records are good; "
        "no data for gone; 20 s of computing." in head
    )


def test_other_records_change_the_sentences(
    make: Make, save: Save, tmp_path: Path, study: dict[str, Any]
) -> None:
    def worse(cell: Cell, record: Record) -> Record:
        return replace(record, rows=[r._replace(value=r.value + 0.1) for r in record.rows])

    def lost(cell: Cell, record: Record) -> Record | None:
        return None if cell.place.rep == 1 else record

    def said(page: str) -> list[str]:
        return [line for line in page.splitlines() if line.startswith(("**Done", "**Repr"))]

    done, value = said(page_of(make(study), save, tmp_path / "a"))
    same, other = said(page_of(make(study, worse), save, tmp_path / "b"))
    assert same == done and other != value
    fewer, lacking = said(page_of(make(study, lost), save, tmp_path / "c"))
    assert "INCOMPLETE" in fewer and "missing" in fewer
    assert "INCOMPLETE: 12 of 18 records" in lacking


def test_a_block_that_failed_says_so_at_the_head(
    make: Make, save: Save, tmp_path: Path, study: dict[str, Any]
) -> None:
    study["report"][1]["options"] = {"nonsense": 1}
    page = page_of(make(study), save, tmp_path / "a")
    assert "**Reproduced.** FAILED: block 'table1': its options are wrong" in page


def test_it_shows_all_experiments_and_a_title_leads_by_default(
    make: Make, study: dict[str, Any]
) -> None:
    study["report"][0]["options"]["of"] = ["table1"]
    study["report"][1]["title"] = "Table 1: losses"
    del study["report"][-1]["experiment"]
    parsed = Study.model_validate(study)
    assert (
        parsed.report[0].experiments == list(parsed.experiments) == parsed.report[-1].experiments
    )
    report = build.Report(make(study), Path())
    assert report.blocks[0].output.lead[-1].label == "Table 1"  # type: ignore[union-attr]


def test_it_gathers_no_other_of_its_kind(make: Make, study: dict[str, Any]) -> None:
    study["report"].append(study["report"][0] | {"name": "again"})
    study["report"][0]["options"] = {"of": ["again"]}
    (failed,) = build.Report(make(study), Path()).failures
    assert "'again' is of this kind, too" in failed
