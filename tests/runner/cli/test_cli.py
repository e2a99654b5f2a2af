"""The command line through real processes: what a user types, sees, and gets as exit code."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rankexp import registry
from rankexp.runner.cli import main
from rankexp.runner.config.shipped import shipped

ROOT = Path(__file__).parents[3]
TINY = """\
version: 1
study: tiny
title: A study for tests
seed: 3
generators:
  flips: {generator: linear, params: {p: 0.5, d: 4}}
methods:
  points: {params: {loss: logistic, risk: classification}}
  pairs: {params: {loss: hinge, risk: bipartite}}
experiments:
  sim:
    kind: evaluate
    problems: [flips]
    protocol: {kind: models, models: 2, training_sets: 3, n_train: 60, n_test: 200}
    methods: [points, pairs]
    lambdas: [0.01, 1]
report:
  - {block: paired_table, name: table, experiment: sim, options: {reference: points}}
profiles: {quick: {experiments: {sim: {protocol: {models: 1}}}}}
"""
MINE = """\
version: 1
study: mine
title: One's own data
seed: 3
data: {mine: {source: {file: mine.csv}, target: label, levels: ["no", "yes"]}}
methods: {points: {params: {loss: logistic, risk: classification}}}
experiments:
  cv:
    kind: evaluate
    problems: [mine]
    protocol: {kind: cross_validation, repeats: 1, folds: 2}
    methods: [points]
    lambdas: [0.1]
report:
  - {block: paired_table, name: table, experiment: cv}
