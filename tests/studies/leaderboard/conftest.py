"""The verb in this process: one of its own takes seconds to import what it needs."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rankexp.runner.cli import main

Typed = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Run ``rankexp verdicts`` with some words in a folder."""

    def _typed(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        monkeypatch.chdir(cwd)
        monkeypatch.setenv("COLUMNS", "120")
        monkeypatch.setattr(sys, "argv", ["rankexp", "verdicts", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return subprocess.CompletedProcess(words, int(str(ended.value.code or 0)), *said)

    return _typed
