"""What a job's records hold: every grid point, exact ties, failures alone, the same bits."""

import math
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import toys
from sklearn.linear_model import LogisticRegression

from rankexp import registry
from rankexp.errors import EnvironmentProblemError
from rankexp.metrics.bipartite import rank_loss
from rankexp.runner.config.schema import Study
from rankexp.runner.data.dataset import Dataset, Feature
from rankexp.runner.data.snapshot import write_dataset
from rankexp.runner.plan import DataFacts, Job, PlanCell, cells, jobs
from rankexp.runner.protocols.protocol import Loaded, Part, Place
from rankexp.runner.run.evaluate import evaluate
from rankexp.runner.run.material import folds
from rankexp.runner.run.record import Record
from rankexp.seeds import stream

LINEAR = {"params": {"loss": "logistic"}, "lambdas": [0.01, 1.0]}


def outcome(
    study: Study, facts: dict[str, DataFacts] | None = None
) -> list[tuple[PlanCell, Record]]:
    made = [(c, r) for job in jobs(cells(study, facts or {}), ()) for c, r in _pairs(job)]
    return sorted(
        made, key=lambda pair: (pair[0].problem, pair[0].place.rep or 0, pair[0].place.fold or 0)
    )


def _pairs(job: Job) -> list[tuple[PlanCell, Record]]:
    return list(zip(job.cells, evaluate(job), strict=True))


def bare(record: Record) -> str:
    return repr(replace(record, times={}))


def values(record: Record, part: str, quantity: str) -> list[float]:
    return [r.value for r in record.rows if (r.part, r.quantity) == (part, quantity)]


