"""What a run adds to its work, and what a second worker brings, on a slice of Figure 1."""

import contextlib
import io
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from rankexp.runner.config.schema import Study
from rankexp.runner.run import evaluate as jobs
from rankexp.runner.run.execute import execute

MODELS = 12


def slice_of_figure1(models: int) -> Study:
    """Return Figure 1 with fewer models: three methods, six lambdas, 30 training sets of 1000."""
    return Study.model_validate(
        {
            "version": 1,
            "study": "slice",
            "title": "A slice of Figure 1",
            "seed": 2011,
            "generators": {"linear": {"generator": "linear", "params": {"p": 0.5}}},
            "methods": {
                "exponential": {"params": {"loss": "exponential"}},
                "svm-or": {"params": {"loss": "hinge", "risk": "bipartite"}},
                "logistic": {"params": {"loss": "logistic"}},
            },
            "experiments": {
                "figure1": {
                    "problems": ["linear"],
                    "protocol": {
                        "kind": "models",
                        "models": models,
                        "training_sets": 30,
                        "n_train": 1000,
                        "n_test": 10000,
                    },
                    "methods": ["exponential", "svm-or", "logistic"],
                    "lambdas": [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0],
                    "scaling": "sum",
                    "preprocess": {"scale": "none"},
                }
            },
        }
    )


def run(models: int, count: int) -> float:
    """Return the seconds that a whole run takes."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
        start = time.perf_counter()
        outcome = execute(
            slice_of_figure1(models), results=Path(folder), workers=count, quiet=True
        )
        seconds = time.perf_counter() - start
    if outcome.exit_code != 0:
        raise RuntimeError("; ".join(outcome.messages))
    return seconds


def overhead(models: int) -> float:
    """Return plan, store, manifest and progress over the work, in one run in one process."""
    spent = 0.0
    evaluate = jobs.evaluate

    def timed(*given: Any) -> Any:
        nonlocal spent
        start = time.perf_counter()
        records = evaluate(*given)
        spent += time.perf_counter() - start
        return records

    with mock.patch.object(jobs, "evaluate", timed):
        return run(models, 1) / spent - 1


def two_workers(models: int, rounds: int) -> float:
    """Return the best time of two workers over that of one, in turns, both warm."""
    run(2, 2)
    times = [(run(models, 1), run(models, 2)) for _ in range(rounds)]
    one, two = (min(column) for column in zip(*times, strict=True))
    return two / one


def rows() -> Iterator[tuple[str, float, float | None]]:
    """Yield (name, measured, target); lower is better."""
    run(1, 1)
    share = min(overhead(MODELS) for _ in range(2))
    yield "plan, store and progress / work, figure1 slice", share, 0.05
    yield "two workers / one, figure1 slice (1 / speed-up)", two_workers(MODELS, 2), 1 / 1.8
