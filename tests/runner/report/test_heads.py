"""Change records of the committed runs: the answer at the head of each page must follow."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from rankexp.runner.config.schema import Block
from rankexp.runner.keep.curves.placements import is_placements
from rankexp.runner.plan import PlanCell
from rankexp.runner.report.build import Report, open_report
from rankexp.runner.report.context import Context
from rankexp.runner.run.record import Record

REFERENCE = Path(__file__).parents[3] / "results" / "reference"
FOLDERS = sorted(folder.parent for folder in REFERENCE.glob("*/manifest.json"))


@dataclass(frozen=True)
class Turn:
    """What is added to values of some methods or quantities, and what the answer says then."""

    study: str
    experiments: str
    of: str  # methods, or quantities of a simulation
    by: float
    says: str
    on: str = ""  # problems

    def wanted(self, cell: PlanCell) -> bool:
        """Whether a cell is one of those that change."""
        names = ((self.experiments, cell.experiment), (self.on, cell.problem))
        return all(re.fullmatch(own or ".*", name) is not None for own, name in names)

    def changed(self, cell: PlanCell, record: Record) -> Record:
        """Return a record whose numbers, and placements of rows, are larger by so much."""
        method = re.fullmatch(self.of, cell.method) is not None
        rows = [
            row._replace(value=row.value + self.by)
            if method or re.fullmatch(self.of, row.quantity)
            else row
            for row in record.rows
        ]
        curves = {
            name: {**curve, "y": [y - self.by for y in curve["y"]]}
            if method and is_placements(name)
            else curve
            for name, curve in record.curves.items()
        }
        return replace(record, rows=rows, curves=curves)


ONE = r"one by one, (\d+) of \d+ (?:are|is) decided"
TURNS = [
    Turn("auc-itself", "sets", "itself", 0.05, r"^Yes\. .* by \+\.0[45]"),
    Turn("kotlowski2011", "corners", ".*-pairs", 0.05, r"^No\. .* by \+\.0[45].*, beyond the mar"),
    Turn(
        "kotlowski2011", "corners", ".*-pairs", -0.05, r"^Yes\. .* by −\.0[45].*, beyond the mar"
    ),
    Turn(
        "letor-ohsumed",
        "letor",
        "squared-hinge|logistic",
        0.05,
        r"list, yes\. .* by \+\.0[45].*, beyo",
    ),
    Turn(
        "letor-ohsumed",
        "letor",
        "squared-hinge|logistic",
        -0.05,
        r"list, no\. .* by −\.0.*, beyond",
    ),
    Turn(
        "uematsu2010",
        "real",
        "pairs-logistic",
        0.03,
        r"^Pairs help\. .* by \+\.0[23].*, beyond the mar",
    ),
    Turn(
        "uematsu2010",
        "real",
        "pairs-logistic",
        -0.03,
        r"^Pairs are not needed\. .* by −\.03.*, beyond",
    ),
    Turn(
        "menon2014",
        "crowded|top",
        "push-.*",
        0.1,
        r"^Partly\. .* gains .* On wine it gains \+\.09",
    ),
    Turn(
        "menon2014",
        "crowded",
        "push-.*",
        -0.1,
        r"^If negatives crowd the top, the push changes .* −\.0",
    ),
    Turn("clemencon2017", "real|noise", "cart-cv", -0.2, r"Elsewhere it is not: .*worse on 13"),
    Turn("clemencon2017", "table1", "cart", 0.5, r"^On the paper's example it is"),
    Turn("kotlowski2011-theory", "map-.*|n-.*", "logistic-pairs", 0.05, r"in 0 of 50 cells"),
    Turn("mohri2018", "mean", "ratio of QuickSort|regret of QuickSort", 0.6, r"^Against theory"),
    Turn("boosting", "real", ".*-pairs", 0.05, r"^Yes\. .* by \+\.0[45].*, beyond the margin"),
    Turn("boosting", "real", ".*-pairs", -0.05, r"^No\. .* by −\.0[45].*, beyond the margin"),
]
SINGLE = [
    Turn("kotlowski2011", "corners", ".*-pairs", 0.2, ONE, on="vote"),
    Turn("uematsu2010", "real", "pairs-logistic", 0.2, ONE),
    Turn("boosting", "real", ".*-pairs", 0.2, ONE),
    Turn("letor-ohsumed", "letor", "squared-hinge", 0.2, r"over \d+ queries"),
    Turn("menon2014", "top", "push-logistic", 0.2, r"On wine"),
    Turn("mohri2018", "mean", "ratio of QuickSort|regret of QuickSort", 0.2, r"QuickSort loses"),
]


@cache
def opened(study: str) -> Report:
    """Open the committed records of a study once."""
    return open_report(REFERENCE / study)


def answer(study: str, change: Callable[[Mapping[str, Record]], Mapping[str, Record]]) -> str:
    """Return the answer at the head of a page, made of changed records and of what it needs."""
    made, context = opened(study), opened(study).context
    head = next(block for block in context.study.report if block.block == "summary")
    asked = [one for own in head.options["means"] for one in (own, *own.get("otherwise", []))]
    needed = {head.name, *(one["block"] for one in asked)}
    blocks: list[Block] = [block for block in context.study.report if block.name in needed]
    own = context.study.model_copy(update={"report": blocks})
    context = Context(own, context.cells, change(context.records), context.manifest)
    (output,) = (
        b.output for b in Report(context, made.folder).blocks if b.block.name == head.name
    )
    return next(said.whole for said in output.lead if said.label == "Answer")


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("turn", TURNS, ids=lambda t: f"{t.study} {t.experiments} {t.by:+g}")
def test_an_answer_turns_with_its_records(turn: Turn) -> None:
    def change(records: Mapping[str, Record]) -> dict[str, Record]:
        wanted = {c.key: c for c in opened(turn.study).context.cells if turn.wanted(c)}
        return {
            key: turn.changed(wanted[key], own) if key in wanted else own
            for key, own in records.items()
        }

    before, after = answer(turn.study, dict), answer(turn.study, change)
    assert re.search(turn.says, after), after
    assert not re.search(turn.says, before), before


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("turn", SINGLE, ids=lambda t: t.study)
def test_a_single_record_moves_the_numbers_of_an_answer(turn: Turn) -> None:
    def change(records: Mapping[str, Record]) -> dict[str, Record]:
        cell = next(
            cell
            for cell in opened(turn.study).context.cells
            if turn.wanted(cell) and turn.changed(cell, records[cell.key]) != records[cell.key]
        )
        return {**records, cell.key: turn.changed(cell, records[cell.key])}

    before, after = answer(turn.study, dict), answer(turn.study, change)
    assert before != after
    found = [re.search(turn.says, text) for text in (before, after)]
    assert all(found), (before, after)
    if turn.says == ONE:
        counts = [int(own[1]) for own in found if own]
        assert counts[1] <= counts[0]


def test_every_study_with_committed_records_is_tried() -> None:
    assert {turn.study for turn in TURNS} == {folder.name for folder in FOLDERS}
