"""`rankexp compare` and `rankexp inspect` on tables nobody prepared.

In this process: `test_cli` types commands in real ones.
"""

import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml

from rankexp.runner.cli import main
from rankexp.runner.compare import budget, session
from rankexp.runner.compare.pilot import Cost
from rankexp.runner.data.build import dataset_of, entry_of

FEW = ("--methods", "points-logistic,pairs-logistic", "--jobs", "1")
Typed = Callable[..., tuple[int, str, str]]


@pytest.fixture
def typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Typed:
    """Run the command in this process; return its exit code and what it said."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RANKEXP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(session, "ROUNDS", 1)
    monkeypatch.setattr(budget, "MOST_REPEATS", 1)

    def _typed(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["rankexp", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        return int(ended.value.code or 0), said.out, said.err

    return _typed


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


def test_a_table_gets_its_answer_and_a_study_to_go_on_with(tmp_path: Path, typed: Typed) -> None:
    table(tmp_path / "mine.csv", 150)
    code, said, err = typed("compare", "mine.csv", "--target", "left", *FEW)
    assert code == 0, err
    assert "left out: 'no' (" in said
    assert "'yes' is taken as the positive value of 'left'" in said
    assert "\nFor linear scorers, " in said
    report = (tmp_path / "compare-mine" / "report.md").read_text(encoding="utf-8")
    for text in ("Features: age, spend, plan.", "Columns left out: no (", "Guessed: 'yes' is"):
        assert text in report
    lines = said.partition("saves it:\n\n")[2].partition("\n\n13 files")[0]
    assert lines.startswith("import joblib")
    assert lines == (tmp_path / "compare-mine" / "train.py").read_text(encoding="utf-8").strip()
    exec(compile(lines, "pasted", "exec"), {})
    assert (tmp_path / "compare-mine" / "ranker.joblib").is_file()
    assert re.search(r"The answer rests on 150 rows, \d+ of them '(yes|no)' \(", said)
    assert "Can it be trusted?" in said and "What now?" in said
    folder = tmp_path / "compare-mine"
    assert {"report.md", "answer.csv", "answer.png", "study.yaml"} <= {
        file.name for file in folder.iterdir()
    }
    code, out, err = typed("run", "compare-mine/study.yaml", "--results", ".")
    assert code == 0, err
    assert "nothing to do" in out
    head, then = (folder / "study.yaml").read_text(encoding="utf-8").split("\n")[:2]
    assert "Once edited, 'rankexp compare' does not write it anew" in then
    assert head.startswith("# Made by")
    assert head.endswith("rankexp run compare-mine/study.yaml --results .")


def test_the_same_table_otherwise_written_is_the_same_data(tmp_path: Path) -> None:
    table(tmp_path / "a.csv", 60)
    table(tmp_path / "b.csv", 60, delimiter=";")
    text = (tmp_path / "b.csv").read_text(encoding="utf-8")
    (tmp_path / "b.csv").write_text(text.replace(".", ","), encoding="utf-8-sig")
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    found = [dataset_of(f, entry_of(f, target="left", positive="yes")) for f in files]
    assert found[0].fingerprint == found[1].fingerprint


SLEEPER = """
import time
class Sleeper:
    def fit(self, X, y):
        time.sleep(60)
        return self
    def predict(self, X):
        return X[:, 0]
