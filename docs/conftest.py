"""Examples in the docs leave nothing behind in the user's cache."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKEXP_CACHE", str(tmp_path))
