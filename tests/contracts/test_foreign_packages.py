"""What other packages offer changes no test of ours; `make foreign` runs them beside a package."""

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from rankexp import registry

ROOT = Path(__file__).parents[2]
NAME = "offered_by_others"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a folder with the metadata of a package that offers one thing of each kind."""
    info = tmp_path / "others-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1.0\n")
    points = (f"[rankexp.{group}]\n{NAME} = fractions:Fraction\n" for group in registry.ROOMS)
    (info / "entry_points.txt").write_text("\n".join(points))
    return tmp_path


@pytest.fixture(autouse=True)
def read_anew():
    registry._room.cache_clear()
    yield
    registry._room.cache_clear()


@pytest.mark.parametrize("group", registry.ROOMS)
def test_the_tests_see_no_foreign_package(site, monkeypatch, group):
    monkeypatch.syspath_prepend(site)
    assert NAME in entry_points(group=f"rankexp.{group}").names
    assert NAME not in registry.names(group)
    monkeypatch.setattr(registry, "entry_points", entry_points)
    registry._room.cache_clear()
    assert NAME in registry.names(group), "or this test could not fail"


def test_no_foreign_package_makes_tests(site):
    """The parameters of tests are collected before any fixture is there."""
    path = os.pathsep.join([str(site), str(ROOT)])
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "--collect-only",
            "-q",
            "tests/contracts/test_metrics.py",
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": path, "PYTEST_ADDOPTS": ""},
    )
    assert "test_keeps_its_contract[auc]" in done.stdout, done.stdout + done.stderr
    assert NAME not in done.stdout


def test_the_example_package_offers_one_of_each_kind():
    """Or `make foreign` would not see what one of another kind does to the tests."""
    text = (ROOT / "examples/plugin/pyproject.toml").read_text(encoding="utf-8")
    for group in registry.ROOMS:
        assert f'[project.entry-points."rankexp.{group}"]' in text
