"""Checks of data sets: their records, keys, data that is missing or changes, and what is shown."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from rankexp import registry
from rankexp.checks.check import Problem, of_data
from rankexp.runner.cli import main
from rankexp.runner.config.claims import COLUMNS, faults
from rankexp.runner.config.load import load
from rankexp.runner.config.schema import Block
from rankexp.runner.report.blocks import summary
from rankexp.runner.report.build import open_report
from rankexp.runner.run.execute import Outcome, execute
from rankexp.runner.run.prepare import prepare
from rankexp.runner.run.store import Store

STUDY = """version: 1
study: toy
title: Toy
seed: 1
claims: claims.csv
data:
  cancer:
    label: WDBC
    source: {sklearn: breast_cancer}
    target: target
    levels: [benign, malignant]
  own: {source: {file: own.csv}, target: y, levels: [low, high]}
  gone: {source: {file: gone.csv}, target: y, levels: [low, high], optional: true}
experiments:
  made: {kind: simulate, check: flip_noise, params: {n: 50}}
  seen:
    kind: simulate
    title: Seen
    check: boosters_on_data
    problems: [cancer, own, gone]
    grid: {n_cuts: [2, 5]}
    params: {rounds: 8}
    preprocess: {scale: none}
  steps: {kind: simulate, check: boosters_on_data, problems: [cancer, own], params: {rounds: 8}}
  few: {kind: simulate, check: boosters_on_data, problems: [own], params: {rounds: 4}}
report:
  - {block: simulation_table, name: table, experiment: [seen, made]}
  - {block: simulation_table, name: wide, experiment: seen, options: {wide: true}}
  - block: simulation_along
    name: along
    experiment: seen
    options: {parameter: n_cuts, quantities: {excess: [excess of AdaBoost]}}
  - block: simulation_along
    name: steps
    experiment: [few, steps]
    options: {parameter: step, quantities: {excess: [excess of AdaBoost]}}
  - {block: extreme_case, name: extreme, experiment: steps, options: {quantity: least pair loss}}
  - {block: claims, name: claims}
  - {block: completeness, name: lacks}
"""
CLAIMS = f"""{",".join(COLUMNS)}
each,Both.,1,steps,*,excess of AdaBoost,,,,always,0..1,,
one,One.,1,steps,own,excess of AdaBoost,,,,always,0..1,,
lacks,All.,1,seen,,excess of AdaBoost,,,,always,0..1,,
"""


def write(folder: Path, rows: int = 60, **more: str) -> Path:
    """Write the study with a table of its own."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, 2))
    y = np.where(x[:, 0] + rng.normal(size=rows) > 0, "high", "low")
    pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": y}).to_csv(folder / "own.csv", index=False)
    (folder / "claims.csv").write_text(CLAIMS)
    text = STUDY
    for old, new in more.items():
        text = text.replace(old, new)
    (folder / "study.yaml").write_text(text)
    return folder / "study.yaml"


