"""README.md is short, and each number of its tables is found where it comes from."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
MOST = 150  # lines
FOUND = TEXT.partition("## What was found")[2].partition("\n## ")[0]
ROWS = re.findall(r"^\| .* \| (.*) \| \[([\w-]+)\]\(.*\) \|$", FOUND, re.MULTILINE)
NUMBER = re.compile(r"[-+−]?\d*\.\d+")
MINUTES = re.findall(r"`([\w-]+)`(?: \([^)]*\))? \| (\d+)", TEXT.partition("## A study is")[2])


def results(study: str) -> str:
    """Return all that a committed run says in words and tables."""
    files = sorted((ROOT / "results" / "reference" / study).glob("*.md"))
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def test_it_is_short() -> None:
    assert len(TEXT.splitlines()) <= MOST


def test_every_study_has_a_row() -> None:
    runs = {file.parent.name for file in (ROOT / "results" / "reference").glob("*/report.md")}
    assert {study for _, study in ROWS} == runs == {study for study, _ in MINUTES}


@pytest.mark.parametrize(("said", "study"), ROWS, ids=[study for _, study in ROWS])
def test_its_numbers_are_those_of_the_committed_run(said: str, study: str) -> None:
    known = results(study)
    numbers = [one.lstrip("+-−") for one in NUMBER.findall(said)]
    assert all(re.search(rf"(?<![\d]){re.escape(one)}(?!\d)", known) for one in numbers)


@pytest.mark.parametrize(("study", "minutes"), MINUTES, ids=[study for study, _ in MINUTES])
def test_minutes_are_those_of_the_committed_run(study: str, minutes: str) -> None:
    page = (ROOT / "results" / "reference" / study / "report.md").read_text(encoding="utf-8")
    took = re.search(r"(?:(\d+) h )?(\d+) min(?: (\d+) s)? of computing\.", page)
    assert took is not None
    hours, whole, seconds = (int(one or 0) for one in took.groups())
    assert round(60 * hours + whole + seconds / 60) == int(minutes)


def test_figures_of_speed_are_those_of_the_benchmarks() -> None:
    speed = (ROOT / "docs" / "reference" / "speed.md").read_text(encoding="utf-8")
    said = TEXT.partition("figures of `make bench`")[2].partition("\n\n")[0]
    numbers = NUMBER.findall(said)
    assert len(numbers) == 2
    assert all(re.search(rf"\| {re.escape(one)}[; /|]", speed) for one in numbers)
