"""Clocks, hosts, folders and homes that are not as one thinks: a sentence, or the right records."""

import json
import os
import shutil
import time
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import toys

from rankexp.errors import EnvironmentProblemError
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.config.schema import Study
from rankexp.runner.data.find import find
from rankexp.runner.data.origins import cache_folder
from rankexp.runner.data.snapshot import load_snapshot
from rankexp.runner.run.execute import Outcome, execute
from rankexp.runner.run.manifest import read_manifest
from rankexp.runner.run.store import Store

METHODS = {"log": {"params": {"loss": "logistic"}, "lambdas": [0.01, 1.0]}}


def study(name: str = "toy") -> Study:
    return toys.study(METHODS).model_copy(update={"study": name})


def run(folder: Path, name: str = "toy") -> Outcome:
    return execute(study(name), results=folder, workers=1, quiet=True)


def contents(folder: Path) -> dict[str, str]:
    return {k: repr(replace(r, times={})) for k, r in Store(folder).read().items()}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("undisturbed")
    assert run(folder).exit_code == 0
    return contents(folder / "toy")


def test_a_clock_that_goes_back(
    tmp_path: Path, undisturbed: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for back, real in (("time.time", time.time), ("time.time_ns", time.time_ns)):
        days = count(1)
        monkeypatch.setattr(back, lambda real=real, days=days: real() * (1 - 1e-4 * next(days)))
    assert run(tmp_path).exit_code == 0
    for file in tmp_path.rglob("*"):
        os.utime(file, (4e9, 4e9))
    again = run(tmp_path)
    assert (again.exit_code, again.made, again.messages) == (0, 0, [])
    assert contents(tmp_path / "toy") == undisturbed
    assert read_manifest(tmp_path / "toy")["used"]["wall"] >= 0


def test_a_run_on_another_host(
    tmp_path: Path, undisturbed: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = tmp_path / "toy/records/aa/.theirs.json.7-ab.tmp"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("under way")
    lock = tmp_path / "toy/.lock"
    lock.write_text(json.dumps({"pid": os.getpid(), "host": "elsewhere"}))
    outcome = execute(study(), results=tmp_path, workers=1)
    assert outcome.exit_code == 0 and contents(tmp_path / "toy") == undisturbed
    said = " ".join(capsys.readouterr())
    assert f"another run (process {os.getpid()} on elsewhere) seems to be writing" in said
    assert theirs.exists() and lock.exists(), "neither is ours to remove"


def removed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a folder vanish as soon as a record is in it."""
    write = Store.write_packed

    def write_packed(self: Store, *arguments: Any) -> None:
        write(self, *arguments)
        if folder.exists():
            shutil.rmtree(folder)
            monkeypatch.undo()

    monkeypatch.setattr(Store, "write_packed", write_packed)


@pytest.mark.parametrize("part", ["toy", "toy/records", "."])
def test_a_folder_that_vanishes(
    tmp_path: Path, undisturbed: dict[str, str], monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    removed(tmp_path / "results" / part, monkeypatch)
    outcome = run(tmp_path / "results")
    gone = len(undisturbed) - outcome.records
    assert outcome.exit_code == 4 and gone > 0
    assert outcome.messages == [
        f"{gone} records of '{tmp_path / 'results/toy'}' were removed while this run was at work; "
        "run again to make them anew"
    ]
    assert not read_manifest(tmp_path / "results/toy")["complete"]
    assert run(tmp_path / "results").made == gone
    assert contents(tmp_path / "results/toy") == undisturbed


def test_records_that_another_run_seals_or_supersedes_are_not_missed(tmp_path: Path) -> None:
    run(tmp_path)
    store, other = Store(tmp_path / "toy"), Store(tmp_path / "toy")
    store.read()
    other.seal(other.read())
    assert not list(tmp_path.glob("toy/records/*/*.json")) and store.lost() == set()


def test_names_that_some_systems_do_not_tell_apart(
    tmp_path: Path, undisturbed: dict[str, str]
) -> None:
    (tmp_path / "toy").mkdir()
    (tmp_path / "Toy").symlink_to("toy")  # as such a system has it
    assert run(tmp_path).made == len(undisturbed)
    assert run(tmp_path, "Toy").made == 0
    assert run(tmp_path).made == 0
    assert contents(tmp_path / "toy") == contents(tmp_path / "Toy") == undisturbed


def test_a_home_that_takes_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".cache").write_text("not a folder")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("RANKEXP_CACHE", raising=False)
    levels = [["class_0", "class_2"], "class_1"]
    given = {"source": {"sklearn": "wine"}, "target": "target", "levels": levels}
    wine = DataEntry.model_validate(given)
    found = find("wine", wine, [])
    assert load_snapshot(found.facts.snapshot).fingerprint == found.facts.fingerprint
    assert not found.facts.snapshot.startswith(str(tmp_path))
    monkeypatch.setenv("RANKEXP_CACHE", str(tmp_path / ".cache/rankexp"))
    with pytest.raises(EnvironmentProblemError, match="choose another folder with RANKEXP_CACHE"):
        find("wine", wine, [])  # it was asked for by name


def test_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "RANKEXP_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert cache_folder().is_absolute(), "the system knows where this user lives"
    monkeypatch.setattr("os.getuid", lambda: 4_000_000)
    with pytest.raises(EnvironmentProblemError, match="HOME is not set.*RANKEXP_CACHE"):
        cache_folder()
