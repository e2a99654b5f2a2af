"""Sealed records are those that were sealed, bit for bit, whatever happens meanwhile."""

import lzma
import math
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_store import records as any_record

from rankexp.errors import ConfigError, EnvironmentProblemError
from rankexp.runner.config.asking import message
from rankexp.runner.grid import Point
from rankexp.runner.run import sealed
from rankexp.runner.run.fitting import _upwards
from rankexp.runner.run.record import Record, RecordRow, RecordRows
from rankexp.runner.run.sealed import name_of, same, seal, unseal
from rankexp.runner.run.store import Store, pack, unpack
from rankexp.runner.spec import digest

AWKWARD = (0.1, -0.0, 0.0, math.inf, -math.inf, 5e-324, 1 / 3, 2.0**60, 0.000001, -7.25)


def cell(name: object, *, shift: float = 0.0) -> Record:
    """Make a record as the store reads it, with values that are hard to keep."""
    rows = [RecordRow("train", 0, None, None, "n_iter", 7.0)]
    rows += [
        RecordRow("test", g, None, group, "auc", value + shift)
        for g in (0, 1)
        for group, value in (
            (None, float("nan")),
            *((str(i), value) for i, value in enumerate(AWKWARD)),
        )
    ]
    grid = (Point.of({"size": 1}), Point.of({"size": 1.0}))
    record = Record(
        digest(str(name)),
        grid=grid,
        rows=rows,
        curves={"roc:0": {"x": [0.0, 0.1 + 0.2], "y": [math.nan, -0.0]}},
        texts={"tree:0": f"größer {name}\n"},
        times={"fit": 0.012293, "score": 1e-6},
        warnings=[f"UserWarning: {name}"],
        version="0.1.0",
    )
    return unpack(pack("0" * 64, [record]))[2][0]


def filled(folder: Path, count: int = 4) -> dict[str, Record]:
    """Fill a store with jobs of two cells each, and return what it reads."""
    for job in range(count):
        made = [cell((job, i)) for i in range(2)]
        Store(folder).write(digest([record.key for record in made]), made)
    return Store(folder).read()


def seal_of(folder: Path, keys: Iterable[str]) -> Path | None:
    """Seal the records of some cells."""
    store = Store(folder)
    records = store.read()
    return store.seal({key: records[key] for key in keys if key in records})


def singles(folder: Path) -> list[Path]:
    return sorted(folder.glob("records/??/*.json"))


def assert_same(found: dict[str, Record], before: dict[str, Record]) -> None:
    assert found.keys() == before.keys()
    assert all(same(found[key], record) for key, record in before.items())


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), any_record), max_size=5))
def test_no_bit_is_lost(made: list[tuple[int, Record]]) -> None:
    read = [unpack(pack("0" * 64, [replace(r, key=digest(r.key))]))[2][0] for _, r in made]
    given = [(generation, record) for (generation, _), record in zip(made, read, strict=True)]
    content = seal(given)
    found = unseal(content)
    assert [generation for generation, _ in found] == [generation for generation, _ in given]
    for (_, before), (_, after) in zip(given, found, strict=True):
        assert same(before, after) and repr(before) == repr(after)
    assert seal(found) == content


def test_columns_of_few_decimals_are_kept_as_integers() -> None:
    counts, millionths = np.arange(2000.0) % 7, np.arange(2000.0) / 1e6
    assert [sealed._coded(c).dtype.kind for c in (counts, millionths, counts / 3)] == [
        "i",
        "i",
        "f",
    ]
    for odd in (-0.0, math.nan, math.inf, 1e-7, 2.0**60):
        assert sealed._coded(np.array([1.0, odd])).dtype.kind == "f"


def test_records_that_differ_in_one_bit_are_told_apart() -> None:
    one = cell("a")
    assert same(one, cell("a"))
    for other in (
        replace(one, times={"fit": 0.012293, "score": 1.1e-6}),
        replace(one, curves={"roc:0": {"x": [0.0, 0.3], "y": [math.nan, -0.0]}}),
        replace(one, curves={"roc:0": {"x": [0.0, 0.1 + 0.2], "y": [math.nan, 0.0]}}),
        replace(one, rows=RecordRows((*r[:5], abs(r.value)) for r in one.rows)),
        replace(one, grid=one.grid[::-1]),
    ):
        assert not same(one, other)


