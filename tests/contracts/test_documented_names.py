"""What docs and docstrings call by its full name is there: a name that moved is found again."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from rankexp import registry

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "rankexp").rglob("*.py")),
    *sorted((ROOT / "examples").rglob("*.py")),
]
NAME = re.compile(r"\brankexp(?:\.[A-Za-z_]\w*)+")
FILE = re.compile(r"`((?:rankexp|tests|configs|docs|examples|benchmarks)/[\w./-]+)`")


def _is_there(name: str) -> bool:
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


@pytest.mark.parametrize("name", ["rankexp.runner.nothing", "rankexp.losses.Logistik"])
def test_a_name_that_is_gone_is_found_out(name: str) -> None:
    assert not _is_there(name) and _is_there("rankexp.losses.Logistic")


def test_names_and_files_in_docs_and_docstrings_are_there() -> None:
    groups = {f"rankexp.{room}" for room in registry.ROOMS}
    assert len(PAGES) > 300 and "rankexp.checks" in groups
    gone = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        names = set(NAME.findall(text)) - groups
        gone += [(page.name, name) for name in names if not _is_there(name)]
        gone += [(page.name, f) for f in set(FILE.findall(text)) if not list(ROOT.glob(f + "*"))]
    assert not gone
