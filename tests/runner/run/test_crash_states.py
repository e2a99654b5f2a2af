"""Whatever a kill or a power cut leaves on a disk, nothing reported is lost and nothing wrong."""

import contextlib
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import toys
from crashes import Killed, Trace, after_cuts, made

from rankexp.errors import DataError
from rankexp.runner import files
from rankexp.runner.data.dataset import Dataset, Feature
from rankexp.runner.data.snapshot import read_dataset, write_dataset
from rankexp.runner.grid import Point
from rankexp.runner.run.execute import execute
from rankexp.runner.run.joined import merged
from rankexp.runner.run.manifest import read_manifest
from rankexp.runner.run.record import Record, RecordRow
from rankexp.runner.run.shards import Shard
from rankexp.runner.run.store import Store
from rankexp.runner.spec import digest

Values = dict[str, float]
KEYS = ("a", "b", "c")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the real disk: what reaches it is worked out."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def record(name: str, value: float) -> Record:
    rows = [RecordRow("test", 0, None, None, "auc", value)]
    return Record(digest(name), grid=(Point(()),), rows=rows, version="0.1.0")


def process() -> None:
    """Begin as a new process does: it knows of no folder that its name is on disk."""
    files._LASTING.clear()


class Run:
    """A process that works in a folder: each value it writes is above those before."""

    def __init__(self, folder: Path, trace: Trace) -> None:
        process()
        self.store, self.trace = Store(folder / "study"), trace

    def read(self) -> Values:
        return {k: r.rows[0].value for k, r in self.store.read().items()}

    def write(self, job: str, names: str, value: float) -> None:
        """Write a job's records and report them."""
        self.store.write(digest(job), [record(name, value) for name in names])
        for name in names:
            self.trace.said(digest(name), value)

    def tidy(self) -> None:
        """Begin a run where another was killed, and report what is there."""
        found = self.read()
        self.store.tidy(killed=True)
        for key, value in found.items():
            self.trace.said(key, value)

    def pack(self) -> None:
        self.store.seal(self.store.read())


Story = Callable[[Path, Trace], None]


def writes(folder: Path, trace: Trace) -> None:
    run = Run(folder, trace)
    run.read()
    run.write("one", "a", 1)
    run.write("two", "bc", 1)


def supersedes(folder: Path, trace: Trace) -> None:
    writes(folder, trace)
    run = Run(folder, trace)
    run.tidy()
    run.write("two", "b", 2)
    run.write("all", "abc", 3)
    run.store.discard_untrusted()


