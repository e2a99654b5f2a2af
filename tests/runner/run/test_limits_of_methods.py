"""Limits of time and memory, and what a death costs."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sklearn
import toys
from pydantic import ValidationError

from rankexp.errors import ConfigError
from rankexp.runner.config.limits import Limits, asked
from rankexp.runner.config.schema import Study
from rankexp.runner.plan import cells
from rankexp.runner.run.execute import Outcome, execute
from rankexp.runner.run.prepare import prepare
from rankexp.runner.run.record import Record
from rankexp.runner.run.store import Store

SMALL = {"models": 1, "training_sets": 1}


def study(bad: str, **params: Any) -> Study:
    known = {"bad": {"estimator": f"toys.{bad}", "params": params}, "mean": "MeanDifference"}
    return toys.study(known, **SMALL)


def run(what: Study, folder: Path, **limits: Any) -> Outcome:
    return execute(what, results=folder, workers=1, quiet=True, limits=Limits(**limits))


def records(outcome: Outcome) -> dict[str, Record]:
    found = Store(outcome.folder).read()
    return {cell.method: found[cell.key] for cell in outcome.cells or ()}


@pytest.mark.slow
def test_a_hang_in_native_code_becomes_a_record_that_says_where(tmp_path: Path) -> None:
    warm = run(toys.study({"mean": "MeanDifference"}, **SMALL), tmp_path / "warm", minutes=1.0)
    assert warm.exit_code == 0
    start = time.monotonic()
    outcome = run(study("Hangs"), tmp_path, minutes=0.02)
    took = time.monotonic() - start
    found = records(outcome)
    assert (outcome.exit_code, outcome.failed) == (1, 1)
    assert (found["bad"].status, found["mean"].status) == ("timeout", "ok")
    assert found["bad"].reason is not None
    assert found["bad"].reason.startswith("took longer than 1.2 s, line ")
    assert re.search(r"line \d+ of run/toys.py \(fit\)", found["bad"].reason)
    assert 2.4 < took < 60
    notes = prepare(study("Hangs"), tmp_path, limits=Limits(minutes=0.02)).plan
    assert "1 record of methods that took too long" in notes.describe() and not notes.jobs
    longer = prepare(study("Hangs"), tmp_path, limits=Limits(minutes=0.03)).plan
    assert "the limit is larger now" in longer.describe()
    assert [cell.method for job in longer.jobs for cell in job.cells] == ["bad"]


def test_memory_that_is_too_much_fails_alone(tmp_path: Path) -> None:
    found = records(run(study("Fat", gigabytes=1), tmp_path, memory="500MB"))
    assert (found["bad"].status, found["bad"].reason) == ("failed", "took more than 500MB")
    assert found["mean"].status == "ok"


def test_limits_are_in_no_key_and_the_nearest_one_counts() -> None:
    plain, made = toys.study(), toys.study().model_dump(mode="json")
    made["experiments"]["figure"]["limits"] = {"minutes": 10.0, "memory": "4GB"}
    made["methods"]["mean"]["limits"] = {"minutes": 2.0}
    limited = Study.model_validate(made)
    assert [c.key for c in cells(plain, {})] == [c.key for c in cells(limited, {})]
    own = next(cells(limited, {})).limits
    assert (own.seconds, own.bytes) == (120.0, 4 * 10**9)
    asked_for = next(cells(limited, {}, limits=Limits(memory="1MiB"))).limits
    assert (asked_for.seconds, asked_for.bytes) == (120.0, 2**20)


@pytest.mark.parametrize("minutes", [0.0, -1.0, float("nan"), float("inf")])
def test_minutes_that_are_no_limit_are_refused_by_name(minutes: float) -> None:
    with pytest.raises(ConfigError, match=r"--limit-minutes: expected a number above 0, got"):
        asked(minutes, None)
    with pytest.raises(ValidationError, match="minutes"):
        Limits(minutes=minutes)


@pytest.mark.parametrize("memory", ["0GB", "-4GB", "nanGB", "4", "4 gigs", "", "1e9GB"])
def test_memory_that_is_no_limit_is_refused_by_name(memory: str) -> None:
    with pytest.raises(ConfigError, match=r"--limit-memory: expected a size above 0"):
        asked(None, memory)


@pytest.fixture
def kept() -> Iterator[None]:
    """What scikit-learn is set to stays, for all tests that come after."""
    with sklearn.config_context():
        yield


@pytest.mark.usefixtures("kept")
def test_what_a_module_sets_when_it_is_loaded_is_for_its_own_methods(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "import sklearn, toys\nsklearn.set_config(assume_finite=True)\n"
        "class Own(toys.MeanDifference):\n    def fit(self, X, y):\n"
        "        assert sklearn.get_config()['assume_finite']\n        return super().fit(X, y)\n"
    )
    methods = {"own": {"estimator": "own.py:Own"}, "witness": {"estimator": "rascals.Witness"}}
    made = toys.study(methods, models=1, training_sets=3)
    made.methods["own"]._folder = str(tmp_path)
    beside = execute(made, results=tmp_path / "r", workers=1, quiet=True)
    assert (beside.exit_code, beside.failed) == (0, 0)
    only = toys.study({"witness": methods["witness"]}, models=1, training_sets=3)
    assert execute(only, results=tmp_path / "r", workers=1, quiet=True).made == 0
    apart = execute(only, results=tmp_path / "s", workers=1, quiet=True)
    both = [Store(outcome.folder).read() for outcome in (beside, apart)]
    assert all(both[0][key].rows == record.rows for key, record in both[1].items())
