"""What is declared of the project in several files agrees: floors, pins, make targets."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FILE = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = FILE["project"]
EXTRAS = PROJECT["optional-dependencies"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z][a-z0-9-]*):", MAKEFILE, re.MULTILINE))


def test_the_floors_are_what_the_oldest_environment_has() -> None:
    declared = PROJECT["dependencies"]
    floors = {line.split(",")[0].replace(">=", "==") for line in declared}
    pinned = (ROOT / ".ci/oldest.txt").read_text(encoding="utf-8").splitlines()
    assert {line for line in pinned if "#" not in line} == floors


def test_the_description_of_the_wheel_has_no_dead_links() -> None:
    text = (ROOT / PROJECT["readme"]).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)]*)\)|\]:\s*(\S+)|(?:src|href)=.(\S+)", text)
    assert all("".join(target).startswith("https://") for target in targets)
    assert len(text.splitlines()) < 60
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(code, {})
    address = FILE["tool"]["rankexp"]["documentation"]
    assert PROJECT.get("urls", {}).get("Documentation", "") == address


def test_what_lints_is_pinned() -> None:
    own = [line for line in EXTRAS["dev"] if not line.startswith("rankexp[")]
    assert {"ruff", "mypy"} <= {line.split("==")[0] for line in own}
    assert all("==" in line for line in own)


def test_the_workflow_runs_make_targets_only() -> None:
    for file in (ROOT / ".github/workflows").glob("*.yml"):
        jobs = yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"]
        for job in jobs.values():
            commands = [step["run"] for step in job["steps"] if "run" in step]
            assert commands == ["make ${{ matrix.target }} JOBS=4"]
            rows = job["strategy"]["matrix"]["include"]
            assert {row["target"] for row in rows} <= TARGETS
            pythons = {row["python"] for row in rows}
            said = "Programming Language :: Python :: "
            assert {said + version for version in pythons} == {
                line for line in PROJECT["classifiers"] if line.startswith(said)
            }


def test_every_target_is_explained_and_none_is_a_file() -> None:
    shown = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        env={k: v for k, v in os.environ.items() if not k.startswith("MAKE")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert {line.split()[0] for line in shown.stdout.splitlines()} == TARGETS
    phony = re.search(r"^\.PHONY:((?:.*\\\n)*.*)", MAKEFILE, re.MULTILINE)
    assert phony is not None
    assert set(phony[1].replace("\\", " ").split()) == TARGETS


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_targets_that_the_pages_name_are_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"(?:`|^)make ([a-z0-9-]+)", text, re.MULTILINE)
    assert named
    assert set(named) <= TARGETS
