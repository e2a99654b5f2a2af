"""Groups and weights travel with the rows: into training, inner folds, metrics and records."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankexp.errors import ConfigError, DataError
from rankexp.estimators import LinearRanker
from rankexp.metrics.bipartite import rank_loss
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.config.load import load
from rankexp.runner.config.schema import Study
from rankexp.runner.data.build import build
from rankexp.runner.data.dataset import Dataset, DataTable, Feature
from rankexp.runner.data.snapshot import read_dataset, write_dataset
from rankexp.runner.plan import DataFacts, cells, jobs
from rankexp.runner.protocols.protocol import Loaded, Part, Place
from rankexp.runner.run.evaluate import evaluate
from rankexp.runner.run.record import Record

PAIRS = {"params": {"loss": "logistic", "risk": "bipartite"}, "lambdas": [0.01]}
POINTS = {"params": {"loss": "logistic"}, "lambdas": [0.01]}


def ranked(n: int = 120, weights: bool = False) -> Dataset:
    """Return queries whose own level shifts the labels: only pairs within one say anything."""
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(6), n // 6)
    X = rng.normal(size=(n, 3)) + groups[:, None]
    signal = X[:, 0] - groups - 1.5 * (groups - 2.5)
    y = (signal + rng.normal(size=n) > np.median(signal)).astype(np.int64)
    y[::20], y[1::20] = 0, 1
    given = rng.integers(1, 4, size=n).astype(float) if weights else None
    names = tuple(f"q{g}" for g in range(6))
    features = tuple(Feature(f"x{j}") for j in range(3))
    return Dataset("d", X, y, features, ("no", "yes"), groups, {}, names, given)


def records(dataset: Dataset, folder: Path, methods: dict[str, Any], **more: Any) -> list[Any]:
    write_dataset(dataset, folder / "d.npz")
    entry: dict[str, Any] = {"source": {"file": "d"}, "target": "y", "levels": ["no", "yes"]}
    entry |= {"groups": "q"} | ({} if dataset.weights is None else {"weights": "w"})
    study = Study.model_validate(
        {
            "version": 1,
            "study": "toy",
            "title": "Toy",
            "seed": 5,
            "data": {"d": entry},
            "methods": methods,
            "experiments": {
                "e": {
                    "problems": ["d"],
                    "protocol": {"kind": "split", "test": 0.5},
                    "methods": list(methods),
                    "preprocess": {"scale": "none"},
                    **more,
                }
            },
        }
    )
    facts = {"d": DataFacts(len(dataset.y), dataset.fingerprint, str(folder / "d.npz"))}
    return [
        (cell, record)
        for job in jobs(cells(study, facts), ())
        for cell, record in zip(job.cells, evaluate(job), strict=True)
    ]


def split_of(cell: Any, dataset: Dataset) -> Any:
    whole = Part(dataset.X, dataset.y, None, dataset.groups, dataset.weights)
    source = Loaded("d", whole, 5)
    return cell.spec.setting.protocol.parts(source, cell.place, inner=False)


def only(record: Record, quantity: str = "rank_loss", part: str = "test") -> float:
    (value,) = [
        r.value
        for r in record.rows
        if r.quantity == quantity and r.part == part and r.group is None
    ]
    return value


def within_groups(part: Part, scores: Any) -> tuple[list[float], int]:
    """Return the rank loss of each group that has both classes, and how many have not."""
    assert part.groups is not None
    rows = [part.groups == g for g in np.unique(part.groups)]
    both = [own for own in rows if np.ptp(part.y[own])]
    return [float(rank_loss(part.y[own], scores[own])) for own in both], len(rows) - len(both)


def test_a_study_with_groups_trains_within_groups(tmp_path: Path) -> None:
    dataset = ranked()
    ((cell, record),) = records(dataset, tmp_path, {"pairs": PAIRS})
    parts = split_of(cell, dataset)
    train, test = parts.train, parts.test
    by_hand = LinearRanker(loss="logistic", risk="bipartite", lam=0.01)
    within = by_hand.fit(train.X, train.y, groups=train.groups)
    values, told = within_groups(test, within.decision_function(test.X))
    assert only(record) == pytest.approx(np.mean(values), rel=1e-12)
    assert told == len(np.unique(test.groups)) - len(values) > 0
    ((warning),) = [w for w in record.warnings if "rank_loss" in w]
    assert warning == (
        f"UndefinedMetricWarning: rank_loss: {told} of 6 groups have no value and are left out"
    )
    objective = only(record, "objective", "train")
    assert objective == pytest.approx(within.objective_, rel=1e-9)
    across = by_hand.fit(train.X, train.y)
    assert abs(across.objective_ - objective) > 0.01, "groups made no difference"


def test_each_group_has_its_own_rows_under_its_own_label(tmp_path: Path) -> None:
    dataset = ranked()
    ((cell, record),) = records(dataset, tmp_path, {"pairs": PAIRS})
    parts = split_of(cell, dataset)
    model = LinearRanker(loss="logistic", risk="bipartite", lam=0.01)
    model.fit(parts.train.X, parts.train.y, groups=parts.train.groups)
    scores = model.decision_function(parts.test.X)
    found = {r.group: r.value for r in record.rows if r.group is not None}
    assert set(found) == {f"q{g}" for g in np.unique(parts.test.groups)}
    for g in np.unique(parts.test.groups):
        mine = parts.test.groups == g
        y = parts.test.y[mine]
        expected = rank_loss(y, scores[mine]) if len(set(y.tolist())) == 2 else math.nan
        assert found[f"q{g}"] == pytest.approx(expected, nan_ok=True)


def test_inner_folds_train_within_groups_too(tmp_path: Path) -> None:
    grid = PAIRS | {"lambdas": [1e-3, 10.0]}
    more = {"inner": {"folds": 2}}
    (tmp_path / "b").mkdir()
    ((_, grouped),) = records(ranked(), tmp_path, {"pairs": grid}, **more)
    lone = Dataset(**{**vars(ranked()), "groups": np.zeros(120, np.int64), "group_names": ("a",)})
    ((_, alone),) = records(lone, tmp_path / "b", {"pairs": grid}, **more)
    inner = [[r.value for r in one.rows if r.part == "inner"] for one in (grouped, alone)]
    assert len(inner[0]) == 2 and inner[0] != inner[1]


TOP = ["map", "ndcg@2(empty=skip)", "partial_auc"]


def test_a_value_is_the_mean_of_its_groups_in_every_part(tmp_path: Path) -> None:
    metrics = [*TOP, "u_pairs", "u_ovo(queries=pairs)", "rank_loss", "auc(ties=best)"]
    more = {"inner": {"folds": 2}, "metrics": metrics}
    grid = PAIRS | {"lambdas": [1e-3, 10.0]}
    ((_, record),) = records(ranked(), tmp_path, {"pairs": grid}, **more)
    assert record.status == "ok", record.reason
    for text in metrics:
        found = [r for r in record.rows if r.quantity == text and r.part == "test" and r.grid == 1]
        (whole,) = [r.value for r in found if r.group is None]
        values = [r.value for r in found if r.group is not None]
        assert len(values) == 6
        if "queries" not in text:
            assert whole == pytest.approx(np.nanmean(values), rel=1e-12), text
    inner = {r.quantity: r.value for r in record.rows if r.part == "inner" and r.grid == 1}
    assert set(inner) == set(metrics)
    assert inner["rank_loss"] == pytest.approx(1 - inner["u_pairs"], rel=1e-12)
    pooled = {r.quantity: r.value for r in record.rows if r.part == "test" and r.group is None}
    assert abs(pooled["u_ovo(queries=pairs)"] - pooled["u_pairs"]) > 1e-3


def test_a_metric_that_counts_groups_itself_has_them_all(tmp_path: Path) -> None:
    from rankexp.metrics.metric import Metric, declare
    from rankexp.runner.run.material import FoldRows
    from rankexp.runner.run.measured import measured

    @declare("higher", source="made up")
    def groups_seen(y: Any, scores: Any, groups: Any) -> Any:
        return np.full(scores.shape[1], float(len(np.unique(groups))))

    data = ranked()
    rows = FoldRows(data.X, Part(data.X, data.y, None, data.groups))
    whole, within = measured([Metric("groups_seen", groups_seen)], data.X, {}, rows)
    assert whole.tolist() == [[6.0] * 3]
    assert within.tolist() == [[[1.0] * 3] * 6]


def test_only_records_of_means_over_groups_have_other_keys(tmp_path: Path) -> None:
    def identity(**more: Any) -> dict[str, Any]:
        ((cell, _),) = records(ranked(), tmp_path, {"pairs": PAIRS}, **more)
        return dict(cell.spec.identity())

    grouped, pooled = identity(), identity(within_groups=False)
    assert grouped["mean_over"] == "groups"
    assert "mean_over" not in pooled and pooled["within_groups"] is False
    ((cell, _),) = records(ranked(), tmp_path, {"pairs": PAIRS})
    assert "mean_over" not in cell.spec.setting.rows_identity, "scores that are kept stay valid"


def test_weights_are_copies_of_rows(tmp_path: Path) -> None:
    dataset = ranked(weights=True)
    ((cell, record),) = records(
        dataset, tmp_path, {"points": POINTS}, metrics=["rank_loss", "auc"]
    )
    parts = split_of(cell, dataset)

    def copies(part: Part) -> Part:
        times = part.weights.astype(int)  # type: ignore[union-attr]
        return part.take(np.repeat(np.arange(len(part.y)), times))

    train, test = copies(parts.train), copies(parts.test)
    model = LinearRanker(loss="logistic", lam=0.01, tol=1e-12).fit(train.X, train.y)
    values, _ = within_groups(test, model.decision_function(test.X))
    assert only(record) == pytest.approx(np.mean(values), abs=1e-9)
    assert only(record, "auc") == pytest.approx(1 - only(record))


class Normalises(LinearRanker):
    """Writes into the weights it is given."""

    def fit(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> "Normalises":
        super().fit(X, y, sample_weight=sample_weight)
        sample_weight[:] = np.linspace(1, 1000, len(y))
        return self


def test_a_method_cannot_write_into_weights(tmp_path: Path) -> None:
    writer = {"estimator": "test_groups_and_weights.Normalises"}
    (tmp_path / "b").mkdir()
    both = dict(records_by_method(tmp_path, {"a": writer, "points": POINTS}))
    alone = dict(records_by_method(tmp_path / "b", {"points": POINTS}))
    assert both["a"].status == "ok", both["a"].reason
    assert repr(both["points"].rows) == repr(alone["points"].rows)


def records_by_method(folder: Path, methods: dict[str, Any]) -> list[tuple[str, Record]]:
    return [(c.method, r) for c, r in records(ranked(weights=True), folder, methods)]


def test_groups_without_a_value_leave_a_record_defined(tmp_path: Path) -> None:
    from rankexp.runner.run.opened import completeness

    dataset = ranked()
    dataset.y[dataset.groups == 3] = 1
    made = records(dataset, tmp_path, {"pairs": PAIRS})
    ((cell, record),) = made
    assert any(math.isnan(r.value) for r in record.rows if r.group is not None)
    (count,) = completeness([cell], {cell.key: record}).values()
    assert count.nan == 0


@pytest.mark.parametrize(
    ("options", "complaint"),
    [("groups: y", "is already the target"), ("weights: y", "is already the target")],
)
def test_a_column_has_one_role(tmp_path: Path, options: str, complaint: str) -> None:
    text = study_with_weights("{lambdas: [1.0]}", "[auc]").replace("weights: w", options)
    (tmp_path / "s.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=complaint):
        load(tmp_path / "s.yaml")


def study_with_weights(method: str, metrics: str) -> str:
    return f"""
