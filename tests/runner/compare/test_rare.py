"""Rare classes keep rows in every part, and pilots cost little and are warm."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rankexp.runner.compare import budget, pilot
from rankexp.runner.compare.pilot import Cost
from rankexp.runner.config.schema import Evaluate, Study
from rankexp.runner.data.dataset import Dataset, Feature
from rankexp.runner.protocols.dealing import KeptRows, holdout


def rare(n: int, positives: int, columns: int = 4) -> Dataset:
    X, y = np.random.default_rng(0).normal(size=(n, columns)), np.zeros(n, np.int64)
    y[np.random.default_rng(1).choice(n, positives, replace=False)] = 1
    features = tuple(Feature(f"x{j}") for j in range(columns))
    return Dataset("d", X, y, features, ("no", "yes"))


def study(**methods: dict[str, Any]) -> Study:
    setup = {"problems": ["data"], "methods": list(methods), "metrics": ["auc"]}
    protocol = {"kind": "cross_validation", "folds": 2}
    entry = {"source": {"file": "t.csv"}, "target": "y"}
    return Study.model_validate(
        {
            "version": 1,
            "study": "s",
            "title": "t",
            "seed": 1,
            "data": {"data": entry},
            "methods": methods,
            "experiments": {"compare": {**setup, "protocol": protocol, "inner": {"folds": 2}}},
            "report": [],
        }
    )


LINEAR = {"params": {"loss": "logistic", "risk": "bipartite"}, "lambdas": [1.0, 0.1]}


@pytest.mark.parametrize(("n", "positives"), [(10_000, 17), (20_000, 34), (600, 3)])
def test_each_pilot_part_has_rows_of_each_level(n: int, positives: int) -> None:
    setup = study(a=LINEAR).experiments["compare"]
    assert isinstance(setup, Evaluate)
    for fold in pilot._pilot_folds(setup, rare(n, positives), 1):
        assert np.bincount(fold.train.part.y, minlength=2).min() >= 3
        assert len(fold.train.X) <= n * 4 // 5 + 3


def test_methods_on_a_rare_class_are_timed_and_not_left_out() -> None:
    costs, failed = pilot.pilot(study(a=LINEAR), rare(20_000, 34), 20.0)
    assert failed == {} and costs["a"].seconds > 0


@pytest.mark.parametrize(("n", "positives"), [(10_000, 17), (20_000, 34), (3_000, 1_500)])
def test_shortened_training_parts_keep_rows_of_each_level(n: int, positives: int) -> None:
    data = rare(n, positives)
    costs = {name: Cost(250, 5.0, 1.0) for name in ("points", "pairs")}
    allowed = budget.Allowance(10, 2, 3)
    found = budget.design(costs, {"pairs": "points"}, data, allowed, {"stratified": True})
    test = found.protocol["test"]
    assert found.protocol["kind"] == "split" and isinstance(test, float)
    for seed in range(5):
        split = holdout(n, test, np.random.default_rng(seed), KeptRows(data.y))
        assert np.bincount(data.y[split.train]).min() >= 3
    fewest = n * 3 / positives
    assert n - test == pytest.approx(max(250, np.ceil(fewest)), abs=1)


class Leaves:
    """Ends its process, or tries to."""

    def fit(self, X: Any, y: Any) -> "Leaves":
        raise SystemExit("I leave")

    def predict(self, X: Any) -> Any:
        return X[:, 0]


@pytest.mark.slow
def test_a_method_that_leaves_is_left_out_and_the_others_are_timed() -> None:
    made = study(leaves={"estimator": f"{__name__}.Leaves"}, a=LINEAR)
    costs, failed = pilot.pilot(made, rare(600, 200), 20.0, 2)
    assert costs.keys() == {"a"} and failed.keys() == {"leaves"}
    assert "I leave" in failed["leaves"]


class Slow:
    """Takes a tenth of a second for each unit of `size`."""

    fitted: list[int] = []  # noqa: RUF012

    def __init__(self, size: int = 1) -> None:
        self.size = size

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Slow":
        Slow.fitted.append(len(X))
        if len(X) > pilot.WARM_ROWS:
            time.sleep(0.1 * self.size)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return X[:, 0]

    def get_params(self, deep: bool = False) -> dict[str, int]:
        return {"size": self.size}

    def set_params(self, **given: int) -> "Slow":
        self.size = given["size"]
        return self


class Clock:
    """Stands still but while somebody sleeps, so that no other work of the machine counts."""

    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def monotonic(self) -> float:
        return self.now

    perf_counter = monotonic


def here(function: Any, each: Sequence[Any], workers: int) -> list[Any]:
    """Do in this process what a pilot does in others."""
    return [function(*one) for one in each]


def test_pilots_time_one_grid_point_of_what_takes_long_and_end_in_a_fifth_of_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock()
    monkeypatch.setattr(pilot, "time", clock)
    monkeypatch.setitem(globals(), "time", clock)
    monkeypatch.setattr(pilot, "side_by_side", here)
    monkeypatch.setattr(pilot, "_WARM", {})
    name = f"{__name__}.Slow"
    slow = {f"m{i}": {"estimator": name, "grid": {"size": [1, 2, 3, 4 + i]}} for i in range(6)}
    made = study(a=LINEAR, **slow)
    costs, failed = pilot.pilot(made, rare(2_000, 900), 1.5, needed=["a"])
    assert clock.now < 1.2
    assert costs["m0"].at(250) == pytest.approx(0.4), "four points, by the first"
    assert "a" in costs and "m5" not in costs
    assert "a fifth of the time" in failed["m5"]


def test_methods_are_warm_before_the_first_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pilot, "_WARM", {})
    monkeypatch.setattr(pilot, "side_by_side", here)
    Slow.fitted.clear()
    data = rare(2_000, 900, columns=9)
    pilot.pilot(study(a={"estimator": f"{__name__}.Slow"}), replace(data, levels=None), 1.0)
    assert Slow.fitted[0] <= pilot.WARM_ROWS < Slow.fitted[1]


def test_what_is_cheap_is_timed_before_ensembles_and_although_time_has_passed() -> None:
    forest = {"estimator": "sklearn.ensemble.RandomForestClassifier"}
    slow = {f"m{i}": {**forest, "params": {"n_estimators": 200 + i}} for i in range(3)}
    made = study(**slow, ridge={"estimator": "sklearn.linear_model.Ridge"}, a=LINEAR)
    costs, failed = pilot.pilot(made, rare(2_000, 900), 1.0, needed=["a"])
    assert {"a", "ridge"} <= costs.keys(), failed
    assert "a fifth of the time" in failed["m2"]
