"""Queries of any size and number: pilots take parts that have a pair, and differ in rows."""

from dataclasses import replace

import numpy as np
import pytest

from rankexp.errors import ConfigError
from rankexp.runner.compare import budget, pilot
from rankexp.runner.config.schema import Study
from rankexp.runner.data.dataset import Dataset, Feature

SHAPES = {
    "six": [200] * 6,
    "three": [400] * 3,
    "three tiny": [4] * 3,
    "giant": [3000, 1, 1],
    "giant among pairs": [3000] + [2] * 5,
    "twos": [2] * 300,
}


def data(sizes: list[int]) -> Dataset:
    n = sum(sizes)
    X = np.random.default_rng(0).normal(size=(n, 3))
    features = tuple(Feature(f"x{j}") for j in range(3))
    y, groups = np.arange(n) % 2, np.repeat(np.arange(len(sizes)), sizes)
    return replace(Dataset("d", X, y, features, ("no", "yes")), groups=groups)


def study() -> Study:
    risks = {"pairs": "bipartite", "points": "classification"}
    methods = {
        name: {"params": {"loss": "logistic", "risk": risk}, "lambdas": [1.0, 0.1]}
        for name, risk in risks.items()
    }
    setup = {"problems": ["data"], "methods": list(methods), "metrics": ["auc"]}
    setup |= {"protocol": {"kind": "cross_validation", "folds": 2}, "inner": {"folds": 2}}
    entry = {"source": {"file": "t.csv"}, "target": "y"}
    return Study.model_validate(
        {"version": 1, "study": "s", "title": "t", "seed": 1, "data": {"data": entry}}
        | {"methods": methods, "experiments": {"compare": setup}, "report": []}
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_methods_on_pairs_are_timed_whatever_the_queries(shape: str) -> None:
    costs, failed = pilot.pilot(study(), data(SHAPES[shape]), 5.0, needed=["pairs", "points"])
    assert failed == {}
    assert all(0 < cost.at(100) < 60 for cost in costs.values())


def test_pilot_parts_have_ever_more_rows_although_whole_queries_count() -> None:
    (setup,) = study().experiments.values()
    sizes = [len(fold.train.X) for fold in pilot._pilot_folds(setup, data([200] * 6), 1)]
    assert sizes == sorted(set(sizes)) and len(sizes) > 1


def test_queries_without_a_pair_are_refused() -> None:
    with pytest.raises(ConfigError, match="--queries: no two rows of one query have different"):
        budget.together(data([1] * 600), "queries")
    assert budget.together(data([2] * 300), "queries")[0] == "groups"
    assert budget.together(data([1] * 600), "groups")[0] == "groups", "all pairs count"
