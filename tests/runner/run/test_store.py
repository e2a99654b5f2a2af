"""What is written is read back, and nothing else is trusted."""

import errno
import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.errors import EnvironmentProblemError
from rankexp.runner.grid import Point
from rankexp.runner.run.record import Record, RecordRow
from rankexp.runner.run.store import Store, pack, unpack
from rankexp.runner.spec import canonical

JOB, OTHER = "a" * 64, "b" * 64
values = st.floats(allow_nan=True, allow_infinity=True)
rows = st.builds(
    RecordRow,
    st.sampled_from(["test", "inner"]),
    st.integers(0, 1),
    st.none() | st.integers(0, 3),
    st.none() | st.text(max_size=3),
    st.sampled_from(["rank_loss", "ndcg@10"]),
    values,
)
records = st.builds(
    Record,
    key=st.sampled_from(["k1", "k2"]),
    status=st.sampled_from(["ok", "failed"]),
    reason=st.none() | st.text(max_size=5),
    grid=st.lists(
        st.dictionaries(st.sampled_from(["lam", "C"]), st.floats(0, 9)).map(Point.of),
        min_size=2,
        max_size=2,
    ).map(tuple),
    rows=st.lists(rows, max_size=4),
    curves=st.dictionaries(
        st.just("roc"),
        st.fixed_dictionaries({"x": st.just([0.5, math.inf]), "y": st.just([1, 2])}),
    ),
    texts=st.dictionaries(st.just("tree"), st.text(max_size=5)),
    times=st.dictionaries(st.just("fit"), st.floats(0, 9)),
    warnings=st.lists(st.text(max_size=3), max_size=2),
    version=st.just("0.1.0"),
)


@settings(max_examples=50)
@given(st.lists(records, max_size=3))
def test_a_file_gives_back_what_was_written(made: list[Record]) -> None:
    job, _, found = unpack(pack(JOB, made))
    assert job == JOB
    assert [r.to_json() for r in found] == [r.to_json() for r in made]
    for before, after in zip(made, found, strict=True):
        assert repr(after.rows) == repr(before.rows)  # NaN equals itself in print only
    json.loads(pack(JOB, made), parse_constant=pytest.fail)  # strict JSON: NaN is null


def one(key: str = "k1", value: float = 0.25, **fields: str) -> Record:
    rows = [RecordRow("test", 0, None, None, "rank_loss", value)]
    record = Record(key, grid=(Point(()),), rows=rows, version="0.1.0")
    return replace(record, **fields)  # type: ignore[arg-type]


def test_reading_what_is_not_there(tmp_path: Path) -> None:
    store = Store(tmp_path / "nothing")
    assert store.read() == {}
    assert not (tmp_path / "nothing").exists()


def test_a_file_for_each_job(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write(JOB, [one("k1"), one("k2")])
    store.write(OTHER, [one("k3", math.nan)])
    assert (tmp_path / "records" / "aa" / f"{JOB}.json").is_file()
    found = Store(tmp_path).read()
    assert set(found) == {"k1", "k2", "k3"}
    assert math.isnan(found["k3"].rows[0].value)


def damage_truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-20])


def damage_empty(file: Path) -> None:
    file.write_bytes(b"")


def damage_alter(file: Path) -> None:
    file.write_text(file.read_text().replace("0.25", "0.24"))


def damage_format(file: Path) -> None:
    file.write_text(file.read_text().replace('"format":1', '"format":2'))


def damage_rename(file: Path) -> None:
    file.rename(file.with_name(f"{OTHER}.json"))


def damage_binary(file: Path) -> None:
    file.write_bytes(b"\xff\xfe\x00")


def damage_foreign(file: Path) -> None:
    file.write_text("[1, 2]")


def damage_nan(file: Path) -> None:
    file.write_text(file.read_text().replace("0.25", "NaN"))


def damage_depth(file: Path) -> None:
    file.write_text("[" * 100_000)


def damage_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()
    (file / "inside").touch()


