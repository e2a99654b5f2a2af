"""A short slice of `tests/fuzz.py`, text of hypothesis, and whether faults would be seen."""

import os
import subprocess
import tempfile
from pathlib import Path

import fuzz
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.errors import DataError

COUNT = {"yaml": 12, "published": 12}
"""Inputs of the slow ones; 25 of the others."""


@pytest.mark.parametrize("name", fuzz.READERS)
def test_a_reader_takes_or_refuses_whatever_it_is_given(name: str) -> None:
    if name == "excel":
        pytest.importorskip("openpyxl", reason="needs the extra 'excel'")
    found = list(fuzz.faults(name, "same", COUNT.get(name, 25)))
    assert not found, found[0]


@pytest.mark.parametrize("name", ["csv", "arff", "letor", "yaml", "claims", "records"])
@settings(max_examples=8)
@given(text=st.text(max_size=80), spliced=st.booleans(), place=st.integers(0, 200))
def test_a_reader_takes_or_refuses_any_text(
    name: str, text: str, spliced: bool, place: int
) -> None:
    reader, content = fuzz.READERS[name], text.encode(errors="surrogatepass")
    if spliced:
        seed = reader.seeds()[0]
        content = seed[:place] + content + seed[place:]
    with tempfile.TemporaryDirectory() as folder:
        assert fuzz.attempt(reader, content, Path(folder)) is None


@pytest.mark.parametrize("name", fuzz.READERS)
def test_some_inputs_are_taken_and_some_refused(name: str) -> None:
    """A reader that refuses all, or is never reached, would pass as well."""
    if name == "excel":
        pytest.importorskip("openpyxl", reason="needs the extra 'excel'")
    reader, taken = fuzz.READERS[name], 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, reader.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        for content in reader.seeds():
            path.write_bytes(content)
            try:
                reader.read(path)
                taken += 1
            except reader.errors as error:
                assert str(error)
    assert taken >= len(reader.seeds()) - 1


def writes(path: Path) -> None:
    path.with_name("more").write_text("x")


def starts(path: Path) -> None:
    subprocess.run(["true"], check=True)


def goes_on(path: Path) -> None:
    while True:
        pass


def fails(path: Path) -> None:
    raise KeyError("x")


def is_mute(path: Path) -> None:
    raise DataError("")


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (writes, "did more than read: ['open "),
        (starts, "subprocess.Popen"),
        (lambda path: os.mkdir(path.with_name("d")), "os.mkdir"),  # noqa: PTH102
        (goes_on, "not done after"),
        (fails, "KeyError: 'x'"),
        (is_mute, "a message of 0 characters"),
    ],
)
def test_the_watch_sees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read, said: str) -> None:
    monkeypatch.setattr(fuzz, "SECONDS", 0.02)
    reader = fuzz.Reader(read, lambda: [b"x"], "t")
    assert said in (fuzz.attempt(reader, b"x", tmp_path) or "")
