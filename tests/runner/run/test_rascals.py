"""What docs/methods.md says is kept apart: no method changes a neighbour's record by one bit."""

import os
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest
import rascals
import toys

from rankexp.runner.config.schema import Study
from rankexp.runner.run.execute import Outcome, execute
from rankexp.runner.run.store import Store

FEW = [("umask", 1), ("posix_exit", 2)]  # what stays behind, and what takes a worker along
SMALL = {"models": 1, "training_sets": 2}


def study(kind: str = "") -> Study:
    rascal = {"estimator": "rascals.Rascal", "params": {"kind": kind}}
    witness = {"estimator": "rascals.Witness"}
    log = {"params": {"loss": "logistic"}, "lambdas": [0.1, 1.0]}
    both = {"a": witness, **({"rascal": rascal} if kind else {}), "b": witness, "log": log}
    return toys.study(both, **SMALL)


def neighbours(outcome: Outcome) -> dict[str, str]:
    """Return the records of all but the rascal, times aside."""
    kept = Store(outcome.folder).read()
    cells = {cell.key for cell in outcome.cells or () if cell.method != "rascal"}
    return {key: repr(replace(kept[key], times={})) for key in cells}


@cache
def alone(workers: int) -> dict[str, str]:
    outcome = execute(study(), results=Path(mkdtemp()), workers=workers, quiet=True)
    assert outcome.exit_code == 0
    return neighbours(outcome)


@pytest.mark.parametrize(
    ("kind", "workers"),
    [
        pytest.param(kind, workers, marks=[pytest.mark.slow] * ((kind, workers) not in FEW))
        for kind in rascals.KINDS
        for workers in (1, 2)
    ],
)
def test_a_rascal_changes_no_neighbour(
    tmp_path: Path, kind: str, workers: int, capfd: pytest.CaptureFixture[str]
) -> None:
    outcome = execute(study(kind), results=tmp_path, workers=workers, quiet=True)
    found = Store(outcome.folder).read()
    assert neighbours(outcome) == alone(1), kind
    assert len(found) == 6, "every record is there, be it a failed one"
    assert outcome.exit_code == any(record.status != "ok" for record in found.values())
    shown = capfd.readouterr()
    assert len(shown.out + shown.err) < 1000 and "Traceback" not in shown.err
    assert shown.err.count("\n") <= 1, "a death is one line"
    if kind == "prints":
        assert "much much" in (outcome.folder / "logs" / "run.log").read_text()


def compared(folder: Path, more: str = "") -> dict[str, str]:
    """Compare two methods, and perhaps more, and return the records that are good."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 3))
    rows = zip(X.tolist(), X[:, 0] + rng.standard_normal(120) > 0, strict=True)
    lines = ["a,b,c,target", *(",".join([*map(repr, row), "ny"[int(up)]]) for row, up in rows)]
    (folder / "t.csv").write_text("\n".join([*lines, ""]))
    given = [
        "compare",
        "t.csv",
        "--target",
        "target",
        "--positive",
        "y",
        "--out",
        "out",
        "--minutes",
        "0.5",
        "-j",
        "2",
    ]
    given.append(f"--methods=points-logistic,pairs-logistic{more}")
    path = os.pathsep.join([str(folder), str(Path(__file__).parent), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-m", "rankexp", *given],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (folder / "out" / "report.md").is_file(), done.stderr
    assert "recommend" in done.stdout.lower() or "answer.png" in done.stdout
    assert "Traceback" not in done.stderr and len(done.stdout) < 20_000
    kept = Store(folder / "out").read()
    assert done.returncode == any(record.status != "ok" for record in kept.values())
    return {k: repr(replace(r, times={})) for k, r in kept.items() if r.status == "ok"}


@cache
def undisturbed() -> dict[str, str]:
    return compared(Path(mkdtemp()))


@pytest.mark.slow
@pytest.mark.parametrize("kind", rascals.KINDS)
def test_compare_answers_beside_a_rascal(tmp_path: Path, kind: str) -> None:
    (tmp_path / "mine.py").write_text(
        "import rascals\nclass Mine(rascals.Rascal):\n"
        f"    def __init__(self, kind={kind!r}):\n        super().__init__(kind)\n"
    )
    found = compared(tmp_path, ",mine.Mine")
    same = found.keys() & undisturbed().keys()
    assert len(same) >= 10 and all(found[key] == undisturbed()[key] for key in same)