def beside(folder: Path, trace: Trace) -> None:
    """One run is killed before what it moved is on disk; another supersedes the rest."""
    Run(folder, trace).write("both", "ab", 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankexp.runner.files.bring_to_disk", lambda _: None)
        other = Run(folder, trace)
        other.read()
        other.store.write(digest("later"), [record("b", 2)])
    run = Run(folder, trace)
    run.read()
    run.write("one", "a", 3)


def packs(folder: Path, trace: Trace) -> None:
    writes(folder, trace)
    Run(folder, trace).pack()
    run = Run(folder, trace)
    run.read()
    run.write("more", "c", 2)
    Run(folder, trace).pack()


def mends(folder: Path, trace: Trace) -> None:
    """A file was damaged; its records are made again by other jobs, and it goes."""
    writes(folder, trace)
    Run(folder, trace).write("odd", "c", 1)
    trace.said(digest("b"), -1.0)  # nothing is promised of what is damaged
    damaged = Store(folder / "study").path(digest("two"))
    damaged.write_bytes(damaged.read_bytes()[:-30])
    run = Run(folder, trace)
    run.tidy()
    run.write("three", "b", 1)
    run.store.discard_untrusted()


STORIES: list[Story] = [writes, supersedes, beside, packs, mends]


def told(folder: Path, story: Story, end: int | None = None) -> Trace:
    """Return what a story asks of the disk, or its first events."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    trace = Trace(folder, end)
    with trace, contextlib.suppress(Killed):
        story(folder, trace)
    return trace


def reported(said: list[tuple[Any, ...]]) -> Values:
    return dict(said)


def assert_kept(folder: Path, promised: Values) -> None:
    """Nothing that was promised is lost, nothing is wrong, and a plain run heals all."""
    process()
    store = Store(folder / "study")
    found = {key: r.rows[0].value for key, r in store.read().items()}
    wanted = {digest(name): name for name in KEYS}
    assert found.keys() <= wanted.keys() and {*found.values()} <= {1.0, 2.0, 3.0}
    for key, value in promised.items():
        assert found.get(key, -1) >= value, "lost"
    store.tidy(killed=True)
    for key in wanted.keys() - found.keys():
        store.write(digest(f"again {key}"), [record(wanted[key], 9.0)])
    store.discard_untrusted()
    assert store.lost() == set()
    last = Store(folder / "study")
    now = {key: r.rows[0].value for key, r in last.read().items()}
    assert now == dict.fromkeys(wanted, 9.0) | found and last.problems == []
    assert not list(folder.rglob(".*.tmp"))
    last.seal(last.read())
    assert {key: r.rows[0].value for key, r in Store(folder / "study").read().items()} == now


def try_all(trace: Trace, folder: Path, first: int = 0, every: int = 1) -> int:
    """Try the states after a cut at each event, or some of them; return how many."""
    count = 0
    for tree, said in after_cuts(trace, first):
        count += 1
        if count % every == 0:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            made(tree, folder)
            assert_kept(folder, reported(said))
    return count


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_a_power_cut(tmp_path: Path, story: Story) -> None:
    """Every second state; those after a kill, too, hold them all and are slow."""
    assert try_all(told(tmp_path / "run", story), tmp_path / "cut", every=2) >= 18


def after_a_kill(folder: Path, story: Story, end: int) -> tuple[Trace, int]:
    """Return a story that ends in a kill, then a plain run, and where that begins."""
    trace = told(folder, story, end)
    trace.end, began = None, len(trace.events)
    with trace:
        run = Run(folder, trace)
        run.tidy()
        for name in [name for name in KEYS if digest(name) not in run.read()]:
            run.write(f"again {name}", name, 3)
        run.store.discard_untrusted()
    return trace, began


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_a_kill_at_any_operation_and_a_power_cut_at_any_after_it(
    tmp_path: Path, story: Story
) -> None:
    ends = len(told(tmp_path / "run", story).events)
    count = 0
    for end in range(ends):
        trace, began = after_a_kill(tmp_path / "run", story, end)
        count += try_all(trace, tmp_path / "cut", began)
    print(f"{story.__name__}: {ends} kills, {count} states")
    assert count > 10 * ends


def test_a_snapshot_is_whole_or_not_there(tmp_path: Path) -> None:
    both = [
        Dataset(
            "small",
            np.full((3, 2), value),
            np.array([0.0, 1.0, 2.0]),
            (Feature("u"), Feature("v")),
        )
        for value in (0.0, 1.0)
    ]
    (tmp_path / "run").mkdir()
    with Trace(tmp_path / "run") as trace:
        for dataset in both:
            write_dataset(dataset, tmp_path / "run/snapshots/small.npz")
    found, count = set(), 0
    for tree, _ in after_cuts(trace):
        count += 1
        shutil.rmtree(tmp_path / "cut", ignore_errors=True)
        (tmp_path / "cut").mkdir()
        made(tree, tmp_path / "cut")
        file = tmp_path / "cut/snapshots/small.npz"
        if file.exists():
            found.add(read_dataset(file).fingerprint)
        else:
            with pytest.raises(DataError, match="does not exist"):
                read_dataset(file)
    assert found == {dataset.fingerprint for dataset in both} and count > 10


def contents(folder: Path) -> dict[str, str]:
    return {k: repr(replace(r, times={})) for k, r in Store(folder / "toy").read().items()}


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_power_cut_at_any_operation_of_a_whole_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    methods = {"log": {"params": {"loss": "logistic"}, "lambdas": [0.01, 1.0]}}
    study = toys.study(methods, models=2, training_sets=2)
    write = Store.write_packed
    (tmp_path / "run").mkdir()
    process()
    with Trace(tmp_path / "run") as trace:

        def write_packed(store: Store, job: str, keys: Sequence[str], content: bytes) -> None:
            write(store, job, keys, content)
            trace.said(*keys)

        monkeypatch.setattr(Store, "write_packed", write_packed)
        assert execute(study, results=tmp_path / "run", workers=1, quiet=True).exit_code == 0
    monkeypatch.setattr(Store, "write_packed", write)
    undisturbed, count = contents(tmp_path / "run"), 0
    for tree, said in after_cuts(trace):
        count += 1
        cut = tmp_path / "cut"
        shutil.rmtree(cut, ignore_errors=True)
        cut.mkdir()
        made(tree, cut)
        process()
        found = contents(cut)
        assert {key for keys in said for key in keys} <= found.keys()
        assert found.items() <= undisturbed.items()
        outcome = execute(study, results=cut, workers=1, quiet=True)
        assert (outcome.exit_code, outcome.messages) == (0, [])
        assert contents(cut) == undisturbed and not list(cut.rglob(".*.tmp"))
        assert read_manifest(cut / "toy")["complete"]
    print(f"a whole run: {len(trace.events)} events, {count} states")
    assert count > 100


@pytest.fixture
def shards(tmp_path: Path) -> list[Path]:
    """Two shards of a study that keeps scores."""
    methods = {"log": {"params": {"loss": "logistic"}, "lambdas": [0.01, 1.0]}}
    study = toys.study(methods, models=2, training_sets=2, keep={"scores": True})
    for part in (1, 2):
        how = {"workers": 1, "quiet": True, "shard": Shard(part, 2)}
        assert execute(study, results=tmp_path / f"part{part}", **how).exit_code == 0
    return [tmp_path / f"part{part}" / "toy" for part in (1, 2)]


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.slow), 60])
def test_a_power_cut_at_any_operation_of_a_merge(
    tmp_path: Path, shards: list[Path], every: int
) -> None:
    """What is there is right, and the same merge again does the rest."""
    whole = {key: repr(r) for part in shards for key, r in Store(part).read().items()}
    scores = {file.name: file.read_bytes() for part in shards for file in part.glob("scores/*/*")}
    (tmp_path / "run").mkdir()
    process()
    with Trace(tmp_path / "run") as trace:
        for sources in (shards[:1], shards):
            merged(tmp_path / "run" / "toy", sources)
            trace.said(*Store(tmp_path / "run" / "toy").read())
    count = 0
    for tree, said in after_cuts(trace):
        count += 1
        if count % every:
            continue
        cut = tmp_path / "cut"
        shutil.rmtree(cut, ignore_errors=True)
        cut.mkdir()
        made(tree, cut)
        process()
        found = {key: repr(r) for key, r in Store(cut / "toy").read().items()}
        assert {key for keys in said for key in keys} <= found.keys() <= whole.keys()
        assert found.items() <= whole.items()
        merged(cut / "toy", shards)
        assert {key: repr(r) for key, r in Store(cut / "toy").read().items()} == whole
        kept = {file.name: file.read_bytes() for file in cut.glob("toy/scores/*/*.npz")}
        assert kept == scores and not list(cut.rglob(".*.tmp"))
    print(f"a merge: {len(trace.events)} events, {count} states")
    assert len(whole) == 4 and count > 100
