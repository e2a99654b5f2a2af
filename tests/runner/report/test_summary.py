"""The head of a page: five sentences made of what other blocks found."""

import copy
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from rankexp import registry
from rankexp.charts.model import Chart, Intervals
from rankexp.charts.paint import painted
from rankexp.errors import ConfigError
from rankexp.runner.config.load import load
from rankexp.runner.config.schema import Block, Study
from rankexp.runner.plan import PlanCell
from rankexp.runner.report import build
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Fact, Output, Page, Said, Section, Tally
from rankexp.runner.report.render import html
from rankexp.runner.report.render.text import rows
from rankexp.runner.run.record import Record

pytestmark = pytest.mark.usefixtures("undrawn")

Make = Callable[..., Context]
Save = Callable[[Context, Path], Path]
LEADS = ["Asked", "Answer", "What was run", "Reproduced", "Not reproduced"]
PAIR = {"method": "svm_or", "references": ["logistic", "exponential"], "margin": 0.015}
ANSWER = {"block": "answer", "name": "answer", "experiment": "boxes", "options": PAIR}
MEANS = {
    "equivalent": "pairs are not needed: they change it by {}",
    "worse": "points rank better: pairs change it by {}",
}
HEAD = {
    "block": "summary",
    "name": "summary",
    "title": "In short",
    "options": {
        "asked": "Does 100 % of *it* hold?",
        "reproduced": ["table1"],
        "why": [
            {"block": "answer", "of": "exponential in boxes", "say": "exponential loses {}"},
            "the solver is loose",
        ],
        "means": [{"block": "answer", "of": "logistic in boxes", "say": MEANS}],
    },
}


@pytest.fixture(name="study")
def _study(make: Make) -> dict[str, Any]:
    """A study with a summary at its head."""
    study: dict[str, Any] = copy.deepcopy(make().manifest["study"])
    study["report"] = [copy.deepcopy(HEAD), *study["report"], ANSWER]
    return study


def page_of(context: Context, save: Save, folder: Path) -> str:
    build.open_report(save(context, folder)).write()
    return (folder / "report.md").read_text(encoding="utf-8")


def head_of(page: str) -> dict[str, str]:
    """Return the sentences of a page's first section by what leads them."""
    _, section, *_ = page.split("\n## ")
    lines = [line[2:] for line in section.splitlines() if line.startswith("**")]
    return {lead: text for lead, _, text in (line.partition(".** ") for line in lines)}


def test_it_stands_first_and_has_five_sentences(
    make: Make, save: Save, tmp_path: Path, study: dict[str, Any]
) -> None:
    said = head_of(page_of(make(study), save, tmp_path / "a"))
    assert list(said) == LEADS and said["Asked"] == "Does 100 % of \\*it\\* hold?"
    assert said["What was run"] == (
        "3 methods, 1 data set, 2 artificial problems, 1 simulation; all 117 fits and repetitions "
        "of simulations are done, none failed; no data for gone; 20 s of computing."
    )
    assert said["Reproduced"].startswith("1 of 3 published values too noisy to tell")
    assert said["Not reproduced"].startswith(
        "2 of 3 values, furthest vote\\_84 & more exponential"
    )
    assert ". Why: exponential loses −.0" in said["Not reproduced"]
    assert said["Not reproduced"].endswith("; conjecture: the solver is loose.")
    assert said["Answer"].startswith("Pairs are not needed: they change it by +.01")
    ending = r" over 2 settings, within both margins, \.015 and 10 % of the loss"
    turn = r"\. A margin of \.01\d\d \(rounded up\) would do, too, by the 90 % CI\.$"
    assert re.search(ending + turn, said["Answer"])


@pytest.mark.slow
def test_other_records_change_every_sentence_with_a_number(
    make: Make, save: Save, tmp_path: Path, study: dict[str, Any]
) -> None:
    def worse(cell: PlanCell, record: Record) -> Record:
        more = 0.1 * (cell.method == "svm_or") + 0.2 * (cell.experiment == "folds")
        more *= cell.method != "exponential" or cell.experiment != "once"
        return replace(record, rows=[r._replace(value=r.value + more) for r in record.rows])

    def near(cell: PlanCell, record: Record) -> Record:
        less = {"exponential": 0.37, "logistic": 0.0085}.get(cell.method, 0.0)
        less *= cell.experiment == "folds"
        return replace(record, rows=[r._replace(value=r.value + less) for r in record.rows])

    def lost(cell: PlanCell, record: Record) -> Record | None:
        return None if cell.place.rep == 1 else record

    first = head_of(page_of(make(study), save, tmp_path / "a"))
    other = head_of(page_of(make(study, worse), save, tmp_path / "b"))
    assert {lead for lead in LEADS if first[lead] != other[lead]} == {"Answer", "Not reproduced"}
    assert other["Answer"].startswith("Points rank better: pairs change it by +.1")
    assert other["Answer"].endswith(", beyond the margin of .015.")
    good = head_of(page_of(make(study, near), save, tmp_path / "c"))
    assert good["Reproduced"] != first["Reproduced"]
    page = page_of(make(study, lost), save, tmp_path / "d")
    said = head_of(page)
    assert said["What was run"] != first["What was run"] and "INCOMPLETE" in said["What was run"]
    assert said["Reproduced"].startswith("INCOMPLETE (table1): ")
    assert said["Not reproduced"].startswith("INCOMPLETE (table1): ")
    assert said["Answer"].startswith("Nothing yet. Of the experiment boxes 60 of 90")


