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


def test_the_page_says_it_once(
    make: Make, save: Save, tmp_path: Path, study: dict[str, Any]
) -> None:
    options = {"method": "svm_or", "references": ["logistic"], "margin": 0.01, "rule": "nested"}
    study["report"][2:] = [
        {"block": "answer", "name": name, "experiment": "boxes", "options": options}
        for name in ("first", "second")
    ]
    study["report"][0]["options"]["of"] = {"Answer": "first"}
    page = page_of(make(study), save, tmp_path / "a")
    said = "Against logistic. "
    _, head, _, first, second, *_ = page.split("\n## ")
    assert "**Answer.** " in head and said not in first and said in second
    assert said in (tmp_path / "a" / "first.md").read_text(encoding="utf-8")


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


def gist(context: Context, name: str, experiment: str, **options: Any) -> str:
    block = Block(block=name, name="x", experiment=experiment, options=options)
    output: Output = (
        registry.get("report.blocks", name).model_validate(options).build(context, block)
    )
    return output.gist


def better(cell: Cell, record: Record) -> Record:
    """Give one method the least losses."""
    less = 0.05 * (cell.method == "exponential")
    rows = [r._replace(value=r.value - less) if r.grid == 1 else r for r in record.rows]
    return replace(record, rows=rows)


def test_tables_say_which_method_has_the_best_mean(make: Make) -> None:
    options: dict[str, Any] = {"reference": "logistic"}
    said = gist(make(), "boxplots", "boxes", **options)
    assert said.startswith("Of 2 problems the lowest mean rank loss: logistic on 2. ")
    assert "Mean differences to logistic: +.0" in said
    assert "exponential on 2" in gist(make(None, better), "paired_table", "boxes", **options)
    nothing = make(None, lambda cell, record: None)
    assert gist(nothing, "paired_table", "boxes", **options) == ""


def test_the_best_scorer_is_named_with_the_distance_from_it(make: Make) -> None:
    said = gist(make(), "optimum", "boxes")
    assert said.startswith("Of 2 problems the lowest mean rank loss: logistic on 2.")
    assert "Distance from the best scorer: .0" in said
    assert gist(make(None, better), "optimum", "boxes") != said


def test_ranks_are_said_best_first(make: Make) -> None:
    said = gist(make(), "average_ranks", "boxes")
    assert "over 5 models, hard: logistic 1.00, SVM-OR 2.00, exponential 3.00 (p " in said
    assert "hard: exponential 1.00" in gist(make(None, better), "average_ranks", "boxes")


def test_simulations_say_how_far_means_are_from_what_they_should_be(make: Make) -> None:
    def off(cell: Cell, record: Record) -> Record:
        more = {"prior_observed": 0.5}
        rows = [r._replace(value=r.value + more.get(r.quantity, 0.0)) for r in record.rows]
        return replace(record, rows=rows)

    options: dict[str, Any] = {"expected": {"prior_observed": "prior"}}
    said = gist(make(), "simulation_table", "tried", **options)
    assert said.startswith("2 means are within .00")
    far = gist(make(None, off), "simulation_table", "tried", **options)
    assert far.startswith("2 means are within .50") and "2 of them further than 3 SE" in far
    assert gist(make(), "simulation_table", "tried") == ""
