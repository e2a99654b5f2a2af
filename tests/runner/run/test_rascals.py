"""What docs/methods.md says is kept apart: no method changes a neighbour's record by one bit."""

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

FEW = ["set_config", "umask", "patches_numpy", "closes", "posix_exit", "forks"]
SMALL = {"models": 1, "training_sets": 2}
COMPARE = """
import sys
from rankexp.runner.cli import main
sys.argv[1:] = {arguments}
main()
"""


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


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=[] if k in FEW else pytest.mark.slow) for k in rascals.KINDS]
)
def test_a_rascal_changes_no_neighbour(
    tmp_path: Path, kind: str, workers: int, capfd: pytest.CaptureFixture[str]
) -> None:
    if workers == 2 and kind != FEW[0] and kind in FEW:
        pytest.skip("in the slow ones")
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


def table(file: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 3))
    y = X[:, 0] + rng.standard_normal(120) > 0
    lines = [
        ",".join([*map(repr, row.tolist()), "yn"[int(up)]]) for row, up in zip(X, y, strict=True)
    ]
    file.write_text("\n".join(["a,b,c,target", *lines]) + "\n")


@pytest.mark.slow
@pytest.mark.parametrize("kind", rascals.KINDS)
def test_compare_answers_beside_a_rascal(tmp_path: Path, kind: str) -> None:
    table(tmp_path / "t.csv")
    (tmp_path / "mine.py").write_text(
        "import rascals\nclass Mine(rascals.Rascal):\n"
        f"    def __init__(self, kind={kind!r}):\n        super().__init__(kind)\n"
    )
    answers = {}
    for more in ("", ",mine.Mine"):
        out = tmp_path / f"out{len(more)}"
        methods = f"--methods=points-logistic,pairs-logistic{more}"
        arguments = [
            "compare",
            "t.csv",
            "--target",
            "target",
            "--positive",
            "y",
            "--out",
            str(out),
        ]
        arguments += ["--minutes", "0.5", "-j", "2", methods]
        done = subprocess.run(
            [sys.executable, "-c", COMPARE.format(arguments=arguments)],
            cwd=tmp_path,
            env=_environment(tmp_path),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (out / "report.md").is_file(), done.stderr
        assert "Traceback" not in done.stderr and len(done.stdout) < 20_000
        kept = Store(out).read()
        answers[more] = {
            k: repr(replace(r, times={})) for k, r in kept.items() if r.status == "ok"
        }
        if any(record.status != "ok" for record in kept.values()):
            assert done.returncode == 1
    same = answers[""].keys() & answers[",mine.Mine"].keys()
    assert same and all(answers[""][key] == answers[",mine.Mine"][key] for key in same)


def _environment(folder: Path) -> dict[str, str]:
    import os

    path = os.pathsep.join([str(folder), str(Path(__file__).parent), *filter(None, sys.path)])
    return {**os.environ, "PYTHONPATH": path}
