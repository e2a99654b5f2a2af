"""Ordered levels in a run: codes, levels that a fold lacks, best scorers, points, attributes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier

from rankexp.estimators import LinearRanker, ORBoost
from rankexp.generators.classes import Gaussian
from rankexp.metrics import err
from rankexp.metrics.metric import parse
from rankexp.metrics.multipartite import u_pairs
from rankexp.runner.config.schema import Study
from rankexp.runner.data.dataset import Dataset, Feature
from rankexp.runner.data.snapshot import write_dataset
from rankexp.runner.plan import DataFacts, cells, jobs
from rankexp.runner.protocols.protocol import Part
from rankexp.runner.run.evaluate import evaluate
from rankexp.runner.run.fitting import _scores_of
from rankexp.runner.run.material import FoldRows
from rankexp.runner.run.measured import measured
from rankexp.runner.run.record import Record
from rankexp.seeds import stream

COSTS = [[0, 1, 2], [0, 0, 1], [0, 0, 0]]
AT = {"low": -2.0, "high": 2.0, "points": 5}
METHODS = {
    "pairs": {"params": {"loss": "logistic", "risk": "multipartite", "lam": 0.1, "costs": COSTS}},
    "path": {"params": {"loss": "hinge", "risk": "multipartite"}, "lambdas": [0.1, 0.01]},
    "odds": {"estimator": "ProportionalOdds", "params": {"lam": 0.01}},
    "boosted": {"estimator": "ORBoost", "grid": {"n_rounds": [2, 20]}},
    "both": {"estimator": "ORBoost", "grid": {"n_rounds": [20, 2, 5], "variant": ["lr", "all"]}},
    "forest": {
        "estimator": "sklearn.ensemble.RandomForestClassifier",
        "params": {"n_estimators": 5, "random_state": 0},
    },
    "echo": {"estimator": "test_ordinal.Echo"},
}


class Echo(BaseEstimator):
    """Remembers the levels it was told, and an attribute that is no number."""

    def __init__(self, levels: Any = None) -> None:
        self.levels = levels

    def fit(self, X: Any, y: Any) -> "Echo":
        self.told_ = np.array([-1] if self.levels is None else self.levels)
        self.square_ = np.arange(4.0).reshape(2, 2)
        self.many_ = np.zeros(101)
        self.words_ = ["a"]
        return self

    def predict(self, X: Any) -> Any:
        return X[:, 0]


def study(methods: tuple[str, ...], **experiment: Any) -> Study:
    numbers = {"kind": "models", "models": 1, "training_sets": 1, "n_train": 60, "n_test": 90}
    return Study.model_validate(
        {
            "version": 1,
            "study": "toy",
            "title": "Toy",
            "seed": 5,
            "generators": {
                "three": {"generator": "gaussian", "params": {"means": [-2, 0, 2]}},
                "two": {"generator": "gaussian"},
                "wide": {"generator": "gaussian", "params": {"means": [[0, 0], [1, 1], [2, 2]]}},
            },
            "data": {"small": {"source": {"file": "x.csv"}, "target": "y", "levels": [1, 2, 3]}},
            "methods": METHODS,
            "experiments": {
                "e": {
                    "problems": ["three"],
                    "protocol": numbers,
                    "methods": list(methods),
                    "metrics": ["u_pairs", "u_ovo"],
                    "preprocess": {"scale": "standard"},
                }
                | experiment
            },
        }
    )


def outcome(study: Study, facts: dict[str, DataFacts] | None = None) -> dict[Any, Record]:
    """Return records by method and fold."""
    found = {}
    for job in jobs(cells(study, facts or {}), ()):
        for cell, record in zip(job.cells, evaluate(job), strict=True):
            found[cell.method, cell.place.fold] = record
    return found


def value(record: Record, quantity: str, grid: int = 0) -> float:
    (one,) = (r.value for r in record.rows if (r.quantity, r.grid) == (quantity, grid))
    return one


def small_data(tmp_path: Path, y: list[int]) -> dict[str, DataFacts]:
    X = np.random.default_rng(0).standard_normal((len(y), 2)) + np.array(y)[:, None]
    data = Dataset("small", X, np.array(y), (Feature("a"), Feature("b")), ("1", "2", "3"))
    write_dataset(data, tmp_path / "small.npz")
    return {"small": DataFacts(len(y), data.fingerprint, str(tmp_path / "small.npz"))}


def test_every_kind_of_estimator_ranks_ordered_levels() -> None:
    found = outcome(study(tuple(METHODS)))
    assert all(record.status == "ok" for record in found.values())
    best = {value(record, "u_pairs:bayes") for record in found.values()}
    assert len(best) == 1
    assert value(found["odds", None], "u_pairs") == best.pop()  # one feature, so one best order
    model = Gaussian((-2, 0, 2)).draw_model(stream(5, "three/model/0"))
    X, y = model.sample(90, stream(5, "three/model/0/test"))
    assert value(found["odds", None], "u_pairs:bayes") == u_pairs(y, X[:, 0])


def test_estimators_are_told_the_levels_where_there_are_more_than_two() -> None:
    keep = {"fitted": ["told_"]}
    told = [
        [row.value for row in record.rows if row.quantity.startswith("told_")]
        for problem in ("three", "two")
        for record in outcome(study(("echo",), problems=[problem], keep=keep)).values()
    ]
    assert told == [[0.0, 1.0, 2.0], [-1.0]]


def test_a_level_without_an_example_in_a_fold_stops_nothing(tmp_path: Path) -> None:
    facts = small_data(tmp_path, [0] * 14 + [1] * 15 + [2])
    protocol = {"kind": "cross_validation", "folds": 2, "stratified": True}
    run = study(tuple(METHODS), problems=["small"], protocol=protocol)
    found = outcome(run, facts)
    assert {record.status for record in found.values()} == {"ok"}
    lacking = {fold: record.warnings for (name, fold), record in found.items() if name == "odds"}
    (short,) = (fold for fold, warned in lacking.items() if warned)
    assert "UndefinedMetricWarning" in lacking[short][0]
    assert "2 of 3" in lacking[short][0]
    assert 0.5 < value(found["odds", short], "u_ovo") <= 1.0


def test_expected_levels_heed_a_level_that_is_missing() -> None:
    X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 1, 3, 3, 3, 3])
    model = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    np.testing.assert_allclose(_scores_of(model, X), model.predict_proba(X) @ [0, 1, 3])


def test_scoring_functions_are_kept_at_the_points_named() -> None:
    keep = {"curves": ["scoring_function"], "at": AT, "fitted": ["thresholds_", "gap_"]}
    found = outcome(study(("boosted", "path", "odds"), keep=keep))
    model = Gaussian((-2, 0, 2)).draw_model(stream(5, "three/model/0"))
    X, y = model.sample(60, stream(5, "three/model/0/train/0"))
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    x = (np.linspace(-2, 2, 5)[:, None] - X.mean(axis=0)) / X.std(axis=0)
    boosted = ORBoost(n_rounds=20).fit(Z, y)
    curve = found["boosted", None].curves["scoring_function:1"]
    assert curve["x"] == [-2.0, -1.0, 0.0, 1.0, 2.0]
    np.testing.assert_allclose(curve["y"], boosted.decision_function(x), rtol=1e-12)
    thresholds = [value(found["boosted", None], f"thresholds_[{i}]", 1) for i in (0, 1)]
    np.testing.assert_allclose(thresholds, boosted.thresholds_, rtol=1e-12)
    line = LinearRanker(loss="hinge", risk="multipartite", lam=0.01).fit(Z, y)
    curve = found["path", None].curves["scoring_function:1"]
    np.testing.assert_allclose(curve["y"], line.decision_function(x), rtol=3e-3)  # both to a gap
    assert "scoring_function:bayes" not in found["path", None].curves
    assert value(found["odds", None], "gap_") < 1e-6
    kept = {row.quantity for row in found["path", None].rows if row.part == "train"}
    assert "gap" in kept and "gap_" not in kept  # nothing is fitted one by one


@pytest.mark.parametrize(
    ("attribute", "reason"),
    [
        ("many_", "101 numbers; a record keeps at most 100"),
        ("words_", "Echo.words_ is neither a number"),
    ],
)
def test_an_attribute_that_is_not_a_few_numbers_is_refused(attribute: str, reason: str) -> None:
    (record,) = outcome(study(("echo",), keep={"fitted": [attribute]})).values()
    assert record.status == "failed"
    assert reason in (record.reason or "")


def test_attributes_are_kept_number_by_number() -> None:
    keep = {"fitted": ["square_", "nothing_"]}
    (record,) = outcome(study(("echo",), keep=keep)).values()
    found = {row.quantity: row.value for row in record.rows if row.part == "train"}
    assert found == {"square_[0,0]": 0, "square_[0,1]": 1, "square_[1,0]": 2, "square_[1,1]": 3}


def test_points_are_for_one_feature() -> None:
    keep = {"curves": ["scoring_function"], "at": AT}
    (record,) = outcome(study(("odds",), problems=["wide"], keep=keep)).values()
    assert record.status == "failed"
    assert "2 features is no curve" in (record.reason or "")


@pytest.mark.parametrize("name", ["boosted", "both"])
def test_numbers_of_rounds_are_read_off_one_fit(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    several = outcome(study((name,)))[name, None]
    assert several.status == "ok"

    def never(self: Any, X: Any, y: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(ORBoost, "fit", never)
    assert outcome(study((name,)))[name, None].rows == several.rows
    monkeypatch.undo()
    monkeypatch.delattr("rankexp.estimators.rounds.InRounds.fit_rounds")
    assert outcome(study((name,)))[name, None].rows == several.rows


def test_the_err_of_a_test_part_is_by_the_levels_of_the_data() -> None:
    """Not by the highest that the part has: values of folds would be on different scales."""
    y, scores = np.array([3, 0, 1, 0]), np.array([[3.0], [2.0], [1.0], [0.0]])
    rows = FoldRows(scores, Part(scores, y, 5, groups=np.array([0, 0, 1, 1])))
    (whole,), within = measured([parse("err")], scores, {}, rows)
    assert whole == pytest.approx((7 / 16 + 1 / 16) / 2)
    assert within[0, :, 0] == pytest.approx([7 / 16, 1 / 16])
    assert err(y, scores[:, 0], rows.part.groups) == pytest.approx((7 / 8 + 1 / 8) / 2)
