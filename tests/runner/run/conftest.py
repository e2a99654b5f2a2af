import os
import sys
from pathlib import Path

import pytest

HERE = str(Path(__file__).parent)
sys.path.insert(0, HERE)


@pytest.fixture(autouse=True)
def _toys_for_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let worker processes and subprocesses import the toys by name."""
    known = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", HERE + (os.pathsep + known if known else ""))
