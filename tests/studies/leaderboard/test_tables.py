"""Tables of results as others write them, and what is said of those that do not fit."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rankexp
from rankexp.errors import ConfigError, DataError, RankexpError

Typed = Callable[..., subprocess.CompletedProcess[str]]
RNG = np.random.default_rng(7)


def benchopt() -> pd.DataFrame:
    rows = [
        (s, d, r, k, 0.01 * 2**k, 1 / (k + 1) + 0.3 * i + RNG.random() * 0.01)
        for i, s in enumerate(["gd", "newton"])
        for d in range(7)
        for r in range(3)
        for k in range(5)
    ]
    names = ["solver_name", "data_name", "idx_rep", "stop_val", "time", "objective_value"]
    return pd.DataFrame(rows, columns=names)


def tabarena() -> pd.DataFrame:
    rows = [
        (f"d{d}", fold, m, "roc_auc", 0.2 + 0.01 * i + RNG.normal(0, 0.001), 1.0)
        for d in range(8)
        for fold in range(9)
        for i, m in enumerate(["TabM", "CatBoost", "RF"])
    ]
    names = ["dataset", "fold", "method", "metric", "metric_error", "time_train_s"]
    return pd.DataFrame(rows, columns=names)


def swe() -> pd.DataFrame:
    hard, able = RNG.normal(0, 1.5, 500), np.linspace(-1, 1.2, 20)
    solved = RNG.random((20, 500)) < 1 / (1 + np.exp(hard - able[:, None]))
    rows = [(f"s{i:02d}", f"item-{j}", int(own)) for (i, j), own in np.ndenumerate(solved)]
    return pd.DataFrame(rows, columns=["system", "instance_id", "resolved"])


def mlr3() -> pd.DataFrame:
    rows = [
        (f"task{t}", learner, 0.3 - 0.05 * i + 0.001 * RNG.random())
        for t in range(12)
        for i, learner in enumerate(["classif.featureless", "classif.rpart", "classif.ranger"])
    ]
    return pd.DataFrame(rows, columns=["task_id", "learner_id", "classif.ce"])


def autorank() -> pd.DataFrame:
    wide = pd.DataFrame(RNG.normal([0.2, 0.5, 0.8], 0.1, (30, 3)), columns=["p0", "p1", "p2"])
    return wide.reset_index(names="dataset").melt("dataset", var_name="method", value_name="score")


def test_benchopts() -> None:
    with pytest.raises(ConfigError, match="idx_rep may count splits of the data or runs"):
        rankexp.verdicts(benchopt())
    with pytest.raises(DataError, match="gd has 5 values on 'data_name 0' for the same split"):
        rankexp.verdicts(benchopt(), each="run")
    found = rankexp.verdicts(benchopt(), each="run", last="stop_val")
    assert list(found.standings.method) == ["gd", "newton"]
    assert list(found.standings.verdict) == ["not run", "worse"]
    assert "the largest stop_val counts (42 rows)" in " ".join(found.remarks)


def test_tabarenas() -> None:
    with pytest.raises(ConfigError, match="whether higher or lower values of 'roc_auc'"):
        rankexp.verdicts(tabarena())  # by name it is higher, but these are errors
    found = rankexp.verdicts(tabarena(), better="lower")
    assert list(found.standings.method) == ["TabM", "CatBoost", "RF"]
    assert found.standings.test.iloc[1] == "signed-rank test"
    assert set(found.pairs.test) == {"signed-rank test", "corrected resampled t-test"}
    assert len(found.sets) == 24


def test_items_of_a_benchmark_of_systems() -> None:
    found = rankexp.verdicts(swe())
    assert len(found.standings) == 20 and len(found.pairs) == 190
    assert set(found.pairs.tests) == {190} and set(found.pairs.n) == {500}
    assert found.standings.tier.is_monotonic_increasing and found.standings.tier.max() > 2
    assert found.sets.empty and found.figure is not None


def test_mlr3s() -> None:
    found = rankexp.verdicts(mlr3())
    assert next(iter(found.standings.method)) == "classif.ranger"
    assert list(found.standings.tier) == [1, 2, 3]
    assert found.standings.average_rank.tolist() == [1.0, 2.0, 3.0]


def test_autoranks() -> None:
    found = rankexp.verdicts(autorank())
    assert list(found.standings.method) == ["p2", "p1", "p0"]
    assert "Higher values of score are taken as better" in " ".join(found.remarks)


def test_names_of_columns_are_guessed_and_said() -> None:
    frame = swe().rename(columns={"system": "Agent", "instance_id": "Question-ID"})
    (said, *_) = rankexp.verdicts(frame).remarks
    assert "method is 'Agent' (guessed)" in said and "split is 'Question-ID' (guessed)" in said
    (said, *_) = rankexp.verdicts(frame, method="Agent").remarks
    assert "method is 'Agent'," in said


def few(**columns: object) -> pd.DataFrame:
    base = {"method": ["a", "b"] * 6, "item": np.repeat(range(6), 2), "auc": RNG.random(12)}
    return pd.DataFrame(base | columns)


WRONG: dict[str, tuple[pd.DataFrame, dict[str, object], str]] = {
    "no method": (few().rename(columns={"method": "x"}), {}, "which method a row is of"),
    "no such column": (few(), {"method": "metod"}, r"no column 'metod' .did you mean 'method'"),
    "one column twice": (few(), {"method": "item", "split": "item"}, "'item' is named for two"),
    "no numbers": (few(auc=["x"] * 12), {"value": "auc"}, "'auc' holds texts"),
    "several numbers": (
        few().assign(b=1.0, auc2=1.0).rename(columns={"auc": "z"}),
        {},
        "known to hold",
    ),
    "one method": (few(method="a").drop_duplicates("item"), {}, "one method, a"),
    "empty names": (few(method=["a", None] * 6), {}, "'method' is empty in 6 rows"),
    "two metrics": (few(metric=["auc", "f1"] * 6), {}, r"has 2 metrics, auc, f1: choose one"),
    "no such metric": (few(metric="auc"), {"of": "acu"}, "'acu' is none of them .did you mean"),
    "metric without a column": (few(), {"of": "auc"}, "no column names metrics"),
    "the same twice": (pd.concat([few(), few()]), {}, "has 2 values for the same split"),
    "which side": (
        few().rename(columns={"auc": "value"}),
        {},
        "higher or lower values of 'value'",
    ),
    "wrong side": (few(), {"better": "more"}, "expected 'higher' or 'lower', got 'more'"),
    "wrong unit": (few(), {"each": "row"}, "expected 'fold', 'split', 'run' or 'item', got 'row'"),
    "no share": (few(), {"each": "split"}, "the share of the rows that were tested"),
    "share": (few(), {"each": "split", "test_share": 2.0}, "between 0 and 1, got 2"),
    "no split": (
        few().drop(columns="item").head(2),
        {"each": "fold"},
        "no column says which fold",
    ),
    "margin": (few(), {"margin": -1.0}, "expected a number above 0, got -1"),
    "where": (few(), {"where": ["method:a"]}, "expected column=value, got 'method:a'"),
    "where nothing": (few(), {"where": ["method=c"]}, "no row has method=c"),
    "where neither": (few(), {"where": ["method=a", "item=9"]}, "no row has item=9"),
    "last": (few(), {"last": "method"}, "'method' is no column of numbers"),
    "incomplete": (few(), {"incomplete": "zero"}, "expected 'drop' or 'refuse', got 'zero'"),
    "infinite": (few(auc=[np.inf, 1.0] * 6), {}, "has an infinite value"),
    "errors below 0": (few(se=-1.0).head(2).drop(columns="item"), {}, "standard error is below 0"),
    "unknown option": (few(), {"datasets": "x"}, "has no option 'datasets'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_does_not_fit_is_said(case: str) -> None:
    frame, options, said = WRONG[case]
    with pytest.raises(RankexpError, match=said):
        rankexp.verdicts(frame, **options)  # type: ignore[arg-type]


def rankexp_verdicts(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rankexp", "verdicts", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_the_command_writes_a_page_and_tables(tmp_path: Path, typed: Typed) -> None:
    swe().query("system > 's14'").to_csv(tmp_path / "board.csv", index=False)
    done = rankexp_verdicts("board.csv", cwd=tmp_path)
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert "Which of 5 methods is best by resolved?" in done.stdout
    folder = tmp_path / "verdicts-board"
    page = (folder / "answer.html").read_text()
    numbers = pd.read_csv(folder / "standings.csv")
    assert all(name in page for name in numbers.method)
    assert {"pairs.csv", "standings.png", "answer.md"} <= {one.name for one in folder.iterdir()}
    before = {one.name: one.read_bytes() for one in folder.iterdir()}
    again = typed("board.csv", cwd=tmp_path)  # in place of the earlier answer
    assert again.returncode == 0
    assert before == {one.name: one.read_bytes() for one in folder.iterdir()}
    (folder / "notes.txt").write_text("mine")
    third = typed("board.csv", cwd=tmp_path)
    assert third.returncode == 2 and "holds notes.txt" in third.stderr
    assert (folder / "notes.txt").read_text() == "mine"


def test_the_command_names_options_as_they_are_typed(tmp_path: Path, typed: Typed) -> None:
    benchopt().to_parquet(tmp_path / "b.parquet")
    done = typed("b.parquet", cwd=tmp_path)
    assert done.returncode == 2
    assert "--each split with --test-share" in done.stderr
    assert not (tmp_path / "verdicts-b").exists()


def test_names_that_are_markup_stay_text() -> None:
    frame = few(method=["<script>x</script>", "|b|"] * 6)
    shown = rankexp.verdicts(frame)._repr_html_()
    assert "<script>" not in shown and "&lt;script&gt;" in shown
