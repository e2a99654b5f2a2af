"""Keys depend on what determines a record and on nothing else; jobs cover what is missing."""

import copy
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.errors import ConfigError
from rankexp.runner.config.schema import Study
from rankexp.runner.plan import FEWEST_JOBS, JOB_ROWS, DataFacts, cells, jobs
from rankexp.runner.run.prepare import make_plan

FACTS = {"vote": DataFacts(435, "f" * 64, "/cache/vote.npz")}
BASE: dict[str, Any] = {
    "version": 1,
    "study": "toy",
    "title": "Toy",
    "seed": 3,
    "data": {
        "vote": {"source": {"file": "vote.arff"}, "target": "class", "levels": ["a", "b"]},
        "gone": {"source": {"file": "gone.arff"}, "target": "class", "levels": ["a", "b"]},
    },
    "generators": {"lin": {"generator": "linear", "params": {"d": 3}}},
    "methods": {
        "log": {"label": "Logistic", "params": {"loss": "logistic"}},
        "svm": {"params": {"loss": "hinge", "risk": "bipartite"}, "lambdas": [0.1, 1.0]},
        "sk": {"estimator": "sklearn.linear_model.LogisticRegression", "grid": {"C": [1.0, 2.0]}},
    },
    "experiments": {
        "figure": {
            "problems": ["lin"],
            "protocol": {
                "kind": "models",
                "models": 2,
                "training_sets": 3,
                "n_train": 50,
                "n_test": 100,
            },
            "methods": ["log", "svm"],
            "lambdas": [0.1, 1.0, 10.0],
        },
        "table": {
            "problems": ["vote"],
            "protocol": {"kind": "cross_validation", "repeats": 2, "folds": 3},
            "methods": ["log", "sk"],
            "lambdas": [0.1],
            "inner": {"folds": 4},
        },
        "check": {
            "kind": "simulate",
            "check": "flip_noise",
            "grid": {"p": [0.5, 0.9]},
            "repetitions": 2,
        },
    },
}


def changed(**edits: Any) -> Study:
    """Return the base study with values set at dotted paths (a double underscore is a dot)."""
    raw = copy.deepcopy(BASE)
    for path, value in edits.items():
        *parents, last = path.split("__")
        node = raw
        for parent in parents:
            node = node[parent]
        node[last] = value
    return Study.model_validate(raw)


def keys(study: Study, facts: dict[str, DataFacts] = FACTS) -> dict[tuple[Any, ...], str]:
    return {(c.experiment, c.problem, c.method, c.place): c.key for c in cells(study, facts)}


BEFORE = keys(changed())


def test_the_plan_of_a_study() -> None:
    assert len(BEFORE) == 2 * 3 * 2 + 2 * 3 * 2 + 2 * 2
    assert len(set(BEFORE.values())) == len(BEFORE)
    assert list(BEFORE) == list(keys(changed())), "the order is not stable"


def test_grids_and_fits() -> None:
    found = {(c.experiment, c.method): c for c in cells(changed(), FACTS)}
    texts = {place: [point.text for point in cell.spec.points] for place, cell in found.items()}
    assert texts["figure", "log"] == ["lam=0.1", "lam=1", "lam=10"]
    assert texts["figure", "svm"] == ["lam=0.1", "lam=1"]
    assert texts["table", "sk"] == ["C=1.0", "C=2.0"]
    assert texts["check", "flip_noise"] == ["p=0.9"]
    assert found["figure", "log"].spec.fits == 3
    assert found["table", "sk"].spec.fits == 2 * (1 + 4)
    assert found["table", "sk"].spec.training_rows == 290


def test_a_guess_of_time_counts_rounds_trees_and_checks(tmp_path: Path) -> None:
    methods = {
        "linear": {},
        "sk": {"estimator": "sklearn.linear_model.LogisticRegression"},
        "rounds": {"estimator": "RankBoost", "params": {"n_rounds": 100}},
        "grid": {"estimator": "RankBoost", "grid": {"n_rounds": [100, 300]}},
        "forest": {"estimator": "RankingForest", "params": {"n_estimators": 100}},
    }
    raw = BASE["experiments"]
    figure = raw["figure"] | {"methods": list(methods)}
    setups = {"figure": figure, "check": raw["check"]}
    study = changed(methods=methods, experiments=setups)
    only = list(cells(study, {}, ["figure", "check"]))
    plan = make_plan(only, {}, again=(), missing={}, notes=(), folder=tmp_path)
    took = {cell.method: plan.seconds[cell.key] / cell.spec.fits for cell in only}
    assert took["linear"] == took["sk"] < took["rounds"] / 10
    assert took["grid"] == pytest.approx(2 * took["rounds"])
    assert took["forest"] == pytest.approx(20 * took["rounds"])
    assert took["flip_noise"] == 0.1 and "(estimated from rows and rounds" in plan.describe()


ADDITIONS = {
    "method": {"methods__new": {"params": {"loss": "exponential"}}},
    "method used": {
        "methods__new": {"params": {"loss": "exponential"}},
        "experiments__figure__methods": ["new", "svm", "log"],
        "experiments__table__methods": ["sk", "new", "log"],
    },
    "problem": {
        "generators__other": {"generator": "rules"},
        "experiments__figure__problems": ["other", "lin"],
    },
    "experiment": {
        "experiments__another": copy.deepcopy(BASE["experiments"]["figure"])  # type: ignore[dict-item]
    },
    "labels": {"methods__log__label": "Other", "title": "Other", "study": "other"},
    "more models": {
        "experiments__figure__protocol__models": 5,
        "experiments__figure__protocol__training_sets": 7,
    },
    "more repeats": {
        "experiments__table__protocol__repeats": 9,
        "experiments__check__repetitions": 5,
    },
    "metric twice": {"experiments__table__metrics": ["rank_loss", "rank_loss"]},
}