def test_what_is_sealed_is_read_as_before_and_never_changed(tmp_path: Path) -> None:
    before = filled(tmp_path)
    store = Store(tmp_path)
    first = store.seal(store.read())
    assert first is not None and singles(tmp_path) == []
    assert [f.name for f in (tmp_path / "records").glob("*.xz")] == [first.name]
    content = first.read_bytes()
    assert_same(Store(tmp_path).read(), before)
    assert store.seal(before) is None

    more = cell("more")
    Store(tmp_path).write(digest("more"), [more])
    after = before | {more.key: more}
    assert_same(Store(tmp_path).read(), after)
    second = seal_of(tmp_path, after)
    assert second is not None and [r.key for _, r in unseal(second.read_bytes())] == [more.key]
    assert first.read_bytes() == content and singles(tmp_path) == []
    assert_same(Store(tmp_path).read(), after)


def test_the_same_records_give_the_same_bytes_however_they_were_kept(tmp_path: Path) -> None:
    made = [cell(i) for i in range(6)]
    for folder, jobs in (("a", [made]), ("b", [made[4:], made[:1], made[1:4]])):
        for job in jobs:
            Store(tmp_path / folder).write(digest([record.key for record in job]), job)
    files = [seal_of(tmp_path / folder, [r.key for r in made]) for folder in "ab"]
    a, b = (file for file in files if file is not None)
    assert a.name == b.name == name_of(a.read_bytes()) and a.read_bytes() == b.read_bytes()


def test_only_what_was_asked_for_is_sealed(tmp_path: Path) -> None:
    before = filled(tmp_path)
    keys = sorted(before)[:3]
    assert seal_of(tmp_path, [*keys, "unknown"]) is not None
    left = {
        key for file in singles(tmp_path) for key in (r.key for r in unpack(file.read_bytes())[2])
    }
    assert left >= before.keys() - set(keys)
    found = Store(tmp_path)
    assert_same(found.read(), before)
    assert found.sealed == set(keys) and found.problems == []


def test_a_record_made_anew_counts_more_than_a_sealed_one(tmp_path: Path) -> None:
    before = filled(tmp_path, 1)
    first = seal_of(tmp_path, before)
    key = next(iter(before))
    anew = replace(before[key], times={"fit": 7.0})
    store = Store(tmp_path)
    store.read()
    store.write(digest("anew"), [anew])
    now = before | {key: anew}
    assert_same(Store(tmp_path).read(), now)
    second = seal_of(tmp_path, before)
    assert first is not None and second is not None and first.is_file()
    assert singles(tmp_path) == [] and unseal(second.read_bytes())[0][0] == 1
    assert_same(Store(tmp_path).read(), now)


def test_files_whose_records_were_made_anew_go_too(tmp_path: Path) -> None:
    before = filled(tmp_path, 1)
    key = next(iter(before))
    store = Store(tmp_path)
    store.read()
    store.write(digest("anew"), [replace(before[key], times={"fit": 7.0})])
    now = Store(tmp_path).read()
    assert len(singles(tmp_path)) == 2
    assert seal_of(tmp_path, now) is not None and singles(tmp_path) == []
    assert_same(Store(tmp_path).read(), now)


def test_nothing_is_sealed_that_was_not_read(tmp_path: Path) -> None:
    before = filled(tmp_path)
    assert Store(tmp_path).seal(before) is None
    assert_same(Store(tmp_path).read(), before)


def test_of_a_record_kept_twice_the_sealed_one_counts(tmp_path: Path) -> None:
    before = filled(tmp_path, 2)
    kept = {file: file.read_bytes() for file in singles(tmp_path)}
    seal_of(tmp_path, before)
    alike, unlike = kept
    alike.write_bytes(kept[alike])
    job, _, held = unpack(kept[unlike])
    unlike.write_bytes(pack(job, [replace(record, times={"fit": 9.0}) for record in held]))
    store = Store(tmp_path)
    assert_same(store.read(), before)
    assert store.problems == [message("run.unlike", file=unlike)]
    assert store.seal(before) is None
    assert singles(tmp_path) == [unlike], "the same goes, what differs is for the user"
    store.write(job, [before[record.key] for record in held])  # as --redo does
    assert_same(Store(tmp_path).read(), before)
    assert Store(tmp_path).problems == [] and unlike not in singles(tmp_path)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-9])


