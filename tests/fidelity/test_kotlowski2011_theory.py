"""The study kotlowski2011-theory as it runs: its claims, the tightness of bounds, and the map."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.fidelity

OPEN = {
    "weights from frequencies suffice",
    "the same for training errors",
    "the best scorers of both losses",
    "weights shift the best scorer",
}
MAP = {  # a review's own simulation, 10 models at the best lambda: pairs minus points, 2 SE
    ("logistic", "linear", 0.9, 1000): (0.0095, 0.0021),
    ("logistic", "linear", 0.5, 1000): (0.0020, 0.0011),
}
HINGE = {  # from the records at the time of that review: pairs minus points, half an interval
    ("linear", 0.9, 500): (0.0144, 0.0064),
    ("rules", 0.9, 200): (-0.0174, 0.0127),
}
WEIGHTS = {  # its own simulation, linear, 60 models: p, lambda -> gain by weights, 2 SE
    (0.9, 0.0): (-0.0013, 0.0003),
    (0.99, 0.0): (-0.0102, 0.0028),
    (0.9, 0.01): (-0.0002, 0.0003),
    (0.99, 0.01): (-0.0023, 0.0011),
}


@pytest.fixture(scope="module")
def folder(run_study: Callable[..., Path]) -> Path:
    """A run of the whole study."""
    return run_study("kotlowski2011-theory")


def test_every_bound_holds(folder: Path) -> None:
    found = pd.read_csv(folder / "claims.csv").groupby("claim")["verdict"].first()
    proved = found.drop(
        [*OPEN, "logistic hardly needs weights", "with lambda weights hardly matter"]
    )
    assert len(proved) >= 11 and (proved == "holds").all()


def test_the_search_comes_near_the_best_constants(folder: Path) -> None:
    found = pd.read_csv(folder / "worst.csv").groupby("experiment")["ratio"].max()
    assert 1.55 < found["worst-exponential"] < 1.633
    assert 1.55 < found["worst-logistic"] < 1.633
    assert 1.09 < found["worst-squared"] < 1.1548


def test_rank_regret_falls_faster_than_the_bound(folder: Path) -> None:
    found = pd.read_csv(folder / "regrets.csv").set_index(["experiment", "quantity"])
    own = found.loc[("regret-gaussian", "rank_regret, logistic")].iloc[0]
    assert own["exponent"] - 3 * own["exponent_se"] > 0.6
    for loss, bound in (("logistic", 2.0), ("exponential", 2.1214)):
        for name in ("gaussian", "discrete", "linear", "rules"):
            rows = found.loc[(f"regret-{name}", f"rank_regret, {loss}")]
            assert (rows["mean"] < 0.5 * bound * rows["at"] ** 0.5).all()


def test_pairs_matter_less_the_more_examples_there_are(folder: Path) -> None:
    found = pd.read_csv(folder / "map.csv")
    own = found[(found["contrast"] == "logistic") & found["row"].isin([0.5, 0.9])]
    most = own.assign(size=own["difference"].abs()).groupby("column")["size"].max()
    assert most[20000] < 0.002 < most[1000] < 0.015
    late = found[found["column"] == 20000]
    assert len(late) == 10 and late["verdict"].str.contains("equivalent").all()
    linear = own[(own["generator"] == "linear") & (own["column"] == 1000)]
    assert (linear["verdict"].str.contains("worse")).all()  # pairs lose to points there


def test_the_map_has_the_reviews_numbers(folder: Path) -> None:
    found = pd.read_csv(folder / "map.csv")
    hinge = pd.read_csv(folder / "map-hinge.csv")
    for (contrast, *where), (known, error) in MAP.items():
        own = _cell(found[found["contrast"] == contrast], where)
        half = (own["high"] - own["low"]) / 2.0
        assert abs(own["difference"] - known) <= np.hypot(half, error)
    for where, (known, half) in HINGE.items():
        own = _cell(hinge[hinge["contrast"] == "hinge"], where)
        assert own["difference"] == pytest.approx(known, abs=half / 4)


def _cell(found: pd.DataFrame, where: Sequence[object]) -> pd.Series:
    for name, value in zip(("generator", "row", "column"), where, strict=True):
        found = found[found[name] == value]
    (own,) = (row for _, row in found.iterrows())
    return own


def test_logistic_regression_on_pairs_is_nowhere_better(folder: Path) -> None:
    found = pd.read_csv(folder / "losses.csv")
    own = found[(found["contrast"] == "logistic") & (found["of"] == "settings")]
    assert len(own) == 50
    assert not own["verdict"].str.contains("better").any()
    assert own["verdict"].str.contains("worse").sum() >= 18


@pytest.mark.parametrize(("p", "lam"), WEIGHTS)
def test_weights_change_what_the_review_found(folder: Path, p: float, lam: float) -> None:
    scores = pd.read_csv(folder / "scores.csv")
    name = "weights-logistic-penalty" if lam else "weights-logistic"
    own = scores[(scores.experiment == name) & (scores.metric == "gain")]
    own = own[own.grid == f"generator=linear,p={p:g}"]
    known, error = WEIGHTS[p, lam]
    assert len(own) == 30
    half = 2.0 * own.value.std(ddof=1) / np.sqrt(30)
    assert abs(own.value.mean() - known) <= np.hypot(half, error)


def test_k_points_come_to_the_best_constants(folder: Path) -> None:
    found = pd.read_csv(folder / "regret-bounds.csv")
    best = found[found["points"] == 40].groupby("loss")["ratio"].max()
    shares = np.sqrt(1 - 1 / 1600)
    for loss, constant in (("exponential", 8 / 3), ("logistic", 8 / 3), ("squared", 4 / 3)):
        assert best[loss] == pytest.approx(np.sqrt(constant) * shares, abs=1e-4)