def test_a_block_that_failed_says_so_at_the_head(
    make: Make, save: Save, tmp_path: Path, study: dict[str, Any]
) -> None:
    study["report"][1]["options"] = {"nonsense": 1}
    said = head_of(page_of(make(study), save, tmp_path / "a"))
    for lead in ("Reproduced", "Not reproduced"):
        assert said[lead].startswith("FAILED: block 'table1': its options are wrong")
    assert said["Answer"].startswith("Pairs are not needed")


def told(make: Make, study: dict[str, Any], shown: dict[str, Output], **options: Any) -> list[str]:
    """Return what is reproduced and what is not, then the answer, given what blocks show."""
    context = make(study)
    context.shown |= shown
    block = Block(block="summary", name="s", experiment="boxes", options=options)
    output = registry.get("report.blocks", "summary").model_validate(options).build(context, block)
    _, answer, _, *counted = (said.whole for said in output.lead)
    return [*counted, answer]


def test_the_sentences_of_every_outcome(make: Make, study: dict[str, Any]) -> None:
    none = "No published value was compared."
    assert told(make, study, {}) == ["See the blocks below."]
    assert told(make, study, {}, why=["noise"]) == [none, none, "See the blocks below."]
    good = {"a": Output(tally=Tally("9 of 9 values"), gist="All of 9 hold.")}
    means = [{"block": "a"}]
    assert told(make, study, good, reproduced=["a"], means=means) == [
        "9 of 9 values.",
        "Nothing that was compared.",
        "All of 9 hold.",
    ]
    none = {"a": Output(facts={"x": Fact("not run", "refused: c lacks 2 folds")})}
    for say in ("it changes by {}", {"better": "gain {}"}):
        means = [{"block": "a", "of": "x", "say": say}]
        assert told(make, study, none, means=means)[-1] == "X, not run: refused: c lacks 2 folds."
    bad = {"a": Output(tally=Tally("1 of 9 values", "8 values"), facts={"x": Fact("worse", ".1")})}
    means = [{"block": "a", "of": "x", "say": {"better": "gain {}"}}, {"block": "a", "of": "y"}]
    assert told(make, study, bad, reproduced=["a"], means=means) == [
        "1 of 9 values.",
        "8 values. Why: unknown.",
        "X, worse: .1. Block 'a' has no fact 'y' (it has: x).",
    ]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"reproduced": ["tabel1"]}, "unknown block 'tabel1'"),
        ({"means": [{"block": "anwser"}]}, "unknown block 'anwser'"),
        ({"means": [{"block": "answer", "say": "a reason without its number"}]}, "say"),
        ({"means": [{"block": "answer", "say": {"equivalant": "it is {}"}}]}, "equivalant"),
    ],
)
def test_what_makes_no_sense_is_found_before_a_run(
    tmp_path: Path, study: dict[str, Any], wrong: dict[str, Any], told: str
) -> None:
    study["report"][0]["options"] = wrong
    study["data"].pop("gone")
    study["experiments"]["folds"]["problems"] = ["vote"]
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(study), encoding="utf-8")
    with pytest.raises(ConfigError, match=told):
        load(tmp_path / "a.yaml")


def test_the_page_says_it_once(
    make: Make, save: Save, tmp_path: Path, study: dict[str, Any]
) -> None:
    study["report"] += [
        {**ANSWER, "block": "comparison", "name": name, "aside": True} for name in ("one", "two")
    ]
    page = page_of(make(study), save, tmp_path / "a")
    assert page.count("SVM-OR against logistic: worse on 2 of 2 (margin .015).") == 1
    assert page.count("117 of 117 records are good") == 1


def test_it_shows_all_experiments_by_default(study: dict[str, Any]) -> None:
    parsed = Study.model_validate(study)
    assert parsed.report[0].experiments == list(parsed.experiments)


def gist(context: Context, name: str, experiment: str, **options: Any) -> str:
    block = Block(block=name, name="x", experiment=experiment, options=options)
    output: Output = (
        registry.get("report.blocks", name).model_validate(options).build(context, block)
    )
    return output.gist


def better(cell: PlanCell, record: Record) -> Record:
    """Give one method the least losses."""
    less = 0.05 * (cell.method == "exponential")
    rows = [r._replace(value=r.value - less) if r.grid == 1 else r for r in record.rows]
    return replace(record, rows=rows)


def test_tables_say_which_method_has_the_best_mean(make: Make) -> None:
    options: dict[str, Any] = {"reference": "logistic"}
    said = gist(make(), "boxplots", "boxes", **options)
    assert said.startswith("Best rank loss: logistic on 2 of 2 problems. ")
    assert "Mean differences to logistic: +.0" in said
    assert "exponential on 2" in gist(make(None, better), "paired_table", "boxes", **options)
    nothing = make(None, lambda cell, record: None)
    assert gist(nothing, "paired_table", "boxes", **options) == ""


