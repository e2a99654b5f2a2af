"""A test set that comes with the data: its parts, its records, what a comparison makes of it."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from rankexp.analyse import paired
from rankexp.analyse.delong import orders
from rankexp.config.load import load
from rankexp.errors import ConfigError, DataError
from rankexp.protocols.base import Loaded, Part, Place
from rankexp.protocols.given import Given
from rankexp.report.build import open_report
from rankexp.run.execute import execute

STUDY = """\
version: 1
study: given
title: One test set
seed: 1
data: {{d: {{source: {{file: d.csv}}, target: y, levels: ["0", "1"], part: part{more}}}}}
methods:
  all: {{estimator: sklearn.linear_model.LogisticRegression, grid: {{C: [0.5, 1.0]}}}}
  strong: {{estimator: sklearn.linear_model.LogisticRegression, grid: {{C: [0.0001]}}}}
experiments:
  e: {{problems: [d], methods: [all, strong], protocol: {{kind: given, test: test}},
       metrics: [{metric}], preprocess: {{scale: none}}{keep}}}
report:
  - {{block: comparison, name: c, experiment: e, options: {{method: all, references: [strong]}}}}
  - {{block: paired_table, name: t, experiment: e, options: {{reference: strong}}}}
"""
KEEP = ", keep: {curves: [placements]}"


def table(n: int = 300, shift: float = 1.0) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.4).astype(int)
    columns = {f"x{j}": rng.normal(size=n) * 3.0**j + shift * y for j in range(3)}
    part = np.where(np.arange(n) % 3 == 0, "test", "train")
    return pd.DataFrame({**columns, "y": y, "part": part, "w": rng.integers(1, 4, n)})


def compared(
    folder: Path,
    data: pd.DataFrame,
    metric: str = "auc",
    keep: str = KEEP,
    more: str = "",
    blocks: str = "",
) -> tuple[Any, Any]:
    """Return the comparison's row and all of the report."""
    data.to_csv(folder / "d.csv", index=False)
    file = folder / "study.yaml"
    file.write_text(STUDY.format(metric=metric, keep=keep, more=more) + blocks)
    study = load(file)
    outcome = execute(
        study, config=file, results=folder / "results", workers=1, folders=[folder], quiet=True
    )
    assert outcome.exit_code == 0, outcome.messages
    report = open_report(outcome.folder, study, outcome.cells)
    assert not report.failures
    numbers = report.blocks[0].output.numbers
    assert numbers is not None
    return numbers.iloc[0], report


