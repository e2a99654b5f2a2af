"""Runs end with the same records, whoever does the work and whatever happened before."""

import errno
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import toys

from rankexp.errors import ConfigError, DataError, DataNotFoundError, EnvironmentProblemError
from rankexp.runner.config.load import load
from rankexp.runner.config.outside import outside
from rankexp.runner.config.schema import Study
from rankexp.runner.config.shipped import shipped
from rankexp.runner.data import find as find_module
from rankexp.runner.run import execute as module
from rankexp.runner.run.execute import Outcome, execute
from rankexp.runner.run.lock import advisory_lock
from rankexp.runner.run.manifest import PACKAGES, facts_of, packages, read_manifest
from rankexp.runner.run.prepare import prepare
from rankexp.runner.run.store import Store

METHODS = {
    "log": {"params": {"loss": "logistic"}, "lambdas": [0.01, 1.0]},
    "mean": "MeanDifference",
}


def run(study: Study, folder: Path, **options: Any) -> Outcome:
    return execute(study, results=folder, **({"workers": 1, "quiet": True} | options))


def contents(folder: Path) -> dict[str, str]:
    """Return the records, times aside."""
    return {k: repr(replace(r, times={})) for k, r in Store(folder / "toy").read().items()}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("undisturbed")
    assert run(toys.study(METHODS), folder).exit_code == 0
    return contents(folder)


def test_two_workers_give_the_same_bits(tmp_path: Path, undisturbed: dict[str, str]) -> None:
    outcome = run(toys.study(METHODS), tmp_path, workers=2)
    assert (outcome.exit_code, outcome.made, outcome.records) == (0, 12, 12)
    assert contents(tmp_path) == undisturbed


def test_running_again_does_only_what_is_missing(
    tmp_path: Path, undisturbed: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(toys.study({"mean": "MeanDifference"}), tmp_path).made == 6
    assert run(toys.study(METHODS), tmp_path).made == 6
    assert contents(tmp_path) == undisturbed
    outcome = run(toys.study(METHODS), tmp_path, quiet=False)
    assert (outcome.made, outcome.records, outcome.messages) == (0, 12, [])
    assert "nothing to do: every record is there" in capsys.readouterr().out


def test_a_larger_study_keeps_the_records(tmp_path: Path) -> None:
    run(toys.study(METHODS), tmp_path)
    assert run(toys.study(METHODS, models=3, training_sets=4), tmp_path).made == 3 * 4 * 2 - 12


@pytest.mark.parametrize(
    ("how", "after"), [(KeyboardInterrupt, 2), (EnvironmentProblemError("the disk is full"), 1)]
)
def test_stopping_keeps_what_is_done(
    tmp_path: Path,
    undisturbed: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    how: Any,
    after: int,
) -> None:
    write, count = Store.write_packed, iter(range(99))

    def stop(self: Store, *arguments: Any) -> None:
        if next(count) == after - 1:
            raise how
        write(self, *arguments)

    monkeypatch.setattr(Store, "write_packed", stop)
    outcome = run(toys.study(METHODS), tmp_path)
    monkeypatch.undo()
    assert outcome.exit_code == (130 if how is KeyboardInterrupt else 4)
    assert outcome.made == 6 * (after - 1)
    assert not read_manifest(tmp_path / "toy")["complete"]
    assert run(toys.study(METHODS), tmp_path).made == 12 - outcome.made
    assert contents(tmp_path) == undisturbed
    assert read_manifest(tmp_path / "toy")["complete"]


def test_a_damaged_file_is_redone(
    tmp_path: Path, undisturbed: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    run(toys.study(METHODS), tmp_path)
    first, second = sorted((tmp_path / "toy" / "records").glob("*/*.json"))
    first.write_bytes(first.read_bytes()[:-30])
    second.rename(second.with_name("f" * 64 + ".json"))
    outcome = run(toys.study(METHODS), tmp_path, quiet=False)
    assert outcome.made == 12
    text = capsys.readouterr().out
    assert "is truncated" in text
    assert "belongs to another job" in text
    assert contents(tmp_path) == undisturbed
    assert Store(tmp_path / "toy").read().keys() == undisturbed.keys()
    assert prepare(toys.study(METHODS), results=tmp_path).plan.notes == []


def test_failed_records_stay_until_they_are_retried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "trusted", lambda _: True)  # what is patched is patched here
    study = toys.study({"bad": "Fails", "mean": "MeanDifference"})
    outcome = run(study, tmp_path)
    assert (outcome.exit_code, outcome.made, outcome.failed) == (1, 12, 6)
    assert any("ValueError: this method always fails" in line for line in outcome.messages)
    assert "Traceback" in (tmp_path / "toy" / "logs" / "run.log").read_text()
    again = run(study, tmp_path, quiet=False)
    assert (again.exit_code, again.made, again.failed) == (1, 0, 6)
    assert "6 of them failed" in capsys.readouterr().out
    monkeypatch.setattr(toys.Fails, "fit", toys.MeanDifference.fit)
    retried = run(study, tmp_path, retry_failed=True)
    assert (retried.exit_code, retried.made, retried.failed) == (0, 6, 0)


def test_redo_makes_a_method_anew(tmp_path: Path, undisturbed: dict[str, str]) -> None:
    study = toys.study(METHODS)
    run(study, tmp_path)
    assert run(study, tmp_path, redo=["mean"]).made == 6
    assert run(study, tmp_path, redo=["all"]).made == 12
    assert contents(tmp_path) == undisturbed
    assert len(list((tmp_path / "toy" / "records").glob("*/*.json"))) == 2
    with pytest.raises(ConfigError, match=r"no method 'meen'.*did you mean 'mean'"):
        run(study, tmp_path, redo=["meen"])


def test_records_of_another_version_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "trusted", lambda _: True)  # what is patched is patched here
    monkeypatch.setattr("rankexp.runner.run.evaluate.__version__", "0.0.1")
    run(toys.study(), tmp_path)
    monkeypatch.undo()
    (note,) = prepare(toys.study(), results=tmp_path).plan.notes
    assert note.startswith("6 records were made with rankexp 0.0.1")


