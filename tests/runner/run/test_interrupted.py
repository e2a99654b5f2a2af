"""Real processes, really killed: running again ends as if nothing had happened."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import toys

from rankexp.runner.config.schema import Study
from rankexp.runner.run.execute import execute
from rankexp.runner.run.store import Store

SIZE = {"models": 8, "training_sets": 4}
DRIVER = """
import sys
from pathlib import Path
import toys
from rankexp.runner.run.execute import execute
study = toys.study({{"slow": "Slow", "mean": "MeanDifference"}}, **{size})
print("planned", flush=True)
outcome = execute(study, results=Path(sys.argv[1]), workers=int(sys.argv[2]), quiet=True)
sys.exit(outcome.exit_code)
"""


def study() -> Study:
    return toys.study({"slow": "Slow", "mean": "MeanDifference"}, **SIZE)


def start(folder: Path, workers: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER.format(size=SIZE), str(folder), str(workers)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for_records(folder: Path, process: subprocess.Popen[str], known: int = 0) -> None:
    until = time.monotonic() + 60
    while len(list(folder.glob("toy/records/*/*.json"))) <= known:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.01)


def children(pid: int) -> list[int]:
    """Return the worker processes of a run."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            line = (entry / "cmdline").read_text()
        except (OSError, IndexError):
            continue
        if parent == pid and "popen_loky" in line:
            found.append(int(entry.name))
    return found


def contents(folder: Path) -> dict[str, str]:
    return {k: repr(replace(r, times={})) for k, r in Store(folder / "toy").read().items()}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("undisturbed")
    assert execute(study(), results=folder, workers=1, quiet=True).exit_code == 0
    return contents(folder)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("workers", "number", "code"),
    [
        (1, signal.SIGKILL, -9),
        pytest.param(2, signal.SIGKILL, -9, marks=pytest.mark.slow),
        pytest.param(1, signal.SIGTERM, 130, marks=pytest.mark.slow),
    ],
    ids=["kill", "kill with workers", "terminate"],
)
def test_a_killed_run_goes_on(
    tmp_path: Path, undisturbed: dict[str, str], workers: int, number: int, code: int
) -> None:
    stopped_by(number, code, tmp_path, workers, undisturbed)
    assert execute(study(), results=tmp_path, workers=workers, quiet=True).exit_code == 0
    assert contents(tmp_path) == undisturbed
    assert not list(tmp_path.rglob("*.tmp"))


def stopped_by(
    number: int, code: int, folder: Path, workers: int, undisturbed: dict[str, str]
) -> None:
    process = start(folder, workers)
    wait_for_records(folder, process)
    os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)
    _, errors = process.communicate(timeout=200)  # orphans would keep the pipe open
    assert process.returncode == code, errors
    assert "Traceback" not in errors
    partial = contents(folder)
    assert 0 < len(partial) < len(undisturbed)
    assert partial.items() <= undisturbed.items()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_a_run_ends_with_its_time_and_goes_on(
    tmp_path: Path, undisturbed: dict[str, str], workers: int
) -> None:
    before = signal.getsignal(signal.SIGALRM)
    long = {"slow": "Slow", "mean": "MeanDifference", "long": "Sleeps"}
    outcome = execute(
        toys.study(long, **SIZE),
        results=tmp_path,
        workers=workers,
        quiet=True,
        until=time.monotonic() + 2,
    )
    assert (outcome.stopped, outcome.exit_code, outcome.messages) == (True, 0, [])
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    later = execute(study(), results=tmp_path, workers=1, quiet=True, until=time.monotonic() + 600)
    assert (later.stopped, later.exit_code) == (False, 0)
    assert contents(tmp_path).items() >= undisturbed.items()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.slow
def test_workers_are_stopped_by_ctrl_c_and_a_killed_one_does_not_stop_the_run(
    tmp_path: Path, undisturbed: dict[str, str]
) -> None:
    stopped_by(signal.SIGINT, 130, tmp_path, 2, undisturbed)
    process = start(tmp_path, 2)
    wait_for_records(tmp_path, process, len(list(tmp_path.glob("toy/records/*/*.json"))))
    os.kill(children(process.pid)[0], signal.SIGKILL)
    _, errors = process.communicate(timeout=200)
    assert process.returncode == 0, errors
    assert "it is tried again alone" in errors
    assert "Traceback" not in errors
    assert contents(tmp_path) == undisturbed
    assert not list(tmp_path.rglob("*.tmp"))
