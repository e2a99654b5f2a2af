"""The study kotlowski2011-theory as it runs: its claims, the tightness of bounds, and the map."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

pytestmark = pytest.mark.fidelity

OPEN = {"weights from frequencies suffice", "(12) assumes balance"}


@pytest.fixture(scope="module")
def folder(run_study: Callable[..., Path]) -> Path:
    """A run of the whole study."""
    return run_study("kotlowski2011-theory")


def test_every_bound_holds(folder: Path) -> None:
    found = pd.read_csv(folder / "claims.csv").groupby("claim")["verdict"].first()
    proved = found.drop([*OPEN, "logistic hardly needs weights"])
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