"""


@pytest.mark.slow
def test_what_is_not_done_in_time_is_left_out_and_said(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    table(tmp_path / "mine.csv", 150)
    (tmp_path / "sleeper.py").write_text(SLEEPER, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    fast, slow = Cost(100, 1e-4, 1.0), Cost(100, 0.1, 1.0)  # it looks faster than it is
    costs = {"points-logistic": fast, "pairs-logistic": fast, "Sleeper": slow}
    monkeypatch.setattr(session, "pilot", lambda *_: (costs, {}))
    monkeypatch.setattr(session.Session, "_seconds", lambda *_: 1e-3)
    start = time.monotonic()
    methods = ("--methods", "points-logistic,pairs-logistic,sleeper.Sleeper", "--jobs", "1")
    code, out, err = typed(
        "compare", "mine.csv", "--target", "left", "--drop", "no", *methods, "--minutes", "0.2"
    )
    assert code == 0, err
    assert "Sleeper is left out because it did not finish within 0.2 minutes; a larger" in out
    assert time.monotonic() - start < 30
    made = (tmp_path / "compare-mine" / "study.yaml").read_text(encoding="utf-8")
    assert set(yaml.safe_load(made)["methods"]) == {"points-logistic", "pairs-logistic"}
    report = (tmp_path / "compare-mine" / "report.md").read_text(encoding="utf-8")
    assert "Sleeper is left out because it did not finish" in report
    assert "1 × 5 folds" in report and "INCOMPLETE" not in report


@pytest.mark.slow
def test_repeats_that_were_not_whole_in_time_do_not_count(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    table(tmp_path / "mine.csv", 600)
    monkeypatch.setattr(session, "REPORT", 1.0)
    monkeypatch.setattr(budget, "MOST_REPEATS", 900)
    monkeypatch.setattr(session.Session, "_seconds", lambda *_: 1e-3)
    code, out, err = typed(
        "compare", "mine.csv", "--target", "left", "--drop", "no", *FEW, "--minutes", "0.25"
    )
    assert code == 0, err
    said = re.search(r"(\d+) of (\d+) repeats were run within 0.25 minutes", out)
    assert said is not None, out
    repeats = int(said[1])
    assert 1 <= repeats < int(said[2])
    made = yaml.safe_load((tmp_path / "compare-mine" / "study.yaml").read_text(encoding="utf-8"))
    assert made["experiments"]["compare"]["protocol"]["repeats"] == repeats
    report = (tmp_path / "compare-mine" / "report.md").read_text(encoding="utf-8")
    assert f"{repeats} × 5 folds" in report and "INCOMPLETE" not in report


@pytest.mark.parametrize("target", ["left", "spend"])
def test_a_test_set_of_its_own_is_what_methods_are_judged_on(
    tmp_path: Path, typed: Typed, target: str
) -> None:
    table(tmp_path / "all.csv", 240)
    head, *rows = (tmp_path / "all.csv").read_text(encoding="utf-8").splitlines()
    for name, own in (("train", rows[:160]), ("test", [*rows[160:], rows[0]])):
        (tmp_path / f"{name}.csv").write_text("\n".join([head, *own]) + "\n", encoding="utf-8")
    few = FEW if target == "left" else ("--methods", "points-tree,pairs-tree", *FEW[2:])
    rare = (tmp_path / "test.csv").read_text(encoding="utf-8").replace("basic", "new", 2)
    (tmp_path / "test.csv").write_text(rare, encoding="utf-8")
    options = ("--test", "test.csv", "--target", target, "--drop", "no", *few)
    code, out, err = typed("compare", "train.csv", *options)
    assert code == 0, err
    text = " ".join(out.split())
    assert "241 rows: train (160), test (81)" in text
    assert "no training row has. These are ignored: 'plan' in 2 rows." in text
    assert "1 of the 81 test rows repeat the features of a training row" in text
    assert "The answer rests on one test set of 81 rows" in text
    assert "chosen within the 160 training rows" in text
    if target == "left":
        assert "tested by DeLong's test" in text and "Intervals are for these fits" in text
    else:
        assert "No interval: there is one test set" in text
        assert "without --test, cross-validation gives intervals" in text and "± ." not in text
    report = (tmp_path / "compare-train" / "report.md").read_text(encoding="utf-8")
    assert "81 test rows repeat the features" in report
    made = yaml.safe_load((tmp_path / "compare-train" / "study.yaml").read_text(encoding="utf-8"))
    assert made["data"]["data"]["source"] == {"file": "../train.csv", "test": "../test.csv"}
    assert made["experiments"]["compare"]["protocol"]["kind"] == "given"


def test_a_test_set_without_a_value_or_with_rare_ones_is_refused(
    tmp_path: Path, typed: Typed
) -> None:
    table(tmp_path / "mine.csv", 90)
    head, *rows = (tmp_path / "mine.csv").read_text(encoding="utf-8").splitlines()
    yes, no = ([row for row in rows if row.endswith(word)] for word in ("yes", "no"))
    for train, test, said in (
        (yes[2:] + no[20:], no[:20], "the test file has 0 rows of 'yes', and 1 are needed"),
        (yes[:2] + no[20:], yes[2:] + no[:20], "training file has 2 rows of 'yes', and 3 are"),
    ):
        for name, own in (("train", train), ("test", test)):
            (tmp_path / f"{name}.csv").write_text("\n".join([head, *own]), encoding="utf-8")
        code, _, err = typed("compare", "train.csv", "--test", "test.csv", "--target", "left")
        assert code == 2 and said in err
        assert not (tmp_path / "compare-train").exists()


@pytest.mark.usefixtures("designed")
def test_groups_stay_together_and_all_pairs_count(tmp_path: Path, typed: Typed) -> None:
    table(tmp_path / "a.csv", 120)
    lines = (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()
    grouped = [f"{line},{'who' if i == 0 else i // 3}" for i, line in enumerate(lines)]
    (tmp_path / "a.csv").write_text("\n".join(grouped) + "\n", encoding="utf-8")
    code, _, err = typed("compare", "a.csv", "--target", "left", "--groups", "who", *FEW)
    assert code == 0, err
    study = (tmp_path / "compare-a" / "study.yaml").read_text(encoding="utf-8")
    assert "together: groups" in study and "within_groups: false" in study


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--target", "leeft"), 3, "there is no column 'leeft' (did you mean 'left'?)"),
        (("--target", "left", "--positive", "maybe"), 2, "no value 'maybe'"),
        (("--target", "left", "--methods", "pairs-logistic"), 2, "to compare pairs with points"),
        (("--target", "left", "--methods", "points-logistc"), 2, "did you mean 'points-logistic'"),
        (("--target", "left", "--drop", "agee"), 3, "did you mean 'age'"),
        (("--target", "left", "--drop", "age,left"), 2, "--drop: column 'left' is the target"),
        (("--target", "left", "--weights", "left"), 2, "--weights: column 'left' is the target"),
        (("--target", "left", "--margin", "0"), 2, "--margin: expected a number above 0, got 0"),
        (("--target", "left", "--margin", "nan"), 2, "--margin: expected a number above 0"),
        (("--target", "left", "--out", "mine.csv"), 2, "--out: 'mine.csv' is a file"),
        (("--target", "left", "--out", "an answer"), 2, "'an-answer'"),
        (("--target", "left", "--test", "other.csv"), 3, "other.csv"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    tmp_path: Path, typed: Typed, options: tuple[str, ...], code: int, said: str
) -> None:
    table(tmp_path / "mine.csv", 60)
    found, out, err = typed("compare", "mine.csv", *options)
    assert found == code, out + err
    assert said in err and err.count("\n") == 1
    assert not (tmp_path / "compare-mine").exists()


def test_columns_with_commas_stand_in_quotes_or_in_options_of_their_own(
    tmp_path: Path, typed: Typed
) -> None:
    table(tmp_path / "mine.csv", 60)
    text = (tmp_path / "mine.csv").read_text(encoding="utf-8")
    (tmp_path / "mine.csv").write_text(text.replace("age", '"age, years"', 1), encoding="utf-8")
    inspect = ("inspect", "mine.csv", "--target", "left", "--drop")
    for options in (('spend,"age, years"',), ("spend", "--drop", '"age, years"')):
        code, out, err = typed(*inspect, *options)
        assert code == 0, err
        assert [line for line in out.splitlines() if line.startswith(("age", "spend"))] == [
            line for line in out.splitlines() if " dropped " in line
        ]
    code, _, err = typed(*inspect, "age, years")
    assert code == 3 and """goes in double quotes: '"age, years"'""" in err


@pytest.mark.usefixtures("designed")
def test_what_is_ranked_before_all_others_is_said_in_words(tmp_path: Path, typed: Typed) -> None:
    table(tmp_path / "mine.csv", 60)
    options = ("--target", "plan", "--levels", "family,basic")
    assert "target 'plan': family (" in typed("inspect", "mine.csv", *options)[1]
    text = (tmp_path / "mine.csv").read_text(encoding="utf-8")
    (tmp_path / "mine.csv").write_text(text.replace("basic", "solo", 5), encoding="utf-8")
    code, out, _ = typed("compare", "mine.csv", "--target", "plan", "--positive", "solo", *FEW)
    assert code == 0
    assert "target 'plan': all others (55), solo (5)" in out and "*" not in out


@pytest.mark.parametrize(
    ("columns", "options", "said"),
    [
        ("x", (), "the features are the same in every row"),
        ("x,a", ("--groups", "a"), "--groups: the column has 2 different values"),
    ],
)
def test_nothing_is_fitted_where_no_split_or_no_method_is_left(
    tmp_path: Path, typed: Typed, columns: str, options: tuple[str, ...], said: str
) -> None:
    cells = {"x": "1.5", "w": "2.5"}
    rows = [",".join(cells.get(c, "uv"[i % 2]) for c in columns.split(",")) for i in range(60)]
    lines = [f"{columns},y", *(f"{row},{i % 3 // 2}" for i, row in enumerate(rows))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    code, _, err = typed("compare", "t.csv", "--target", "y", *options, *FEW)
    assert code == 2, err
    assert said in err and not (tmp_path / "compare-t").exists()


@pytest.mark.usefixtures("designed")
def test_rows_of_two_values_may_have_weights_and_numbers_to_rank_by_not(
    tmp_path: Path, typed: Typed
) -> None:
    rng = np.random.default_rng(0)
    all_four = (
        "--methods",
        "points-logistic,pairs-logistic,points-hinge,pairs-hinge",
        "--jobs",
        "1",
    )
    of = {"whole": rng.choice([0.5, 1.25], 90), "real": rng.random(90)}
    for name, weight in of.items():
        x = rng.normal(size=90)
        y = (x + rng.normal(size=90) > 0).astype(int) + (x > 1)
        rows = [f"{a:.3f},{w},{k},{min(k, 1)}" for a, w, k in zip(x, weight, y, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["x,w,y,two", *rows]) + "\n")
        code, out, err = typed(
            "compare", f"{name}.csv", "--target", "two", *all_four, "--weights", "w", "--drop", "y"
        )
        assert code == 0, err
        assert " ".join(out.split()).count("a pair counts the product of both weights") == 1
        assert ("Hinge on pairs is left out" in out) == (name == "real")
        made = yaml.safe_load((tmp_path / f"compare-{name}" / "study.yaml").read_text())
        assert ("pairs-hinge" in made["methods"]) == (name == "whole")
        assert "pairs-logistic" in made["methods"] and made["data"]["data"]["weights"] == "w"
    number = ("--methods", "points-tree,pairs-tree", "--weights", "w", "--drop", "two")
    code, _, err = typed("compare", "whole.csv", "--target", "x", *number, "--out", "other")
    assert code == 2, err
    assert "concordance, takes no weights" in err and "say --drop w in place of --weights w" in err
    assert not (tmp_path / "other").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [pytest.param(1, marks=pytest.mark.slow), 0.5, pytest.param(None, marks=pytest.mark.slow)],
)
def test_levels_are_compared_with_weights_by_the_methods_that_take_them(
    tmp_path: Path, typed: Typed, unit: float | None
) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=90)
    y = (x + rng.normal(size=90) > 0).astype(int) + (x > 1)
    w = rng.random(90) + 0.1 if unit is None else unit * rng.integers(1, 4, 90)
    rows = [f"{a:.3f},{b},{k}" for a, b, k in zip(x, w, y, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["x,w,y", *rows]) + "\n", encoding="utf-8")
    names = "points-logistic,pairs-logistic,points-hinge,pairs-hinge"
    options = ("--weights", "w", "--methods", names, "--jobs", "1")
    code, out, err = typed("compare", "t.csv", "--target", "y", *options)
    assert code == 0, err
    text = " ".join(out.split())
    assert "a pair counts the product of both weights" in text
    assert ("Threshold hinge on points is left out" in text) == (unit != 1)
    assert ("Hinge on pairs is left out" in text) == (unit is None)
    setup = yaml.safe_load((tmp_path / "compare-t" / "study.yaml").read_text(encoding="utf-8"))
    hinges = {1: {"points-hinge", "pairs-hinge"}, 0.5: {"pairs-hinge"}, None: set()}[unit]
    assert {m for m in setup["methods"] if "hinge" in m} == hinges
    assert setup["experiments"]["compare"]["metrics"] == ["u_pairs"]


@pytest.mark.usefixtures("designed")
@pytest.mark.parametrize(
    ("options", "said", "folds"),
    [(("--drop", "g"), "have only 2 different combinations", 5), (("--groups", "g"), "", 3)],
)
def test_a_feature_of_two_values_and_few_groups_are_split_all_the_same(
    tmp_path: Path, typed: Typed, options: tuple[str, ...], said: str, folds: int
) -> None:
    lines = [f"{i % 2},{i // 30},{int(i % 3 == 0 or i % 8 == 1)}" for i in range(90)]
    (tmp_path / "t.csv").write_text("\n".join(["x,g,y", *lines]) + "\n", encoding="utf-8")
    code, out, err = typed("compare", "t.csv", "--target", "y", *options, *FEW)
    assert code == 0, err
    made = yaml.safe_load((tmp_path / "compare-t" / "study.yaml").read_text(encoding="utf-8"))
    assert said in out and made["experiments"]["compare"]["protocol"]["folds"] == folds


def test_too_few_of_a_value_are_refused_before_anything_is_fitted(
    tmp_path: Path, typed: Typed
) -> None:
    table(tmp_path / "mine.csv", 40, positives=99.0)
    with (tmp_path / "mine.csv").open("a", encoding="utf-8") as file:
        file.write("40,1.0,1.0,basic,yes\n")
    code, _, err = typed("compare", "mine.csv", "--target", "left")
    assert code == 2 and "has 1 row of 'yes'; at least 3" in err


def test_inspect_shows_every_column_and_what_is_left_out(tmp_path: Path, typed: Typed) -> None:
    table(tmp_path / "mine.csv")
    code, out, err = typed("inspect", "mine.csv", "--target", "left")
    assert code == 0, err
    for name in ("no", "age", "spend", "plan", "left"):
        assert any(line.startswith(f"{name} ") for line in out.splitlines())
    assert "left out" in out
    assert max(map(len, out.splitlines())) <= 100


def test_a_first_line_of_numbers_may_name_columns_and_one_of_words_may_not(
    tmp_path: Path, typed: Typed, designed: None
) -> None:
    rng = np.random.default_rng(2)
    rows = [f"{a:.3f},{b:.3f},{'yes' if a > 0 else 'no'}" for a, b in rng.normal(size=(60, 2))]
    (tmp_path / "years.csv").write_text("\n".join(["2019,2020,left", *rows]), encoding="utf-8")
    code, _, err = typed("inspect", "years.csv")
    assert code == 3 and "--header or --no-header" in err
    code, out, _ = typed("inspect", "years.csv", "--header")
    assert code == 0 and "60 rows" in out and "with a header" in " ".join(out.split())
    code, _, err = typed("compare", "years.csv", "--target", "left", "--header", *FEW)
    study = yaml.safe_load((tmp_path / "compare-years" / "study.yaml").read_text("utf-8"))
    assert code == 0 and next(iter(study["data"].values()))["header"] is True
    (tmp_path / "words.csv").write_text("a,b\nc,d\na,d\n" * 20, encoding="utf-8")
    assert "59 rows" in typed("inspect", "words.csv")[1]
    assert "60 rows" in typed("inspect", "words.csv", "--no-header")[1]
