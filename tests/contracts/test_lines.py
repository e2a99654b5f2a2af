"""`make lines` counts by house, whatever the files' own format, and fails above a ceiling."""

import runpy
from pathlib import Path

import pytest

pytest.importorskip("ruff")  # with the oldest dependencies there is no formatter

ROOT = Path(__file__).parents[2]
lines = runpy.run_path(str(ROOT / ".ci" / "lines.py"))
FILES = {
    "rankexp/losses/one.py": "a = 1\n",
    "rankexp/runner/cli.py": "a = 1; b = 2\n",
    "rankexp/studies/__init__.py": "",
    "rankexp/studies/paper2030/checks.py": "def f(a,b): return (a,\n b,)\n",
    "rankexp/testing/one.py": "a = 1\n",
    "configs/beside.py": "a = 1\n",
}
CEILINGS = """
| library | 1,000 |
| runner | 2 |
| testing | 1 |
| a wing | 5 |
| all without wings | 4 |
| all | 10 |
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "CONTRIBUTING.md").write_text(CEILINGS)
    return tmp_path


def test_each_house_is_counted_as_ruff_formats_it(project):
    assert lines["count"](project) == {
        "library": 1,
        "runner": 2,
        "testing": 1,
        "wing configs": 1,
        "wing paper2030": 5,
    }
    assert lines["main"](project) == 0


@pytest.mark.parametrize("house", ["runner", "testing", "a wing", "all without wings", "all"])
def test_one_line_more_than_a_ceiling_fails(project, house):
    most = lines["ceilings"](CEILINGS)[house]
    low = CEILINGS.replace(f"| {house} | {most} |", f"| {house} | {most - 1} |")
    (project / "CONTRIBUTING.md").write_text(low)
    assert lines["main"](project) == 1


def test_the_ceilings_of_this_project_are_read():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert len(lines["ceilings"](text)) == 6
