"""What a shell completes, asked as bash asks; and that nothing heavy is loaded for it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rankexp import registry
from rankexp.runner.cli import main

STUDY = """\
version: 1
methods: {points: {}, pairs: {}}
experiments:
  figure1: {}
  figure2: {}
  table1: {}
"""
Completed = Callable[[str], list[str]]


@pytest.fixture
def completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Completed:
    """Return what may follow a line that was begun."""
    (tmp_path / "mine.yaml").write_text(STUDY, "utf-8")
    (tmp_path / "broken.yaml").write_text("a: [", "utf-8")
    (tmp_path / "a.csv").write_text('age;"pay rate";left\n1;2;no\n', "utf-8-sig")
    (tmp_path / "b.tsv").write_text("age\tleft\n", "utf-8")
    monkeypatch.chdir(tmp_path)

    def _completed(line: str) -> list[str]:
        monkeypatch.setattr(sys, "argv", ["rankexp"])
        monkeypatch.setattr(sys.modules["__main__"], "__package__", "")  # no `python -m pytest`
        monkeypatch.setenv("_RANKEXP_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        with pytest.raises(SystemExit):
            main()
        return capsys.readouterr().out.split("\n")[:-1]

    return _completed


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("rankexp run kotlowski2011-", ["kotlowski2011-theory"]),
        ("rankexp check mi", ["mine.yaml"]),
        ("rankexp list lo", ["losses"]),
        ("rankexp list stu", ["studies"]),
        ("rankexp run mine.yaml --only fi", ["figure1", "figure2"]),
        ("rankexp plan mine.yaml --only figure1,t", ["figure1,table1"]),
        ("rankexp run mine.yaml --redo p", ["points", "pairs"]),
        ("rankexp run example-own-data --redo t", ["trees"]),
        ("rankexp compare a.csv --target l", ["left"]),
        ("rankexp compare a.csv --target p", ["pay rate"]),
        ("rankexp inspect b.tsv --drop age,", ["age,age", "age,left"]),
        ("rankexp run broken.yaml --only ", [""]),
        ("rankexp run nowhere.yaml --only ", [""]),
        ("rankexp compare nothing.csv --target ", [""]),
        ("rankexp compare --target ", [""]),
    ],
)
def test_names_are_completed(completed: Completed, line: str, expected: list[str]) -> None:
    assert completed(line) == expected


def test_every_room_can_be_completed(completed: Completed) -> None:
    assert completed("rankexp list ") == [*registry.ROOMS, "studies"]


def test_the_command_alone_shows_its_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["rankexp"])
    with pytest.raises(SystemExit):
        main()
    said = capsys.readouterr()
    assert "Usage:" in said.out + said.err and "internal error" not in said.err


def test_nothing_heavy_is_loaded() -> None:
    """An experiment of the largest study is completed in less than .3 s on an idle machine."""
    code = (
        "import sys; sys.argv = ['rankexp']\nfrom rankexp.runner.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'pandas', 'pyarrow', 'rankexp.runner.config.schema'}\n"
        "print(*heavy & sys.modules.keys())"
    )
    words = {"COMP_WORDS": "rankexp run boosting --only lar", "COMP_CWORD": "4"}
    environment = os.environ | words | {"_RANKEXP_COMPLETE": "complete_bash"}
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment
    )
    assert done.stdout.split() == ["large"], done.stdout
