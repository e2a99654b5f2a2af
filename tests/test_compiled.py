"""Compiled loops are optional: without numba the same numbers come out."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rankexp import compiled

CODE = """
import sys
{before}
import numpy as np
from rankexp.estimators import KendallTree, LinearRanker, ORBoost, RankBoost
from rankexp.metrics import kendall_tau_b

rng = np.random.default_rng(0)
X = rng.standard_normal((80, 3))
y = np.searchsorted([-0.5, 0.5], X[:, 0] + rng.standard_normal(80))
levels = {{"risk": "multipartite"}}
rankers = [
    LinearRanker(loss="hinge", **levels), LinearRanker(loss="logistic", **levels),
    RankBoost(n_rounds=5, **levels), ORBoost(n_rounds=5), KendallTree(),
]
scores = [ranker.fit(X, y).predict(X) for ranker in rankers]
print(*(float(kendall_tau_b(y, s)) for s in scores), *(float(s[0]) for s in scores))
print("numba" in sys.modules)
"""


def printed(before: str = "", **environment: str) -> tuple[list[float], str]:
    """Return the numbers of another process, and whether it has imported numba."""
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(before=before)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    numbers, imported = done.stdout.splitlines()
    return [float(word) for word in numbers.split()], imported


def test_without_numba_the_numbers_are_the_same() -> None:
    expected, imported = printed(RANKEXP_NUMBA="1")
    assert imported == "True"
    found, imported = printed(RANKEXP_NUMBA="0")
    assert imported == "False"
    assert found == pytest.approx(expected, rel=1e-3)
    found, _ = printed("sys.modules['numba'] = None", RANKEXP_NUMBA="1")
    assert found == pytest.approx(expected, rel=1e-3)


def test_a_numba_that_makes_mistakes_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    numba = pytest.importorskip("numba")
    monkeypatch.setattr(numba, "__version__", "0.61.1rc1")
    compiled._imported.cache_clear()
    with pytest.warns(UserWarning, match="numba 0.61.1rc1 makes mistakes and is not used"):
        assert compiled.choose("rankexp.solvers.hinge.sweep_numba") is None
    monkeypatch.setattr(numba, "__version__", ".".join(map(str, compiled.OLDEST)))
    compiled._imported.cache_clear()
    assert compiled.choose("rankexp.solvers.hinge.sweep_numba", True) is not None


def test_the_oldest_numba_is_the_one_installed() -> None:
    floor = ".".join(map(str, compiled.OLDEST))
    project = Path(__file__).parents[1]
    assert f'"numba>={floor}"' in (project / "pyproject.toml").read_text()
    assert f"numba=={floor}\n" in (project / ".ci" / "oldest.txt").read_text()
