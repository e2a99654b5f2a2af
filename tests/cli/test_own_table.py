"""`rankexp compare` and `rankexp inspect` through a real process, on tables nobody prepared."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

FEW = ("--methods", "points-logistic,pairs-logistic", "--minutes", "0.2", "--jobs", "1")


def rankexp(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "rankexp", *arguments]
    environment = os.environ | {"RANKEXP_CACHE": str(cwd / "cache")}
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False, env=environment
    )


def table(file: Path, n: int = 300, positives: float = 0.0, delimiter: str = ",") -> None:
    """Write rows with a column that numbers them, a nominal one, and a target of words."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(n, 2))
    left = x[:, 0] + rng.normal(size=n) > positives
    lines = [delimiter.join(["no", "age", "spend", "plan", "left"])]
    plans = rng.choice(["basic", "family"], n)
    lines += [
        delimiter.join([str(i), f"{a:.3f}", f"{b:.3f}", plan, "yes" if y else "no"])
        for i, ((a, b), plan, y) in enumerate(zip(x.tolist(), plans, left, strict=True))
    ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_a_table_gets_its_answer_and_a_study_to_go_on_with(tmp_path: Path) -> None:
    table(tmp_path / "mine.csv")
    done = rankexp("compare", "mine.csv", "--target", "left", *FEW, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = done.stdout
    assert "left out: 'no' (" in said
    assert "'yes' is taken as the positive value of 'left'" in said
    words = ("Training on pairs", "These data", "No gain")
    assert any(word in said for word in words)
    assert "Can it be trusted?" in said and "What now?" in said
    folder = tmp_path / "compare-mine"
    assert {"report.md", "answer.csv", "answer.png", "study.yaml"} <= {
        file.name for file in folder.iterdir()
    }
    again = rankexp("run", "compare-mine/study.yaml", "--results", ".", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert "nothing to do" in again.stdout
    head, then = (folder / "study.yaml").read_text(encoding="utf-8").split("\n")[:2]
    assert "'rankexp compare' into this folder loses what you edited" in then
    assert head.startswith("# Made by")
    assert head.endswith("rankexp run compare-mine/study.yaml --results .")


def test_the_same_table_otherwise_written_is_the_same_data(tmp_path: Path) -> None:
    table(tmp_path / "a.csv")
    table(tmp_path / "b.csv", delimiter=";")
    text = (tmp_path / "b.csv").read_text(encoding="utf-8")
    (tmp_path / "b.csv").write_text(text.replace(".", ","), encoding="utf-8-sig")
    prints = []
    for name in ("a", "b"):
        done = rankexp("compare", f"{name}.csv", "--target", "left", *FEW, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        manifest = json.loads((tmp_path / f"compare-{name}" / "manifest.json").read_text())
        prints.append(manifest["data"]["data"]["fingerprint"])
    assert prints[0] == prints[1]


def test_groups_stay_together_and_all_pairs_count(tmp_path: Path) -> None:
    table(tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()
    grouped = [f"{line},{'who' if i == 0 else i // 3}" for i, line in enumerate(lines)]
    (tmp_path / "a.csv").write_text("\n".join(grouped) + "\n", encoding="utf-8")
    done = rankexp("compare", "a.csv", "--target", "left", "--groups", "who", *FEW, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    study = (tmp_path / "compare-a" / "study.yaml").read_text(encoding="utf-8")
    assert "together: groups" in study and "within_groups: false" in study
    assert "groups together" in done.stdout.replace("\n", " ")


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--target", "leeft"), 3, "there is no column 'leeft' (did you mean 'left'?)"),
        (("--target", "left", "--positive", "maybe"), 2, "no value 'maybe'"),
        (("--target", "left", "--methods", "pairs-logistic"), 2, "to tell what pairs gain"),
        (("--target", "left", "--methods", "points-logistc"), 2, "did you mean 'points-logistic'"),
        (("--target", "left", "--drop", "agee"), 3, "did you mean 'age'"),
        (("--target", "left", "--drop", "age,left"), 2, "--drop: column 'left' is the target"),
        (("--target", "left", "--weights", "left"), 2, "--weights: column 'left' is the target"),
        (("--target", "left", "--margin", "0"), 2, "--margin: expected a number above 0, got 0"),
        (("--target", "left", "--margin", "nan"), 2, "--margin: expected a number above 0"),
        (("--target", "left", "--out", "mine.csv"), 2, "--out: 'mine.csv' is a file"),
        (("--target", "left", "--out", "an answer"), 2, "'an-answer'"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    tmp_path: Path, options: tuple[str, ...], code: int, said: str
) -> None:
    table(tmp_path / "mine.csv", 60)
    done = rankexp("compare", "mine.csv", *options, cwd=tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "compare-mine").exists()


def test_what_compare_did_not_write_is_not_overwritten(tmp_path: Path) -> None:
    table(tmp_path / "mine.csv", 60)
    theirs = tmp_path / "out" / "study.yaml"
    theirs.parent.mkdir()
    theirs.write_text("mine: 1\n", encoding="utf-8")
    done = rankexp("compare", "mine.csv", "--target", "left", "--out", "out", cwd=tmp_path)
    assert done.returncode == 2
    assert "'out' holds study.yaml that 'rankexp compare' did not write" in done.stderr
    assert theirs.read_text(encoding="utf-8") == "mine: 1\n"


@pytest.mark.parametrize(
    ("columns", "options", "said"),
    [
        ("x", (), "the features are the same in every row"),
        ("x,a", ("--groups", "a"), "--groups: the column has 2 different values"),
        ("x,a,w", ("--weights", "w"), "without --weights and with --drop w there is"),
    ],
)
def test_nothing_is_fitted_where_no_split_or_no_method_is_left(
    tmp_path: Path, columns: str, options: tuple[str, ...], said: str
) -> None:
    cells = {"x": "1.5", "w": "2.5"}
    rows = [",".join(cells.get(c, "uv"[i % 2]) for c in columns.split(",")) for i in range(60)]
    lines = [f"{columns},y", *(f"{row},{i % 3 // 2}" for i, row in enumerate(rows))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = rankexp("compare", "t.csv", "--target", "y", *options, *FEW, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr and not (tmp_path / "compare-t" / "records").exists()


def test_a_feature_of_two_values_and_few_groups_are_split_all_the_same(tmp_path: Path) -> None:
    lines = [f"{i % 2},{i // 30},{int(i % 3 == 0 or i % 8 == 1)}" for i in range(90)]
    (tmp_path / "t.csv").write_text("\n".join(["x,g,y", *lines]) + "\n", encoding="utf-8")
    for options, said in (
        (("--drop", "g"), "Rows have only 2 different combinations"),
        (("--groups", "g"), "3 folds"),
    ):
        done = rankexp("compare", "t.csv", "--target", "y", *options, *FEW, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert said in done.stdout and "INCOMPLETE" not in done.stdout


def test_too_few_of_a_value_are_refused_before_anything_is_fitted(tmp_path: Path) -> None:
    table(tmp_path / "mine.csv", 40, positives=99.0)
    with (tmp_path / "mine.csv").open("a", encoding="utf-8") as file:
        file.write("40,1.0,1.0,basic,yes\n")
    done = rankexp("compare", "mine.csv", "--target", "left", cwd=tmp_path)
    assert done.returncode == 2
    assert "has 1 row of 'yes'; at least 3" in done.stderr


def test_inspect_shows_every_column_and_what_is_left_out(tmp_path: Path) -> None:
    table(tmp_path / "mine.csv")
    done = rankexp("inspect", "mine.csv", "--target", "left", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for name in ("no", "age", "spend", "plan", "left"):
        assert any(line.startswith(f"{name} ") for line in done.stdout.splitlines())
    assert "left out" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
