"""A test set that comes with the data: its parts, its records, what a comparison makes of it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from rankexp.errors import ConfigError, DataError
from rankexp.metrics.level_counts import won
from rankexp.runner.cli import check
from rankexp.runner.config.load import load
from rankexp.runner.config.meaning import remarks
from rankexp.runner.protocols.given import Given
from rankexp.runner.protocols.protocol import Loaded, Part, Place
from rankexp.runner.report.build import open_report
from rankexp.runner.run.execute import execute
from rankexp.runner.run.store import Store
from rankexp.statistics import paired
from rankexp.statistics.orders import from_won

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
    expected = from_won(y, np.array([won(y, column) for column in columns.T])).difference(0, 1)
    assert row["difference"] == pytest.approx(sign * expected.mean, abs=1e-3)
    assert row["se"] == pytest.approx(expected.se, rel=0.05)  # the other C may be the better one
    assert (row["n"], row["unit"], row["test"]) == (100, "examples", "DeLong's test")
    assert row["low"] < row["difference"] < row["high"] and row["verdict"] != "not run"
    assert row["high"] - row["low"] == pytest.approx(2 * 1.99 * row["se"], rel=0.02)
    note = report.blocks[1].output.texts[-1]
    assert note.startswith("No standard error: there is only one test set.")


def test_perfect_methods_on_few_examples_show_nothing(tmp_path: Path) -> None:
    row, report = compared(tmp_path, table(shift=5000.0))
    assert row["difference"] == 0.0 and row["verdict"] == "undecided"
    smaller = min(np.bincount(table()["y"][::3]))
    assert row["se"] == pytest.approx(paired.UNSEEN / smaller)
    assert any(f"count as {smaller}, allow" in n for n in report.blocks[0].output.texts)


def test_weights_are_not_in_placements(tmp_path: Path) -> None:
    data = table()
    data["w"] = np.where(np.arange(300) % 2, 9, 1)
    row, _ = compared(tmp_path, data, more=", weights: w")
    assert np.isnan(row["p"]) and "row weights or groups?" in row["note"]


def test_a_metric_without_a_variance_has_no_test(tmp_path: Path) -> None:
    row, _ = compared(tmp_path, table(), "d_tau")
    assert np.isnan(row["p"]) and row["verdict"] == "undecided"
    assert "the variance of the share of pairs in order over it" in row["note"]


def test_a_single_row_of_a_level_has_no_variance(tmp_path: Path) -> None:
    data = table()
    data.loc[(data["part"] == "test") & (data.index > 0), "y"] = 0
    data.loc[0, "y"] = 1
    row, _ = compared(tmp_path, data)
    assert np.isnan(row["p"]) and "a level has a single row" in row["note"]


@pytest.mark.parametrize("metric", ["auc", "rank_loss"])
def test_each_method_has_an_interval_over_the_examples(tmp_path: Path, metric: str) -> None:
    data = table(shift=0.5)
    options = "options: {contrasts: {all: strong}}"
    block = f"{{block: pairs_or_points, name: a, experiment: e, {options}}}"
    inner = KEEP + ", inner: {folds: 2}"
    _, report = compared(tmp_path, data, metric, keep=inner, blocks=f"  - {block}\n")
    found = report.blocks[2].output
    rows = found.numbers.set_index("method")
    y, columns = scores(data)
    expected = from_won(y, np.array([won(y, column) for column in columns.T]))
    low, high = expected.interval(1, 0.95)
    low, high = (low, high) if metric == "auc" else (1 - high, 1 - low)
    strong = rows.loc["strong"]
    assert (strong["low"], strong["high"]) == pytest.approx((low, high))
    assert strong["se"] == pytest.approx(expected.covariance[1, 1] ** 0.5)
    assert strong["low"] < strong["mean"] < strong["high"]
    assert "The answer rests on one test set of 100 rows" in found.lead[-2]
    assert "within the 200 training rows" in found.lead[-2]


def test_queries_and_a_test_set_exist_side_by_side(tmp_path: Path) -> None:
    data = table()
    data["q"] = np.arange(300) // 30
    row, report = compared(tmp_path, data, more=", groups: q")
    assert row["n"] == 10 and row["test"] == "paired t-test over 10 queries"
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
    assert protocol.words() == "the predefined test set 'test'"


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
        (None, "name their column in 'part'"),
        ([1, 1, 1], "has no part 'test'; it has: train"),
        ([0, 0, 0], "all rows of data set 'd' are test"),
    ],
)
def test_what_cannot_be_parted_is_said(codes: list[int] | None, message: str) -> None:
    parts = None if codes is None else np.array(codes)
    source = Loaded("d", Part(np.zeros((3, 1)), np.zeros(3)), 1, parts, ("test", "train"))
    with pytest.raises(DataError, match=message):
        Given(kind="given", test="test").parts(source, Place(), inner=False)


def parted(groups: Any = None) -> Loaded:
    """Twelve rows, every third of part 'a', 'b' or 'c'."""
    rows = np.arange(12)
    whole = Part(rows[:, None] + 0.0, rows % 2, groups=groups)
    return Loaded("d", whole, 1, rows % 3, ("a", "b", "c"))


def folded(*folds: dict[str, Any], **more: Any) -> Given:
    return Given.model_validate({"kind": "given", "folds": list(folds), **more})


def test_each_fold_has_the_parts_that_it_names_in_their_order() -> None:
    one, two = {"test": "a", "validation": "b"}, {"test": "b", "train": ["c", "a"]}
    protocol, source = folded(one, two), parted()
    assert list(protocol.places()) == [Place(None, None, 0), Place(None, None, 1)]
    first, second = (protocol.parts(source, at, inner=False) for at in protocol.places())
    assert first.validation is not None and second.validation is None
    assert first.validation.X[:, 0].tolist() == [1, 4, 7, 10]
    assert first.train.X[:, 0].tolist() == [2, 5, 8, 11]
    assert second.test.X[:, 0].tolist() == [1, 4, 7, 10], "in the order of the file"
    assert second.train.X[:, 0].tolist() == [2, 5, 8, 11, 0, 3, 6, 9], "c, then a"
    rest = folded({"test": "b"}).parts(source, Place(fold=0), inner=False)
    assert rest.train.X[:, 0].tolist() == [0, 2, 3, 5, 6, 8, 9, 11], "in the order of the file"
    assert (first.path, second.path) == ("d/given/fold/0", "d/given/fold/1")
    assert protocol.design().pairs == "queries" and protocol.varies == "fold"
    assert protocol.words() == "2 predefined folds, with a validation part"
    assert folded(two).words() == "one predefined fold"
    assert protocol.training_rows(12) == 8 and protocol.size() == 2


def test_the_identity_of_one_test_set_is_what_it_was() -> None:
    given = Given(kind="given", test="a", validation="b", together="groups")
    assert given.identity() == {
        "kind": "given",
        "test": "a",
        "validation": "b",
        "together": "groups",
    }
    assert folded({"test": "a"}).identity() == {"kind": "given", "folds": [{"test": "a"}]}
    assert list(given.places()) == [Place(None, 0)]
    assert given.parts(parted(), Place(None, 0), inner=False).path == "d/given"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "name the test part here, or several in 'folds'"),
        ({"test": "a", "folds": [{"test": "b"}]}, "'folds' already names the test parts"),
        ({"validation": "a", "folds": [{"test": "b"}]}, "'folds' already names the test parts"),
        ({"test": "a", "validation": "a"}, "'a' occurs twice"),
        ({"folds": [{"test": "a"}, {"test": "b", "validation": "b"}]}, "fold 2: 'b' occurs twice"),
        ({"folds": [{"test": "a", "train": ["b", "a"]}]}, "fold 1: 'a' occurs twice"),
        ({"folds": [{"test": "a", "train": ["b", "b"]}]}, "fold 1: 'b' occurs twice"),
        ({"folds": [{"test": "a"}, {"test": "a"}]}, "'a' is the test part of 2 folds"),
    ],
)
def test_contradictions_are_known_before_the_data(given: dict[str, Any], said: str) -> None:
    protocol = Given.model_validate({"kind": "given", **given})
    ((field, text),) = protocol.faults({"d": None})
    assert field in Given.model_fields and said in text
    with pytest.raises(DataError, match=f"data set 'd': .*{said}"):
        protocol.parts(parted(), Place(fold=0), inner=False)


@pytest.mark.parametrize(
    ("fold", "groups", "said"),
    [
        ({"test": "x"}, None, "fold 2: data set 'd' has no part 'x'; it has: a, b, c"),
        ({"test": "a", "train": ["y"]}, None, "fold 2: data set 'd' has no part 'y'"),
        (
            {"test": "a"},
            [0, 1, 1, 0, 2, 2, 3, 1, 4, 0, 2, 3],
            "group '3' of .* is in parts a and c",
        ),
        ({"test": "a", "validation": "b", "train": ["c"]}, [0, 1, 2] * 3 + [3, 4, 4], "b and c"),
    ],
)
def test_folds_that_the_data_has_not_are_said(fold: Any, groups: Any, said: str) -> None:
    protocol = folded({"test": "c"}, fold)
    source = parted(None if groups is None else np.array(groups))
    with pytest.raises(DataError, match=said):
        protocol.parts(source, Place(fold=1), inner=False)


def test_a_part_in_no_fold_is_refused() -> None:
    """Such as 'c ' for 'c': its rows would be left out without a word."""
    protocol = folded({"test": "a", "train": ["b"]}, {"test": "b", "train": ["a"]})
    with pytest.raises(DataError, match=r"part 'c' \(4 rows\) is in no fold"):
        protocol.parts(parted(), Place(fold=0), inner=False)


def test_a_fold_of_all_rows_and_a_part_without_rows_are_said() -> None:
    whole = Part(np.zeros((4, 1)), np.arange(4))
    source = Loaded("d", whole, 1, np.array([0, 0, 2, 2]), ("a", "b", "c"))
    with pytest.raises(DataError, match="fold 1: all rows of data set 'd' are a or c"):
        folded({"test": "a", "validation": "c"}).parts(source, Place(fold=0), inner=False)
    with pytest.raises(DataError, match="fold 1: data set 'd' has no part 'b'; it has: a, c"):
        folded({"test": "a", "train": ["b"]}).parts(source, Place(fold=0), inner=False)


LETOR = """\
version: 1
study: queries
title: Queries
seed: 1
data:
  d:
    source: {letor: {S1: S1.txt, S2: S2.txt, S3: S3.txt}}
    target: relevance
    levels: [0, 1, 2]
    groups: qid
    part: part
