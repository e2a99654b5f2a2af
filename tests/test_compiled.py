"""numba compiles the inner loops: it is imported late, and without it one sentence says so."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rankexp import compiled
from rankexp.errors import EnvironmentProblemError, NumbaError
from rankexp.runner.run.fitting import machine_problem

LOOPS = "from rankexp.metrics import dominance_loops"


def python(code: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run code in a new interpreter, with more environment variables."""
    command = [sys.executable, "-c", code]
    env = os.environ | more
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_only_a_fit_imports_numba() -> None:
    done = python(
        "import sys; import numpy as np; import rankexp.estimators, rankexp.metrics\n"
        "from rankexp.estimators import KendallTree, LinearRanker, ORBoost, RankBoost\n"
        "from rankexp.metrics import iauc, kendall_tau_b\n"
        "print('numba' in sys.modules)\n"
        "RankBoost(n_rounds=2).fit(np.arange(6.0)[:, None], [0, 1] * 3)\n"
        "print('numba' in sys.modules)\n"
    )
    assert done.stdout.split() == ["False", "True"]


def test_a_numba_that_cannot_be_imported_is_one_sentence() -> None:
    done = python(f"import sys; sys.modules['numba'] = None\n{LOOPS}")
    last = done.stderr.splitlines()[-1]
    assert last.startswith("rankexp.errors.NumbaError: numba, which compiles the inner loops, ")
    assert last.endswith("pip install --upgrade rankexp numba")
    assert issubclass(NumbaError, ImportError)


def test_no_method_is_blamed_for_numba() -> None:
    error = NumbaError("numba cannot be imported")
    assert machine_problem(error) is error
    locked = PermissionError(13, "Permission denied", "/cache/sweep_loops.merge-20.py311.nbi")
    found = machine_problem(locked)
    assert isinstance(found, EnvironmentProblemError)
    assert "NUMBA_CACHE_DIR" in str(found)
    assert machine_problem(EOFError("Ran out of input")) is None
    assert machine_problem(PermissionError(13, "Permission denied", "/data.csv")) is None


def test_where_no_cache_can_be_written_loops_are_compiled_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def njit(function: object, *, nogil: bool, cache: bool = False) -> object:
        asked.append(cache)
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return function

    monkeypatch.setattr(compiled, "_njit", njit)
    assert compiled.njit(len) is len
    assert asked == [True, False]


@pytest.mark.slow
def test_damaged_compiled_code_is_one_sentence(tmp_path: Path) -> None:
    """A full disk or a power cut leaves empty files where numba keeps what it compiled."""
    module = "from rankexp.compiled import njit\n@njit\ndef twice(x):\n    return 2 * x\n"
    (tmp_path / "loop.py").write_text(module)
    code = (
        "from rankexp.runner.run.fitting import machine_problem as of\n"
        "import loop\n"
        "try:\n    print(loop.twice(3))\nexcept Exception as error:\n    print(of(error))\n"
    )
    folders = {"NUMBA_CACHE_DIR": str(tmp_path / "kept"), "PYTHONPATH": str(tmp_path)}
    assert python(code, **folders).stdout == "6\n"
    for file in (tmp_path / "kept").rglob("*.nbi"):
        file.write_bytes(b"")
    said = python(code, **folders).stdout
    assert said.startswith("compiled code that is kept on this machine is damaged")
    assert "delete the folder" in said and len(said.splitlines()) == 1
