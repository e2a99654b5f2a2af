"""A Dask cluster on this machine: scheduler, two workers and their jobs share its cores."""

import contextlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks._peers import Row, beside, package

ROOT = Path(__file__).parents[1]
IDLE = {  # a study of 2,000 jobs that have next to nothing to do
    "version": 1,
    "study": "idle",
    "title": "Jobs of no work",
    "seed": 5,
    "generators": {"lin": {"generator": "linear", "params": {"d": 3}}},
    "methods": {"logistic": {"params": {"loss": "logistic"}, "lambdas": [1.0]}},
    "experiments": {
        "figure": {
            "problems": ["lin"],
            "protocol": {
                "kind": "models",
                "models": 2000,
                "training_sets": 1,
                "n_train": 20,
                "n_test": 20,
            },
            "methods": ["logistic"],
        }
    },
    "report": [],
}


def _started(verb: str, folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", f"distributed.cli.dask_{verb}", "--no-dashboard", *arguments]
    own = {**os.environ, "RANKEXP_CACHE": str(folder / "cache"), "PYTHONPATH": str(ROOT)}
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(command, cwd=folder, env=own, stdout=log, stderr=log)


@contextlib.contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """Start a scheduler and two workers of a thread, each in a folder of its own."""
    from distributed import Client

    file = folder / "scheduler.json"
    address = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
    running = [_started("scheduler", folder / "scheduler", *address)]
    try:
        while not file.exists():
            time.sleep(0.1)
        at = ("--scheduler-file", str(file), "--nthreads", "1")
        running += [_started("worker", folder / name, *at) for name in ("one", "two")]
        with Client(scheduler_file=str(file)) as client:
            client.wait_for_workers(2, timeout=60)
        yield f"dask:{file}"
    finally:
        for process in reversed(running):
            process.terminate()
            process.wait()


def _rankexp(*arguments: str) -> float:
    """Return the seconds that a command takes."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "rankexp", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{arguments} ended with {done.returncode}: {done.stderr}")
    return time.perf_counter() - start


def _ratios(study: str, name: str, folder: Path, *options: str) -> Iterator[float]:
    """Yield the time on a cluster over that without, just started and then again."""
    with cluster(folder / "cluster") as address:
        for turn in ("first", "second"):
            here, there = folder / f"here-{turn}", folder / f"there-{turn}"
            run = ("run", study, "--quiet", *options)
            alone = _rankexp(*run, "--results", str(here), "--jobs", "2")
            ratio = _rankexp(*run, "--results", str(there), "--cluster", address) / alone
            try:  # which refuses records that differ
                _rankexp("results", "merge", str(here / name), str(there / name))
            except SystemExit as error:
                print(error)
                ratio = math.inf
            yield ratio
    shutil.rmtree(folder / "cluster")


def _rows() -> Iterator[Row]:
    package("distributed")
    with tempfile.TemporaryDirectory() as place:
        idle = Path(place) / "idle.yaml"
        idle.write_text(json.dumps(IDLE))
        cases = (
            ("kotlowski2011 --quick", 1.15, "kotlowski2011", "kotlowski2011-quick", ("--quick",)),
            ("2,000 jobs of no work", 2.0, str(idle), "idle", ()),
        )
        for what, target, study, name, options in cases:
            ratios = _ratios(study, name, Path(place) / name, *options)
            for state, ratio in zip(("just started", "used before"), ratios, strict=True):
                yield f"{what}: two workers, {state} / none, same records", ratio, target


def rows() -> Iterator[Row]:
    """Yield the time of runs on a cluster over that of two processes here."""
    yield from beside("a run on a cluster / without", _rows)