methods:
  pairs: {estimator: LinearRanker, params: {risk: multipartite}, lambdas: [0.1, 0.01]}
  ridge: {estimator: sklearn.linear_model.Ridge}
experiments:
  e:
    problems: [d]
    protocol: {PROTOCOL}
    methods: [pairs, ridge]
    metrics: [u_pairs, pair_risk]
    preprocess: {scale: minmax, within: groups}
"""
FOLDS = (
    "{kind: given, folds: [{test: S1, validation: S2}, {test: S2, validation: S3}, "
    "{test: S3, validation: S1, train: [S2]}]}"
)


FOLDED = (1, 2, 3)
"""Test parts of these."""


def queries(folder: Path, protocol: str = FOLDS, s1_of_one_level: bool = False) -> Any:
    """Run a study of three parts: one without level 2, one with queries of a single level."""
    rng = np.random.default_rng(3)
    for part in (1, 2, 3):
        lines = []
        for query in range(4):
            for _ in range(8):
                y = rng.integers(0, 2 if part == 2 else 3) if query or part != 3 else 0
                y = 0 if s1_of_one_level and part == 1 else y
                x = " ".join(f"{j}:{v:.4f}" for j, v in enumerate(rng.normal(size=3) + y, 1))
                lines.append(f"{y} qid:{10 * part + query} {x}")
        (folder / f"S{part}.txt").write_text("\n".join(lines))
    file = folder / "study.yaml"
    file.write_text(LETOR.replace("{PROTOCOL}", protocol))
    return execute(
        load(file), config=file, results=folder / "out", workers=1, folders=[folder], quiet=True
    )


def test_folds_without_a_level_or_with_queries_of_one_level_do_not_crash(tmp_path: Path) -> None:
    outcome = queries(tmp_path)
    assert outcome.exit_code == 0, outcome.messages
    records = Store(outcome.folder).read()
    assert {cell.place.fold for cell in outcome.cells} == {0, 1, 2}
    assert len(outcome.cells) == 6
    for cell in outcome.cells:
        record = records[cell.key]
        assert record.status == "ok"
        said = [text for text in record.warnings if "1 of 4 groups have no value" in text]
        assert len(said) == len(record.warnings)
        rows = [row for row in record.rows if row.part == "test" and row.group]
        test = FOLDED[cell.place.fold or 0]
        assert {row.group for row in rows} == {f"{10 * test + query}" for query in range(4)}
        undefined = {row.group for row in rows if np.isnan(row.value)}
        assert undefined == ({"30"} if test == 3 else set()), "a query of one level"
        assert said or test != 3, "and that is said"
        assert any(row.part == "validation" for row in record.rows)


def test_a_training_part_of_one_level_is_said_with_what_to_do(tmp_path: Path) -> None:
    protocol = "{kind: given, folds: [{test: S3, validation: S2, train: [S1]}]}"
    outcome = queries(tmp_path, protocol, s1_of_one_level=True)
    failed = Store(outcome.folder).read()[outcome.cells[0].key]
    assert failed.status != "ok"
    assert "all 32 rows of a training part are of level '0': let 'folds' of the" in str(failed)


@pytest.mark.parametrize(
    ("protocol", "more", "said"),
    [
        ("{kind: given}", "", "e.protocol.test: name the test part here"),
        (FOLDS.replace("[S2]", "[S3]"), "", "e.protocol.folds: fold 3: 'S3' occurs twice"),
        (FOLDS, "within_groups: false", "preprocess.within: needs groups, but 'd' has none, or"),
        (FOLDS.replace("validation: S2", "valid: S2"), "", "valid"),
        (FOLDS.replace("train: [S2]", "train: []"), "", "train: expected at least one entry"),
        (
            FOLDS.replace("[S2]", "[S1, S4]").replace("validation: S1, ", ""),
            "",
            "study.yaml:18:116: experiments.e.protocol.folds[2].train[1]: unknown part of 'd': "
            "'S4'; known: S1, S2, S3",
        ),
        (
            "{kind: given, test: S1, validation: T}",
            "",
            "protocol.validation: unknown part of 'd':",
        ),
    ],
)
def test_what_a_study_says_wrongly_is_found_at_check(
    tmp_path: Path, protocol: str, more: str, said: str
) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(LETOR.replace("{PROTOCOL}", protocol) + f"    {more}\n")
    with pytest.raises(ConfigError) as caught:
        load(file)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("source", "part", "said"),
    [
        ("{file: a.csv, test: b.csv}", "", "unknown part of 'd': 'S1'; known: train, test"),
        ("{file: a.csv}", "", "data set 'd' has no parts: name their column in 'part'"),
        ("{file: a.csv}", "part: part", ""),
        ("{letor: {S1: S1.txt}, openml: 3}", "part: part", ""),
        ("{letor: {S1: S1.txt}, file: a.csv}", "part: column7", ""),
    ],
)
def test_parts_are_known_as_far_as_the_entry_tells(
    tmp_path: Path, source: str, part: str, said: str
) -> None:
    text = LETOR.replace("{letor: {S1: S1.txt, S2: S2.txt, S3: S3.txt}}", source)
    text = text.replace("part: part", part).replace("{PROTOCOL}", "{kind: given, test: S1}")
    (tmp_path / "study.yaml").write_text(text)
    if not said:
        assert load(tmp_path / "study.yaml").study == "queries"
        return
    with pytest.raises(ConfigError) as caught:
        load(tmp_path / "study.yaml")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("queries", "more", "said"),
    [
        ("queries: each", "", ""),
        ("queries: across", "", ""),
        (
            "queries: each",
            "within_groups: false",
            "'pairs' weights groups equally ('queries: each')",
        ),
        (
            "queries: across",
            "within_groups: false",
            "methods.pairs.params.queries: 'across' ignores groups, but no problem here is ranked",
        ),
    ],
)
def test_queries_are_for_problems_with_groups(
    tmp_path: Path, queries: str, more: str, said: str
) -> None:
    text = LETOR.replace("{PROTOCOL}", "{kind: given, test: S1}").replace(", within: groups", "")
    text = text.replace("multipartite}", f"multipartite, {queries}}}") + f"    {more}\n"
    grid = text.replace(f", {queries}}}", f"}}, grid: {{queries: [pairs, {queries[9:]}]}}")
    for number, one in enumerate((text, grid)):
        (tmp_path / "study.yaml").write_text(one)
        if not said:
            assert load(tmp_path / "study.yaml").study == "queries"
            continue
        with pytest.raises(ConfigError) as caught:
            load(tmp_path / "study.yaml")
        place = said.replace("params.queries", "grid.queries[1]") if number else said
        assert place in str(caught.value)


def test_parts_that_a_protocol_leaves_aside_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = queries(tmp_path, "{kind: cross_validation, folds: 2, together: groups}")
    said = (
        "'d' has train and test parts, but experiment 'e' ignores them: protocol "
        "'cross_validation' mixes all rows; use 'kind: given'"
    )
    manifest = json.loads((outcome.folder / "manifest.json").read_text())
    assert said in manifest["data"]["d"]["reading"]["warnings"]
    check([tmp_path / "study.yaml"])
    assert said in capsys.readouterr().out
    own = load(tmp_path / "study.yaml")
    assert dict(remarks(own, ["e"])) == {"d": said}
    own.data["d"] = own.data["d"].model_copy(update={"part": None})
    assert not list(remarks(own, ["e"])), "whoever names no parts needs no telling"
    second = own.data["d"].model_copy(update={"source": {"file": "a.csv", "test": "b.csv"}})
    own.data["d"] = second
    assert dict(remarks(own, ["e"])) == {"d": said}
