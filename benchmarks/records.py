"""Commands on studies of 10,000 and of 100,000 records: seconds of a processor, and memory."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from benchmarks._timing import command
from rankexp.runner.config.schema import Study
from rankexp.runner.plan import Job
from rankexp.runner.run.execute import execute
from rankexp.runner.run.record import Record, RecordRow
from rankexp.runner.run.shards import Shard

SHARDS = 4
SECONDS = {"status": 4.0, "plan": 8.0}
GIGABYTES = {"status": 0.25, "report": 0.6}
GROWTH = 11.0  # of what ten times as many records take
MERGE = 20.0  # seconds
FILES = 20  # of a packed study


def _study(models: int) -> dict[str, Any]:
    pair = {"block": "paired_table", "name": "pair", "experiment": "figure"}
    return {
        "version": 1,
        "study": "many",
        "title": "Many records",
        "seed": 5,
        "generators": {"lin": {"generator": "linear", "params": {"d": 3}}},
        "methods": {
            "points": {"params": {"loss": "logistic"}},
            "pairs": {"params": {"loss": "hinge", "risk": "bipartite"}},
        },
        "experiments": {
            "figure": {
                "problems": ["lin"],
                "protocol": {
                    "kind": "models",
                    "models": models,
                    "training_sets": 100,
                    "n_train": 60,
                    "n_test": 80,
                },
                "methods": ["points", "pairs"],
            }
        },
        "report": [pair | {"options": {"reference": "points"}}],
    }


def _made_up(job: Job, most: float) -> list[Record]:
    """Return a job's records without any fit."""
    return [
        Record(
            cell.key,
            grid=cell.spec.points,
            rows=[RecordRow("test", 0, None, None, "rank_loss", int(cell.key[:4], 16) / 1e6)],
            times={"fit": 0.001, "score": 0.001, "cpu": 0.002},
        )
        for cell in job.cells
    ]


def _shards(records: int, folder: Path) -> tuple[Path, list[str]]:
    """Write a study and its shards; return the study and the folders."""
    made = _study(records // 200)
    file = folder / "many.yaml"
    file.write_text(json.dumps(made))
    with mock.patch("rankexp.runner.run.evaluate.evaluate", _made_up):
        for k in range(1, SHARDS + 1):
            place = folder / f"shard{k}"
            outcome = execute(
                Study.model_validate(made), results=place, config=file, workers=1, quiet=True,
                plan=False, shard=Shard(k, SHARDS),
            )  # fmt: skip
            assert not outcome.failed
    return file, [str(folder / f"shard{k}" / "many") for k in range(1, SHARDS + 1)]


def _spent(records: int, folder: Path) -> dict[str, tuple[float, float]]:
    """Return what each command takes, and how many files there are after ``pack``."""
    file, shards = _shards(records, folder)
    results = folder / "results"
    where = ("--results", str(results))
    spent = {"merge": command("results", "merge", str(results / "many"), *shards)}
    spent["status"] = command("status", *where)
    spent["plan"] = command("plan", str(file), *where)
    spent["report"] = command("report", "many", *where)
    command("pack", "many", *where)
    spent["files"] = float(sum(1 for _ in (results / "many" / "records").iterdir())), 0.0
    return spent


def rows() -> Iterator[tuple[str, float, float]]:
    """Yield what commands take on 100,000 records, and how that grows from 10,000."""
    found = []
    for records in (10_000, 100_000):
        with tempfile.TemporaryDirectory() as place:
            found.append(_spent(records, Path(place)))
    few, many = found
    for verb, most in SECONDS.items():
        yield f"{verb} of 100,000 records: seconds of a processor", many[verb][0], most
    for verb, most in GIGABYTES.items():
        yield f"{verb} of 100,000 records: gigabytes", many[verb][1], most
    for verb in ("status", "plan", "report"):
        yield f"{verb}, 100,000 / 10,000 records", many[verb][0] / few[verb][0], GROWTH
    yield f"merge of {SHARDS} shards, 100,000 records: seconds", many["merge"][0], MERGE
    yield "files of 100,000 packed records", many["files"][0], FILES
