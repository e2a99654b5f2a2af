"""The test command draws the same random examples whatever else its process has imported."""

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


def drawn() -> list[int]:
    found: list[int] = []

    @settings(settings.get_profile("same"), max_examples=200)
    @given(st.lists(st.integers()))
    def collect(values: list[int]) -> None:
        found.extend(values)

    collect()
    return found


def test_examples_are_the_same_whatever_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = drawn()
    source = tmp_path / "many_constants.py"
    source.write_text(f"VALUES = {list(range(70_001, 71_001))}\n")
    spec = importlib.util.spec_from_file_location("many_constants", source)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "many_constants", module)
    spec.loader.exec_module(module)
    assert len(before) > 200
    assert drawn() == before