def small_data(tmp_path: Path, n: int = 40, copies: int = 1) -> dict[str, DataFacts]:
    rng = np.random.default_rng(0)
    X = np.repeat(rng.standard_normal((n // copies, 3)), copies, axis=0)
    y = (X[:, 0] + rng.standard_normal(len(X)) > 0).astype(np.int64)
    data = Dataset("small", X, y, tuple(Feature(f"x{j}") for j in range(3)), ("no", "yes"))
    write_dataset(data, tmp_path / "small.npz")
    return {"small": DataFacts(len(X), data.fingerprint, str(tmp_path / "small.npz"))}


def crossed(methods: dict[str, Any], **experiment: Any) -> Study:
    base = toys.study(methods).model_dump(mode="json")
    base["data"] = {"small": {"source": {"file": "x.csv"}, "target": "y", "levels": ["no", "yes"]}}
    base["experiments"] = {
        "table": {
            "problems": ["small"],
            "protocol": {"kind": "cross_validation", "folds": 4},
            "methods": list(methods),
        }
        | experiment
    }
    return Study.model_validate(base)


def test_a_path_gives_rows_for_every_grid_point() -> None:
    study = toys.study({"log": LINEAR}, models=1, training_sets=1)
    ((_, record),) = outcome(study)
    assert record.status == "ok"
    assert [point.value("lam") for point in record.grid] == [0.01, 1.0]
    assert len(values(record, "test", "rank_loss")) == 2
    assert len(values(record, "test", "rank_loss:bayes")) == 1
    for name in ("objective", "gap", "n_iter"):
        assert len(values(record, "train", name)) == 2
    assert values(record, "train", "lam_effective") == [0.01, 1.0]
    assert set(record.times) == {"fit", "score", "cpu"}


def test_sum_scaling_divides_lambda_by_the_training_rows() -> None:
    study = toys.study({"log": LINEAR | {"scaling": "sum"}}, models=1, training_sets=1, n_train=50)
    ((_, record),) = outcome(study)
    assert values(record, "train", "lam_effective") == [0.01 / 50, 1.0 / 50]


def test_metrics_see_rounded_scores_where_a_study_says_so() -> None:
    """Not the best scorer, though, and what is kept of fits is the same."""
    from rankexp.generators.flipped import Linear

    plain = toys.study({"mean": "MeanDifference"}, models=1, training_sets=1)
    dumped = plain.model_dump(mode="json")
    dumped["experiments"]["figure"] |= {"round_scores": 1, "preprocess": {"scale": "none"}}
    ((cell, record),) = outcome(Study.model_validate(dumped))
    model = Linear(d=3).draw_model(stream(5, "lin/model/0"))
    X, y = model.sample(80, stream(5, "lin/model/0/test"))
    toy = toys.MeanDifference().fit(*model.sample(60, stream(5, "lin/model/0/train/0")))
    scores = toy.predict(X)
    rounded = rank_loss(y, np.round(scores, 1))
    assert values(record, "test", "rank_loss") == [rounded] != [rank_loss(y, scores)]
    assert values(record, "test", "rank_loss:bayes") == [rank_loss(y, model.eta(X))]
    assert cell.spec.identity()["round_scores"] == 1
    dumped["experiments"]["figure"]["round_scores"] = None
    ((other, _),) = outcome(Study.model_validate(dumped))
    assert "round_scores" not in other.spec.identity() and other.key != cell.key
    assert other.spec.scores_key == cell.spec.scores_key


def test_inner_folds_choose_by_rounded_scores(tmp_path: Path) -> None:
    told = {"inner": {"folds": 2}, "preprocess": {"scale": "none"}}
    facts, made = small_data(tmp_path), []
    for decimals in (None, 0):
        study = crossed({"log": LINEAR}, **told, round_scores=decimals)
        made.append([values(r, "inner", "rank_loss") for _, r in outcome(study, facts)])
    assert made[0] != made[1]


def test_a_seed_path_leads_to_each_set_of_a_model() -> None:
    """The numbers are those of the generator at the documented paths, fitted by hand."""
    from rankexp.generators.flipped import Linear

    study = toys.study({"mean": "MeanDifference"}, models=2, training_sets=2)
    unscaled = study.model_dump(mode="json")
    unscaled["experiments"]["figure"]["preprocess"] = {"scale": "none"}
    found = {(c.place.model, c.place.rep): r for c, r in outcome(Study.model_validate(unscaled))}
    model = Linear(d=3).draw_model(stream(5, "lin/model/1"))
    X, y = model.sample(80, stream(5, "lin/model/1/test"))
    toy = toys.MeanDifference().fit(*model.sample(60, stream(5, "lin/model/1/train/1")))
    assert values(found[1, 1], "test", "rank_loss") == [rank_loss(y, toy.predict(X))]
    assert values(found[1, 1], "test", "rank_loss:bayes") == [rank_loss(y, model.eta(X))]


def test_any_estimator_with_a_grid(tmp_path: Path) -> None:
    method = {"estimator": "sklearn.linear_model.LogisticRegression", "grid": {"C": [0.1, 10.0]}}
    study = crossed({"sk": method}, preprocess={"scale": "none"})
    facts = small_data(tmp_path)
    _, record = outcome(study, facts)[0]
    assert [point.text for point in record.grid] == ["C=0.1", "C=10.0"]
    from rankexp.runner.data.snapshot import load_snapshot

    data = load_snapshot(facts["small"].snapshot)
    protocol: Any = study.experiments["table"].protocol  # type: ignore[union-attr]
    rows = protocol.rows(
        Loaded("small", Part(data.X, data.y), 5), Place(None, 0, 0), stream(5, "small/rep/0")
    )
    by_hand = [
        rank_loss(
            data.y[rows.test],
            LogisticRegression(C=C)
            .fit(data.X[rows.train], data.y[rows.train])
            .decision_function(data.X[rows.test]),
        )
        for C in (0.1, 10.0)
    ]
    assert values(record, "test", "rank_loss") == by_hand


def test_scores_come_from_what_an_estimator_has(tmp_path: Path) -> None:
    methods = {
        "tree": {"estimator": "sklearn.tree.DecisionTreeClassifier"},
        "regression": {"estimator": "sklearn.linear_model.LinearRegression"},
    }
    for _, record in outcome(crossed(methods), small_data(tmp_path)):
        assert record.status == "ok", record.reason
        assert 0 <= values(record, "test", "rank_loss")[0] < 0.9


def test_own_randomness_is_the_methods_own() -> None:
    noisy = {"estimator": "toys.MeanDifference", "params": {"noise": 1.0}}
    alone = {c.key: bare(r) for c, r in outcome(toys.study({"a": noisy}))}
    both = {c.key: bare(r) for c, r in outcome(toys.study({"b": "MeanDifference", "a": noisy}))}
    assert alone.items() <= both.items()
    fixed = {"estimator": "toys.MeanDifference", "params": {"noise": 1.0, "random_state": 0}}
    given = [bare(r) for _, r in outcome(toys.study({"a": fixed}))]
    assert given == [bare(r) for _, r in outcome(toys.study({"a": fixed}))]
    assert len({r.split("rows=")[1] for r in alone.values()}) == len(alone)


def test_duplicate_rows_tie(tmp_path: Path) -> None:
    """Of four copies of each row, those in the test part get one score, whoever scores."""
    facts = small_data(tmp_path, 200, copies=4)
    methods = {
        "careless": "ByPosition",
        "linear": LINEAR,
        "sk": {"estimator": "sklearn.linear_model.LogisticRegression"},
    }
    study = crossed(methods, protocol={"kind": "split", "test": 0.5, "together": "duplicates"})
    from rankexp.runner.run.fitting import fit
    from rankexp.runner.run.material import folds

    for cell in cells(study, facts):
        (fold,) = folds(cell.spec)
        columns = fit(cell.spec.method, fold, 5).scores["test"]
        rows, place = np.unique(fold.test.X, axis=0, return_inverse=True)
        assert len(rows) < len(place)
        for column in columns.T:
            assert len(np.unique(column)) <= len(rows), cell.method


def test_a_method_fails_alone_and_says_why() -> None:
    study = toys.study({"bad": "Fails", "mean": "MeanDifference"})
    alone = {c.key: bare(r) for c, r in outcome(toys.study())}
    found = outcome(study)
    assert {c.key: bare(r) for c, r in found if c.method == "mean"} == alone
    for cell, record in found:
        if cell.method == "bad":
            assert record.status == "failed"
            assert record.reason == "ValueError: this method always fails"
            assert "toys.py" in record.texts["traceback"]
            assert record.rows == []


def test_warnings_are_kept_once_and_counted(tmp_path: Path) -> None:
    warns = {"estimator": "toys.Warns", "grid": {"noise": [0.0, 0.1]}}
    study = crossed({"w": warns}, inner={"folds": 3})
    _, record = outcome(study, small_data(tmp_path))[0]
    assert record.warnings == ["RuntimeWarning: not quite there (8 times)"]


def test_inner_folds_are_left_out_where_there_is_nothing_to_choose(tmp_path: Path) -> None:
    study = crossed({"w": "Warns"}, inner={"folds": 3})
    cell, record = outcome(study, small_data(tmp_path))[0]
    assert cell.spec.fits == 1
    assert record.warnings == ["RuntimeWarning: not quite there"]
    assert not values(record, "inner", "rank_loss")


def test_inner_folds_are_averaged_and_change_no_test_value(tmp_path: Path) -> None:
    facts = small_data(tmp_path)
    plain = outcome(crossed({"log": LINEAR}), facts)
    nested = outcome(crossed({"log": LINEAR}, inner={"folds": 3}), facts)
    for (_, before), (_, after) in zip(plain, nested, strict=True):
        assert values(after, "test", "rank_loss") == values(before, "test", "rank_loss")
        assert len(values(after, "inner", "rank_loss")) == 2
        assert all(0 <= v <= 1 for v in values(after, "inner", "rank_loss"))


def test_one_inner_part_is_fitted_once_more(tmp_path: Path) -> None:
    study = crossed({"log": LINEAR}, inner={"folds": 1, "test": 0.25, "stratified": True})
    cell, record = outcome(study, small_data(tmp_path))[0]
    assert cell.spec.fits == 2 * len(cell.spec.points)
    assert len(values(record, "inner", "rank_loss")) == len(cell.spec.points)


def test_a_validation_set_of_models_changes_no_test_value() -> None:
    plain = outcome(toys.study({"log": LINEAR}), {})
    chosen = outcome(toys.study({"log": LINEAR}, validation=50), {})
    seen = [tuple(values(record, "validation", "rank_loss")) for _, record in chosen]
    assert len(set(seen)) == len(seen)  # drawn anew with each training set
    for (_, before), (_, after) in zip(plain, chosen, strict=True):
        assert values(after, "test", "rank_loss") == values(before, "test", "rank_loss")
        assert not values(before, "validation", "rank_loss")


def test_a_validation_set_of_models_shares_no_row_with_the_others() -> None:
    (cell, _), *_ = outcome(toys.study({"log": LINEAR}, validation=50), {})
    (fold,) = folds(cell.spec)
    parts = [fold.train.X, fold.tests["validation"].X, fold.test.X]
    assert [len(X) for X in parts] == [60, 50, 80]
    assert len(np.unique(np.concatenate(parts), axis=0)) == 60 + 50 + 80


def test_a_fold_of_one_class_is_nan_and_warned_of(tmp_path: Path) -> None:
    X = np.arange(12.0).reshape(-1, 1)
    y = np.zeros(12, dtype=np.int64)
    y[5] = y[6] = 1
    data = Dataset("rare", X, y, (Feature("x"),), ("no", "yes"))
    write_dataset(data, tmp_path / "rare.npz")
    facts = {"small": DataFacts(12, data.fingerprint, str(tmp_path / "rare.npz"))}
    study = crossed({"log": LINEAR}, protocol={"kind": "cross_validation", "folds": 6})
    losses = [(r, values(r, "test", "rank_loss")) for _, r in outcome(study, facts)]
    undefined = [r for r, v in losses if v and math.isnan(v[0])]
    assert 4 <= len(undefined) < 6
    assert all("UndefinedMetricWarning" in r.warnings[0] for r in undefined)


def test_data_that_went_missing_end_the_run_and_make_no_record(tmp_path: Path) -> None:
    facts = {"small": DataFacts(40, "0" * 64, str(tmp_path / "gone.npz"))}
    with pytest.raises(EnvironmentProblemError, match=r"gone.npz .*run again"):
        list(outcome(crossed({"log": LINEAR}), facts))


@pytest.mark.parametrize("order", [1, -1])
def test_company_and_order_change_no_bit(order: int) -> None:
    study = toys.study({"log": LINEAR, "mean": "MeanDifference"}, models=1, training_sets=4)
    planned = list(cells(study, {}))
    whole = {c.key: bare(r) for c, r in outcome(study)}
    for cell in planned[::order]:
        (record,) = evaluate(Job("x", (cell,), 0.0))
        assert bare(record) == whole[cell.key]


def test_a_simulation_is_a_record_like_any_other() -> None:
    base = toys.study().model_dump(mode="json")
    base["experiments"] = {
        "check": {
            "kind": "simulate",
            "check": "flip_noise",
            "params": {"n": 500},
            "grid": {"p": [0.5, 0.9]},
            "repetitions": 2,
        }
    }
    found = outcome(Study.model_validate(base))
    assert len(found) == 4
    assert [r.status for _, r in found] == ["ok"] * 4
    assert sorted({r.grid[0].value("p") for _, r in found}) == [0.5, 0.9]
    assert len({values(r, "test", "law_observed")[0] for _, r in found}) == 4


def test_records_do_not_tell_of_broken_plug_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker meets them once: which record that is would be chance."""
    points = [EntryPoint("hinge", "theirs:hinge", "rankexp.losses")]
    monkeypatch.setattr(
        registry, "entry_points", lambda group: [p for p in points if p.group == group]
    )
    study = toys.study({"log": LINEAR}, models=1, training_sets=1)
    (job,) = jobs(cells(study, {}), ())
    registry._room.cache_clear()
    (record,) = evaluate(job)
    registry._room.cache_clear()
    assert record.status == "ok"
    assert record.warnings == []
