"""The study menon2014 as it runs: its claims, the print, and what the push does at the top."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

pytestmark = pytest.mark.fidelity

ROOT = Path(__file__).parents[2]
CHECKS = ("links", "decomposed", "others", "hinge", "pushed", "bounded", "unbounded", "same")
CHECKS += ("same-push-1", "same-push-2", "same-push-4", "apart-penalty", "apart-push")
CHECKS += ("apart-intercept", "apart-logistic", "apart-scaled")
FILES = ("ionosphere.arff", "housing.arff", "credit-g.arff", "car.arff", "winequality-red.csv")
FAILS = "without an intercept"
UNTESTED = "high costs for the top"


def run(folder: Path, experiments: tuple[str, ...]) -> Path:
    """Run experiments of the study in a folder of their own."""
    command = [sys.executable, "-m", "rankexp", "run", str(ROOT / "configs/menon2014.yaml")]
    only = [word for name in experiments for word in ("--only", name)]
    done = subprocess.run([*command, *only, "--results", str(folder), "--quiet"], check=False)
    assert done.returncode == 0
    return folder / "menon2014"


@pytest.fixture(scope="module")
def synthetic(
    tmp_path_factory: pytest.TempPathFactory, with_records: Callable[[Path, str], Path]
) -> Path:
    """A run of what needs no data."""
    results = with_records(tmp_path_factory.mktemp("synthetic"), "menon2014")
    return run(results, (*CHECKS, "known", "crowded"))


@pytest.fixture(scope="module")
def real(
    tmp_path_factory: pytest.TempPathFactory, with_records: Callable[[Path, str], Path]
) -> Path:
    """A run on real data."""
    folder = Path(os.environ.get("RANKEXP_DATA", ""))
    if not all((folder / name).is_file() for name in FILES):
        pytest.skip("RANKEXP_DATA has not all data sets of the study")
    results = with_records(tmp_path_factory.mktemp("real"), "menon2014")
    return run(results, ("ranks", "top"))


def test_all_claims_hold_but_that_without_an_intercept(synthetic: Path) -> None:
    found = pd.read_csv(synthetic / "claims.csv").groupby("claim")["verdict"].first()
    assert len(found) > 15
    assert (found.drop([FAILS, UNTESTED]) == "holds").all()
    assert found[FAILS] == "does not hold"


def test_scorers_part_in_proportion_to_a_small_penalty(synthetic: Path) -> None:
    keys = ["experiment", "quantity", "lam"]
    found = pd.read_csv(synthetic / "parting.csv").set_index(keys)["mean"]
    for name in ("apart-penalty", "apart-push"):
        own = found[name, "coef"].sort_index()
        assert own.is_monotonic_increasing
        assert 7 < own[0.001] / own[0.0001] < 11
    assert found["same", "coef"].max() < 1e-8
