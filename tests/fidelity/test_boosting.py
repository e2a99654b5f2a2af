"""The study boosting as it runs, beside differences measured independently before it was made."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

pytestmark = pytest.mark.fidelity

REAL = {
    ("engines", "real", "LightGBM, pairs in place of points"): (-0.007, 0.010),
    ("engines", "real", "LightGBM, pairs in place of balanced classes"): (-0.0029, 0.0019),
    ("engines", "real", "XGBoost, pairs in place of points"): (-0.004, 0.005),
    ("samples", "others", "XGBoost, rank:pairwise"): (-0.059, -0.007),
    ("samples", "others", "XGBoost, 16 pairs a row"): (-0.020, 0.003),
    ("samples", "others", "LambdaRank"): (-0.056, -0.027),
}
"""95 % intervals over eleven real sets and 43 splits; the last three minus logistic."""
ARTIFICIAL = {
    ("engines", "artificial", "LightGBM, pairs in place of points"): (-0.0062, -0.0016),
    ("engines", "artificial", "XGBoost, pairs in place of points"): (-0.0068, -0.0022),
    ("engines", "artificial", "LightGBM, pairs in place of balanced classes"): (-0.0043, 0.0003),
}
"""The same on the generators linear and rules, d = 20, n = 2,000, p = .5 and .9."""
REVIEWED = {  # a reviewer's means of four draws after 100 rounds: linear, rules
    "steps-light": (0.753, 0.738),
    "steps-light-bound": (0.894, 0.885),
    "steps-light-penalty": (0.893, 0.881),
    "steps-light-start": (0.896, 0.885),
    "steps-x-none": (0.886, 0.851),
}


@pytest.fixture(scope="module")
def study(run_study: Callable[..., Path]) -> Path:
    """A whole run."""
    pytest.importorskip("lightgbm")
    pytest.importorskip("xgboost")
    return run_study("boosting", data=["abalone.arff", "winequality-red.csv"])


def found(study: Path, block: str, experiment: str, contrast: str) -> pd.DataFrame:
    """Return the rows of a contrast, the last over all data sets where there is such a row."""
    rows = pd.read_csv(study / f"{block}.csv")
    return rows[(rows["experiment"] == experiment) & (rows["contrast"] == contrast)]


@pytest.mark.parametrize("place", REAL, ids=" ".join)
def test_real_data_agrees_with_the_reference(study: Path, place: tuple[str, str, str]) -> None:
    over = found(study, *place).iloc[-1]
    low, high = REAL[place]
    assert pd.isna(over["problem"]) and over["n"] == 15
    assert over["low"] <= high and over["high"] >= low


@pytest.mark.parametrize("place", ARTIFICIAL, ids=" ".join)
def test_artificial_data_agrees_with_the_reference(
    study: Path, place: tuple[str, str, str]
) -> None:
    own = found(study, *place)
    own = own[own["problem"].notna()]
    mean, error = own["difference"].mean(), (own["se"] ** 2).sum() ** 0.5 / len(own)
    low, high = ARTIFICIAL[place]
    assert len(own) == 4
    assert mean - 2 * error <= high and mean + 2 * error >= low


def test_pairs_are_equivalent_to_balanced_classes_on_real_data(study: Path) -> None:
    over = found(study, "contrasts", "real", "pairs in place of balanced classes").iloc[-1]
    assert over["verdict"] == "equivalent"


def test_pairs_lose_at_a_jump_without_a_booster_too(study: Path) -> None:
    """What was measured beforehand for n = 20,000, -.0006 to +.0010, is not met: this is why."""
    own = found(study, "scorers", "linear-scorers", "linear scorers, pairs in place of points")
    few = pd.read_csv(study / "few-leaves.csv")
    for shown in (own, few):
        rows = shown[shown["problem"].notna()]
        smooth = rows["problem"].str.startswith("gaussian")
        assert (rows["high"][~smooth] < 0.0).all()
        assert (rows["difference"][smooth].abs() < 2.5e-4).all()
    steps = few.pivot(index="problem", columns="contrast", values="difference")
    longer = steps.filter(like="half").iloc[:, 0]
    jumps = ["linear-50", "rules-50"]
    assert (longer[jumps] < 0.7 * steps.loc[jumps].drop(columns=longer.name).iloc[:, 0]).all()


@pytest.mark.parametrize("method", REVIEWED)
def test_repairs_of_long_steps_are_those_of_a_reviewer(study: Path, method: str) -> None:
    scores = pd.read_csv(study / "scores.csv", low_memory=False)
    own = scores[(scores["experiment"] == "steps") & (scores["method"] == method)]
    own = own[(own["grid"] == "n_rounds=100") & (own["part"] == "test")]
    for problem, value in zip(("linear-99", "rules-99"), REVIEWED[method], strict=True):
        found = own.loc[own["problem"] == problem, "value"]
        error = found.std(ddof=1) * (1 / len(found) + 1 / 4) ** 0.5
        assert abs(found.mean() - value) <= 3.0 * error + 5e-4