@pytest.mark.parametrize(
    "damage",
    [
        damage_truncate,
        damage_empty,
        damage_alter,
        damage_format,
        damage_rename,
        damage_binary,
        damage_foreign,
        damage_nan,
        damage_depth,
        damage_folder,
    ],
)
def test_a_damaged_file_is_reported_and_not_trusted(tmp_path: Path, damage: object) -> None:
    store = Store(tmp_path)
    store.write(JOB, [one()])
    store.write("c" * 64, [one("k2")])
    damage(store.path(JOB))  # type: ignore[operator]
    assert set(store.read()) == {"k2"}
    (problem,) = store.problems
    assert str(tmp_path) in problem
    assert problem.endswith("are computed again")
    store.write(OTHER, [one()])  # perhaps in the file's place, perhaps not
    store.discard_untrusted()
    again = Store(tmp_path)
    assert set(again.read()) == {"k1", "k2"}
    assert again.problems == []


def test_the_checksum_is_of_the_content_not_of_its_layout(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write(JOB, [one()])
    file = store.path(JOB)
    file.write_text(json.dumps(json.loads(file.read_text()), indent=2))
    assert set(store.read()) == {"k1"}


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (one(version="0.10.0"), one(version="0.9.0")),
        (one(version="0.1.0"), one(version="0.2.0", status="failed")),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_of_two_records_the_ok_and_newer_one_counts(
    tmp_path: Path, better: Record, worse: Record, first: bool
) -> None:
    for job, record in zip((JOB, OTHER), (better, worse)[:: 1 if first else -1], strict=True):
        Store(tmp_path).write(job, [record])  # each store knows nothing of the other's file
    assert Store(tmp_path).read() == {"k1": better}


def test_new_records_take_the_place_of_old_ones(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write(JOB, [one("k1", 0.1), one("k2", 0.2)])
    store.read()
    store.write(OTHER, [one("k2", 0.9, status="failed")])
    found = Store(tmp_path).read()
    assert (found["k1"].rows[0].value, found["k2"].rows[0].value) == (0.1, 0.9)
    store.write("c" * 64, [one("k1", 0.8)])
    assert not store.path(JOB).exists()
    assert Store(tmp_path).read()["k1"].rows[0].value == 0.8


def forged(change: Callable[[dict[str, Any]], object]) -> bytes:
    """Return a file's content with an altered record and the right checksum."""
    data = json.loads(pack(JOB, [one()]))
    change(data["payload"]["records"][0])
    payload = canonical(data["payload"])
    data["checksum"] = hashlib.sha256(payload.encode()).hexdigest()
    return canonical(data).encode()


FORGED: dict[str, Callable[[dict[str, Any]], object]] = {
    "status": lambda record: record.update(status="fine"),
    "reason": lambda record: record.update(reason=3),
    "no rows": lambda record: record.pop("rows"),
    "another field": lambda record: record.update(colour="red"),
    "rows": lambda record: record.update(rows=3),
    "row": lambda record: record.update(rows=[[1, 2]]),
    "part": lambda record: record["rows"][0].__setitem__(0, None),
    "grid point": lambda record: record["rows"][0].__setitem__(1, 7),
    "grid point's type": lambda record: record["rows"][0].__setitem__(1, "0"),
    "step": lambda record: record["rows"][0].__setitem__(2, [1]),
    "group": lambda record: record["rows"][0].__setitem__(3, {}),
    "value": lambda record: record["rows"][0].__setitem__(5, [0.5]),
    "huge value": lambda record: record["rows"][0].__setitem__(5, 10**400),
    "curves": lambda record: record.update(curves=[1]),
    "curve": lambda record: record.update(curves={"roc": {"x": [1], "y": [1, 2]}}),
    "texts": lambda record: record.update(texts={"tree": 3}),
    "times": lambda record: record.update(times={"fit": "long"}),
    "warnings": lambda record: record.update(warnings=[None]),
    "version": lambda record: record.update(version=None),
    "key": lambda record: record.update(key=["k1"]),
}


@pytest.mark.parametrize("case", FORGED)
def test_a_record_of_another_shape_is_done_again(tmp_path: Path, case: str) -> None:
    store = Store(tmp_path)
    store.write(JOB, [one()])
    store.path(JOB).write_bytes(forged(FORGED[case]))
    assert store.read() == {}
    assert store.problems == [
        f"{store.path(JOB)}: holds records of another shape; its records are computed again"
    ]


def test_strangers_are_left_alone(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write(JOB, [one()])
    for name in (".DS_Store", "aa/.DS_Store"):
        (store.folder / name).write_bytes(b"Bud1")
    assert set(store.read()) == {"k1"}
    assert store.problems == []
    (store.folder / "aa" / "notes.txt").write_text("mine")
    store.read()
    assert [
        line.endswith("notes.txt: not a file of records; it is left alone")
        for line in store.problems
    ] == [True]
    store.discard_untrusted()
    assert (store.folder / "aa" / "notes.txt").exists()


def test_two_runs_that_supersede_each_other_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for job in (JOB, OTHER):  # what a run killed while it superseded, or two at once, may leave
        Store(tmp_path).write(job, [one()])
    first, second = Store(tmp_path), Store(tmp_path)
    first.read(), second.read()
    unlink = Path.unlink

    def at_once(file: Path, *arguments: Any, **options: Any) -> None:
        monkeypatch.undo()
        second.write(OTHER, [one(value=0.9)])
        unlink(file, *arguments, **options)

    monkeypatch.setattr(Path, "unlink", at_once)
    first.write(JOB, [one(value=0.8)])
    assert Store(tmp_path).read()["k1"].rows[0].value in {0.8, 0.9}


def test_no_clock_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store(tmp_path).write(JOB, [one(value=0.1)])
    store = Store(tmp_path)
    store.read()
    monkeypatch.setattr(Path, "unlink", lambda *_, **__: None)  # killed before it supersedes
    monkeypatch.setattr("time.time_ns", lambda: 1)
    store.write(OTHER, [one(value=0.2)])
    assert Store(tmp_path).read()["k1"].rows[0].value == 0.2


WRITER = """
import random, sys
from pathlib import Path
from rankexp.runner.grid import Point
from rankexp.runner.run.record import Record, RecordRow
from rankexp.runner.run.store import Store
from rankexp.runner.spec import digest
folder, seed = Path(sys.argv[1]), int(sys.argv[2])
draw, keys = random.Random(seed), [f"k{i}" for i in range(4)]
for turn in range(90):
    store = Store(folder)
    store.read()
    draw.shuffle(keys)
    for part in (keys[: turn % 4 + 1], keys[turn % 4 + 1 :]):
        rows = [RecordRow("test", 0, None, None, "auc", float(turn))]
        if part:
            made = [Record(k, grid=(Point(()),), rows=rows) for k in part]
            store.write(digest(sorted(part)), made)
"""


def test_two_processes_that_redo_the_same_lose_nothing(tmp_path: Path) -> None:
    both = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(seed)])
        for seed in (1, 2)
    ]
    assert [process.wait(timeout=120) for process in both] == [0, 0]
    store = Store(tmp_path)
    assert set(store.read()) == {"k0", "k1", "k2", "k3"}
    assert store.problems == []
    store.tidy()
    assert set(store.read()) == {"k0", "k1", "k2", "k3"}


