"""A disk that is full, or fails, at any operation: said in a sentence, mended by a plain run."""

import json
import os
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from disk import ERRORS, Disk, Failing

from rankexp.runner import cli, files
from rankexp.runner.data.snapshot import load_snapshot
from rankexp.runner.run import manifest
from rankexp.runner.run.store import Store

STUDY = """
version: 1
study: small
title: Small
seed: 5
data: {customers: {source: {file: customers.csv}, target: left, levels: ["no", "yes"]}}
generators: {line: {generator: linear, params: {d: 3}}}
methods:
  points: {params: {loss: logistic}, lambdas: [0.01, 1]}
experiments:
  figure:
    problems: [line]
    protocol: {kind: models, models: 2, training_sets: 1, n_train: 40, n_test: 40}
    methods: [points]
  table:
    problems: [customers]
    metrics: [auc]
    keep: {scores: true}
    protocol: {kind: cross_validation, folds: 2, stratified: true}
    methods: [points]
report: [{block: completeness, name: done, experiment: table}]
"""
TIMED = re.compile(r"manifest\.json|run\.md|report\.(html|md)|run\.log|.*\.npz")
"""Files that say when they were made, or how long that took."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = "".join(f"{i % 7},{i % 3},{'yes' if i % 2 else 'no'}\n" for i in range(24))
    (tmp_path / "customers.csv").write_text(f"u,v,left\n{rows}")
    (tmp_path / "study.yaml").write_text(STUDY)
    monkeypatch.setattr(os, "fsync", lambda _: None)  # `Disk` counts it all the same
    monkeypatch.setenv("RANKEXP_CACHE", str(tmp_path / "here/cache"))
    (tmp_path / "here").mkdir()
    return tmp_path


class Runs:
    """Runs of the study into a folder below `place`, which each begins without."""

    def __init__(self, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.here, self.capsys = place / "here", capsys
        self.command = ["rankexp", "run", str(place / "study.yaml"), "--jobs", "1", "--quiet"]
        self.command += ["--results", str(self.here / "results")]

    def run(self) -> tuple[int, str]:
        """Return the exit code, and what was said."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", self.command)
            with pytest.raises(SystemExit) as ended:
                cli.main()
        return int(str(ended.value.code or 0)), self.capsys.readouterr().err

    def afresh(self) -> None:
        """Begin as a new process does, in an empty folder."""
        load_snapshot.cache_clear()
        manifest._diagnosis.cache_clear()
        files._LASTING.clear()
        shutil.rmtree(self.here)
        self.here.mkdir()

    def made(self) -> dict[str, Any]:
        """Return all files, but for times."""
        study = self.here / "results/small"
        found: dict[str, Any] = {
            str(file.relative_to(self.here)): TIMED.fullmatch(file.name) or file.read_bytes()
            for file in self.here.rglob("*")
            if file.is_file()
            and "records" not in file.parts
            # What is left of a write that failed twice, or of a lock, counts for nothing.
            and file.suffix != ".tmp"
            and file.name != ".lock"
        }
        found = {k: bool(v) if isinstance(v, re.Match) else v for k, v in found.items()}
        found |= {k: repr(replace(r, times={})) for k, r in Store(study).read().items()}
        return found | {"complete": json.loads((study / "manifest.json").read_text())["complete"]}


def wrong_after(runs: Runs, whole: dict[str, Any], name: str, first: int, ever: bool) -> str:
    """Return what is wrong with a run whose disk fails, or with the plain run after it."""
    runs.afresh()
    with Failing(runs.here, ERRORS[name], first, ever=ever) as disk:
        code, said = runs.run()
    happened = f"{name} at {first}{' and after' * ever}, {disk.failed[:1]}: {code}, {said}"
    told = (os.strerror(ERRORS[name]), "the disk is full", "could not be read", "cannot be read")
    explained = any(text in said for text in told)
    if not disk.failed or code not in {0, 4}:
        return happened
    if code == 4 and not (explained and said.count("\n") <= 2):
        return f"not one sentence: {happened}"
    if code == 0 and runs.made() != whole:
        return f"not said: {happened}"
    if runs.run() != (0, "") or runs.made() != whole:
        return f"not mended by a plain run: {happened}"
    return ""


def try_some(runs: Runs, which: list[tuple[str, int, bool]]) -> None:
    runs.afresh()
    assert runs.run() == (0, "")
    whole = runs.made()
    assert [text for each in which if (text := wrong_after(runs, whole, *each))] == []


def operations(runs: Runs) -> int:
    """Return how many operations a run takes."""
    runs.afresh()
    with Failing(runs.here, 0, -1) as disk:
        assert runs.run() == (0, "")
    return disk.count


@pytest.mark.slow
def test_some_failures(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = Runs(place, capsys)
    count = operations(runs)
    errors = [*ERRORS]
    try_some(runs, [(errors[i], (2 * i + 1) * count // 8, i == 1) for i in range(4)])


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("ever", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("name", ERRORS)
def test_each_failure(
    place: Path, capsys: pytest.CaptureFixture[str], name: str, ever: bool
) -> None:
    runs = Runs(place, capsys)
    try_some(runs, [(name, first, ever) for first in range(operations(runs))])


class Last(Disk):
    """A disk that is full when the manifest is written for the last time."""

    def asked(self, name: str, path: str, real: Any, *arguments: Any, **named: Any) -> Any:
        if name == "write" and "manifest.json" in path and b'"complete": true' in arguments[1]:
            raise OSError(ERRORS["ENOSPC"], os.strerror(ERRORS["ENOSPC"]), path)
        return real(*arguments, **named)


def test_a_last_manifest_without_room_is_said(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = Runs(place, capsys)
    with Last(runs.here):
        code, said = runs.run()
    assert code == 4 and said.startswith("the disk is full: cannot write to")
    assert said.count("\n") == 1
    assert runs.run() == (0, "")
