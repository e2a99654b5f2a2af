"""Whole reports from manifest and records alone."""

import copy
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from rankexp import registry
from rankexp.errors import ConfigError
from rankexp.runner.analyse.frame import COLUMNS
from rankexp.runner.config.load import load
from rankexp.runner.config.schema import Simulate, Study
from rankexp.runner.plan import PlanCell
from rankexp.runner.protocols.dividing import CrossValidation, Holdout
from rankexp.runner.report import build
from rankexp.runner.report.context import Context
from rankexp.runner.report.runs import protocol
from rankexp.runner.run import opened
from rankexp.runner.run.record import Record

Make = Callable[..., Context]
Save = Callable[[Context, Path], Path]
ALWAYS = ("scores.csv", "report.md", "report.html", "run.md", "cite.bib")


@pytest.fixture(name="written", scope="module")
def _written(make: Make, save: Save, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the made-up study with its report, which a test only reads."""
    folder = save(make(), tmp_path_factory.mktemp("written") / "a")
    build.open_report(folder).write()
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


@pytest.mark.slow
def test_the_same_records_give_the_same_bytes(written: Path, tmp_path: Path) -> None:
    once = contents(written)
    again = Path(shutil.copytree(written, tmp_path / "a"))
    for name in set(once) - {"manifest.json"}:
        (again / name).unlink()
    kinds = {path.name for path in build.open_report(again).write()}
    assert {"scores.csv", "report.md", "report.html", "figure1.png", "figure1.pdf"} <= kinds
    assert {"table1.csv", "table1.md", "table1.tex"} <= kinds
    assert kinds | {"manifest.json"} == set(once)
    assert contents(again) == once


def test_many_scores_are_written_as_parquet_too(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "MANY", 3)
    again = Path(shutil.copytree(written, tmp_path / "a"))
    assert again / "scores.parquet" in build.open_report(again).write()
    table, text = pd.read_parquet(again / "scores.parquet"), pd.read_csv(again / "scores.csv")
    assert list(table.columns) == list(text.columns) and len(table) == len(text) > 3
    assert table.value.tolist() == pytest.approx(text.value.tolist(), rel=1e-15, nan_ok=True)
    assert table.method.astype(object).fillna("").tolist() == text.method.fillna("").tolist()


def test_the_page_shows_everything_in_order(written: Path) -> None:
    page = (written / "report.md").read_text(encoding="utf-8")
    marks = [
        *("# A made-up study", "Source: Nobody", "## Table 1", "What the paper's table says."),
        *("## figure1", "![figure1](figure1.png)", "## differences", "## How it was run"),
        *("Seed 1.", "numpy 2.0", "12 s", "[run.md](run.md)"),
    ]
    places = [page.index(mark) for mark in marks]
    assert places == sorted(places)
    assert "INCOMPLETE" not in page
    assert "Data not available: gone." in page.partition("## How it was run")[2]
    run = (written / "run.md").read_text(encoding="utf-8")
    assert "file vote.arff" in run and "not available: looked in data" in run
    assert "3 × 2 folds, plain" in run
    assert "file vote.arff" not in page


@pytest.mark.usefixtures("undrawn")
def test_the_page_names_published_values_that_nothing_shows(
    make: Make, save: Save, tmp_path: Path
) -> None:
    context = make()
    row = context.manifest["published"][0]
    strange = [row | {"quantity": "rankloss", "line": "9"}, row | {"problem": "colic"}]
    context.manifest["published"] = [*context.manifest["published"], *strange]
    folder = save(context, tmp_path / "a")
    build.open_report(folder).write()
    page = (folder / "report.md").read_text(encoding="utf-8")
    said = "9: no block of the report shows the quantity 'rankloss' (did you mean"
    assert said in page and page.count(said) == page.count("no block of the report")


def test_a_detail_stands_in_its_own_file(written: Path) -> None:
    page = (written / "report.md").read_text(encoding="utf-8")
    for name, caption in (
        ("table1", "**Details; lower is better**"),
        ("completeness", "**Records**"),
    ):
        assert caption in (written / f"{name}.md").read_text(encoding="utf-8")
        assert caption not in page and f"[{name}.md]({name}.md)" in page
    assert "A loose solver." not in page  # a note of the details


@pytest.mark.usefixtures("undrawn")
def test_a_block_set_aside_is_a_line_of_the_page(make: Make, save: Save, tmp_path: Path) -> None:
    study = copy.deepcopy(make().manifest["study"])
    for block in study["report"][1:]:
        block["aside"] = True
    half = make(study, lambda cell, record: None if cell.place.rep == 1 else record)
    folder = save(half, tmp_path / "a")
    report = build.open_report(folder)
    names = {path.name for path in report.write()}
    assert {"figure1.png", "differences.md", "completeness.csv"} <= names
    page = (folder / "report.md").read_text(encoding="utf-8")
    body, _, lines = page.partition("## In files")
    assert "## Table 1" in body and "![figure1]" not in body and "## differences" not in body
    (line,) = [line for line in lines.splitlines() if line.startswith("- **differences.**")]
    assert "**INCOMPLETE: 12 of 18 records are good (6 missing) of folds.**" in line
    assert "[differences.md](differences.md)" in line
    assert "figure1" not in report.summary() and "Table 1" in report.summary()
    assert len(page.splitlines()) < 60


def test_warnings_reach_the_page_whatever_is_set_aside(
    make: Make, save: Save, tmp_path: Path
) -> None:
    def warned(cell: PlanCell, record: Record) -> Record:
        return Record(record.key, rows=record.rows, grid=record.grid, warnings=["Unsure: of it"])

    study = copy.deepcopy(make().manifest["study"])
    study["report"] = [study["report"][4] | {"aside": True}]
    folder = save(make(study, warned), tmp_path / "a")
    build.open_report(folder).write()
    body, _, lines = (folder / "report.md").read_text(encoding="utf-8").partition("## In files")
    assert "(Unsure), such as: " in body
    assert "- **chosen.** **Warning: " in lines and "lie at the edge of their grid" in lines


def test_a_slice_is_named_as_one(make: Make, save: Save, tmp_path: Path) -> None:
    study = copy.deepcopy(make().manifest["study"]) | {"study": "made-up-quick"}
    study["report"] = study["report"][3:4]
    folder = save(make(study), tmp_path / "a")
    build.open_report(folder).write()
    title = (folder / "report.md").read_text(encoding="utf-8").splitlines()[0]
    assert title == "# A made-up study (quick slice: the numbers are no findings)"


def test_a_page_says_how_to_cite(make: Make, save: Save, tmp_path: Path) -> None:
    study = copy.deepcopy(make().manifest["study"]) | {"bibtex": "@article{nobody, year = 2011}"}
    study["report"] = study["report"][3:4]
    folder = save(make(study), tmp_path / "a")
    build.open_report(folder).write()
    cited = (folder / "cite.bib").read_text(encoding="utf-8")
    assert cited.startswith("@article{nobody, year = 2011}\n\n@software{rankexp")
    assert "[cite.bib](cite.bib)" in (folder / "report.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("undrawn")
@pytest.mark.usefixtures("undrawn")
def test_an_incomplete_run_says_so_in_the_body_of_every_table(
    make: Make, save: Save, tmp_path: Path
) -> None:
    half = make(None, lambda cell, record: None if cell.place.rep == 1 else record)
    folder = save(half, tmp_path / "a")
    build.open_report(folder).write()
    for name in ("table1", "differences", "flips", "chosen", "completeness"):
        for kind in ("csv", "md", "tex"):
            assert "INCOMPLETE" in (folder / f"{name}.{kind}").read_text(encoding="utf-8")
    assert "INCOMPLETE" in (folder / "figure1.csv").read_text(encoding="utf-8")
    assert "INCOMPLETE" in (folder / "report.md").read_text(encoding="utf-8")
    assert "INCOMPLETE: 12 of 18 records" in opened.progress(folder)


def test_scores_hold_every_metric_once(written: Path) -> None:
    scores = pd.read_csv(written / "scores.csv")
    assert list(scores.columns) == COLUMNS
    assert not scores.duplicated([name for name in COLUMNS if name != "value"]).any()
    assert "objective" not in set(scores["metric"])
    bayes = scores[scores["metric"] == "rank_loss:bayes"]
    assert len(bayes) == 2 * 5 and bayes["method"].isna().all()
    own = scores[(scores["experiment"] == "folds") & (scores["part"] == "test")]
    assert len(own) == 3 * 6 * 3
    assert set(scores["status"]) == {"ok"}
    first = (written / "scores.csv").read_text(encoding="utf-8").splitlines()[1]
    assert first.startswith("boxes,easy,0,0,,,exponential,lam=0.01,,test,rank_loss,0.1")


@pytest.mark.usefixtures("undrawn")
def test_the_summary_leaves_out_what_was_not_run(make: Make, save: Save, tmp_path: Path) -> None:
    only = make(None, lambda cell, record: record if cell.experiment == "boxes" else None)
    text = build.open_report(save(only, tmp_path / "a")).summary()
    assert "figure1" in text and "Table 1" not in text
    assert "vote" in build.open_report(save(make(), tmp_path / "b")).summary()


def test_a_folder_without_a_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"manifest\.json"):
        build.open_report(tmp_path).write()


def test_tables_without_records_are_kept(make: Make, save: Save, tmp_path: Path) -> None:
    folder = save(make(None, lambda cell, record: None), tmp_path / "a")
    (folder / "table1.md").write_text("made elsewhere", encoding="utf-8")
    with pytest.raises(ConfigError, match="no records"):
        build.open_report(folder).write()
    assert set(contents(folder)) == {"manifest.json", "table1.md"}


@pytest.mark.parametrize("data", [None, [], {"vote": {"rows": 400}}, {"vote": 3}])
def test_a_damaged_manifest_is_refused(
    make: Make, save: Save, tmp_path: Path, data: object
) -> None:
    context = make()
    context.manifest["data"] = data
    if data is None:
        del context.manifest["data"]
    with pytest.raises(ConfigError, match=r"manifest\.json was altered.*'data"):
        build.open_report(save(context, tmp_path / "a")).write()


def test_a_protocol_says_which_rows_stay_together() -> None:
    folds = CrossValidation(kind="cross_validation", repeats=5, folds=5, together="duplicates")
    assert folds.words() == "5 × 5 folds, plain, equal rows together"
    split = Holdout(kind="split", test=0.5, together="groups")
    assert split.words() == "one random split, test part 0.5, groups together"


@pytest.mark.parametrize(
    ("given", "said"), [(1, "1 repetition a setting"), (2, "2 repetitions a setting")]
)
def test_repetitions_of_a_check_are_counted(given: int, said: str) -> None:
    assert protocol(Simulate(kind="simulate", check="flip_noise", repetitions=given)) == said


class UnspeakableError(RuntimeError):
    def __str__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("error", "said", "code"),
    [
        (KeyError("q1"), "KeyError: 'q1' (see logs/report.log)", 1),
        (ConfigError("no such thing"), "no such thing.", 2),
        (RuntimeError("x" * 300_000), "RuntimeError: xxx", 1),
        (UnspeakableError(), "UnspeakableError: no message", 1),
    ],
)
def test_a_block_that_fails_takes_nothing_from_the_others(
    make: Make,
    save: Save,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    said: str,
    code: int,
) -> None:
    def fail(*_: object) -> None:
        raise error

    study = copy.deepcopy(make().manifest["study"])
    study["report"] = study["report"][::3]
    folder = save(make(study), tmp_path / "a")
    monkeypatch.setattr(registry.get("report.blocks", "published_table"), "output", fail)
    report = build.open_report(folder)
    files = {path.name for path in report.write()} - {"report.log"}
    assert files == {*ALWAYS, "flips.csv", "flips.md", "flips.tex"}
    assert report.exit_code == code
    (line,) = report.failures
    assert line.startswith("FAILED: block 'table1': " + said) and len(line) < 500
    page = (folder / "report.md").read_text(encoding="utf-8")
    place = page.index("FAILED: block 'table1'")
    assert page.index("## Table 1") < place < page.index("## flips") and len(page) < 20_000
    assert "FAILED: block 'table1'" in report.summary()
    assert type(error).__name__ in (folder / build.LOG).read_text(encoding="utf-8")


def test_a_block_that_cannot_be_written_fails_alone(
    make: Make, save: Save, tmp_path: Path
) -> None:
    study = copy.deepcopy(make().manifest["study"])
    study["report"][0]["options"] = {"rules": ["oracle"], "nonsense": 1}
    study["report"][1] |= {"experiment": "tried", "options": {}}
    made = make(study)
    made.manifest["study"]["report"] = study["report"]
    report = build.open_report(save(made, tmp_path / "a"))
    files = {path.name for path in report.write()}
    assert "flips.md" in files and "table1.md" not in files and "figure1.png" not in files
    assert report.exit_code == 2
    wrong, unfit = report.failures
    assert "options are wrong" in wrong and "nonsense" in wrong
    assert "block 'boxplots' is for experiments with methods; 'tried' is a simulation" in unfit


def test_the_report_of_the_edited_study_is_taken(
    make: Make, written: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(written, tmp_path / "a"))
    study = copy.deepcopy(make().manifest["study"])
    study["title"] = "Another *title*"
    study["report"] = [study["report"][2] | {"title": "Only one", "text": "New words."}]
    report = build.open_report(folder, Study.model_validate(study))
    assert {path.name for path in report.write()} == {
        *(*ALWAYS, "differences.csv", "differences.md", "differences.tex")
    }
    page = (folder / "report.md").read_text(encoding="utf-8")
    assert page.startswith("# Another \\*title\\*") and "## Only one\n\nNew words." in page
    assert "INCOMPLETE" not in page


SIMPLE = """\
version: 1
study: simple
title: Simple
seed: 1
experiments: {tried: {kind: simulate, check: flip_noise}}
report: [{block: simulation_table, name: flips, experiment: tried}]
profiles: {quick: {title: A slice}}
"""


@pytest.mark.parametrize("profile", [None, "quick"])
def test_an_edited_report_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "simple.yaml"
    file.write_text(SIMPLE, encoding="utf-8")
    study = load(file, profile).model_dump(mode="json")
    study["study"] += f"-{profile}" if profile else ""
    manifest = {"config": "simple.yaml", "study": study}
    assert build.edited(manifest) is None
    assert build.edited({"config": "gone.yaml", "study": study}) is None
    file.write_text(SIMPLE.replace("seed: 1", "seed: 2"), encoding="utf-8")
    assert build.edited(manifest) is None  # not of the report
    file.write_text(SIMPLE + "text: Other words.", encoding="utf-8")
    call = "rankexp report simple.yaml" + (" --quick" if profile else "")
    assert f"'{call}'" in (build.edited(manifest) or "")
    file.write_text(SIMPLE + "report: 3", encoding="utf-8")
    assert "there are errors in it now" in (build.edited(manifest) or "")


def test_a_huge_or_hostile_reason_is_cut_and_harmless(
    make: Make, save: Save, tmp_path: Path
) -> None:
    def fail(cell: PlanCell, record: Record) -> Record:
        return Record(record.key, status="failed", reason="\x1b[2J" + "x" * 300_000)

    study = copy.deepcopy(make().manifest["study"])
    study["report"] = [study["report"][-1]]
    folder = save(make(study, fail), tmp_path / "a")
    report = build.open_report(folder)
    report.write()
    shown = [opened.progress(folder), report.summary(), (folder / "completeness.md").read_text()]
    for text in shown:
        assert "\ufffd" in text and "(whole in the records)" in text
        assert "\x1b" not in text and len(text) < 10_000


@pytest.mark.usefixtures("undrawn")
def test_what_was_not_run_here_stands_beside_what_a_full_run_has(
    make: Make, save: Save, written: Path, tmp_path: Path
) -> None:
    full = Path(shutil.copytree(written, tmp_path / build.REFERENCE / "made-up"))
    before = contents(full)
    lacking = make(change=lambda c, r: None if c.method == "logistic" else r)
    here = save(lacking, tmp_path / "made-up")
    build.open_report(here).write()
    text = (here / "table1.md").read_text(encoding="utf-8")
    table = pd.read_csv(full / "table1.csv", index_col=["experiment", "problem", "method"])
    value = table.loc[("folds", "vote", "logistic"), "reproduced"]
    assert f"not run here (reference {value:.4f})".replace(" 0.", " .") in text
    assert contents(full) == before, "an ordinary run leaves the reference as it is"
    assert "reference" not in (here / "table1.csv").read_text(encoding="utf-8").partition("\n")[0]
