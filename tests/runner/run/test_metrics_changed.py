"""A plan says why all is fitted again where only metrics changed, and it is true."""

from pathlib import Path
from typing import Any

import pytest

from rankexp.runner.config.schema import Study
from rankexp.runner.run.execute import execute
from rankexp.runner.run.prepare import Plan, prepare


def study(metrics: list[str], methods: tuple[str, ...] = ("m",), **more: Any) -> Study:
    protocol = {"kind": "models", "models": 1, "training_sets": 2, "n_train": 30, "n_test": 30}
    setup = {"problems": ["g"], "methods": [*methods], "protocol": protocol} | more
    named = {"m": {"lambdas": [1.0, 0.1]}, "k": {"lambdas": [0.5]}}
    return Study.model_validate(
        {
            "version": 1,
            "study": "toy",
            "title": "Toy",
            "seed": 1,
            "generators": {"g": {"generator": "linear", "params": {"d": 3}}},
            "methods": {name: named[name] for name in methods},
            "experiments": {"e": setup | {"metrics": metrics}, "other": setup},
        }
    )


def run(one: Study, place: Path) -> None:
    assert execute(one, results=place, workers=1, quiet=True).exit_code == 0


def planned(one: Study, place: Path, *only: str) -> Plan:
    return prepare(one, results=place, only=only).plan


def test_a_new_metric_is_the_reason_said(tmp_path: Path) -> None:
    run(study(["auc"]), tmp_path)
    plan = planned(study(["auc", "map"]), tmp_path)
    assert plan.total_fits == 4 and plan.done == {"other": 2}
    (note,) = plan.notes
    assert note.startswith(
        "e: 2 records cannot be reused, because the metrics have changed (they "
    )
    assert "(they were auc) and no scores were kept" in note and note in plan.describe()
    assert planned(study(["auc", "map"]), tmp_path, "other").notes == []
    manifest = tmp_path / "toy" / "manifest.json"  # a metric of a package that is gone
    manifest.write_text(manifest.read_text("utf-8").replace('"auc"', '"gone"'), "utf-8")
    assert planned(study(["auc", "map"]), tmp_path).notes == []


@pytest.mark.parametrize(
    "changed",
    [
        study(["auc"]),
        study(["auc"], ("m", "k")),
        study(["auc", "map"], ("k",)),
        study(["auc", "map"], preprocess={"scale": "standard"}),
    ],
    ids=["nothing", "a method", "another method", "the scale, too"],
)
def test_another_reason_is_not_said(tmp_path: Path, changed: Study) -> None:
    run(study(["auc"]), tmp_path)
    assert planned(changed, tmp_path).notes == []


def test_kept_scores_spare_the_fits_as_the_note_says(tmp_path: Path) -> None:
    run(study(["auc"], keep={"scores": True}), tmp_path)
    plan = planned(study(["auc", "map"], keep={"scores": True}), tmp_path)
    assert plan.total_fits == 0 and plan.jobs and plan.notes == []
    (tmp_path / "toy" / "manifest.json").write_text("{", "utf-8")
    assert planned(study(["auc", "map"], keep={"scores": True}), tmp_path).notes == []
