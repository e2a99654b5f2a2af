"""The example package: installed as a user would, every extension is used by a study."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from rankexp import registry

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "examples/plugin"
PUBLIC = ("estimators", "metrics", "losses", "risks", "objectives", "preference", "generators")
PUBLIC += ("theory", "testing")
PAGE = (ROOT / "docs/extending.md").read_text(encoding="utf-8")


def run(*command: object, site: Path, cwd: Path = PLUGIN) -> subprocess.CompletedProcess[str]:
    """Run Python with another folder of installed packages, beside this source tree."""
    known = os.environ.get("PYTHONPATH", "")
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(site), str(ROOT), known]).rstrip(os.pathsep),
        "RANKEXP_CACHE": str(site.parent / "cache"),
    }
    return subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the package, without network, in a folder of its own."""
    target = tmp_path_factory.mktemp("installed") / "site"
    offline = ("--no-deps", "--no-build-isolation", "--no-index", "--quiet")
    command = ("-m", "pip", "install", *offline, "--target", target, PLUGIN)
    done = run(*command, site=target, cwd=target.parent)
    assert done.returncode == 0, done.stderr
    return target


@pytest.mark.slow
def test_a_study_uses_every_extension(site: Path, tmp_path: Path) -> None:
    done = run("-m", "rankexp", "run", "study.yaml", "-j1", "--results", tmp_path, site=site)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "example-plugin"
    wins = pd.read_csv(folder / "wins.csv")
    assert wins["method"].tolist() == ["pairs", "balanced", "covariance"]
    assert (wins[["better", "equal", "worse"]].sum(axis=1) == 8).all()
    scores = pd.read_csv(folder / "scores.csv")
    assert set(scores["status"]) == {"ok"}
    assert {"rank_loss", "share_at_top(top=0.2, ties=worst)"} <= set(scores["metric"])
    customers = scores.query("experiment == 'customers' and part == 'test'")
    assert sorted(customers["rep"].unique()) == [0, 1, 2]
    text = "".join(file.read_text() for file in (folder / "records").rglob("*.json"))
    assert '"gains' in text and '"coefficients' in text
    slope = pd.read_csv(folder / "bells.csv").query("quantity == 'slope'")
    assert slope["theory"].iloc[0] == pytest.approx(2.0)
    rounded = pd.read_csv(folder / "rounded.csv").query("quantity == 'cost'")
    assert rounded["mean"].iloc[0] > rounded["mean"].iloc[1]
    alone = pd.read_csv(folder / "alone.csv")
    assert set(alone["problem"]) == {"customers"} and alone["mean"].between(0.0, 0.5).all()
    for method in ("points", "pairs", "balanced", "covariance"):
        kept = scores.query("method == @method and metric == 'rank_loss' and part == 'test'")
        assert kept.query("experiment == 'customers'")["value"].mean() < 0.45, method


@pytest.mark.slow
def test_its_cluster_makes_the_same_records(site: Path, tmp_path: Path) -> None:
    """In a process and a folder of its own, and without the files of this machine."""
    for folder, more in (("here", ()), ("there", ("--cluster", "one_by_one:"))):
        words = ("-m", "rankexp", "run", "study.yaml", "-j1", "--results", tmp_path / folder)
        done = run(*words, *more, site=site)
        assert done.returncode == 0, done.stderr
    both = (tmp_path / "here/example-plugin", tmp_path / "there/example-plugin")
    done = run("-m", "rankexp", "results", "merge", *both, site=site)
    assert ": 0 records merged" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_the_package_keeps_the_contracts(site: Path) -> None:
    options = ("-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", PLUGIN)
    done = run("-m", "pytest", *options, "test_plugin.py", site=site)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow  # it runs above; options of blocks of ours are told alike in config/test_errors
def test_its_study_is_fine_and_a_wrong_option_of_its_block_is_told_with_its_place(
    site: Path, tmp_path: Path
) -> None:
    text = (PLUGIN / "study.yaml").read_text(encoding="utf-8")
    (tmp_path / "study.yaml").write_text(text.replace("against: points", "against: point"))
    right = PLUGIN / "study.yaml"
    done = run("-m", "rankexp", "check", right, "study.yaml", site=site, cwd=tmp_path)
    assert done.returncode == 2
    assert f"{right}: fine" in done.stdout
    assert re.search(r"study\.yaml:\d+:\d+:.*unknown method 'point'.*'points'", done.stderr)


def test_the_page_has_the_whole_code() -> None:
    """A block of the page that begins with a file's name is that file, to the letter."""
    blocks = dict(re.findall(r"```python\n# (\w+\.py)\n(.*?)```", PAGE, re.DOTALL))
    files = sorted((PLUGIN / "rankexp_example").glob("*.py"))
    code = {file.name: file.read_text(encoding="utf-8") for file in files}
    del code["__init__.py"]
    assert blocks == code
    assert "# ..." not in PAGE


def test_the_page_names_every_kind() -> None:
    for group in registry.ROOMS:
        assert f"\n| `{group}` |" in PAGE


def test_the_package_imports_from_one_face() -> None:
    """And from the public rooms, for what rankexp itself has."""
    allowed = {"rankexp.plugin", *(f"rankexp.{room}" for room in PUBLIC)}
    for file in PLUGIN.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            ours = {name for name in names if name.split(".")[0] == "rankexp"}
            assert ours <= allowed, file


def test_the_lines_of_pyproject_are_those_of_the_package() -> None:
    points = (PLUGIN / "pyproject.toml").read_text(encoding="utf-8")
    for line in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL):
        assert line.strip() in points