def run(folder: Path, **more: Any) -> Outcome:
    study = load(write(folder))
    return execute(study, results=folder / "out", folders=[folder], workers=1, quiet=True, **more)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the study by the command, whose report this makes, too."""
    folder = tmp_path_factory.mktemp("toy")
    words = ["rankexp", "run", str(write(folder)), "--quiet", "--jobs", "1"]
    words += ["--results", str(folder / "out"), "--data", str(folder)]
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setattr(sys, "argv", words)
        main()
    assert not ended.value.code
    return folder / "out" / "toy"


def test_a_record_of_each_data_set_and_setting(done: Path) -> None:
    scores = pd.read_csv(done / "scores.csv")
    own = scores[(scores["experiment"] == "seen") & scores["step"].isna()]
    assert set(own["problem"]) == {"cancer", "own"}  # not 'gone', which is not there
    assert set(own["method"]) == {"boosters_on_data"}
    counts = pd.read_csv(done / "lacks.csv").set_index(["experiment", "problem"])["ok"]
    assert counts["seen", "cancer"] == counts["seen", "own"] == 2
    assert counts["made", "flip_noise"] == 1  # as ever
    assert "Data not available: gone." in (done / "lacks.md").read_text()
    manifest = json.loads((done / "manifest.json").read_text())
    assert set(manifest["data"]) == {"cancer", "own"}
    assert "gone.csv" in manifest["missing_data"]["gone"]
    least = own[own["metric"] == "least pair loss"]
    assert least[least["problem"] == "cancer"]["value"].iloc[0] < 0.2


def test_tables_and_panels_tell_data_sets_apart(done: Path) -> None:
    wide = (done / "wide.md").read_text()
    assert [line.split("|")[1:3] for line in wide.splitlines() if line.startswith("| WDBC")] == [
        [" WDBC ", " 2 "],
        [" WDBC ", " 5 "],
    ]
    assert wide.count("| own |") == 2
    table = (done / "table.md").read_text()
    assert (
        "| data set | thresholds per feature | quantity |" in table
        and "| quantity | mean ± SE |" in table
    )
    along = pd.read_csv(done / "along.csv")
    assert along["problem"].tolist() == ["cancer", "cancer", "own", "own"]
    seen = pd.read_csv(done / "scores.csv").query("experiment == 'seen' and problem == 'own'")
    ends = seen[(seen["metric"] == "excess of AdaBoost") & seen["step"].isna()]["value"]
    assert along["mean"].tolist()[2:] == pytest.approx(ends.tolist())
    assert "| WDBC |" in (done / "along.md").read_text()


def test_a_figure_of_several_experiments_names_both(done: Path) -> None:
    titles = ["few: own", "steps: WDBC", "steps: own"]
    rows = (done / "steps.md").read_text().splitlines()[4:7]
    assert [row.split(" | ")[0].strip("| ") for row in rows] == titles


def test_the_extreme_case_is_told_with_its_data_set(done: Path) -> None:
    scores = pd.read_csv(done / "scores.csv").query("experiment == 'steps'")
    least = scores[scores["metric"] == "least pair loss"].set_index("problem")["value"]
    assert least["own"] > least["cancer"]
    assert "| steps | own |" in (done / "extreme.md").read_text()
    told = pd.read_csv(done / "extreme.csv")
    mine = scores[(scores["problem"] == "own") & (scores["metric"] == "excess of AdaBoost")]
    steps = mine.dropna(subset=["step"])["value"]
    assert told["excess of AdaBoost"].tolist() == pytest.approx(steps.tolist())
    assert set(told["problem"]) == {"own"}


def test_claims_are_of_all_data_sets_or_of_some(done: Path) -> None:
    found = pd.read_csv(done / "claims.csv").groupby("claim")
    assert found["verdict"].first().to_dict() == {
        "each": "holds",
        "one": "holds",
        "lacks": "not run",  # a data set of it is not there
    }
    assert found.size().to_dict() == {"each": 2, "one": 1, "lacks": 6}
    assert found["label"].first()["one"] == "excess of AdaBoost, own"
    scores = pd.read_csv(done / "scores.csv").query("experiment == 'steps' and problem == 'own'")
    own = scores[(scores["metric"] == "excess of AdaBoost") & scores["step"].isna()]["value"]
    assert found["value"].first()["one"] == pytest.approx(own.item())
    assert found["low"].first()["one"] == found["high"].first()["one"]
    assert "its data is not available" in set(found.get_group("lacks")["why"])


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("a,w,1,steps,owm,x,,,,always,0..1,,", "unknown problem 'owm' (did you mean 'own'?)"),
        ("a,w,1,made,own,x,,,,always,0..1,,", "'made' is a check: it has no methods"),
    ],
)
def test_claims_about_data_sets_that_there_are_not(tmp_path: Path, row: str, said: str) -> None:
    study = load(write(tmp_path))
    (tmp_path / "claims.csv").write_text(CLAIMS.splitlines()[0] + f"\n{row}\n")
    (found,) = faults(study)
    assert said in found


def keys(folder: Path) -> dict[tuple[str, str, int], str]:
    """Return the keys that the study in a folder plans for."""
    planned = prepare(load(folder / "study.yaml"), folder / "out", [folder]).cells
    return {(c.experiment, c.problem, c.place.setting or 0): c.key for c in planned}


def test_keys_are_of_the_data_and_of_how_it_is_prepared(tmp_path: Path) -> None:
    write(tmp_path)
    before = keys(tmp_path)
    assert len(before) == len(set(before.values())) == 1 + 4 + 2 + 1
    write(tmp_path, rows=61)
    after = keys(tmp_path)
    changed = {place for place in before if before[place] != after[place]}
    assert changed == {place for place in before if place[1] == "own"}
    write(tmp_path, **{"scale: none": "scale: standard"})
    again = keys(tmp_path)
    changed = {place for place in before if before[place] != again[place]}
    assert changed == {place for place in before if place[0] == "seen"}


def test_a_run_goes_on_from_what_there_is(tmp_path: Path) -> None:
    first = run(tmp_path, only=["steps"])
    assert (first.exit_code, first.made) == (0, 2)
    whole = run(tmp_path)
    assert (whole.exit_code, whole.made, whole.records) == (0, 6, 8)
    (tmp_path / "own.csv").write_text((tmp_path / "own.csv").read_text() + "9.5,9.5,low\n")
    study = load(tmp_path / "study.yaml")
    plan = prepare(study, tmp_path / "out", [tmp_path]).plan
    assert {cell.problem for job in plan.jobs for cell in job.cells} == {"own"}


def test_data_that_a_study_needs_is_told(tmp_path: Path) -> None:
    study = load(write(tmp_path))
    (tmp_path / "own.csv").unlink()
    outcome = execute(study, results=tmp_path / "out", workers=1, quiet=True)
    assert outcome.exit_code == 3
    assert outcome.made == 1 + 2 + 1
    assert any("missing data: own" in text for text in outcome.messages)
    only = execute(study, results=tmp_path / "out", only=["made"], workers=1, quiet=True)
    assert only.exit_code == 0  # which needs none


@of_data()
def as_given(rng: np.random.Generator, *, problem: Problem) -> list[dict[str, Any]]:
    """Tell what a check is given."""
    told = {
        "rows": len(problem.y),
        "columns": len(problem.names),
        "largest": problem.X.max(),
        "positives": (problem.y == 1).mean(),
        "drawn": rng.random(),
        "binary": problem.kind == "binary",
        "writable": problem.X.flags.writeable or problem.y.flags.writeable,
    }
    return [{"quantity": name, "value": float(value)} for name, value in told.items()]


def test_what_a_check_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    get = registry.get
    monkeypatch.setattr(
        registry, "get", lambda r, n: as_given if n == "boosters_on_data" else get(r, n)
    )
    write(tmp_path)
    head = STUDY.partition("experiments:")[0]
    how = "kind: simulate, check: boosters_on_data, problems: [cancer, own]"
    (tmp_path / "study.yaml").write_text(
        f"{head}experiments:\n  raw: {{{how}, preprocess: {{scale: none}}}}\n  scaled: {{{how}}}\n"
    )
    (tmp_path / "claims.csv").write_text(CLAIMS.splitlines()[0] + "\n")
    study = load(tmp_path / "study.yaml")
    outcome = execute(study, results=tmp_path / "out", folders=[tmp_path], workers=1, quiet=True)
    assert outcome.exit_code == 0
    records = Store(tmp_path / "out" / "toy").read()
    found = {
        (cell.experiment, cell.problem): {r.quantity: r.value for r in records[cell.key].rows}
        for cell in prepare(study, tmp_path / "out", [tmp_path]).cells
    }
    X, _ = load_breast_cancer(return_X_y=True)
    raw, scaled = found["raw", "cancer"], found["scaled", "cancer"]
    assert (raw["rows"], raw["columns"]) == X.shape
    assert raw["largest"] == X.max()
    assert scaled["largest"] == pytest.approx(1.0)  # the range of all rows, by default
    assert raw["positives"] == pytest.approx(212 / 569)  # of the last level
    assert raw["binary"] and not raw["writable"]
    assert raw["drawn"] != found["raw", "own"]["drawn"]  # streams are of the data set


def test_what_is_told_of_a_check_names_its_data(done: Path) -> None:
    context = open_report(done).context
    kind = registry.get("report.blocks", "simulation_table").model_validate({})
    block = Block(block="simulation_table", name="x", experiment=["seen"])
    facts = kind.output(context, block).facts
    own = context.frame.query("experiment == 'seen' and problem == 'cancer' and setting == 1")
    excess = own[(own["metric"] == "excess of AdaBoost") & own["step"].isna()]["value"]
    told = facts["excess of AdaBoost on WDBC at n_cuts=5"].text
    assert float(told) == pytest.approx(float(excess.iloc[0]), abs=1e-4)
    said = summary.done(context, ["seen", "made"])
    assert said.startswith(
        "2 data sets, 2 simulations; all 5 repetitions of simulations are done, none failed; no"
    )