def with_data(**optional: bool) -> Study:
    raw = toys.study({"mean": "MeanDifference"}).model_dump(mode="json")
    entry = {"source": {"file": "x.csv"}, "target": "y", "levels": ["no", "yes"]}
    raw["data"] = {name: entry | {"optional": flag} for name, flag in optional.items()}
    raw["experiments"]["table"] = {
        "problems": list(optional),
        "protocol": {"kind": "cross_validation", "folds": 3},
        "methods": ["mean"],
    }
    return Study.model_validate(raw)


def missing(name: str, *_: Any, **__: Any) -> Any:
    raise DataNotFoundError(f"'{name}' is not in /some/where/data", "add it by hand")


def test_missing_data_stops_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_module, "find", missing, raising=False)
    outcome = run(with_data(needed=False, large=True), tmp_path)
    assert (outcome.exit_code, outcome.made) == (3, 6)
    needed, optional = outcome.messages
    assert "missing data: needed" in needed and "rankexp data add needed FILE" in needed
    assert "can do without: large" in optional and "rankexp data add large FILE" in optional
    known = read_manifest(tmp_path / "toy")
    assert set(known["missing_data"]) == {"needed", "large"}
    assert "/some/where" not in str(known), "a manifest is no place for a machine's paths"
    run(with_data(needed=False, large=True), tmp_path, only=["figure"])
    assert set(read_manifest(tmp_path / "toy")["missing_data"]) == {"needed", "large"}
    assert run(with_data(large=True), tmp_path / "optional").exit_code == 0


def test_wrong_data_is_an_error_even_where_it_is_optional(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other(name: str, *_: Any, **__: Any) -> Any:
        raise DataError(f"'{name}' has 7 rows, declared are 8")

    monkeypatch.setattr(find_module, "find", other, raising=False)
    outcome = run(with_data(large=True), tmp_path)
    assert (outcome.exit_code, outcome.made) == (3, 6)
    assert "7 rows" in outcome.messages[0]


def test_a_failure_goes_before_missing_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find_module, "find", missing, raising=False)
    monkeypatch.setattr(module, "trusted", lambda _: True)  # what is patched is patched here
    monkeypatch.setattr(toys.MeanDifference, "fit", toys.Fails.fit)
    assert run(with_data(needed=False), tmp_path).exit_code == 1


