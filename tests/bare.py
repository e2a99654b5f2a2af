"""What a user has who installs the wheel and nothing else; run with that environment's Python.

``make bare`` makes the environment. There is no pytest in it, so this is a script: it ends with a
sentence that says what is wrong, or with a line that counts what was done.
"""

import argparse
import importlib
import importlib.metadata
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import rankexp
from rankexp import registry, testing
from rankexp.runner.cli import main as command
from rankexp.runner.config.shipped import shipped_data

OF_EXTRAS = {"rankexp.runner.run.engines.dask"}  # modules that need an extra of theirs
NOT_HERE = ("dask", "pytest", "hypothesis", "mypy", "ruff", "statsmodels")


def main() -> None:
    """Check the installation and every study, then run quick profiles."""
    arguments = argparse.ArgumentParser(description=main.__doc__)
    arguments.add_argument("--jobs", default="2")
    arguments.add_argument("--run", nargs="+", help="names of studies to run; all are checked")
    arguments.add_argument("studies", nargs="+", type=Path)
    given = arguments.parse_args()
    where = Path(rankexp.__file__).parent
    if not where.is_relative_to(sys.prefix):
        sys.exit(f"bare: rankexp comes from {where}, not from the wheel in {sys.prefix}")
    if found := [name for name in NOT_HERE if importlib.util.find_spec(name)]:
        sys.exit(f"bare: this environment is not bare, it has {', '.join(found)}")
    for name in ("py.typed", "losses/__init__.pyi"):
        if not (where / name).is_file():
            sys.exit(f"bare: the wheel has no {name}, so its types reach nobody")
    imported = import_everything()
    typed("check", *(study.stem for study in given.studies))  # those in the wheel
    os.environ["RANKEXP_DATA"] = ""
    typed("data", "verify", *shipped_data())  # of those that `data list` finds
    typed("schema")
    for room in registry.ROOMS:
        registry.names(room)
    rankexp_command("list", "losses")
    rankexp_command("list", "run.engines")
    testing.check_loss("logistic")
    testing.check_metric("rank_loss")
    with tempfile.TemporaryDirectory() as folder:
        runs = [study for study in given.studies if study.stem in (given.run or [study.stem])]
        for study in runs:
            options = ("--quick", "--quiet", "--jobs", given.jobs, "--results", folder)
            rankexp_command("run", study, *options)
            name = f"{study.stem}-quick"
            if not list(Path(folder, name).glob("*.md")):
                sys.exit(f"bare: {name} has no table")
    print(f"bare: {imported} modules imported, {len(runs)} quick studies run")


def import_everything() -> int:
    """Import every module."""
    root = Path(rankexp.__file__).parent
    files = [file.relative_to(root.parent).with_suffix("") for file in sorted(root.rglob("*.py"))]
    names = [".".join(file.parts) for file in files if file.name != "__main__"]
    for name in OF_EXTRAS.symmetric_difference(names):
        importlib.import_module(name.removesuffix(".__init__"))
    return len(names)


def typed(*words: str) -> None:
    """Do in this process, which has imported everything, what the command does."""
    sys.argv, said = ["rankexp", *words], io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(said):
        try:
            command()
            code: object = 0
        except SystemExit as ended:
            code = ended.code
    if code:
        sys.exit(f"bare: {' '.join(sys.argv)} ended with {code}\n{said.getvalue()}")


def rankexp_command(*words: object) -> None:
    """Run the installed command; end where it does not end with 0."""
    line = [str(Path(sys.prefix, "bin", "rankexp")), *map(str, words)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"bare: {' '.join(line)} ended with {done.returncode}\n{done.stderr}")


if __name__ == "__main__":
    main()
