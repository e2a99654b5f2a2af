"""`rankexp.plugin`: every name is there, nothing else is imported for it, and it is typed."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import rankexp
import rankexp.plugin as face
from rankexp import registry

ROOT = Path(rankexp.__file__).parent
TYPED = """
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from rankexp.plugin import (
    Block, Choosing, Context, DataEntry, DataTable, Design, Floats, Loaded, MarginLoss,
    MethodName, Output, Parts, Place, Protocol, Table, declare, locate, stream,
)

class Quarter(MarginLoss):
    def of_margin(self, z: Floats) -> Floats:
        return z / 4
    def margin_derivative(self, z: Floats) -> Floats:
        return 0.0 * z + 0.25
    def margin_curvature(self, z: Floats) -> Floats:
        return 0.0 * z

class Half(Protocol):
    kind: Literal["half"]
    def places(self) -> Iterator[Place]:
        yield Place(rep=0)
    def size(self) -> int:
        return 1
    def training_rows(self, rows: int) -> int:
        return rows // 2
    def parts(self, source: Loaded, place: Place, *, inner: bool) -> Parts:
        order = stream(source.seed, source.name).permutation(len(source.whole.y))
        return Parts(source.whole.take(order[::2]), source.whole.take(order[1::2]), source.name)
    def design(self, rows: float = float("nan")) -> Design:
        return Design("splits")
    def words(self) -> str:
        return "halves"

class Shown(Choosing):
    against: MethodName
    def output(self, context: Context, block: Block) -> Output:
        return Output(tables=[Table(["Method"], [[name] for name in self.shown(context, block)])])

def source(reference: object, entry: DataEntry, folders: Sequence[Path]) -> DataTable | None:
    path = locate(reference, folders)
    reveal_type(path)
    return None
"""


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT.parent), "MYPYPATH": str(ROOT.parent)}
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=environment,
    )


@pytest.mark.parametrize("name", dir(face))
def test_every_name_is_there(name):
    assert getattr(face, name) is not None


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"'rankexp\.plugin' has no attribute 'Nothing'"):
        face.Nothing  # noqa: B018


def test_bases_that_messages_name_are_offered():
    for room in registry.ROOMS.values():
        if room.base:
            module, _, name = room.base.partition(":")
            assert getattr(face, name) is getattr(
                importlib.import_module(f"rankexp.{module}"), name
            )


def test_what_is_not_used_is_not_imported(tmp_path):
    """One after the other in one process: what comes may load more than what was there."""
    heavy = {
        "MarginLoss, declare, Metric, Generator, of_data": "pandas matplotlib pydantic sklearn",
        "Protocol, stream": "pandas matplotlib sklearn",
        "DataTable, locate": "matplotlib sklearn",
        "Choosing, panels": "matplotlib",
    }
    code = [f"from rankexp.plugin import {names}; print(*sys.modules)" for names in heavy]
    done = run("-c", "\n".join(["import sys", *code]), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for each, loaded in zip(heavy.values(), done.stdout.splitlines(), strict=True):
        assert not set(each.split()) & set(loaded.split())


@pytest.mark.slow
def test_a_plug_in_type_checks_strictly(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "theirs.py").write_text(TYPED)
    options = ("--strict", "--follow-imports=silent", "--cache-dir=cache")
    done = run("-m", "mypy", *options, "theirs.py", cwd=tmp_path)
    assert "Success" in done.stdout, done.stdout + done.stderr
    assert 'Revealed type is "pathlib.Path | None"' in done.stdout