def test_data_that_is_there_is_used_and_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from test_evaluate import small_data

    facts = small_data(tmp_path)["small"]
    source = {"source": "file", "file": "/some/where/x.csv"}
    dataset = SimpleNamespace(provenance=source, reading=None)
    found = SimpleNamespace(dataset=dataset, facts=facts, where="x")
    monkeypatch.setattr(find_module, "find", lambda *_, **__: found, raising=False)
    assert run(with_data(small=False), tmp_path).made == 6 + 3
    known = read_manifest(tmp_path / "toy")
    assert known["data"]["small"]["provenance"] == {"source": "file", "file": "x.csv"}
    assert facts_of(known)["small"].fingerprint == facts.fingerprint


def test_only_adds_up_in_the_manifest(tmp_path: Path) -> None:
    raw = toys.study().model_dump(mode="json")
    raw["experiments"] |= {"b": raw["experiments"]["figure"]}
    study = Study.model_validate(raw)
    for only, noted in ((["b"], ["b"]), (["figure"], ["b", "figure"]), ([], []), (["b"], [])):
        run(study, tmp_path, only=only)
        assert read_manifest(tmp_path / "toy")["only"] == noted


def test_the_manifest_adds_up_time_and_holds_the_study(tmp_path: Path) -> None:
    study = toys.study()
    run(study, tmp_path)
    first = read_manifest(tmp_path / "toy")["used"]
    run(toys.study(models=4), tmp_path, workers=2)
    known = read_manifest(tmp_path / "toy")
    assert known["used"]["wall"] >= first["wall"]
    assert known["used"]["cpu"] > first["cpu"]
    assert (known["used"]["jobs"], known["used"]["fits"]) == (4, 12)
    assert Study.model_validate(known["study"]) == toys.study(models=4)
    assert {"commit", "packages", "platform", "cpu", "seed", "python"} <= set(known)


def test_a_manifest_without_records_is_not_added_to(tmp_path: Path) -> None:
    run(toys.study(), tmp_path)
    once = read_manifest(tmp_path / "toy")["used"]
    shutil.rmtree(tmp_path / "toy" / "records")  # as in a fresh clone
    run(toys.study(), tmp_path)
    again = read_manifest(tmp_path / "toy")["used"]
    assert (again["jobs"], again["fits"]) == (once["jobs"], once["fits"])


def test_a_full_disk_is_one_clear_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    outcome = run(toys.study(), tmp_path)
    assert outcome.exit_code == 4
    assert outcome.messages[0].startswith("the disk is full")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_full_disk_that_a_method_meets_is_not_its_failure(tmp_path: Path, workers: int) -> None:
    study = toys.study({"mean": "MeanDifference", "fills": "Fills"})
    outcome = run(study, tmp_path, workers=workers)
    assert (outcome.exit_code, outcome.failed) == (4, 0)
    assert "'/cache/code.nbi'" in outcome.messages[0]
    assert "NUMBA_CACHE_DIR" in outcome.messages[0]
    assert all(record.status == "ok" for record in Store(tmp_path / "toy").read().values())


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "toy").write_text("in the way")
    with pytest.raises(EnvironmentProblemError, match=r"cannot write to .*toy.*--results"):
        run(toys.study(), tmp_path)


def test_the_lock_warns_of_another_run(tmp_path: Path) -> None:
    with advisory_lock(tmp_path) as warning:
        assert warning is None
        assert (tmp_path / ".lock").exists()
    assert not (tmp_path / ".lock").exists()
    (tmp_path / ".lock").write_text('{"pid": 1, "host": "elsewhere"}')
    with advisory_lock(tmp_path) as warning:
        assert "process 1 on elsewhere" in (warning or "")
    assert (tmp_path / ".lock").exists(), "not ours to remove"
    (tmp_path / ".lock").write_text("nonsense")
    with advisory_lock(tmp_path) as warning:
        assert warning is None