def scores(data: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    names = ["x0", "x1", "x2", "w"]
    train, test = (data[data["part"] == part] for part in ("train", "test"))
    fits = [
        LogisticRegression(C=C).fit(train[names].to_numpy(), train["y"]) for C in (1.0, 0.0001)
    ]
    columns = [fit.decision_function(test[names].to_numpy()) for fit in fits]
    return test["y"].to_numpy(), np.column_stack(columns)


@pytest.mark.parametrize(("metric", "sign"), [("auc", 1), ("rank_loss", -1), ("u_pairs", 1)])
def test_a_comparison_is_over_the_examples_of_the_test_set(
    tmp_path: Path, metric: str, sign: int
) -> None:
    data = table()
    row, report = compared(tmp_path, data, metric)
    y, columns = scores(data)
    expected = orders(y, columns).difference(0, 1)
    assert row["difference"] == pytest.approx(sign * expected.mean, abs=1e-3)
    assert row["se"] == pytest.approx(expected.se, rel=0.05)  # the other C may be the better one
    assert (row["n"], row["unit"], row["test"]) == (100, "examples", "DeLong's test")
    assert row["low"] < row["difference"] < row["high"] and row["verdict"] != "not run"
    assert row["high"] - row["low"] == pytest.approx(2 * 1.99 * row["se"], rel=0.02)
    note = report.blocks[1].output.notes[-1]
    assert "± SE of nothing: one test set, see a comparison" in note


def test_perfect_methods_on_few_examples_show_nothing(tmp_path: Path) -> None:
    row, report = compared(tmp_path, table(shift=5000.0))
    assert row["difference"] == 0.0 and row["verdict"] == "undecided"
    smaller = min(np.bincount(table()["y"][::3]))
    assert row["se"] == pytest.approx(paired.UNSEEN / smaller)
    assert any(f"count as {smaller}, allow" in n for n in report.blocks[0].output.notes)


def test_weights_are_not_in_placements(tmp_path: Path) -> None:
    data = table()
    data["w"] = np.where(np.arange(300) % 2, 9, 1)
    row, _ = compared(tmp_path, data, more=", weights: w")
    assert np.isnan(row["p"]) and "weights, or groups?" in row["note"]


def test_a_metric_without_a_variance_has_no_test(tmp_path: Path) -> None:
    row, _ = compared(tmp_path, table(), "d_tau")
    assert np.isnan(row["p"]) and row["verdict"] == "undecided"
    assert "the variance of d_tau is not known" in row["note"]


def test_a_single_row_of_a_level_has_no_variance(tmp_path: Path) -> None:
    data = table()
    data.loc[(data["part"] == "test") & (data.index > 0), "y"] = 0
    data.loc[0, "y"] = 1
    row, _ = compared(tmp_path, data)
    assert np.isnan(row["p"]) and "a single row of a level" in row["note"]


@pytest.mark.parametrize("metric", ["auc", "rank_loss"])
def test_each_method_has_an_interval_over_the_examples(tmp_path: Path, metric: str) -> None:
    data = table(shift=0.5)
    options = "options: {contrasts: {all: strong}}"
    block = f"{{block: pairs_or_points, name: a, experiment: e, {options}}}"
    _, report = compared(tmp_path, data, metric, blocks=f"  - {block}\n")
    found = report.blocks[2].output
    rows = found.numbers.set_index("method")
    y, columns = scores(data)
    expected = orders(y, columns)
    low, high = expected.interval(1, 0.95)
    low, high = (low, high) if metric == "auc" else (1 - high, 1 - low)
    strong = rows.loc["strong"]
    assert (strong["low"], strong["high"]) == pytest.approx((low, high))
    assert strong["se"] == pytest.approx(expected.covariance[1, 1] ** 0.5)
    assert strong["low"] < strong["mean"] < strong["high"]
    assert "It rests on one test set of 100 rows" in found.lead[3]
    assert "within the other 200 rows" in found.lead[3]


def test_queries_and_a_test_set_exist_side_by_side(tmp_path: Path) -> None:
    data = table()
    data["q"] = np.arange(300) // 30
    row, report = compared(tmp_path, data, more=", groups: q")
    assert np.isnan(row["p"]) and "weights, or groups?" in row["note"], (
        "placements know no queries"
    )
    frame = report.context.frame
    strong = frame[(frame["method"] == "strong") & (frame["part"] == "test")]
    assert set(strong["group"].dropna()) == set("0123456789"), "a value a query, too"
    (tmp_path / "all").mkdir()
    pooled = KEEP + ", within_groups: false"
    row, _ = compared(tmp_path / "all", data, keep=pooled, more=", groups: q")
    assert row["n"] == 100 and row["test"] == "DeLong's test"


def test_placements_must_be_kept_for_a_comparison(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"'e' has one test set, so a test needs .* 'keep: "):
        compared(tmp_path, table(), keep="")


def test_rows_go_where_their_part_says_and_queries_stay_queries() -> None:
    rows = np.arange(12)
    names = ("test", "train", "valid")
    whole = Part(rows[:, None] + 0.0, rows % 2, groups=rows // 2)
    source = Loaded("d", whole, 1, rows % 3, names)
    protocol = Given(kind="given", test="test", validation="valid")
    parts = protocol.parts(source, Place(None, 0), inner=False)
    assert parts.validation is not None
    for part, label in ((parts.test, 0), (parts.train, 1), (parts.validation, 2)):
        assert part.X[:, 0].tolist() == rows[rows % 3 == label].tolist()
        assert part.groups is not None
        assert part.groups.tolist() == (rows[rows % 3 == label] // 2).tolist()
    alone = Given(kind="given", test="valid").parts(source, Place(), inner=False)
    assert alone.validation is None and len(alone.train.y) == 8
    assert protocol.words() == "the test set 'test' of the data"


def test_inner_folds_keep_groups_of_the_training_part_together() -> None:
    rows = np.arange(12)
    whole = Part(rows[:, None] + 0.0, rows % 2, groups=rows // 4)
    source = Loaded("d", whole, 1, (rows < 8).astype(np.int64), ("test", "train"))
    protocol = Given(kind="given", test="test", together="groups")
    together = protocol.parts(source, Place(None, 0), inner=True).together
    assert together is not None and together.tolist() == [0] * 4 + [1] * 4
    assert "together" not in Given(kind="given", test="test").identity()


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        (None, "name the column that does in 'part'"),
        ([1, 1, 1], "has no part 'test'; it has: train"),
        ([0, 0, 0], "all rows of data set 'd' are test"),
    ],
)
def test_what_cannot_be_parted_is_said(codes: list[int] | None, message: str) -> None:
    parts = None if codes is None else np.array(codes)
    source = Loaded("d", Part(np.zeros((3, 1)), np.zeros(3)), 1, parts, ("test", "train"))
    with pytest.raises(DataError, match=message):
        Given(kind="given", test="test").parts(source, Place(), inner=False)
