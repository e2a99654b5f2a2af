"""What `inspect` and `compare` say of tables that would be answered confidently and wrongly."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from rankexp.runner import cli_own
from rankexp.runner.compare import budget, session
from rankexp.runner.config.asking import OPTIONS

Typed = Callable[..., subprocess.CompletedProcess[str]]
FEW = ("--methods", "points-logistic,pairs-logistic", "--jobs", "1")
N = 300


def flat(text: str) -> str:
    return " ".join(text.split())


def churn(strength: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({f"x{j}": rng.normal(size=N).round(3) for j in range(3)})
    left = rng.random(N) < 1 / (1 + np.exp(-strength * frame["x0"]))
    return frame.assign(churn=np.where(left, "yes", "no"))


def leak() -> pd.DataFrame:
    frame = churn()
    paid = np.random.default_rng(1).gamma(2, 10, N).round(2)
    return frame.assign(refund_eur=np.where(frame["churn"] == "yes", paid, 0.0))


def text() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    words = np.array(["good", "bad", "fine", "slow", "cheap", "dear", "late", "soon", "never"])
    return churn().assign(review=[" ".join(rng.choice(words, 12)) for _ in range(N)])


def drift(newest_first: bool = False, end: float = -4) -> pd.DataFrame:
    """Rows whose relation to the target turns around in time, or ends."""
    rng, frame = np.random.default_rng(4), churn()
    left = rng.random(N) < 1 / (1 + np.exp(-np.linspace(4, end, N) * frame["x0"]))
    days = pd.date_range("2023-03-01", periods=N).strftime("%d.%m.%Y")
    frame = frame.assign(churn=np.where(left, "yes", "no"), date=days)
    return frame[::-1] if newest_first else frame


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "ROUNDS", 0)
    monkeypatch.setattr(budget, "MOST_REPEATS", 1)


TABLES = {
    "leak": (leak, "'refund_eur' alone has an AUC of 1.000: is it known before the target is?"),
    "text": (text, "'review' looks like free text (12 words a row): rankexp does not read texts"),
    "drift": (drift, "Rows are in order of 'date'"),
}


@pytest.mark.parametrize("name", TABLES)
def test_what_is_wrong_with_a_table_is_said_before_all_else(
    name: str, tmp_path: Path, typed: Typed, designed: None
) -> None:
    make, words = TABLES[name]
    make().to_csv(tmp_path / "t.csv", index=False)
    for verb in ("inspect", "compare"):
        more = FEW if verb == "compare" else ()
        done = typed(verb, "t.csv", "--target", "churn", *more, cwd=tmp_path)
        assert done.returncode == 0 and words in flat(done.stdout)
    study = yaml.safe_load((tmp_path / "compare-t" / "study.yaml").read_text("utf-8"))
    assert words in study["report"][0]["text"]


def test_nothing_is_said_of_a_good_table(tmp_path: Path, typed: Typed) -> None:
    churn(2.0).to_csv(tmp_path / "good.csv", index=False)
    assert "(RK" not in typed("inspect", "good.csv", "--target", "churn", cwd=tmp_path).stdout


def test_chance_is_the_first_word_of_the_answer(tmp_path: Path, typed: Typed, short: None) -> None:
    text().to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "compare-t").mkdir()
    (tmp_path / "compare-t" / "train.py").write_text("of an earlier answer", encoding="utf-8")
    done = typed("compare", "t.csv", "--target", "churn", *FEW, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = flat((tmp_path / "compare-t" / "report.md").read_text("utf-8"))
    for said in (flat(done.stdout), report):
        first = said.index("Nothing here ranks: the best AUC, .")
        assert first < said.index("AUC, the share of pairs")
        assert "Whether training on pairs helps cannot be told from these columns" in said
        assert "Train none of these methods yet" in said and "Best AUC" not in said
        assert re.search(r"But first settle this: .*\(RK103\)", said)
    assert not (tmp_path / "compare-t" / "train.py").exists()
    assert "RK103" in report and "RK201" in (tmp_path / "compare-t" / "run.md").read_text("utf-8")


@pytest.mark.parametrize("newest_first", [False, True])
def test_the_future_stands_beside_the_random_split(
    newest_first: bool, tmp_path: Path, typed: Typed, designed: None
) -> None:
    drift(newest_first).to_csv(tmp_path / "t.csv", index=False)
    done = typed("compare", "t.csv", "--target", "churn", *FEW, cwd=tmp_path)
    found = re.search(
        r"have an AUC of (\.\d+) on the later rows and of (\.\d+)", flat(done.stdout)
    )
    assert found is not None and float(found[1]) < 0.3 < float(found[2])
    assert "--time date (RK102)." in flat(done.stdout)


def test_a_table_is_compared_by_time(tmp_path: Path, typed: Typed, short: None) -> None:
    drift().sample(frac=1, random_state=0).to_csv(tmp_path / "t.csv", index=False)
    done = typed("compare", "t.csv", "--target", "churn", "--time", "date", *FEW, cwd=tmp_path)
    said = flat(done.stdout)
    assert done.returncode == 0, done.stderr
    assert "the latest 30 % of the rows" in said and "DeLong's test" in said
    assert "The AUC is worse than chance for logistic" in said and "RK102" not in said
    study = yaml.safe_load((tmp_path / "compare-t" / "study.yaml").read_text("utf-8"))
    assert study["data"]["data"]["time"] == "date"
    assert study["experiments"]["compare"]["protocol"] == {"kind": "time", "test": 0.3}
    both = ("--time", "date", "--test", "t.csv")
    wrong = typed("compare", "t.csv", "--target", "churn", *both, cwd=tmp_path)
    assert wrong.returncode == 2 and "--time and --test exclude each other" in wrong.stderr


def test_no_column_is_said_to_rank_later_rows_by_all_rows(
    tmp_path: Path, typed: Typed, short: None
) -> None:
    drift(end=0).to_csv(tmp_path / "t.csv", index=False)
    done = typed("compare", "t.csv", "--target", "churn", "--time", "date", *FEW, cwd=tmp_path)
    assert done.returncode == 0 and "(RK202)" not in done.stdout


def test_a_level_that_only_earlier_rows_have_is_named(tmp_path: Path, typed: Typed) -> None:
    frame = drift()
    frame.loc[N // 2 :, "churn"] = "no"
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = typed("compare", "t.csv", "--target", "churn", "--time", "date", *FEW, cwd=tmp_path)
    assert done.returncode == 2 and "latest 30 % of the rows have 0 of 'yes'" in done.stderr


def test_typos_of_the_target_are_merged(tmp_path: Path, typed: Typed, designed: None) -> None:
    frame = churn(2.0)
    wild = {"yes": ["yes", "Yes", "y"], "no": ["no", "NO", "n"]}
    frame["churn"] = [wild[one][i % 3] for i, one in enumerate(frame["churn"])]
    frame.to_csv(tmp_path / "t.csv", index=False)
    refused = typed("compare", "t.csv", "--target", "churn", *FEW, cwd=tmp_path)
    assert refused.returncode == 2
    found = re.search(
        r"To make each one value: (--merge \S+) (--merge \S+)\s", refused.stderr + " "
    )
    assert found is not None, refused.stderr
    merges = [word for own in found.groups() for word in own.split()]
    assert "look alike" in typed("inspect", "t.csv", "--target", "churn", cwd=tmp_path).stdout
    done = typed("compare", "t.csv", "--target", "churn", *merges, *FEW, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "look alike" not in done.stdout and "is taken as the positive value" in done.stdout
    study = yaml.safe_load((tmp_path / "compare-t" / "study.yaml").read_text("utf-8"))
    levels = study["data"]["data"]["levels"]
    assert [sorted(level) for level in levels] == [["NO", "n", "no"], ["Yes", "y", "yes"]]
    every = ("--levels", "NO,no,n,y,yes,Yes")
    done = typed("inspect", "t.csv", "--target", "churn", *every, cwd=tmp_path)
    assert "look alike" in done.stdout and "(RK105)" in done.stdout
    wrong = typed("inspect", "t.csv", "--target", "churn", "--merge", "yes,maybe", cwd=tmp_path)
    assert "has no value 'maybe'" in flat(wrong.stdout + wrong.stderr)


@pytest.mark.parametrize(("no", "yes"), [("nein", "ja"), ("non", "oui"), ("N", "J")])
def test_yes_is_known_in_other_languages(no: str, yes: str, tmp_path: Path, typed: Typed) -> None:
    frame = churn(3.0)
    frame["churn"] = np.where(frame["x0"] > -1, yes, no)  # no is rarer
    frame.to_csv(tmp_path / "t.csv", index=False)
    said = flat(typed("inspect", "t.csv", "--target", "churn", cwd=tmp_path).stdout)
    assert f"'{yes}' is taken as the positive value" in said
    assert f"In a study: levels: [{no}, {yes}]" in said


@pytest.mark.parametrize(
    ("values", "options", "words"),
    [
        ([0, 1], (), "'1' is taken as the positive value of 't' (150 of 300 rows); --positive"),
        ([0, 1, 2], (), "taken as ordered levels, 0 < 1 < 2; --levels orders them anew, --cont"),
        ([0, 1, 2], (), "if they are only names, --positive ranks one of them before all others"),
        ([0, 1, 2], ("--continuous",), "compare will do this: --continuous: a number to rank by."),
        (["a", "b", "c"], (), "compare would stop here: target 't' has 3 values of unknown order"),
        (["a", "b", "c"], ("--positive", "b"), "'b' of 't' is ranked before its 2 other values"),
        (["a", "b", "c"], ("--levels", "b,a,c"), "rank by the levels b < a < c. In a study: "),
    ],
)
def test_inspect_says_what_compare_will_do(
    values: list[object], options: tuple[str, ...], words: str, tmp_path: Path, typed: Typed
) -> None:
    frame = churn().assign(t=[values[i % len(values)] for i in range(N)])
    frame.drop(columns="churn").to_csv(tmp_path / "t.csv", index=False)
    done = typed("inspect", "t.csv", "--target", "t", *options, cwd=tmp_path)
    assert done.returncode == 0 and words in flat(done.stdout), done.stdout
    assert "study refuses" not in done.stdout and "study would refuse" not in done.stdout


def test_a_sheet_is_named_by_an_option(tmp_path: Path, typed: Typed, designed: None) -> None:
    pytest.importorskip("openpyxl")
    with pd.ExcelWriter(tmp_path / "t.xlsx") as book:
        churn(2.0).to_excel(book, sheet_name="Daten", index=False)
        pd.DataFrame({"sum": [1, 2]}).to_excel(book, sheet_name="Zusammenfassung", index=False)
    for verb, more in (("inspect", ()), ("compare", FEW)):
        asked = (verb, "t.xlsx", "--target", "churn", *more)
        done = typed(*asked, cwd=tmp_path)
        assert done.returncode == 3 and "choose one with --sheet" in done.stderr
        done = typed(*asked, "--sheet", "Daten", cwd=tmp_path)
        assert done.returncode == 0 and "300 rows" in done.stdout


def test_messages_of_the_reader_speak_the_words_of_the_command_line(
    tmp_path: Path, typed: Typed
) -> None:
    frame = churn().astype({"x0": object})
    frame.loc[5, "x0"] = "k.A."
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = typed("inspect", "t.csv", "--target", "churn", cwd=tmp_path)
    assert "write --missing k.A. if the value is unknown, or --nominal x0 if" in done.stderr
    done = typed("inspect", "t.csv", "--target", "churn", "--missing", "k.A.", cwd=tmp_path)
    assert "in a study 'missing_values' changes this" in flat(done.stdout)


def test_every_option_that_messages_name_is_one() -> None:
    own = {*cli_own.OPTIONS["table"], *cli_own.OPTIONS["reading"]}
    assert own >= OPTIONS
    assert {*cli_own.OPTIONS["reading"]} <= OPTIONS


def test_a_snapshot_speaks_to_a_study_in_its_own_words(
    tmp_path: Path, typed: Typed, designed: None
) -> None:
    churn().assign(id=range(N)).to_csv(tmp_path / "t.csv", index=False)
    done = typed("compare", "t.csv", "--target", "churn", *FEW, cwd=tmp_path)
    assert "--keep NAME keeps one" in flat(done.stdout)
    done = typed("plan", "compare-t/study.yaml", "--results", ".", cwd=tmp_path)
    assert "'keep: [NAME]' keeps one" in flat(done.stdout)


def test_the_table_of_columns_keeps_to_the_terminal(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    text().to_csv(tmp_path / "t.csv", index=False)
    wide = [typed("inspect", "t.csv", "--target", "churn", cwd=tmp_path).stdout]
    set_variable = monkeypatch.setenv
    monkeypatch.setattr(
        monkeypatch, "setenv", lambda n, v: set_variable(n, "60" if n == "COLUMNS" else v)
    )
    wide.append(typed("inspect", "t.csv", "--target", "churn", cwd=tmp_path).stdout)
    most = [max(map(len, said.splitlines())) for said in wide]
    assert 60 < most[0] <= 100 and most[1] <= 60


def test_missing_numbers_of_parquet_are_counted(tmp_path: Path, typed: Typed) -> None:
    frame = churn()
    frame.loc[:16, "x0"] = np.nan
    frame["x1"] = frame["x1"].astype("Float64")
    frame.loc[:3, "x1"] = pd.NA
    frame.loc[:1, "churn"] = None
    frame.to_parquet(tmp_path / "t.parquet")
    done = typed("inspect", "t.parquet", "--target", "churn", cwd=tmp_path)
    assert "read as missing: empty cells (23)" in done.stdout
