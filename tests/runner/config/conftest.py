import re
from pathlib import Path

import pytest

from rankexp.errors import ConfigError
from rankexp.runner.config.load import load

MARK = "«"


def strip(marked):
    """Take the marks out of a text; return it and their places, (line, column) from 1."""
    places, lines = [], []
    for number, line in enumerate(marked.split("\n"), start=1):
        while MARK in line:
            places.append((number, line.index(MARK) + 1))
            line = line.replace(MARK, "", 1)  # noqa: PLW2901
        lines.append(line)
    return "\n".join(lines), places


@pytest.fixture
def errors(tmp_path):
    """Load a marked text; return the messages, after checking that all places are as marked."""

    def run(marked, profile=None):
        text, expected = strip(marked)
        file = Path(tmp_path / "study.yaml")
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigError) as caught:
            load(file, profile)
        lines = str(caught.value).split("\n")
        found = [re.fullmatch(rf"{re.escape(str(file))}:(\d+):(\d+): (.*)", s) for s in lines]
        assert all(found), lines
        assert [(int(m[1]), int(m[2])) for m in found] == expected, lines
        return [m[3] for m in found]

    return run


@pytest.fixture
def loaded(tmp_path):
    def run(text, profile=None):
        file = Path(tmp_path / "study.yaml")
        file.write_text(text, encoding="utf-8")
        return load(file, profile)

    return run
