"""The command in this process, for many cases of what one process shows anyway."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rankexp.runner.cli import main

Typed = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Run the command in this process, for many cases of what one process shows anyway."""

    def _typed(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
        words = ["rankexp", *map(str, arguments)]
        monkeypatch.chdir(cwd)
        monkeypatch.delenv("RANKEXP_DATA", raising=False)
        monkeypatch.setenv("RANKEXP_CACHE", str(cwd / "cache"))
        monkeypatch.setenv("COLUMNS", "100")
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        return subprocess.CompletedProcess(words, int(code or 0), said.out, said.err)

    return _typed
