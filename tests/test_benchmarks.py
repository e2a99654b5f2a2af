"""`make bench` takes minutes; that its modules import and measure something is seen here."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAMES = sorted(p.stem for p in (ROOT / "benchmarks").glob("*.py") if p.stem[0] != "_")


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_imports_and_has_rows(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)
    found = importlib.import_module(f"benchmarks.{name}")
    assert callable(found.rows)
