"""Shards of a study, run apart and merged, make the tables of one run; what is wrong is named."""

import contextlib
import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from test_cli import TINY

from rankexp.runner import files
from rankexp.runner.run.joined import merged
from rankexp.runner.run.sealed import same
from rankexp.runner.run.shards import Shard
from rankexp.runner.run.store import Store, pack, unpack

Typed = Callable[..., subprocess.CompletedProcess[str]]
KEPT = TINY.replace("lambdas: [0.01, 1]", "lambdas: [0.01, 1]\n    keep: {scores: true}")
TIMED = {"report.html", "report.md", "run.md", "manifest.json"}  # which say how long it took


def tables(folder: Path) -> dict[str, bytes]:
    """Return the files of a results folder by name, but for what tells of times."""
    made = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    return {name: content for name, content in made.items() if name not in TIMED}


def ran(typed: Typed, cwd: Path, part: int, of: int, *more: object) -> Path:
    """Run a shard into a folder of its own."""
    where = ("--results", f"parts/{part}", "--jobs", 1)
    done = typed("run", "tiny.yaml", "--shard", f"{part}/{of}", *where, *more, cwd=cwd)
    assert done.returncode == 0 and f"shard {part}/{of}: " in done.stdout
    return cwd / "parts" / str(part) / "tiny"


@pytest.fixture
def parts(tmp_path: Path, typed: Typed) -> list[Path]:
    """Two shards of a study that keeps scores, the second one sealed."""
    (tmp_path / "tiny.yaml").write_text(KEPT)
    made = [ran(typed, tmp_path, part, 2) for part in (1, 2)]
    assert typed("pack", made[1], cwd=tmp_path).returncode == 0
    return made