def test_another_users_folder(shut: Callable[[Path], AbstractContextManager[None]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        store = Store(Path(name))
        store.write(JOB, [one()])
        with (
            shut(store.folder / "aa"),
            pytest.raises(EnvironmentProblemError, match=r"cannot read .*aa.*--results"),
        ):
            store.read()


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    store = Store(tmp_path)
    store.write(JOB, [one(value=0.5)])

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path if call == "replace" else os, call, full)
    with pytest.raises(EnvironmentProblemError, match=r"the disk is full.*run again"):
        store.write(JOB, [one(value=0.75)])
    monkeypatch.undo()
    assert store.read()["k1"].rows[0].value == 0.5
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "records").write_text("a file")
    with pytest.raises(EnvironmentProblemError, match=r"cannot write to .*--results"):
        Store(tmp_path).write(JOB, [one()])


def test_leftovers_of_a_killed_write_are_not_read(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write(JOB, [one()])
    left = store.path(JOB).with_name(f".{JOB}.json.123.tmp")
    left.write_text("{")
    assert set(store.read()) == {"k1"}
    assert store.problems == []
    store.tidy()
    assert not left.exists()


def test_what_a_killed_write_left_beside_the_records_goes_too(tmp_path: Path) -> None:
    left = [tmp_path / ".manifest.json.1-ab.tmp", tmp_path / "scores/ab/.abc.npz.1-ab.tmp"]
    kept = [tmp_path / "manifest.json", tmp_path / "scores/ab/abc.npz", tmp_path / "mine.tmp"]
    for file in [*left, *kept]:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    Store(tmp_path).tidy()
    assert [file.exists() for file in [*left, *kept]] == [False, False, True, True, True]