version: 1
study: s
title: S
seed: 1
data:
  d: {{source: {{file: d.csv}}, target: y, levels: [a, b], weights: w}}
methods: {{m: {method}}}
experiments:
  e:
    problems: [d]
    protocol: {{kind: split, test: 0.5}}
    methods: [m]
    metrics: {metrics}
"""


@pytest.mark.parametrize(
    ("method", "metrics", "complaint"),
    [
        (
            "{estimator: KernelRanker, grid: {lam: [1.0]}}",
            "[auc]",
            r"s.yaml:13:15: experiments.e.methods\[0\]: method 'm' does not accept row weights",
        ),
        ("{estimator: sklearn.neighbors.KNeighborsClassifier}", "[auc]", "accept row weights"),
        ("{lambdas: [1.0]}", "['auc', 'rank_loss', 'zero_one']", "unknown metric|no weights"),
    ],
)
def test_weights_are_never_left_out_in_silence(
    tmp_path: Path, method: str, metrics: str, complaint: str
) -> None:
    (tmp_path / "s.yaml").write_text(study_with_weights(method, metrics), encoding="utf-8")
    with pytest.raises(ConfigError, match=complaint):
        load(tmp_path / "s.yaml")


def test_weights_that_all_take_are_fine(tmp_path: Path) -> None:
    for risk in ("classification", "bipartite"):
        method = f"{{params: {{risk: {risk}}}, lambdas: [1.0]}}"
        text = study_with_weights(method, "[auc, rank_loss]")
        (tmp_path / "s.yaml").write_text(text, encoding="utf-8")
        assert load(tmp_path / "s.yaml").data["d"].weights == "w"


def table(**columns: list[float]) -> DataTable:
    features = tuple(Feature(name) for name in columns)
    return DataTable("t", features, np.array(list(columns.values()), dtype=float).T)


def entry(**more: Any) -> DataEntry:
    return DataEntry.model_validate({"source": {"file": "t"}, "target": "y"} | more)


def test_groups_keep_their_names_and_weights_their_values(tmp_path: Path) -> None:
    made = table(x=[1, 2, 3], y=[0.5, 0.7, 0.1], q=[10, 7, 10], w=[1, 2, 0.5])
    found = build("t", made, entry(groups="q", weights="w"))
    assert found.groups is not None and found.weights is not None
    assert found.groups.tolist() == [1, 0, 1] and found.group_names == ("7", "10")
    assert found.weights.tolist() == [1, 2, 0.5] and found.X.shape == (3, 1)
    write_dataset(found, tmp_path / "t.npz")
    again = read_dataset(tmp_path / "t.npz")
    assert again.fingerprint == found.fingerprint and again.group_names == found.group_names
    assert again.weights is not None and again.weights.tolist() == [1, 2, 0.5]


@pytest.mark.parametrize(
    ("column", "options", "complaint"),
    [
        ([1, math.nan, 2], {"groups": "c"}, "groups: column 'c' has no value in row 2"),
        ([1, 0, 2], {"weights": "c"}, "weights: column 'c' must hold .*; row 2 has 0; correct it"),
        ([1, -0.5, 2], {"weights": "c"}, "row 2 has -0.5; .* remove rows"),
        ([1, 1, math.nan], {"weights": "c"}, "row 3 has no value; "),
        ([math.nan, 0, 1], {"weights": "c", "nominal": ["c"]}, "row 1 has no value; "),
        ([1, 0, 1], {"weights": "c", "nominal": ["c"]}, "row 1 has '1'; "),
    ],
)
def test_groups_and_weights_that_cannot_be(
    column: list[float], options: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(DataError, match=complaint):
        build("t", table(x=[1, 2, 3], y=[0.5, 0.7, 0.1], c=column), entry(**options))


def test_a_validation_part_is_scored_like_the_test_part(tmp_path: Path) -> None:
    from rankexp.runner.protocols.dealing import Split
    from rankexp.runner.protocols.dividing import Holdout

    class Given(Holdout):
        def split(self, n: int, place: Place, rng: Any, kept: Any) -> Split:
            rows = np.arange(n)
            return Split(rows[::2], rows[1::4], rows[3::4])

    dataset = ranked()
    ((cell, _),) = records(dataset, tmp_path, {"pairs": PAIRS})
    parts = Given(kind="split", test=0.5).parts(
        Loaded("d", Part(dataset.X, dataset.y), 5), cell.place, inner=False
    )
    assert parts.validation is not None
    assert len(parts.validation.y) == len(parts.test.y) == 30
    from dataclasses import replace

    from rankexp.runner.plan import Job, PlanCell

    setting = replace(cell.spec.setting, protocol=Given(kind="split", test=0.5))
    changed = PlanCell("k" * 64, "e", "d", "pairs", replace(cell.spec, setting=setting))
    (record,) = evaluate(Job("j", (changed,), 0.0))
    assert record.status == "ok", record.reason
    kinds = {r.part for r in record.rows if r.quantity == "rank_loss" and r.group is None}
    assert kinds == {"test", "validation"}


def test_groups_may_only_keep_rows_together(tmp_path: Path) -> None:
    dataset = ranked()
    protocol = {"kind": "cross_validation", "folds": 3, "together": "groups"}
    ((cell, record), *_) = records(
        dataset, tmp_path, {"pairs": PAIRS}, protocol=protocol, within_groups=False
    )
    parts = split_of(cell, dataset)
    assert not set(parts.train.groups) & set(parts.test.groups)
    model = LinearRanker(risk="bipartite", lam=0.01).fit(parts.train.X, parts.train.y)
    expected = rank_loss(parts.test.y, model.decision_function(parts.test.X))
    assert only(record) == pytest.approx(expected, abs=1e-9)
    assert {row.group for row in record.rows} == {None}
    ((_, within), *_) = records(dataset, tmp_path, {"pairs": PAIRS}, protocol=protocol)
    assert abs(only(within) - expected) > 0.01, "the data tells both apart"
