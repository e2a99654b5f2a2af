"""Queries of any size and number: pilots take parts that have a pair, and differ in rows."""

import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rankexp.errors import ConfigError
from rankexp.runner.compare import budget, pilot, session
from rankexp.runner.config.schema import Study
from rankexp.runner.data.dataset import Dataset, Feature
from rankexp.runner.protocols.protocol import Place
from rankexp.runner.run.execute import Outcome

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


@pytest.mark.parametrize(
    ("failed_in", "stopped_in", "runs", "said"),
    [
        (None, None, [3], None),
        (2, None, [3, 2], "2 of 3 repeats were run without a method that failed"),
        (None, 1, [3, 1], "1 of 3 repeats were run within 1 minute"),
        (0, None, [3, 1], "1 of 3 repeats were run without a method that failed"),
    ],
)
def test_only_repeats_in_which_no_method_failed_count(
    failed_in: int | None,
    stopped_in: int | None,
    runs: list[int],
    said: str | None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    one: Any = object.__new__(session.Session)
    one.fewest, one.most, one.methods, one.given = 1, 3, {}, "1 minute"
    one.end, one.reserved, told, asked = time.monotonic() + 100, 1.0, [], []
    one.tell, one._seconds = told.append, lambda *_: 0.1

    def run(repeats: int, until: float | None = None) -> bool:
        asked.append(repeats)
        cells: Any = [SimpleNamespace(key=rep, place=Place(None, rep)) for rep in range(repeats)]
        failed = failed_in is not None and failed_in < repeats
        one.outcome = Outcome(tmp_path, failed=int(failed), cells=cells)
        return stopped_in is None

    known = {
        rep: SimpleNamespace(status="failed" if rep == failed_in else "ok")
        for rep in range(3 if stopped_in is None else stopped_in)
    }
    monkeypatch.setattr(session, "Store", lambda _: SimpleNamespace(read=lambda: known))
    one._run = run
    one._repeat()
    assert asked == runs and told == ([said] if said else [])