@pytest.mark.parametrize("link", [".lock", "logs/run.log"])
def test_links_are_not_followed(tmp_path: Path, link: str) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    (tmp_path / "toy" / "logs").mkdir(parents=True)
    (tmp_path / "toy" / link).symlink_to(target)
    if link == ".lock":
        assert run(toys.study(), tmp_path).exit_code == 0
    else:
        with pytest.raises(EnvironmentProblemError, match=r"run\.log' is a symbolic link"):
            run(toys.study(), tmp_path)
    assert target.read_text() == "mine"


@pytest.mark.parametrize(
    "content",
    ["[" * 100_000, "3", '{"format": 1, "study": 3}', '{"format": 1, "study": {}, "data": [1]}'],
)
def test_a_damaged_manifest_is_named_and_written_anew(
    tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(toys.study(), tmp_path)
    file = tmp_path / "toy" / "manifest.json"
    file.write_text(content)
    with pytest.raises(ConfigError, match=r"manifest\.json"):
        read_manifest(tmp_path / "toy")
    capsys.readouterr()
    assert run(toys.study(), tmp_path).exit_code == 0
    assert re.search(r"manifest\.json .*; it is written anew", capsys.readouterr().err)
    assert read_manifest(tmp_path / "toy")["complete"]


STRANGER = """
import signal, time
from rankexp.runner.run.pool import follow
before = signal.getsignal(signal.SIGINT)
follow(1 - 2)  # no process has this parent
time.sleep(1.5)
assert signal.getsignal(signal.SIGINT) is before
print("still here")
"""


@pytest.mark.slow
def test_a_worker_of_another_parent_is_not_ended() -> None:
    done = subprocess.run(
        [sys.executable, "-c", STRANGER], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "still here\n"), done.stderr


@pytest.mark.parametrize(
    ("codes", "kept"), [((3, 1), 1), ((1, 3), 1), ((1, 4, 3), 4), ((4, 130), 130), ((), 0)]
)
def test_the_gravest_exit_code_is_kept(codes: tuple[int, ...], kept: int) -> None:
    outcome = Outcome(Path())
    for code in codes:
        outcome.note(code, "")
    assert outcome.exit_code == kept


@pytest.mark.slow
def test_a_method_that_kills_its_worker_twice_fails_alone(tmp_path: Path) -> None:
    study = toys.study({"killer": {"estimator": "toys.Killer"}, "mean": "MeanDifference"})
    outcome = run(study, tmp_path, workers=2)
    assert (outcome.exit_code, outcome.made, outcome.failed) == (1, 12, 6)
    assert "killer: its process was ended by SIGKILL" in outcome.messages[0]
    healthy = run(toys.study(), tmp_path, workers=2)
    assert (healthy.exit_code, healthy.made) == (0, 0)


@pytest.mark.slow
def test_a_worker_killed_once_costs_nothing(tmp_path: Path) -> None:
    flag = str(tmp_path / "flag")
    killer = {"estimator": "toys.Killer", "params": {"file": flag}}
    study = toys.study({"killer": killer, "mean": "MeanDifference"}, models=6)
    outcome = run(study, tmp_path / "killed", workers=2)
    assert (outcome.exit_code, outcome.made, outcome.failed) == (0, 36, 0)
    assert "tried again alone" in (tmp_path / "killed" / "toy" / "logs" / "run.log").read_text()
    run(study, tmp_path / "whole")
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")


def test_progress_needs_no_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(toys.study(), tmp_path, quiet=False)
    shown = capsys.readouterr()
    assert "6 records, 0 done, 6 fits to do" in shown.out
    assert "about" in shown.out
    assert "6 of 6 fits" in shown.err
    assert module.SAVE_EVERY > 0


def test_packages_of_methods_are_among_those_whose_versions_are_kept() -> None:
    study = load(shipped()["example-own-data"])
    assert packages(outside(study)) == list(PACKAGES)
    foreign = study.methods["points"].model_copy(update={"estimator": "yaml.Ranker"})
    more = study.model_copy(update={"methods": study.methods | {"foreign": foreign}})
    assert packages(outside(more)) == [*PACKAGES, "PyYAML"]
