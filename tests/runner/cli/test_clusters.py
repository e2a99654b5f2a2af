"""Studies whose jobs a Dask cluster does: the same records, whatever dies, and what is said."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rankexp.errors import EnvironmentProblemError
from rankexp.runner import files
from rankexp.runner.plan import jobs
from rankexp.runner.run import pool, remote
from rankexp.runner.run.engines import connected, dask
from rankexp.runner.run.remote import RemoteWorker, Requirements, version_of

Typed = Callable[..., subprocess.CompletedProcess[str]]
STUDY = """\
version: 1
study: far
title: A study for a cluster
seed: 3
generators: {flips: {generator: linear, params: {p: 0.5, d: 4}}}
data: {mine: {source: {file: mine.csv}, target: label, levels: ["no", "yes"]}}
methods:
  points: {params: {loss: logistic, risk: classification}}
  own: {estimator: "models.py:Own"}
experiments:
  sim:
    kind: evaluate
    problems: [flips]
    protocol: {kind: models, models: 2, training_sets: 3, n_train: 60, n_test: 200}
    methods: [points, own]
    lambdas: [0.01, 1]
    keep: {scores: true}
  cv:
    kind: evaluate
    problems: [mine]
    protocol: {kind: cross_validation, repeats: 1, folds: 2}
    methods: [points, own]
    lambdas: [0.01, 1]
report: []
"""
OWN = """\
import numpy as np
import os, signal
from sklearn.base import BaseEstimator


class Own(BaseEstimator):
    def fit(self, X, y):
        {deed}
        up, noise = y == np.max(y), np.random.normal(size=X.shape[1])
        self.w_ = X[up].mean(axis=0) - X[~up].mean(axis=0) + noise
        return self

    def predict(self, X):
        return (X * self.w_).sum(axis=1)
"""
AT_ONCE = """\
from distributed import LocalCluster
made = LocalCluster(n_workers=1, threads_per_worker=2, processes=False, protocol="tcp://",
                    host="127.0.0.1", dashboard_address=None)
print(made.scheduler_address, flush=True)
input()
"""


def written(folder: Path, deed: str = "pass") -> Path:
    """Write the study, its data and its method into a folder."""
    folder.mkdir(exist_ok=True)
    (folder / "far.yaml").write_text(STUDY)
    rows = "".join(f"{i % 7},{i * i % 11},{'yes' if i % 7 > 3 else 'no'}\n" for i in range(60))
    (folder / "mine.csv").write_text("a,b,label\n" + rows)
    (folder / "models.py").write_text(OWN.format(deed=deed))
    return folder


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A cluster in one process, whose worker has two threads and another folder and cache."""
    folder = tmp_path_factory.mktemp("elsewhere")
    surroundings = {**os.environ, "RANKEXP_CACHE": str(folder / "cache")}
    process = subprocess.Popen(
        [sys.executable, "-c", AT_ONCE],
        cwd=folder,
        env=surroundings,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()


def test_a_cluster_makes_the_records_of_this_machine(
    address: str, tmp_path: Path, typed: Typed
) -> None:
    written(tmp_path)
    whole, far = ("--results", tmp_path / "here"), ("--results", tmp_path / "there")
    assert typed("run", "far.yaml", "--jobs", 1, *whole, cwd=tmp_path).returncode == 0
    there = ("run", "far.yaml", "--quiet", "--cluster", f"dask:{address}", *far)
    done = typed(*there, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    both = typed("results", "merge", "here/far", "there/far", cwd=tmp_path)
    assert both.stdout == "here/far: 0 records merged; 16 of 16 records are there\n"
    assert len(list((tmp_path / "there").glob("far/scores/*/*.npz"))) == 12
    manifest = json.loads((tmp_path / "there" / "far" / "manifest.json").read_text("utf-8"))
    assert list(manifest["hosts"].values()) == [16]


@pytest.mark.slow
def test_a_method_ends_its_process_and_not_the_workers(
    address: str, tmp_path: Path, typed: Typed
) -> None:
    """Its records fail, all others are made."""
    written(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)")
    words = ("run", "far.yaml", "--quiet", "--cluster", f"dask:{address}")
    died = typed(*words, cwd=tmp_path)
    assert died.returncode == 1 and "8 records failed" in died.stderr
    assert "ended by SIGKILL, perhaps for lack of memory, twice" in died.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dusk:tcp://here:1", r"did you mean 'dask'\?\)\. Write KIND:ADDRESS"),
        ("dask:", "say the address of the scheduler"),
        ("dask:here", "no Dask scheduler answers at 'here': ValueError"),
        ("dask:none.json", "no Dask scheduler answers at 'none.json': FileNotFoundError"),
    ],
)
def test_an_address_that_says_nothing_is_refused(
    text: str, said: str, tmp_path: Path, typed: Typed
) -> None:
    written(tmp_path)
    done = typed("run", "far.yaml", "--cluster", text, cwd=tmp_path)
    assert done.returncode in (2, 4) and re.search(said, done.stderr)
    assert not (tmp_path / "results").exists()


