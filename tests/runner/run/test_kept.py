"""Continuous targets in a run: what metrics are told, and which curves and texts are kept."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankexp.metrics.continuous import iauc
from rankexp.runner.config.schema import Study
from rankexp.runner.data.dataset import Dataset, Feature
from rankexp.runner.data.snapshot import write_dataset
from rankexp.runner.keep.curves.scoring_function import scoring_function
from rankexp.runner.plan import DataFacts, PlanCell, cells, jobs
from rankexp.runner.run.evaluate import evaluate
from rankexp.runner.run.record import Record
from rankexp.seeds import stream
from rankexp.studies.clemencon2017.curves.iroc import iroc
from rankexp.studies.clemencon2017.texts.tree import read

KEEP = {"splits": 1, "curves": ["iroc", "scoring_function"], "texts": ["tree"]}
METHODS = {
    "kendall": {"estimator": "KendallTree", "grid": {"depth": [1, 2]}},
    "cart": {"estimator": "sklearn.tree.DecisionTreeRegressor", "params": {"max_depth": 2}},
    "linear": {"estimator": "sklearn.linear_model.LinearRegression"},
}


def study(methods: tuple[str, ...] = ("kendall", "cart", "linear"), **experiment: Any) -> Study:
    return Study.model_validate(
        {
            "version": 1,
            "study": "toy",
            "title": "Toy",
            "seed": 5,
            "generators": {
                "toy": {"generator": "polynomial"},
                "wide": {"generator": "regression", "params": {"d": 3, "noise": 1.0}},
            },
            "data": {"small": {"source": {"file": "x.csv"}, "target": "y"}},
            "methods": METHODS,
            "experiments": {
                "e": {
                    "problems": ["toy"],
                    "protocol": {
                        "kind": "models",
                        "models": 2,
                        "training_sets": 1,
                        "n_train": 50,
                        "n_test": 40,
                    },
                    "methods": list(methods),
                    "metrics": ["iauc", "mse"],
                    "preprocess": {"scale": "none"},
                }
                | experiment
            },
        }
    )


def outcome(study: Study, facts: dict[str, DataFacts] | None = None) -> dict[Any, Record]:
    """Return records by method and model, else fold."""
    found = {}
    for job in jobs(cells(study, facts or {}), ()):
        for cell, record in zip(job.cells, evaluate(job), strict=True):
            assert record.status == "ok", record.reason
            place = cell.place.model if cell.place.fold is None else cell.place.fold
            found[cell.method, place] = record
    return found


def value(record: Record, quantity: str, grid: int = 0) -> float:
    (one,) = (r.value for r in record.rows if (r.quantity, r.grid) == (quantity, grid))
    return one


def test_only_the_first_splits_keep_anything() -> None:
    found = outcome(study(keep=KEEP))
    assert found["kendall", 0].curves.keys() == {
        *("iroc:0", "iroc:1", "iroc:bayes"),
        *("scoring_function:0", "scoring_function:1", "scoring_function:bayes"),
    }
    assert found["kendall", 0].texts.keys() == {"tree:0", "tree:1"}
    assert found["cart", 0].texts.keys() == {"tree:0"}
    assert not found["linear", 0].texts
    for name in METHODS:
        assert not found[name, 1].curves and not found[name, 1].texts


def test_keeping_changes_no_number_and_no_other_key() -> None:
    without, kept = study(), study(keep=KEEP)
    plain, more = outcome(without), outcome(kept)
    assert [r.rows for r in plain.values()] == [r.rows for r in more.values()]

    def keys(study: Study, model: int) -> list[str]:
        return [cell.key for cell in cells(study, {}) if cell.place.model == model]

    assert keys(without, 1) == keys(kept, 1)
    assert not set(keys(without, 0)) & set(keys(kept, 0))
    assert keys(kept, 0) == keys(study(keep=KEEP | {"splits": 2}), 0)


def test_the_curves_are_those_of_the_scores() -> None:
    record = outcome(study(keep=KEEP))["kendall", 0]
    from rankexp.studies.clemencon2017.generators.regression import Polynomial

    model = Polynomial().draw_model(stream(5, "toy/model/0"))
    X, y = model.sample(40, stream(5, "toy/model/0/test"))
    truth = record.curves["scoring_function:bayes"]
    order = np.argsort(X[:, 0])
    assert truth["x"] == X[order, 0].tolist() and truth["y"] == y[order].tolist()
    curve = record.curves["scoring_function:1"]
    scores = np.interp(X[:, 0], curve["x"], curve["y"])
    assert iauc(y, scores) == value(record, "iauc", 1)
    x, height = iroc(y, scores, np.linspace(0, 1, 201))
    kept = record.curves["iroc:1"]
    assert kept == {"x": x.tolist(), "y": height.round(6).tolist()}
    root, *below = read(record.texts["tree:1"])
    assert root.rule is not None and root.rule.startswith("x0 ")
    assert {node.score for node in below if node.rule is None} >= set(curve["y"])


def test_metrics_hear_of_the_regression_function_and_the_scale_of_scores() -> None:
    found = outcome(study(keep=KEEP))
    record = found["kendall", 0]
    truth = record.curves["scoring_function:bayes"]
    for grid, depth in enumerate((1, 2)):
        curve = record.curves[f"scoring_function:{grid}"]
        scores = np.interp(truth["x"], curve["x"], curve["y"]) / 2**depth
        expected = float(np.mean((scores - truth["y"]) ** 2))
        assert value(record, "mse", grid) == pytest.approx(expected, rel=1e-12)
    assert value(record, "iauc:bayes") == 1.0
    assert not [r for r in record.rows if r.quantity == "mse:bayes"]


def test_with_noise_the_reference_is_m_and_the_best_scorer_is_not_perfect() -> None:
    records = outcome(study(("linear",), problems=["wide"]))
    assert 0.7 < value(records["linear", 0], "iauc:bayes") < 0.99
    assert value(records["linear", 0], "mse") < 0.3  # against y it would be above 1


def test_data_sets_have_no_best_scorer_and_trees_know_their_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 2))
    y = 10 * X[:, 1] + rng.standard_normal(40)
    data = Dataset("small", X, y, (Feature("age"), Feature("height")), None)
    write_dataset(data, tmp_path / "small.npz")
    facts = {"small": DataFacts(40, data.fingerprint, str(tmp_path / "small.npz"))}
    keep = {"curves": ["iroc"], "texts": ["tree"]}
    protocol = {"kind": "cross_validation", "folds": 2}
    found = outcome(study(problems=["small"], protocol=protocol, keep=keep), facts)
    assert found["cart", 0].curves.keys() == {"iroc:0"}
    assert "height" in found["kendall", 0].texts["tree:0"]
    assert "height" in found["cart", 0].texts["tree:0"]
    assert not [r for r in found["cart", 0].rows if ":bayes" in r.quantity]
    assert value(found["linear", 0], "mse") < 10


def test_a_scoring_function_of_several_features_is_refused() -> None:
    wanted = study(("linear",), problems=["wide"], keep=KEEP)
    (record, _) = (r for job in jobs(cells(wanted, {}), ()) for r in evaluate(job))
    assert record.status == "failed"
    assert "3 features" in (record.reason or "")


def test_of_equal_scores_in_a_row_the_ends_are_kept() -> None:
    X = np.array([3.0, 0.0, 2.0, 1.0, 4.0])[:, None]
    scores = np.array([1.0, 1.0, 1.0, 1.0, 5.0])
    assert scoring_function(X, scores, scores) == {"x": [0.0, 3.0, 4.0], "y": [1.0, 1.0, 5.0]}


def test_a_cell_says_what_it_keeps_in_one_order() -> None:
    turned = KEEP | {"curves": ["scoring_function", "iroc", "iroc"]}

    def first(keep: dict[str, Any]) -> PlanCell:
        return next(iter(cells(study(keep=keep), {})))

    assert first(turned).key == first(KEEP).key
