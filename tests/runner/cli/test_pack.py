"""What is committed of a run, its sealed records and its manifest, makes every page again."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from test_cli import GOOD_ROWS, MINE, TINY, rankexp

from rankexp.runner import spec
from rankexp.runner.run import manifest as manifest_module
from rankexp.runner.run.sealed import same
from rankexp.runner.run.store import Store

Typed = Callable[..., subprocess.CompletedProcess[str]]


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a results folder by name, but for its records and logs."""
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


@pytest.fixture
def done(tmp_path: Path, typed: Typed) -> Path:
    """A run of a study of one's own data and of a generator, whose data then is gone."""
    (tmp_path / "mine.csv").write_text(GOOD_ROWS)
    (tmp_path / "mine.yaml").write_text(MINE)
    assert typed("run", "mine.yaml", "--jobs", 1, cwd=tmp_path).returncode == 0
    (tmp_path / "mine.csv").unlink()
    return tmp_path / "results" / "mine"


def test_a_clone_reports_the_same_bytes_without_data_or_study(
    done: Path, tmp_path: Path, typed: Typed
) -> None:
    made, records = contents(done), Store(done).read()
    packed = typed("pack", "mine.yaml", cwd=tmp_path)
    assert packed.returncode == 0, packed.stderr
    (file,) = (done / "records").glob("*.xz")
    assert packed.stdout == (
        f"results/mine: records/{file.name} is written, {file.stat().st_size / 1e6:.2f} MB; "
        f"{len(records)} of {len(records)} records are sealed\n"
    )
    clone = tmp_path / "elsewhere" / "mine"
    (clone / "records").mkdir(parents=True)
    shutil.copy(file, clone / "records")
    shutil.copy(done / "manifest.json", clone)
    again = rankexp("report", "mine", cwd=clone.parent)
    assert (again.returncode, again.stderr) == (0, "")
    assert contents(clone) == made
    assert [f.name for f in (clone / "records").rglob("*")] == [file.name]


def test_records_of_an_older_protocol_are_reported_by_it(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tiny.yaml").write_text(TINY)
    for module in (spec, manifest_module):
        monkeypatch.setattr(module, "PROTOCOL_VERSION", 2)
    assert typed("run", "tiny.yaml", "--jobs", 1, cwd=tmp_path).returncode == 0
    monkeypatch.undo()
    folder = tmp_path / "results" / "tiny"
    made = contents(folder)
    assert "12 of 12 records are sealed" in typed("pack", "tiny", cwd=tmp_path).stdout
    assert typed("report", "tiny", cwd=tmp_path).returncode == 0
    assert contents(folder) == made
    assert "0 done" in typed("plan", "tiny.yaml", cwd=tmp_path).stdout, "a run makes them anew"


def test_what_a_report_cannot_show_takes_no_room(done: Path) -> None:
    records = Store(done).read().values()
    seconds = [value for record in records for value in record.times.values()]
    gaps = [row.value for record in records for row in record.rows if row.quantity == "gap"]
    assert seconds == [round(value, 6) for value in seconds] and max(seconds) > 0
    assert gaps and gaps == [float(f"{gap:.2e}") for gap in gaps]


def test_a_new_question_to_sealed_records_needs_no_fit(
    done: Path, tmp_path: Path, typed: Typed
) -> None:
    assert typed("pack", done, cwd=tmp_path).returncode == 0
    reference = tmp_path / "results" / "reference"
    reference.mkdir()
    done.rename(reference / "mine")
    asked = MINE + "  - {block: chosen_grid, name: asked, experiment: cv}\n"
    (tmp_path / "mine.yaml").write_text(asked)
    answered = typed("report", "mine.yaml", "--results", "results/reference", cwd=tmp_path)
    assert (answered.returncode, answered.stderr) == (0, "")
    assert "complete" in (reference / "mine" / "asked.csv").read_text(encoding="utf-8")


def test_packing_again_says_that_there_is_nothing(
    done: Path, tmp_path: Path, typed: Typed
) -> None:
    typed("pack", "mine", cwd=tmp_path)
    assert (
        "nothing new to seal; 2 of 2 records are sealed"
        in typed("pack", "mine", cwd=tmp_path).stdout
    )
    status = typed("status", cwd=tmp_path)
    assert "complete, 2 records" in status.stdout
    manifest = json.loads((done / "manifest.json").read_text(encoding="utf-8"))
    manifest["study"]["seed"] = 4
    (done / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    other = typed("pack", "mine", cwd=tmp_path)
    assert "nothing new to seal; 0 of 2 records are sealed" in other.stdout
    assert "2 sealed records are not of the study as it was run" in other.stdout


def test_what_cannot_be_packed_is_said(done: Path, tmp_path: Path, typed: Typed) -> None:
    never = typed("pack", "other", cwd=tmp_path)
    assert never.returncode == 2 and "'other' is no results folder" in never.stderr
    typed("pack", "mine", cwd=tmp_path)
    (file,) = (done / "records").glob("*.xz")
    file.write_bytes(file.read_bytes()[1:])
    for verb in ("pack", "report", "status"):
        damaged = typed(verb, "mine", cwd=tmp_path)
        assert damaged.returncode == 2
        assert f"results/mine/records/{file.name} was altered" in damaged.stderr


def test_other_packages_than_those_of_the_run_are_named(
    done: Path, tmp_path: Path, typed: Typed
) -> None:
    manifest = json.loads((done / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["packages"]["matplotlib"] and manifest["packages"]["numpy"]
    manifest["packages"] |= {"matplotlib": "3.0.1", "joblib": "0.1"}
    (done / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    said = typed("report", "mine", cwd=tmp_path)
    assert said.returncode == 0
    assert "the study was run with matplotlib 3.0.1 (here" in said.stderr
    assert "joblib" not in said.stderr and "numpy" not in said.stderr


def test_a_run_goes_on_from_sealed_records(done: Path, tmp_path: Path, typed: Typed) -> None:
    typed("pack", "mine", cwd=tmp_path)
    (tmp_path / "mine.csv").write_text(GOOD_ROWS)
    assert "nothing to do" in typed("run", "mine.yaml", "--jobs", 1, cwd=tmp_path).stdout
    assert not list((done / "records").glob("??/*.json"))
    anew = typed("run", "mine.yaml", "--jobs", 1, "--redo", cwd=tmp_path)
    assert anew.returncode == 0
    assert list((done / "records").glob("??/*-1.json"))
    assert len(Store(done).read()) == 2


@pytest.mark.slow
def test_packing_processes_that_are_killed_lose_nothing(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(TINY.replace("training_sets: 3", "training_sets: 60"))
    assert rankexp("run", "tiny.yaml", "--jobs", 2, cwd=tmp_path).returncode == 0
    folder = tmp_path / "results" / "tiny"
    before, made = Store(folder).read(), contents(folder)
    kept = shutil.copytree(folder, tmp_path / "kept")
    command = [sys.executable, "-m", "rankexp", "pack", str(folder)]
    start = time.monotonic()
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0
    whole = time.monotonic() - start
    for turn in range(6):
        shutil.rmtree(folder)
        shutil.copytree(kept, folder)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        time.sleep(whole * (0.5 + 0.1 * turn))
        process.send_signal(signal.SIGKILL)
        process.wait()
        found = Store(folder).read()
        assert found.keys() == before.keys()
        assert all(same(found[key], record) for key, record in before.items())
    assert rankexp("pack", folder, cwd=tmp_path).returncode == 0
    assert rankexp("report", folder, cwd=tmp_path).returncode == 0
    assert contents(folder) == made