def test_the_best_scorer_is_named_with_the_distance_from_it(make: Make) -> None:
    said = gist(make(), "optimum", "boxes")
    assert said.startswith("Best rank loss: logistic on 2 of 2 problems.")
    assert "Distance from the best scorer: .0" in said
    assert gist(make(None, better), "optimum", "boxes") != said


def test_rows_of_the_best_scorer_tell_sizes_apart(make: Make) -> None:
    study = make().study.model_dump(mode="json")
    boxes = study["experiments"]["boxes"]
    fewer = boxes["protocol"] | {"n_train": 8}
    study["experiments"]["small"] = boxes | {"problems": ["hard"], "protocol": fewer}

    def further(cell: PlanCell, record: Record) -> Record:
        more = 0.1 * (cell.experiment == "small" and cell.method == "exponential")
        rows = [r._replace(value=r.value + more * (":" not in r.quantity)) for r in record.rows]
        return replace(record, rows=rows)

    made = make(study, further)
    block = Block(block="optimum", name="optimum", experiment=["boxes", "small"])
    output = registry.get("report.blocks", "optimum")().build(made, block)
    labels = ["linear, balanced", "hard (boxes)", "hard (small)"]
    assert [row[0] for row in rows(output.tables[0])] == labels
    assert isinstance(output.chart, Chart)
    (axes,) = painted(output.chart).axes
    assert [text.get_text() for text in axes.get_yticklabels()] == labels
    (panel,) = output.chart.panels
    assert isinstance(panel, Intervals) and panel.labels == labels
    drawn = {
        name: [row.value for row in panel.rows if row.method == place]
        for place, name in enumerate(panel.methods)
    }
    assert output.numbers is not None
    found = output.numbers.set_index(["experiment", "problem", "method"])["short"]
    places = [("boxes", "easy"), ("boxes", "hard"), ("small", "hard")]
    assert list(drawn["exponential"]) == [found[(*place, "exponential")] for place in places]
    assert drawn["exponential"][2] > drawn["exponential"][1] + 0.05


def test_ranks_are_said_best_first(make: Make) -> None:
    said = gist(make(), "average_ranks", "boxes")
    assert "over 5 models, hard: logistic 1.00, SVM-OR 2.00, exponential 3.00 (p " in said
    assert "hard: exponential 1.00" in gist(make(None, better), "average_ranks", "boxes")


def test_simulations_say_how_far_means_are_from_what_they_should_be(make: Make) -> None:
    def off(cell: PlanCell, record: Record) -> Record:
        more = {"prior_observed": 0.5}
        rows = [r._replace(value=r.value + more.get(r.quantity, 0.0)) for r in record.rows]
        return replace(record, rows=rows)

    options: dict[str, Any] = {"expected": {"prior_observed": "prior"}}
    said = gist(make(), "simulation_table", "tried", **options)
    assert said.startswith("2 means are within .00")
    far = gist(make(None, off), "simulation_table", "tried", **options)
    assert far.startswith("2 means are within .50") and "2 of them differ by more than 3 SE" in far
    assert gist(make(), "simulation_table", "tried") == ""


def test_the_answer_in_a_word_goes_before_what_is_said_by_verdict(
    make: Make, study: dict[str, Any]
) -> None:
    words = {"equivalent": "No", "better": "Partly", "undecided": "Still open"}

    def head(verdict: str, **more: Any) -> Output:
        context = make(study)
        context.shown |= {"a": Output(facts={"x": Fact(verdict, ".1", **more)})}
        means = [{"block": "a", "of": "x", "say": "it changes by {}", "word": words}]
        block = Block(block="summary", name="s", experiment="boxes", options={"means": means})
        kind = registry.get("report.blocks", "summary").model_validate(block.options)
        made = kind.build(context, block)
        assert isinstance(made, Output)
        return made

    opened = [getattr(head(verdict).lead[1], "open", None) for verdict in words]
    assert opened == [False, True, True]
    said = head("equivalent").lead[1]
    assert isinstance(said, Said)
    assert (said.word, said.text) == ("No", "It changes by .1.")
    assert said.whole == "No. It changes by .1." == head("equivalent").gist
    said = head("worse").lead[1]
    assert isinstance(said, Said) and (said.word, said.text) == ("", "It changes by .1.")


def test_squares_are_of_the_values_that_are_counted(make: Make, study: dict[str, Any]) -> None:
    context = make(study)
    tally = Tally("1 of 2 values", verdicts=["not reproduced", "reproduced"])
    context.shown |= {"a": Output(tally=tally)}
    options = {"reproduced": ["a"]}
    block = Block(block="summary", name="s", experiment="boxes", options=options)
    made = registry.get("report.blocks", "summary").model_validate(options).build(context, block)
    section = Section("In short", "", made, role="summary")
    shown = html.page(Page("t", "", "", [], [section]), Output())
    found = re.findall(r'<span data-verdict="([^"]*)"', shown)
    assert found == ["reproduced", "not reproduced"]
