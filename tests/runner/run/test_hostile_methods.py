"""Whatever a method does is its own affair: not its neighbours', not the run's, not the user's."""

import gc
import os
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import toys

from rankexp.runner.plan import cells, jobs
from rankexp.runner.run.evaluate import evaluate
from rankexp.runner.run.execute import execute
from rankexp.runner.run.store import Store


class Vandal(toys.MeanDifference):
    """Writes into whatever it is given, as `copy_X=False` does."""

    def fit(self, X: Any, y: Any) -> "Vandal":
        super().fit(X, y)
        X[:] = 7.0
        y[:] = y[::-1].copy()
        return self

    def predict(self, X: Any) -> Any:
        found = super().predict(X)
        X[:] = -3.0
        return found


class Unsettles(toys.MeanDifference):
    """Changes what all of its process share."""

    def fit(self, X: Any, y: Any) -> "Unsettles":
        super().fit(X, y)
        self.w_ = self.w_ + np.random.standard_normal(len(self.w_))  # noqa: NPY002
        np.seterr(all="raise")
        os.chdir("/")
        os.environ["RANKEXP_TOY"] = "1"
        return self


class Leaves(toys.MeanDifference):
    def __init__(self, how: str = "exit") -> None:
        super().__init__()
        self.how = how

    def fit(self, X: Any, y: Any) -> "Leaves":
        if self.how == "exit":
            sys.exit()
        if self.how == "_exit":
            os._exit(0)
        raise {"interrupt": KeyboardInterrupt, "generator": GeneratorExit}[self.how]


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


class Hoards(toys.MeanDifference):
    seen: "list[weakref.ref[Any]]" = []  # noqa: RUF012

    def fit(self, X: Any, y: Any) -> "Hoards":
        hoard = np.ones(1000).view(toys_array)
        self.seen.append(weakref.ref(hoard))
        raise MemoryError("x" * 3_000_000)


class toys_array(np.ndarray):  # noqa: N801  (a plain array cannot be referred to weakly)
    pass


class Speechless(toys.MeanDifference):
    def fit(self, X: Any, y: Any) -> "Speechless":
        raise UnspeakableError


def records(methods: dict[str, Any], **protocol: int) -> dict[tuple[str, Any], Any]:
    here = {
        name: {"estimator": f"test_hostile_methods.{what}"} if isinstance(what, str) else what
        for name, what in methods.items()
    }
    study = toys.study(here, **protocol)
    return {
        (cell.method, cell.place): record
        for job in jobs(cells(study, {}), ())
        for cell, record in zip(job.cells, evaluate(job), strict=True)
    }


def test_a_method_that_writes_into_its_rows_changes_no_neighbour() -> None:
    line = {"params": {"loss": "logistic"}, "lambdas": [0.1, 1.0]}
    mean = {"estimator": "toys.MeanDifference"}
    grid = {"estimator": "test_hostile_methods.Vandal", "grid": {"noise": [0.0, 0.5]}}
    alone = records({"line": line, "mean": mean})
    beside = records({"vandal": "Vandal", "grid": grid, "line": line, "mean": mean})
    for place, record in alone.items():
        assert beside[place].rows == record.rows
    # Its own second grid point sees the rows as they are, too.
    toy = records({"mean": {"estimator": "toys.MeanDifference", "grid": {"noise": [0.0, 0.5]}}})
    points = [row.value for row in toy["mean", next(iter(toy))[1]].rows if row.part == "test"]
    own = [
        row.value
        for (method, place), record in beside.items()
        for row in record.rows
        if method == "grid" and place == next(iter(toy))[1] and row.part == "test"
    ]
    assert own[0] == points[0]


def test_a_method_that_unsettles_its_process_changes_nothing_for_others(tmp_path: Path) -> None:
    before, here = np.geterr(), Path.cwd()
    once, again = (records({"m": {"estimator": "test_hostile_methods.Unsettles"}}) for _ in "ab")
    assert np.geterr() == before and Path.cwd() == here and "RANKEXP_TOY" not in os.environ
    assert {k: r.rows for k, r in once.items()} == {k: r.rows for k, r in again.items()}
    assert len({r.rows[0].value for r in once.values()}) > 1, "each split has its own stream"


def test_rows_of_our_own_estimators_cannot_be_written_to() -> None:
    from rankexp.runner.run.material import folds

    study = toys.study({"line": {"params": {"loss": "logistic"}}})
    fold = next(folds(next(cells(study, {})).spec))  # type: ignore[arg-type]
    for rows in (fold.train, fold.test):
        with pytest.raises(ValueError, match="read-only"):
            rows.X[0, 0] = 1.0
        with pytest.raises(ValueError, match="read-only"):
            rows.part.y[0] = 1


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("exit", "SystemExit"),
        ("_exit", "SystemExit: os._exit(0) was called"),
        ("generator", "GeneratorExit"),
    ],
)
def test_a_method_that_leaves_fails_alone(tmp_path: Path, how: str, reason: str) -> None:
    leaver = {"estimator": "test_hostile_methods.Leaves", "params": {"how": how}}
    study = toys.study({"leaver": leaver, "mean": "MeanDifference"})
    outcome = execute(study, results=tmp_path, workers=1, quiet=True)
    assert outcome.exit_code == 1
    found = Store(outcome.folder).read()
    failed = [r for r in found.values() if r.status != "ok"]
    assert len(failed) == 6 and len(found) == 12
    assert all(r.reason.startswith(reason) for r in failed)


def test_a_method_cannot_speak_for_the_user(tmp_path: Path) -> None:
    leaver = {"estimator": "test_hostile_methods.Leaves", "params": {"how": "interrupt"}}
    outcome = execute(toys.study({"l": leaver}), results=tmp_path, workers=1, quiet=True)
    assert outcome.exit_code == 1 and outcome.failed == 6


def test_messages_that_cannot_be_shown_and_long_ones() -> None:
    (record, *_) = records({"m": {"estimator": "test_hostile_methods.Speechless"}}).values()
    assert record.reason == "UnspeakableError: its message cannot be shown"
    (record, *_) = records({"m": {"estimator": "test_hostile_methods.Hoards"}}).values()
    assert len(record.reason) < 600 and "characters ..." in record.reason
    assert len(record.texts["traceback"]) < 11_000


def test_a_failed_method_leaves_no_memory_behind() -> None:
    Hoards.seen.clear()
    records({"m": {"estimator": "test_hostile_methods.Hoards"}})
    gc.collect()
    assert Hoards.seen and all(ref() is None for ref in Hoards.seen)
