"""What is left of the package without the wing of a study; `make wings` takes each away in turn.

A study of ours is a wing, a YAML file and published values; `leaderboard` is the wing of a verb.
Without them every module can be imported, the other studies are fine, and a study runs. Without
its wing alone a study is refused by name.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
REST = """
import importlib, pkgutil, sys
import rankexp
from rankexp.runner.cli import main
names = [m.name for m in pkgutil.walk_packages(rankexp.__path__, "rankexp.")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(rankexp.__path__[0], len(names))
for line in sys.stdin:
    sys.argv = ["rankexp", *line.split()]
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
    print(line)
"""
TREES = """
version: 1
study: trees
title: Which customers will leave?
seed: 1
data:
  customers: {source: {file: rankexp/configs/example.csv}, target: left, levels: ["no", "yes"]}
methods:
  trees: {estimator: sklearn.tree.DecisionTreeClassifier, grid: {max_leaf_nodes: [2, 4, 8]}}
experiments:
  compare:
    problems: [customers]
    methods: [trees]
    metrics: [auc]
    protocol: {kind: cross_validation, folds: 5, stratified: true}
    inner: {folds: 3, stratified: true}
report: [{block: chosen_grid, name: chosen, experiment: compare}]
"""
"""A study without methods of ours: their loops would be compiled anew in each copy, for 10 s."""


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
    for file in configs.glob("published/*-claims.csv"):  # whose links to it go with it
        text = file.read_text(encoding="utf-8")
        file.write_text(re.sub(rf" ?\b{study}/\S+", "", text), encoding="utf-8")


def run(place: Path, *arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
    """Run Python on the copy, in its folder."""
    environment = os.environ | {"PYTHONPATH": str(place), "RANKEXP_DATA": ""}
    return subprocess.run(
        [sys.executable, *arguments],
        check=False,
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        input=said,
    )


def need(done: subprocess.CompletedProcess[str], code: int, text: str) -> None:
    """Stop with what a command said if it did not end as expected."""
    said = done.stdout + done.stderr
    if done.returncode != code or text not in said:
        sys.exit(f"wings: {done.args[1:]} ended with {done.returncode}, expected {code}\n{said}")


def check(wing: str) -> None:
    """Take a wing away and try what is left, in one process; then only its code."""
    study = wing.replace("_", "-")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        without(wing, place)
        (place / "trees.yaml").write_text(TREES)
        configs = place / "rankexp/configs"
        others = " ".join(sorted(file.stem for file in configs.glob("*.yaml")))
        quick = "run trees.yaml --quiet --jobs 1 --results results"
        done = run(place, "-c", REST, said=f"check {others}\n{quick}\n")
        for text in (str(place), others, quick):
            need(done, 0, text)
        shutil.copytree(ROOT / "configs", configs, dirs_exist_ok=True)
        if not (configs / f"{study}.yaml").is_file():
            need(run(place, "-m", "rankexp", "verdicts"), 2, "No such command 'verdicts'")
            return
        needs = f"study '{study}' needs rankexp/studies/{wing}, which is missing"
        need(run(place, "-m", "rankexp", "check", study), 2, needs)


if __name__ == "__main__":
    for wing in sys.argv[1:] or wings():
        check(wing)
        print(f"wings: all else works without {wing}", flush=True)