@pytest.mark.parametrize("edits", ADDITIONS.values(), ids=ADDITIONS)
def test_adding_changes_no_key(edits: dict[str, Any]) -> None:
    after = keys(changed(**edits))
    assert {place: after[place] for place in BEFORE} == BEFORE


CHANGES = {
    "seed": ({"seed": 4}, {"figure", "table", "check"}),
    "grid": ({"experiments__table__lambdas": [0.1, 1.0]}, {"table"}),
    "scaling": ({"experiments__table__scaling": "sum"}, {"table"}),
    "n_train": ({"experiments__figure__protocol__n_train": 51}, {"figure"}),
    "n_test": ({"experiments__figure__protocol__n_test": 51}, {"figure"}),
    "stratified": ({"experiments__table__protocol__stratified": True}, {"table"}),
    "inner": ({"experiments__table__inner": None}, {"table"}),
    "preprocess": ({"experiments__table__preprocess": {"scale": "none"}}, {"table"}),
    "metrics": ({"experiments__table__metrics": ["auc"]}, {"table"}),
    "params": ({"generators__lin__params": {"d": 4}}, {"figure"}),
    "check": ({"experiments__check__params": {"n": 10}}, {"check"}),
}


@pytest.mark.parametrize(("edits", "touched"), CHANGES.values(), ids=CHANGES)
def test_what_determines_a_record_changes_its_key(edits: Any, touched: set[str]) -> None:
    after = keys(changed(**edits))
    moved = {place[0] for place in BEFORE if after[place] != BEFORE[place]}
    assert moved == touched


def test_other_data_is_another_key_but_another_place_is_not() -> None:
    other = keys(changed(), {"vote": DataFacts(435, "e" * 64, "/cache/vote.npz")})
    moved = keys(changed(), {"vote": DataFacts(435, "f" * 64, "/elsewhere.npz")})
    assert moved == BEFORE
    assert {p[0] for p in BEFORE if other[p] != BEFORE[p]} == {"table"}


def test_a_problem_without_data_has_no_cells() -> None:
    study = changed(experiments__table__problems=["gone", "vote"])
    assert keys(study) == BEFORE
    assert {place[0] for place in keys(study, {})} == {"figure", "check"}


def test_only_takes_names_of_experiments() -> None:
    assert {c.experiment for c in cells(changed(), FACTS, ["check"])} == {"check"}
    with pytest.raises(ConfigError, match=r"no experiment 'figur'.*did you mean 'figure'"):
        list(cells(changed(), FACTS, ["figur"]))


def test_the_protocol_must_fit_the_problem() -> None:
    study = changed(experiments__table__problems=["lin"])
    with pytest.raises(ConfigError, match=r"experiment 'table'.*is for data sets.*'lin'"):
        list(cells(study, FACTS))


@settings(max_examples=30)
@given(done=st.sets(st.integers(0, len(BEFORE) - 1)), seed=st.integers(0, 9))
def test_jobs_cover_what_is_missing_once(done: set[int], seed: int) -> None:
    planned = list(cells(changed(), FACTS))
    finished = {planned[i].key for i in done}
    made = list(jobs(planned + planned, finished))
    covered = [c.key for job in made for c in job.cells]
    assert sorted(covered) == sorted({c.key for c in planned} - finished)
    assert [job.cost for job in made] == sorted((job.cost for job in made), reverse=True)
    shuffled = planned.copy()
    random.Random(seed).shuffle(shuffled)
    again = {c.key for job in jobs(shuffled, finished) for c in job.cells}
    assert again == set(covered)


@settings(max_examples=20)
@given(sets=st.integers(1, 60), n_train=st.integers(1, 60_000))
def test_jobs_are_of_a_size(sets: int, n_train: int) -> None:
    study = changed(
        experiments__figure__protocol__training_sets=sets,
        experiments__figure__protocol__n_train=n_train,
    )
    for job in jobs(cells(study, FACTS, ["figure"]), ()):
        splits = {(c.place.model, c.place.rep) for c in job.cells}
        assert len({c.place.model for c in job.cells}) == 1
        assert len(splits) == 1 or len(splits) * n_train <= JOB_ROWS
        assert len(job.cells) == 2 * len(splits), "a split's methods belong together"


def test_a_split_that_is_partly_done_keeps_the_rest_together() -> None:
    planned = [c for c in cells(changed(), FACTS) if c.experiment == "table"]
    finished = {c.key for c in planned if c.method == "sk" and c.place.rep == 0}
    sizes = sorted(len(job.cells) for job in jobs(planned, finished))
    assert sizes == [1, 1, 1, 2, 2, 2]


def test_few_jobs_of_a_data_set_are_its_folds_and_many_are_not() -> None:
    few = [c for c in cells(changed(), FACTS) if c.experiment == "table"]
    assert {len({c.place for c in job.cells}) for job in jobs(few, ())} == {1}
    study = changed(experiments__table__protocol__repeats=FEWEST_JOBS)
    many = [c for c in cells(study, FACTS) if c.experiment == "table"]
    assert {len({c.place for c in job.cells}) for job in jobs(many, ())} == {3}
