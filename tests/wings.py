"""What is left of the package without the wing of a study; `make wings` takes each away in turn.

A study of ours is a wing, a YAML file and published values. Without them every module can be
imported, the other studies are fine, and one of them runs. Without its wing alone a study is
refused by name.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
IMPORT_ALL = """
import importlib, pkgutil, rankexp
names = [m.name for m in pkgutil.walk_packages(rankexp.__path__, "rankexp.")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(rankexp.__path__[0], len(names))
"""


def wings() -> list[str]:
    """Return the folders of wings."""
    return sorted(file.parent.name for file in (ROOT / "rankexp/studies").glob("*/__init__.py"))


def without(wing: str, place: Path) -> None:
    """Copy the package as a wheel holds it, without a wing and all that is its study's."""
    shutil.copytree(ROOT / "rankexp", place / "rankexp")
    shutil.rmtree(place / "rankexp/studies" / wing)
    configs = place / "rankexp/configs"
    shutil.copytree(ROOT / "configs", configs)
    study = wing.replace("_", "-")
    for file in (f"{study}.yaml", f"published/{study}.csv", f"published/{study}-claims.csv"):
        (configs / file).unlink(missing_ok=True)


def run(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python on the copy, in its folder."""
    environment = os.environ | {"PYTHONPATH": str(place), "RANKEXP_DATA": ""}
    return subprocess.run(
        [sys.executable, *arguments],
        check=False,
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
    )


def need(done: subprocess.CompletedProcess[str], code: int, text: str) -> None:
    """Stop with what a command said if it did not end as expected."""
    said = done.stdout + done.stderr
    if done.returncode != code or text not in said:
        sys.exit(f"wings: {done.args[1:]} ended with {done.returncode}, expected {code}\n{said}")


def check(wing: str, quick: str = "example-own-data") -> None:
    """Take a wing away and try what is left."""
    study = wing.replace("_", "-")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        without(wing, place)
        need(run(place, "-c", IMPORT_ALL), 0, str(place))
        others = sorted(file.stem for file in (place / "rankexp/configs").glob("*.yaml"))
        need(run(place, "-m", "rankexp", "check", *others), 0, "")
        arguments = ("run", quick, "--quick", "--quiet", "--results", "results")
        need(run(place, "-m", "rankexp", *arguments), 0, "")
        configs = place / "rankexp/configs"
        shutil.copytree(ROOT / "configs", configs, dirs_exist_ok=True)
        needs = f"study '{study}' needs rankexp/studies/{wing}, which is missing"
        need(run(place, "-m", "rankexp", "check", study), 2, needs)


if __name__ == "__main__":
    for wing in sys.argv[1:] or wings():
        check(wing)
        print(f"wings: all else works without {wing}", flush=True)
