"""The example package: installed as a user would, every extension is used by a study."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "examples/plugin"
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


def test_a_study_uses_every_extension(site: Path, tmp_path: Path) -> None:
    done = run("-m", "rankexp", "check", "study.yaml", site=site)
    assert done.returncode == 0, done.stderr
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
    rounded = pd.read_csv(folder / "rounded.csv").query("quantity == 'cost'")
    assert rounded["mean"].iloc[0] > rounded["mean"].iloc[1]
    alone = pd.read_csv(folder / "alone.csv")
    assert set(alone["problem"]) == {"customers"} and alone["mean"].between(0.0, 0.5).all()
    for method in ("points", "pairs", "balanced", "covariance"):
        kept = scores.query("method == @method and metric == 'rank_loss' and part == 'test'")
        assert kept.query("experiment == 'customers'")["value"].mean() < 0.45, method


@pytest.mark.slow
def test_the_package_keeps_the_contracts(site: Path) -> None:
    options = ("-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", PLUGIN)
    done = run("-m", "pytest", *options, "test_plugin.py", site=site)
    assert done.returncode == 0, done.stdout


def test_a_wrong_option_of_its_block_is_told_with_its_place(site: Path, tmp_path: Path) -> None:
    text = (PLUGIN / "study.yaml").read_text(encoding="utf-8")
    (tmp_path / "study.yaml").write_text(text.replace("against: points", "against: point"))
    done = run("-m", "rankexp", "check", "study.yaml", site=site, cwd=tmp_path)
    assert done.returncode == 2
    assert re.search(r"study\.yaml:\d+:\d+:.*unknown method 'point'.*'points'", done.stderr)


def test_every_file_is_explained_by_its_own_code() -> None:
    """A block of the page that begins with a file's name is found there, to the letter."""
    blocks = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", PAGE, re.DOTALL)
    for name, code in blocks:
        text = (PLUGIN / "rankexp_example" / name).read_text(encoding="utf-8")
        for piece in re.split(r"\n\s*# \.\.\.\n", code):
            assert piece.strip("\n") in text, f"{name}:\n{piece}"
    files = {file.name for file in (PLUGIN / "rankexp_example").glob("*.py")}
    assert {name for name, _ in blocks} == files - {"__init__.py"}
    points = (PLUGIN / "pyproject.toml").read_text(encoding="utf-8")
    for line in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL):
        assert line.strip() in points