def test_a_scheduler_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask, "ANSWERS", 0.5)
    with pytest.raises(EnvironmentProblemError, match="no Dask scheduler answers at 'tcp://127"):
        connected("dask:tcp://127.0.0.1:9")


def test_what_a_worker_lacks_is_named() -> None:
    wanted = {"Python": "3.1", "scikit-learn": "9.9", "not-there": "1", "this": "sha256:1"}
    for name, version in wanted.items():
        said = Requirements({}, {name: version}).unfit()
        what = {"not-there": "lacks not-there", "this": "has another file of this than"}
        assert what.get(name, f"has {name} {version_of(name)}, not {version}") in said
        assert said.endswith("Install the same there as here")
    assert version_of("this").startswith("sha256:") and version_of("not-there") == ""
    assert re.fullmatch(r"[\d.]+\S* \(code [0-9a-f]{8}\)", version_of("rankexp"))
    assert not Requirements({}, {name: version_of(name) for name in wanted}).unfit()
    with pytest.raises(EnvironmentProblemError, match=r"not 9\.9"):
        RemoteWorker(Requirements({}, {"scikit-learn": "9.9"})).do(lambda: None, lambda: False)


def test_a_file_is_found_elsewhere_by_its_path_as_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as one of a relative RANKEXP_CACHE: workers have another working folder."""
    path, sent = Path("cache/data.npz"), tmp_path / "sent"
    for folder in (sent, tmp_path / "here"):
        folder.mkdir()
    monkeypatch.chdir(tmp_path)
    (sent / files.sent_as(path)).write_bytes(b"")
    monkeypatch.chdir(tmp_path / "here")
    assert files.here(path) == path
    monkeypatch.setattr(files, "SENT", [sent])
    assert files.here(path) == sent / files.sent_as(path)


def test_a_worker_is_light_and_its_processes_are_those_of_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What Dask sets for its workers is not handed on; its scheduler imports little of ours."""
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")
    remote.warm()
    kept = pool._idle[-1]
    assert kept.process.is_alive()
    environment = Path(f"/proc/{kept.process.pid}/environ").read_bytes()
    assert b"MALLOC_TRIM" not in environment and b"OMP_NUM_THREADS=1" in environment
    assert kept.seen["rankexp"] == version_of("rankexp")
    code = (
        "import sys, rankexp.runner.run.engines.dask; print({'scipy', 'sklearn'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_versions_are_asked_anew_by_each_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker stays while what is installed beside it changes."""
    monkeypatch.setattr(remote, "installed", lambda name: "1.0")
    assert RemoteWorker(Requirements({}, {"numpy": "1.0"})).unfit == ""
    monkeypatch.setattr(remote, "installed", lambda name: "2.0")
    assert "has numpy 2.0, not 1.0" in RemoteWorker(Requirements({}, {"numpy": "1.0"})).unfit


def test_more_machines_are_given_larger_jobs() -> None:
    from rankexp.runner.config.load import load
    from rankexp.runner.config.shipped import shipped
    from rankexp.runner.plan import cells

    needed = list(cells(load(shipped()["kotlowski2011"]), {}, only=["figure1"]))
    counts = [len(list(jobs(needed, (), size))) for size in (0.1, 1.0)]
    assert counts[1] < counts[0]
    assert sorted(c.key for job in jobs(needed, (), 1.0) for c in job.cells) == sorted(
        {cell.key for cell in needed}
    )


class Cluster:
    """A scheduler and workers, each a process as people start them, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.processes = folder, dict[str, subprocess.Popen[bytes]]()
        self.file = folder / "scheduler.json"
        self.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-show")

    def start(self, name: str, *arguments: str, before: tuple[str, ...] = (), **more: str) -> None:
        home = self.folder / name
        home.mkdir(exist_ok=True)
        verb = "scheduler" if name == "scheduler" else "worker"
        command = [sys.executable, "-m", f"distributed.cli.dask_{verb}", "--no-dashboard"]
        command += ["--scheduler-file", str(self.file), *arguments]
        named = {"RANKEXP_CACHE": str(home / "cache"), "TMPDIR": str(home), **more}
        with (home / "log").open("wb") as log:
            self.processes[name] = subprocess.Popen(
                [*before, *command],
                cwd=home,
                env={**os.environ, **named},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def worker(self, name: str, *arguments: str, threads: int = 1, **more: str) -> None:
        self.start(name, "--nthreads", str(threads), *arguments, **more)

    def kill(self, name: str) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.processes[name].pid, signal.SIGKILL)
        self.processes.pop(name).wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path / "cluster") if (tmp_path / "cluster").mkdir() is None else None
    assert made is not None
    try:
        yield made
    finally:
        for name in [*made.processes]:
            made.kill(name)


def begun(folder: Path, cluster: Cluster, *more: str) -> subprocess.Popen[str]:
    """Start a run on a cluster, in a process of its own."""
    words = ["-m", "rankexp", "run", "far.yaml", "--cluster", f"dask:{cluster.file}", *more]
    surroundings = {**os.environ, "RANKEXP_CACHE": str(folder / "cache")}
    return subprocess.Popen(
        [sys.executable, *words],
        cwd=folder,
        env=surroundings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def records(folder: Path) -> int:
    return len(list(folder.glob("results/far/records/*/*")))


def until(what: Callable[[], object], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.fixture
def study(tmp_path: Path, typed: Typed) -> Path:
    """The study in a folder, of which this machine has made the records, too, under `here`."""
    folder = written(tmp_path / "study", "__import__('time').sleep(0.3)")
    where = ("--results", "here", "--jobs", 2)
    assert typed("run", "far.yaml", *where, cwd=folder).returncode == 0
    return folder


def assert_same(folder: Path, typed: Typed) -> None:
    both = typed("results", "merge", "here/far", "results/far", cwd=folder)
    assert both.stdout == "here/far: 0 records merged; 16 of 16 records are there\n"


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_workers_that_die_and_come_change_nothing(
    study: Path, cluster: Cluster, typed: Typed
) -> None:
    cluster.worker("0")
    for number in range(1, 1 + int(os.environ.get("RANKEXP_ROUNDS", "4"))):
        run = begun(study, cluster)
        until(lambda: records(study) > 0)
        cluster.kill([*cluster.processes][1])
        cluster.worker(str(number))
        said = run.communicate(timeout=280)
        assert run.returncode == 0, said
        assert_same(study, typed)
        shutil.rmtree(study / "results")


@pytest.mark.slow
def test_workers_that_come_later_work_too(tmp_path: Path, cluster: Cluster) -> None:
    folder, log = tmp_path / "study", tmp_path / "log"
    deed = f"__import__('time').sleep(0.5), open({str(log)!r}, 'a').write(os.getcwd() + ' ')"
    written(folder, deed)
    many = STUDY.replace("models: 2, training_sets: 3", "models: 40, training_sets: 1")
    (folder / "far.yaml").write_text(many)
    cluster.worker("0")
    run = begun(folder, cluster)
    until(lambda: records(folder) > 0)
    for name in ("1", "2", "3"):
        cluster.worker(name)
    said = run.communicate(timeout=280)
    assert run.returncode == 0, said
    places = {
        Path(place).relative_to(cluster.folder).parts[0] for place in log.read_text().split()
    }
    assert places == {"0", "1", "2", "3"}


@pytest.mark.slow
def test_a_scheduler_that_dies_ends_the_run_with_a_word(
    study: Path, cluster: Cluster, typed: Typed
) -> None:
    cluster.worker("one")
    run = begun(study, cluster)
    until(lambda: records(study) > 0)
    cluster.kill("scheduler")
    start = time.monotonic()
    _, errors = run.communicate(timeout=100)
    assert run.returncode == 4 and time.monotonic() - start < 40
    assert "no longer answers. Finished results are kept" in errors and "Traceback" not in errors
    cluster.file.unlink()
    cluster.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-show")
    until(cluster.file.exists)
    cluster.worker("two")
    again = begun(study, cluster)
    assert again.communicate(timeout=200) and again.returncode == 0
    assert_same(study, typed)


@pytest.mark.slow
def test_a_run_that_is_interrupted_takes_its_jobs_back(study: Path, cluster: Cluster) -> None:
    (at := study / "at").mkdir()
    written(study, f"open(f'{at}/{{os.getpid()}}', 'w').close(); __import__('time').sleep(1000)")
    cluster.worker("one", threads=2)
    run = begun(study, cluster)
    busy = f"{cluster.folder}/one"

    def children() -> list[str]:
        asked = ["pgrep", "-f", "loky.backend.popen"]
        found = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()
        return [p for p in found if busy in str(Path(f"/proc/{p}/cwd").readlink())]

    until(lambda: len(list(at.iterdir())) == len(children()) == 2)
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=60)
    assert run.returncode == 130 and "interrupted" in errors
    until(lambda: not children(), 20)


@pytest.mark.slow
def test_a_worker_that_sees_no_file_of_ours(study: Path, cluster: Cluster, typed: Typed) -> None:
    (cluster.folder / "two").mkdir()
    hidden = f"mount -t tmpfs none {study} && mount -t tmpfs none {study.parent}/cluster/two && "
    shell = ("unshare", "-m", "sh", "-c", f'{hidden} exec "$0" "$@"')
    if subprocess.run([*shell, "true"], check=False, capture_output=True).returncode:
        pytest.skip("no mount namespace of its own")
    cluster.start("two", "--nthreads", "1", "--local-directory", "/tmp", before=shell)
    run = begun(study, cluster)
    said = run.communicate(timeout=200)
    assert run.returncode == 0, said
    assert_same(study, typed)


@pytest.mark.slow
def test_a_worker_with_another_version_makes_no_record(study: Path, cluster: Cluster) -> None:
    other = cluster.folder / "other" / "scikit_learn-1.7.0.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: scikit-learn\nVersion: 1.7.0\n")
    cluster.worker("two", PYTHONPATH=str(other.parent))
    run = begun(study, cluster)
    _, errors = run.communicate(timeout=100)
    assert run.returncode == 4 and "has scikit-learn 1.7.0, not " in errors
    assert records(study) == 0


@pytest.mark.slow
def test_a_cluster_without_workers_is_waited_for(study: Path, cluster: Cluster) -> None:
    until(cluster.file.exists)
    run, start = begun(study, cluster), time.monotonic()
    out, errors = run.communicate(timeout=200)
    assert run.returncode == 4 and "has had no worker for 60 seconds" in errors
    assert "has no worker yet; waiting for one" in out + errors
    assert 60 <= time.monotonic() - start < 120