"""
GOOD_ROWS = "a,b,label\n" + "".join(
    f"{i % 7},{i % 3},{'yes' if i % 2 else 'no'}\n" for i in range(20)
)

Typed = Callable[..., subprocess.CompletedProcess[str]]


def rankexp(*arguments: object, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would, without the data folders of this machine."""
    environment = {k: v for k, v in os.environ.items() if k != "RANKEXP_DATA"}
    environment |= {"RANKEXP_CACHE": str(cwd / "cache"), "COLUMNS": "100"} | env
    done = subprocess.run(
        [sys.executable, "-m", "rankexp", *map(str, arguments)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback" not in done.stdout + done.stderr
    return done


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "tiny.yaml").write_text(TINY)
    return tmp_path


def test_run_plan_status_report(place: Path, typed: Typed) -> None:
    planned = typed("plan", "tiny.yaml", cwd=place)
    assert planned.returncode == 0
    assert "24 fits" in planned.stdout
    assert "(estimated from rows and rounds" in planned.stdout
    assert not (place / "results" / "tiny" / "records").exists()

    first = rankexp("run", "tiny.yaml", "--jobs", 1, cwd=place)
    assert first.returncode == 0, first.stderr
    assert "points" in first.stdout
    folder = place / "results" / "tiny"
    for name in ("scores.csv", "table.csv", "table.md", "table.tex", "report.md", "manifest.json"):
        assert (folder / name).is_file(), name
    assert len((folder / "scores.csv").read_text().splitlines()) == 1 + 2 * 3 * 2 * 2 + 2

    again = typed("run", "tiny.yaml", "--jobs", 1, cwd=place)
    assert again.returncode == 0
    assert "nothing to do" in again.stdout

    assert "complete" in typed("status", cwd=place).stdout
    before = {f.name: f.read_bytes() for f in folder.glob("table.*")}
    for file in before:
        (folder / file).unlink()
    assert typed("report", "tiny", cwd=place).returncode == 0
    assert {f.name: f.read_bytes() for f in folder.glob("table.*")} == before


def test_the_report_of_an_edited_study_needs_no_run(place: Path, typed: Typed) -> None:
    assert typed("run", "tiny.yaml", "--jobs", 1, cwd=place).returncode == 0
    edited = TINY.replace("name: table", "name: other, title: Newly named")
    (place / "tiny.yaml").write_text(edited)
    page = place / "results" / "tiny" / "report.md"

    as_it_was = typed("report", "tiny", cwd=place)
    assert as_it_was.returncode == 0 and "Newly named" not in page.read_text(encoding="utf-8")
    assert "'rankexp report tiny.yaml' makes tables as it says now" in as_it_was.stderr

    as_it_is = typed("report", "tiny.yaml", cwd=place)
    assert (as_it_is.returncode, as_it_is.stderr) == (0, "")
    assert "## Newly named" in page.read_text(encoding="utf-8")
    assert (page.parent / "other.md").is_file()

    for named in ("tiny.yaml", "tiny"):
        never_run = typed("report", named, "--quick", cwd=place)
        assert never_run.returncode == 2 and "'tiny-quick'" in never_run.stderr
    assert "name the studies" in typed("report", "--quick", cwd=place).stderr


@pytest.mark.slow
def test_a_folder_without_records_keeps_no_other_from_its_report(
    place: Path, typed: Typed
) -> None:
    assert typed("run", "tiny.yaml", "--jobs", 1, cwd=place).returncode == 0
    results = place / "results"
    (results / "a-first").mkdir()
    manifest = (results / "tiny" / "manifest.json").read_bytes()
    (results / "a-first" / "manifest.json").write_bytes(manifest)
    (results / "tiny" / "report.md").unlink()
    done = rankexp("report", cwd=place)
    assert done.returncode == 2 and (results / "tiny" / "report.md").is_file()
    assert "a-first: there are no records" in done.stderr.splitlines()[-1]
    assert "tiny: " in done.stdout and "a-first" not in done.stdout


@pytest.mark.parametrize(
    ("metrics", "options", "without"),
    [
        ("[u_pairs]", "", ""),
        ("[rank_loss, u_ovo, u_cons, pair_risk]", ", metric: u_cons", ""),
        ("[d_tau, kendall_tau_b]", ", metric: kendall_tau_b", ""),
        ("[auc, one_minus_discordance]", "", ""),
        ("[rank_loss, vus]", ", metric: vus", "vus"),
        ("[vus]", ", margin: 0.02", ""),
        ("[vus]", "", "vus"),
    ],
)
def test_an_answer_without_a_margin_is_found_before_anything_is_fitted(
    place: Path, typed: Typed, metrics: str, options: str, without: str
) -> None:
    block = (
        "  - {block: pairs_or_points, name: says, experiment: sim, options: "
        f"{{contrasts: {{pairs: points}}{options}}}}}\n"
    )
    chosen = f"    kind: evaluate\n    inner: {{folds: 3}}\n    metrics: {metrics}\n"
    text = TINY.replace("    kind: evaluate\n", chosen)
    (place / "tiny.yaml").write_text(text.replace("report:\n", f"report:\n{block}"))
    done = typed("check", "tiny.yaml", cwd=place)
    assert done.returncode == (2 if without else 0), done.stderr
    assert bool(without) == (f"the metric {without} has no margin of its own" in done.stderr)


@pytest.mark.slow
def test_a_block_that_fails_is_named_after_the_others_are_written(place: Path) -> None:
    kept = "keep: {curves: [scoring_function], at: {low: -1, high: 1, points: 5}}"
    wrong = (
        "{block: curves_against_theory, name: curves, experiment: sim, options: {window: [8, 9]}}"
    )
    study = TINY.replace("d: 4", "d: 1").replace("lambdas: [0.01, 1]", f"lambdas: [1]\n    {kept}")
    (place / "tiny.yaml").write_text(study.replace("report:\n", f"report:\n  - {wrong}\n"))
    for verb in (["run", "--jobs", 1], ["report"]):
        done = rankexp(*verb, "tiny.yaml", cwd=place)
        assert done.returncode == 2
        assert "FAILED: block 'curves': window [8.0, 9.0]: fewer than two" in done.stderr
        page = (place / "results" / "tiny" / "report.md").read_text(encoding="utf-8")
        assert "**FAILED: block 'curves'" in page and "## table" in page


@pytest.mark.slow  # test_interrupted presses it, too, with workers
def test_ctrl_c_ends_a_run_at_once_without_tables(place: Path) -> None:
    many = TINY.replace("models: 2, training_sets: 3", "models: 400, training_sets: 30")
    (place / "tiny.yaml").write_text(many)
    command = [sys.executable, "-m", "rankexp", "run", "tiny.yaml", "--jobs", "1"]
    with subprocess.Popen(
        command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        while process.poll() is None and not list(place.glob("results/tiny/records/*/*.json")):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "records made by this run are kept" in err
    assert "Traceback" not in err
    assert "mean ± SE" not in out
    assert not (place / "results" / "tiny" / "report.md").exists()


@pytest.mark.slow
def test_any_profile_of_a_study_can_be_run(place: Path) -> None:
    done = rankexp("run", "tiny.yaml", "--profile", "quick", "--quiet", "--jobs", 1, cwd=place)
    assert done.returncode == 0, done.stderr
    assert [f.name for f in (place / "results").iterdir()] == ["tiny-quick"]


def test_a_profile_that_there_is_not_is_refused(place: Path, typed: Typed) -> None:
    refused = typed("run", "tiny.yaml", "--profile", "quik", cwd=place)
    assert refused.returncode == 2 and "did you mean 'quick'?" in refused.stderr


@pytest.mark.slow
def test_quick_has_results_of_its_own(place: Path) -> None:
    done = rankexp("run", "tiny.yaml", "--quick", "--quiet", "--jobs", 1, cwd=place)
    assert done.returncode == 0, done.stderr
    assert [f.name for f in (place / "results").iterdir()] == ["tiny-quick"]


@pytest.mark.slow
def test_redo_alone_or_with_a_method(place: Path, typed: Typed) -> None:
    typed("run", "tiny.yaml", "--jobs", 1, "--quiet", cwd=place)
    one = typed("run", "tiny.yaml", "--jobs", 1, "--redo", "pairs", cwd=place)
    assert "12 fits" in one.stdout, one.stdout
    everything = rankexp("run", "--redo", "tiny.yaml", "--jobs", 1, cwd=place)
    assert "24 fits" in everything.stdout, everything.stdout
    wrong = typed("run", "tiny.yaml", "--redo", "pears", cwd=place)
    assert wrong.returncode == 2
    assert "'pairs'" in wrong.stderr


def test_list_schema_version_help(place: Path, typed: Typed) -> None:
    assert "squared_hinge" in typed("list", "losses", cwd=place).stdout
    assert "LinearRanker" in typed("list", "estimators", cwd=place).stdout
    every = typed("list", cwd=place).stdout.splitlines()
    assert [line.split()[0] for line in every] == [*registry.ROOMS, "studies"]
    assert "squared_hinge" in every[0] and "kotlowski2011" in every[-1]
    said = typed("list", "--help", cwd=place).stdout
    assert all(group in " ".join(said.split()) for group in registry.ROOMS)
    wrong = typed("list", "loses", cwd=place)
    assert wrong.returncode == 2
    assert "did you mean 'losses'" in wrong.stderr
    assert json.loads(typed("schema", cwd=place).stdout)["title"] == "Study"
    assert rankexp("--version", cwd=place).stdout.startswith("rankexp ")
    assert "run" in rankexp("--help", cwd=place).stdout


@pytest.mark.slow
def test_studies_are_found_outside_a_checkout(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "kotlowski2011" in typed("list", "studies", cwd=tmp_path).stdout
    named = typed("check", "example-own-data", "example-own-date", cwd=tmp_path)
    assert "example-own-data: fine" in named.stdout
    assert "example-own-date: no such file (did you mean 'example-own-data'?)" in named.stderr
    few = {name: shipped()[name] for name in ("example-own-data", "menon2014")}
    monkeypatch.setattr("rankexp.runner.config.shipped.shipped", lambda: few)  # it loads each
    data = typed("data", "list", cwd=tmp_path)
    assert "customers" in data.stdout and "example.csv" in data.stdout
    (tmp_path / "example-own-data").write_text("version: 2")
    assert typed("check", "example-own-data", cwd=tmp_path).returncode == 2  # a file goes first


def test_check_names_every_place(place: Path, typed: Typed) -> None:
    (place / "wrong.yaml").write_text(
        TINY.replace("seed: 3", "sed: 3").replace("models: 2", "models: two")
    )
    done = typed("check", "tiny.yaml", "wrong.yaml", cwd=place)
    assert done.returncode == 2
    assert "tiny.yaml: fine" in done.stdout
    assert "wrong.yaml:4:1" in done.stderr
    assert "did you mean 'seed'" in done.stderr
    assert "wrong.yaml:14:" in done.stderr


def test_no_file_of_the_working_folder_is_run(place: Path) -> None:
    for name in ("numpy", "my_estimator"):
        (place / f"{name}.py").write_text(f"open('was_run_{name}', 'w')")
    (place / "other.yaml").write_text(
        TINY.replace("points: {", "points: {estimator: my_estimator.A, ")
    )
    done = rankexp("check", "tiny.yaml", "other.yaml", cwd=place)
    assert done.returncode == 2
    assert "tiny.yaml: fine" in done.stdout and "other.yaml:8:23" in done.stderr
    assert not list(place.glob("was_run*"))


WRONG_STUDIES = {
    "unknown key": (("seed: 3", "seed: 3\ncolour: red"), "colour"),
    "duplicate key": (("seed: 3", "seed: 3\nseed: 4"), "seed"),
    "wrong type": (("n_train: 60", "n_train: many"), "n_train"),
    "unknown generator": (("generator: linear", "generator: linar"), "did you mean 'linear'"),
    "unknown loss": (("loss: hinge", "loss: hing"), "did you mean 'hinge'"),
    "unknown method": (("[points, pairs]", "[points, pears]"), "did you mean 'pairs'"),
    "impossible pair": (("hinge, risk: bipartite", "hinge, risk: push"), "hinge"),
    "empty grid": (("lambdas: [0.01, 1]", "lambdas: []"), "lambdas"),
    "negative lambda": (("lambdas: [0.01, 1]", "lambdas: [-1]"), "-1"),
    "impossible prior": (("p: 0.5", "p: 1.5"), "1.5"),
    "unknown block": (("paired_table", "paired_tabel"), "did you mean 'paired_table'"),
    "bad YAML": (("seed: 3", "seed: [3"), "tiny.yaml:"),
}


@pytest.mark.parametrize("case", WRONG_STUDIES)
def test_a_wrong_study_exits_2_and_says_where(case: str, place: Path, typed: Typed) -> None:
    (old, new), said = WRONG_STUDIES[case]
    assert old in TINY
    (place / "tiny.yaml").write_text(TINY.replace(old, new))
    done = typed("run", "tiny.yaml", cwd=place)
    assert done.returncode == 2
    assert said in done.stderr
    assert "tiny.yaml:" in done.stderr
    assert not (place / "results").exists()


def test_usage_exits_2(place: Path, typed: Typed) -> None:
    missing = typed("run", "tinny.yaml", cwd=place)
    assert missing.returncode == 2
    assert "tiny.yaml" in missing.stderr
    assert typed("run", "tiny.yaml", "--retry", "all", cwd=place).returncode == 2
    assert typed("run", "tiny.yaml", "--only", "simm", cwd=place).returncode == 2
    assert typed("run", "tiny.yaml", "--data", "nowhere", cwd=place).returncode == 2
    assert typed("report", "nothing", cwd=place).returncode == 2
    assert typed("run", "tiny.yaml", "--jobs", 0, cwd=place).returncode == 2


WRONG_DATA = {
    "no file": (None, "rankexp data add mine FILE"),
    "absent target": (GOOD_ROWS.replace("label", "labels"), "did you mean 'labels'"),
    "one class": (GOOD_ROWS.replace("yes", "no"), "yes"),
    "unknown class": (GOOD_ROWS.replace("yes", "perhaps"), "perhaps"),
    "stray text": (
        "a,b,label\n" + "".join(f"{i or 'oops'},1,{'yes' if i % 2 else 'no'}\n" for i in range(9)),
        "'missing: [oops]'",
    ),
}


@pytest.mark.parametrize("case", WRONG_DATA)
def test_wrong_data_exits_3_and_says_what_to_do(case: str, tmp_path: Path, typed: Typed) -> None:
    content, said = WRONG_DATA[case]
    (tmp_path / "mine.yaml").write_text(MINE)
    if content is not None:
        (tmp_path / "mine.csv").write_text(content)
    done = typed("run", "mine.yaml", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert said in done.stderr
    assert (done.stdout + done.stderr).count(said) == 1


@pytest.mark.slow
def test_too_few_of_a_level_fail_in_the_users_words_without_advice_to_retry(
    tmp_path: Path,
) -> None:
    study = MINE.replace("folds: 2}", "folds: 5}").replace("repeats: 1", "repeats: 2")
    (tmp_path / "mine.yaml").write_text(study)
    rows = [f"{i * 7 % 40},{i % 3},{'yes' if i == 11 else 'no'}" for i in range(40)]
    (tmp_path / "mine.csv").write_text("\n".join(["a,b,label", *rows]))
    done = rankexp("run", "mine.yaml", cwd=tmp_path)
    assert done.returncode == 1
    assert "rows of a training part are of level 'no': 'stratified: true'" in done.stderr
    assert "they would fail again as they are" in done.stderr
    assert "--retry" not in done.stderr


@pytest.mark.slow
def test_only_takes_several_names_with_commas(place: Path) -> None:
    more = TINY.replace("report:", "  again:\n    kind: simulate\n    check: flip_noise\nreport:")
    (place / "tiny.yaml").write_text(more)
    both = rankexp("plan", "tiny.yaml", "--only", "sim, again", cwd=place)
    assert both.returncode == 0, both.stderr
    assert "sim " in both.stdout and "again" in both.stdout
    wrong = rankexp("plan", "tiny.yaml", "--only", "sim,agin", cwd=place)
    assert wrong.returncode == 2
    assert "did you mean 'again'" in wrong.stderr


@pytest.mark.slow
def test_what_is_left_out_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(MINE)
    rows = [f",{i},{i * 7 % 5},{['no', 'yes', ''][i % 3]}" for i in range(60)]
    (tmp_path / "mine.csv").write_text("\n".join(["empty,n,b,label", *rows]))
    done = rankexp("run", "mine.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for said in ("20 of 60 rows have no target 'label'", "left out: 'empty' (it has no values"):
        assert (done.stdout + done.stderr).count(said) == 1


def test_malformed_arff_names_file_and_line(tmp_path: Path, typed: Typed) -> None:
    (tmp_path / "mine.yaml").write_text(MINE.replace("mine.csv", "mine.arff"))
    (tmp_path / "mine.arff").write_text("@relation x\n@attribute a numeric\n@data\n1,2\n")
    done = typed("run", "mine.yaml", cwd=tmp_path)
    assert done.returncode == 3
    assert "mine.arff" in done.stderr


def test_wrong_fingerprint_is_an_error(tmp_path: Path, typed: Typed) -> None:
    declared = MINE.replace('"yes"]}', '"yes"], fingerprint: {rows: 21, features: 2}}')
    (tmp_path / "mine.yaml").write_text(declared)
    (tmp_path / "mine.csv").write_text(GOOD_ROWS)
    done = typed("run", "mine.yaml", cwd=tmp_path)
    assert done.returncode == 3
    assert "21" in done.stderr
    assert "20" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder nobody may write to")
def test_a_folder_that_cannot_be_written_exits_4(place: Path) -> None:
    done = rankexp("run", "tiny.yaml", "--jobs", 1, "--results", "/proc/results", cwd=place)
    assert done.returncode == 4
    assert "/proc/results" in done.stderr


@pytest.mark.slow
def test_results_where_a_file_stands_exits_4(place: Path) -> None:
    (place / "results").write_text("a file")
    done = rankexp("run", "tiny.yaml", "--jobs", 1, cwd=place)
    assert done.returncode == 4
    assert "results" in done.stderr


def test_another_users_folder_exits_4(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(place / "published"))

    monkeypatch.setattr("rankexp.runner.config.load.load", refuse)
    monkeypatch.setattr(sys, "argv", ["rankexp", "plan", "tiny.yaml"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 4
    assert capsys.readouterr().err == f"rankexp: '{place / 'published'}': Permission denied\n"


@pytest.mark.slow
def test_own_data_by_hand(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(MINE)
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "mine-2024.csv").write_text(GOOD_ROWS)
    here = ("--config", "mine.yaml")
    added = rankexp("data", "add", "mine", "copy/mine-2024.csv", *here, cwd=tmp_path)
    assert added.returncode == 0, added.stderr
    assert "mine" in rankexp("data", "list", *here, cwd=tmp_path).stdout
    assert rankexp("data", "verify", "mine", *here, cwd=tmp_path).returncode == 0
    assert rankexp("run", "mine.yaml", "--jobs", 1, cwd=tmp_path).returncode == 0