def test_merged_shards_make_the_tables_of_one_run(
    parts: list[Path], tmp_path: Path, typed: Typed
) -> None:
    assert typed("run", "tiny.yaml", "--jobs", 1, cwd=tmp_path).returncode == 0
    whole, joined = tmp_path / "results" / "tiny", tmp_path / "joined"
    records = [Store(folder).read() for folder in parts]
    assert all(records) and not records[0].keys() & records[1].keys()

    one = typed("results", "merge", joined, parts[1], cwd=tmp_path)
    assert f"{len(records[1])} records merged; {len(records[1])} of 12 records" in one.stdout
    for verb in ("status", "report"):
        said = typed(verb, joined, cwd=tmp_path)
        assert (
            "of the 2 shards these were not run, or not merged: 1. " in said.stdout + said.stderr
        )

    for count in (len(records[0]), 0):  # again: nothing is new
        two = typed("results", "merge", "joined", *parts, cwd=tmp_path)
        assert two.stdout == f"joined: {count} records merged; 12 of 12 records are there\n"
    manifest = json.loads((joined / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["shards"], manifest["used"]["fits"]) == (["1/2", "2/2"], 24)
    assert len(list(joined.glob("scores/*/*.npz"))) == 12
    said = typed("results", "verify", joined, cwd=tmp_path)
    assert "12 records verified, 12 of them sealed, and 12 files of scores" in said.stdout
    again = typed("report", joined, cwd=tmp_path)
    assert (again.returncode, again.stderr) == (0, "")
    assert tables(joined) == tables(whole)
    assert "of the 2 shards" not in typed("status", joined, cwd=tmp_path).stdout
    both = typed("results", "merge", whole, joined, cwd=tmp_path)
    assert "0 records merged" in both.stdout, "equal but for times"


def test_a_merge_killed_at_any_write_loses_nothing(
    parts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    merged(tmp_path / "whole", parts)
    expected, left = Store(tmp_path / "whole").read(), 0
    real = files.Path.replace
    for moment in (0, 3, 12, 13, 14, 15):  # lock, scores, sealed records, manifest

        def replace(self: Path, target: Path) -> Path:
            nonlocal left
            left -= 1
            if left < 0:
                raise KeyboardInterrupt
            return real(self, target)

        into, left = tmp_path / f"killed-{moment}", moment
        with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
            patch.setattr(files.Path, "replace", replace)
            merged(into, parts)
        merged(into, parts)
        found = Store(into).read()
        assert found.keys() == expected.keys()
        assert all(same(found[key], record) for key, record in expected.items())
        used = json.loads((into / "manifest.json").read_text(encoding="utf-8"))["used"]
        assert used["fits"] == 24 and len(list(into.glob("scores/*/*.npz"))) == 12


def altered(folder: Path, **changes: object) -> None:
    """Change what a manifest says."""
    file = folder / "manifest.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | changes), encoding="utf-8")


def test_folders_of_other_runs_are_refused_by_name(
    parts: list[Path], tmp_path: Path, typed: Typed
) -> None:
    study = json.loads((parts[0] / "manifest.json").read_text(encoding="utf-8"))["study"]
    data = ({"d": {"rows": 9, "fingerprint": name}} for name in "xy")
    altered(parts[0], data=next(data))
    other = shutil.copytree(parts[1], tmp_path / "other")
    changes: dict[str, dict[str, object]] = {
        "seed (4, not 3)": {"seed": 4},
        "rankexp (0.0.1, not ": {"rankexp": "0.0.1"},
        "study (title)": {"study": study | {"title": "Another"}},
        "data (d)": {"data": next(data)},
    }
    before = (other / "manifest.json").read_bytes()
    for text, change in changes.items():
        altered(other, **change)
        said = typed("results", "merge", "into", parts[0], "other", cwd=tmp_path)
        assert (
            said.returncode == 2 and f"'other' is of another run than '{parts[0]}'" in said.stderr
        )
        assert text in said.stderr and not (tmp_path / "into").exists()
        (other / "manifest.json").write_bytes(before)
    altered(other, python="2.7.1")
    said = typed("results", "merge", "into", parts[0], "other", cwd=tmp_path)
    assert said.returncode == 0 and "other versions" in said.stdout and "2.7.1" in said.stdout


def test_what_cannot_be_merged_is_named(parts: list[Path], tmp_path: Path, typed: Typed) -> None:
    def refused(*folders: object) -> str:
        said = typed("results", "merge", *folders, cwd=tmp_path)
        assert said.returncode == 2 and len(said.stderr.splitlines()) == 1
        return said.stderr

    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    assert "the folder to merge into" in refused(parts[0], *parts)
    assert "is named twice" in refused("into", parts[0], "parts/1/tiny")
    assert "'empty' is empty; name folders" in refused("into", "empty")
    assert "'none' does not exist" in refused("into", "none")
    assert "'parts' is no results folder" in refused("into", "parts")
    assert "'file' is no results folder" in refused("into", "file")
    assert "'parts' holds other files than results" in refused("parts", parts[0])
    assert "'file' holds other files" in refused("file", parts[0])
    store = Store(parts[0])
    (key, record), *_ = store.read().items()
    rows = [row._replace(value=row.value + 1) for row in record.rows]
    unlike = shutil.copytree(parts[0], tmp_path / "unlike")
    other = Store(unlike)
    other.read()
    other.write(key, [replace(record, rows=rows)])
    said = refused("into", parts[0], "unlike")
    assert any(f"different records of sim / flips / {of}," in said for of in ("points", "pairs"))
    (scores, *_) = sorted(parts[0].glob("scores/*/*.npz"))
    scores.write_bytes(scores.read_bytes()[:-9])
    assert scores.name in refused("into", parts[0])
    (damaged, *_) = sorted(unlike.glob("records/*/*.json"))
    damaged.write_bytes(damaged.read_bytes()[:-9])
    assert f"{damaged.name} is truncated or not JSON; remove it" in refused("into", "unlike")
    assert typed("results", "verify", "unlike", cwd=tmp_path).returncode == 2


def test_a_record_that_is_not_as_it_was_sealed_is_named(
    parts: list[Path], tmp_path: Path, typed: Typed
) -> None:
    (file, *_) = sorted(parts[0].glob("records/*/*.json"))
    content = file.read_bytes()
    assert typed("pack", parts[0], cwd=tmp_path).returncode == 0
    job, _, held = unpack(content)
    rows = [row._replace(value=row.value + 1) for row in held[0].rows]
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(pack(job, [replace(held[0], rows=rows), *held[1:]]))
    for verb in (("verify", parts[0]), ("merge", "joined", *parts)):
        said = typed("results", *verb, cwd=tmp_path)
        assert said.returncode == 0 and f"{file.name}: its records are not those" in said.stdout


@pytest.mark.parametrize("text", ["0/4", "5/4", "x", "1/0", "-1/4", "1/4/2", "", "1.0/4"])
def test_what_is_no_shard_is_said(text: str, tmp_path: Path, typed: Typed) -> None:
    (tmp_path / "tiny.yaml").write_text(TINY)
    said = typed("run", "tiny.yaml", f"--shard={text}", cwd=tmp_path)
    assert said.returncode == 2 and said.stderr.startswith(f"rankexp: --shard {text}: it is PART")


def test_each_record_is_in_exactly_one_part() -> None:
    keys = [f"{number:064x}" for number in (0, 1, 39, 40, 16**64 - 1)]
    for count in (1, 2, 40):
        parts = [Shard(part, count) for part in range(1, count + 1)]
        assert all(sum(part.has(key) for part in parts) == 1 for key in keys)


@pytest.mark.slow
def test_forty_shards_are_one_run_byte_for_byte(tmp_path: Path, typed: Typed) -> None:
    (tmp_path / "tiny.yaml").write_text(KEPT.replace("training_sets: 3", "training_sets: 60"))
    assert typed("run", "tiny.yaml", "--jobs", 1, cwd=tmp_path).returncode == 0
    folders = [ran(typed, tmp_path, part, 40, "--quiet") for part in range(1, 41)]
    kept = [folder for folder in folders if folder != folders[16]]
    assert typed("results", "merge", "joined", *reversed(kept), cwd=tmp_path).returncode == 0
    for verb in ("status", "report"):
        said = typed(verb, "joined", cwd=tmp_path)
        assert "not merged: 17. " in said.stdout + said.stderr
    assert typed("results", "merge", "joined", folders[16], cwd=tmp_path).returncode == 0
    assert typed("report", "joined", cwd=tmp_path).stderr == ""
    assert tables(tmp_path / "joined") == tables(tmp_path / "results" / "tiny")
