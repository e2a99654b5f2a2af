"""The command in this process, for many cases of what one process shows anyway."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from rankexp.runner.cli import main
from rankexp.runner.compare import session

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


@pytest.fixture
def designed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the study that would be run, and run nothing."""

    def _written(self: session.Session) -> None:
        self.folder.mkdir()
        self.file.write_text(yaml.safe_dump(self._content(1)))

    monkeypatch.setattr(session.Session, "first", _written)
    monkeypatch.setattr(session.Session, "widen", lambda self: None)
    monkeypatch.setattr(session.Session, "finish", lambda self: 0)