def bent(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def renamed(file: Path) -> None:
    file.rename(file.with_name(f"sealed-{'0' * 16}.xz"))


def replaced(content: bytes, file: Path) -> None:
    file.unlink()
    file.with_name(name_of(content)).write_bytes(content)


def newer(file: Path) -> None:
    whole = lzma.decompress(file.read_bytes())
    replaced(lzma.compress(whole.replace(b'"sealed":1', b'"sealed":2')), file)


def foreign(file: Path) -> None:
    replaced(b"of another program", file)


def a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize("damage", [cut, bent, emptied, renamed, newer, foreign, a_folder])
def test_a_damaged_seal_is_an_error_with_a_way_out(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    file = seal_of(tmp_path, filled(tmp_path))
    assert file is not None
    damage(file)
    (there,) = (tmp_path / "records").glob("sealed-*")
    for use in (Store(tmp_path).read, lambda: seal_of(tmp_path, [])):
        with pytest.raises(ConfigError) as caught:
            use()
        assert str(there) in str(caught.value)
        assert "restore it from a copy" in str(caught.value)
        assert "Errno" not in str(caught.value)
    assert there.exists()


def steps(monkeypatch: pytest.MonkeyPatch, last: int) -> None:
    """Kill this process before the `last` call that changes a file or brings it to disk."""
    calls = iter(range(last))

    def counted(original: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            if next(calls, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)
            return original(*arguments, **named)

        return call

    monkeypatch.setattr(os, "fsync", counted(os.fsync))
    for name in ("open", "replace", "unlink", "rename"):
        monkeypatch.setattr(Path, name, counted(getattr(Path, name)))


def test_a_kill_at_any_step_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    killed = 0
    for last in range(100):
        folder = tmp_path / str(last)
        before = filled(folder, 3)
        if (child := os.fork()) == 0:
            steps(monkeypatch, last)
            seal_of(folder, before)
            os._exit(0)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert_same(Store(folder).read(), before)
        store = Store(folder)
        store.seal(store.read())
        store.tidy()
        assert_same(Store(folder).read(), before)
        assert [f.name for f in folder.rglob("*") if f.is_file()] == [
            f.name for f in folder.glob("records/sealed-*.xz")
        ]
        if ended == 0:
            break
        assert ended == -signal.SIGKILL
        killed += 1
    assert killed >= 7, "write, fsync, move, fsync of the folder, and each file that goes"


def test_nothing_goes_before_the_seal_is_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, done = filled(tmp_path, 2), []
    real = os.fsync

    def fsync(handle: int) -> None:
        done.append(Path(f"/proc/self/fd/{handle}").readlink())
        assert len(singles(tmp_path)) == 2
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    seal_of(tmp_path, before)
    assert done[0].name.startswith(".sealed-") and done[-1] == tmp_path / "records"
    assert singles(tmp_path) == []


def test_a_seal_that_reads_back_otherwise_removes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = filled(tmp_path)
    files = singles(tmp_path)

    def faulty(records: list[tuple[int, Record]]) -> bytes:
        return seal([(g, replace(r, times={"fit": 0.5})) for g, r in records])

    monkeypatch.setattr("rankexp.runner.run.store.seal", faulty)
    seal_of(tmp_path, before)
    assert singles(tmp_path) == files


PACKER = """
import sys
from pathlib import Path
from rankexp.runner.run.store import Store
for _ in range(2):
    store = Store(Path(sys.argv[1]))
    store.seal(store.read())
"""


def test_processes_that_seal_and_read_at_once_lose_nothing(tmp_path: Path) -> None:
    before = filled(tmp_path, 30)
    two = [subprocess.Popen([sys.executable, "-c", PACKER, str(tmp_path)]) for _ in range(2)]
    while any(process.poll() is None for process in two):
        assert Store(tmp_path).read().keys() == before.keys()
    assert [process.returncode for process in two] == [0, 0]
    assert singles(tmp_path) == []
    assert_same(Store(tmp_path).read(), before)


def test_a_reader_sees_what_is_sealed_while_it_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = filled(tmp_path)
    reader, real = Store(tmp_path), Store._unpacked
    turns: Iterator[int] = iter(range(1000))

    def slow(self: Store, *files: Path) -> tuple[int, list[Record]]:
        if self is reader and next(turns) == 1:
            seal_of(tmp_path, before)
        return real(self, *files)

    monkeypatch.setattr(Store, "_unpacked", slow)
    assert_same(reader.read(), before)


def test_a_folder_that_takes_no_files() -> None:
    user = os.geteuid()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        before = filled(folder)
        for place in (folder, folder / "records"):
            place.chmod(0o555)
        if user == 0:
            os.seteuid(65534)
        try:
            with pytest.raises(EnvironmentProblemError, match="cannot write to"):
                seal_of(folder, before)
            assert_same(Store(folder).read(), before)
        finally:
            os.seteuid(user)
            for place in (folder, folder / "records"):
                place.chmod(0o755)


@pytest.mark.parametrize("gap", [1.1758831561881134e-08, 0.5, 1e-3, 0.0, 999.9, -1e-17, 1.2e-310])
def test_a_certificate_is_kept_to_three_digits_and_stays_one(gap: float) -> None:
    kept = _upwards(gap)
    assert gap <= kept <= gap + 0.01 * abs(gap) + 1e-320
    assert len(f"{kept:g}".partition("e")[0].strip("-0.").replace(".", "")) <= 3


def test_certificates_without_a_number_stay_so() -> None:
    assert math.isnan(_upwards(math.nan)) and _upwards(math.inf) == math.inf
