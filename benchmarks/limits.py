"""What limits of time and memory cost, how late they end a method, and what a death costs."""

import contextlib
import ctypes
import io
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from benchmarks.overhead import slice_of_figure1
from rankexp.runner.config.limits import Limits
from rankexp.runner.config.schema import Study
from rankexp.runner.plan import Job, cells, jobs
from rankexp.runner.run import pool, watch
from rankexp.runner.run.execute import execute
from rankexp.runner.run.workers import run_job

ROUNDS, MODELS = 12, 24
LIMIT = 3.0  # seconds
WORKERS, PAUSE = 8, 2.0


class First(BaseEstimator):
    """Score by the first feature: no work."""

    def fit(self, X: Any, y: Any) -> "First":
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X: Any) -> Any:
        return np.asarray(X)[:, 0]


class Hangs(First):
    """Sleep in native code and keep the interpreter locked."""

    def fit(self, X: Any, y: Any) -> "Hangs":
        ctypes.PyDLL(None).sleep(600)
        return self


class Dies(First):
    """Sleep; once, while a file is not there, end the process."""

    def __init__(self, file: str = "") -> None:
        self.file = file

    def fit(self, X: Any, y: Any) -> "Dies":
        time.sleep(PAUSE)
        with contextlib.suppress(FileExistsError), Path(self.file).open("x"):
            os.kill(os.getpid(), 9)
        return super().fit(X, y)


def _study(models: int, **methods: dict[str, Any]) -> Study:
    made = slice_of_figure1(models).model_dump(mode="json")
    setup = made["experiments"]["figure1"]
    made["methods"], setup["methods"], setup["lambdas"] = methods, list(methods), None
    setup["protocol"] |= {"training_sets": 1, "n_train": 100, "n_test": 100}
    return Study.model_validate(made)


def _cost(limits: Limits) -> float:
    """Return the processor time of jobs of no work with limits over that without, less one."""
    study = _study(MODELS, first={"estimator": f"{__name__}.First"})
    both: list[list[Job]] = [
        list(jobs(cells(study, {}, **how), ())) for how in ({}, {"limits": limits})
    ]
    with tempfile.TemporaryFile("a+b") as file:
        watch.prepare(file.fileno())
        watch.watched_in(file.fileno())
        best = [float("inf")] * 2
        for place in [0, 1] * ROUNDS:
            start = time.process_time()
            for job in both[place]:
                run_job(job)
            best[place] = min(best[place], time.process_time() - start)
    watch._file = None
    return best[1] / best[0] - 1.0


def _took(study: Study, workers: int, limits: Limits | None = None) -> float:
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
        start = time.perf_counter()
        execute(
            study, results=Path(folder), workers=workers, quiet=True, limits=limits or Limits()
        )
        return time.perf_counter() - start


def _late() -> float:
    """Return the seconds beside twice the limit after which a hang is a record."""
    free, hangs = ({"estimator": f"{__name__}.{name}"} for name in ("First", "Hangs"))
    _took(_study(1, first=free), 2)
    took = _took(_study(1, first=free, hangs=hangs), 2, Limits(minutes=LIMIT / 60))
    return took - 2 * LIMIT


def _death() -> float:
    """Return a run of 24 jobs in which a worker dies once over the same without it.

    Each starts its workers itself, as a run from a shell does.
    """
    with tempfile.TemporaryDirectory() as folder:
        there, absent = Path(folder, "there"), Path(folder, "absent")
        there.touch()
        one, other = (
            _study(MODELS, dies={"estimator": f"{__name__}.Dies", "params": {"file": str(file)}})
            for file in (there, absent)
        )
        pool._end_all()
        without = _took(one, WORKERS)
        pool._end_all()
        ratio = _took(other, WORKERS) / without
        assert absent.exists(), "no worker has died"
        return ratio


def rows() -> Iterator[tuple[str, float, float | None]]:
    """Yield (name, measured, target); lower is better."""
    yield "a hang in native code, limit 3 s: seconds beyond twice the limit", _late(), 5.0
    yield "24 jobs of 2 s, 8 workers: one death / none", _death(), 1.5
    yield "a limit of time on jobs of no work, share added", _cost(Limits(minutes=10)), 0.02
    both = Limits(minutes=10, memory="4GB")
    yield "limits of time and memory on jobs of no work, share added", _cost(both), 0.02
