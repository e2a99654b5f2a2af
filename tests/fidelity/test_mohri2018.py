"""The study mohri2018 as it runs: its claims, and what the algorithms lose."""

import os
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

pytestmark = pytest.mark.fidelity

ON_DATA = [
    "AdaBoost minimises RankBoost's loss",
    "fewer rounds than ORBoost",
    "the chapter's AdaBoost reaches the minimum",
]
UNTESTED = ["RankBoost converges faster", "O(n + k log k) calls for the top"]
UNTESTED += ["ranking by an SVM", "linear time for two classes", "other criteria"]
FAILS = "the step of Figure 10.2"


@pytest.fixture(scope="module")
def study(run_study: Callable[..., Path]) -> Path:
    """A whole run; what needs data that is not here is left out."""
    return run_study("mohri2018")


def means(study: Path, name: str) -> pd.Series:
    """Return the means of a block's quantities, by experiment or setting as it has them."""
    found = pd.read_csv(study / f"{name}.csv")
    return found.set_index(
        [c for c in ("experiment", "n", "bound", "step", "quantity") if c in found]
    )["mean"]


def test_all_claims_hold(study: Path) -> None:
    found = pd.read_csv(study / "claims.csv").groupby("claim")["verdict"].first()
    assert len(found) > 25
    assert (found.drop([*ON_DATA, *UNTESTED, FAILS]) == "holds").all()
    assert found[FAILS] == "does not hold"
    assert (found[UNTESTED] == "not tested here").all()
    assert set(found[ON_DATA]) <= {"holds", "not run"}  # which needs all data sets


@pytest.mark.parametrize(("n", "worst"), [(3, 4 / 3), (4, 3 / 2), (5, 8 / 5)])
def test_worst_cases(study: Path, n: int, worst: float) -> None:
    found = means(study, "worst")
    assert found["worst-general", n, "ratio of QuickSort"] == pytest.approx(worst, abs=1e-12)
    assert found["worst", n, "ratio of QuickSort"] == pytest.approx(1.0, abs=1e-12)
    assert found["worst", n, "ratio of the best deterministic algorithm"] == pytest.approx(2.0)


def test_bounds_break_where_their_assumptions_do(study: Path) -> None:
    for name, held in (("bounds", True), ("bounds-broken", False)):
        found = means(study, name)
        violations, allowed = (
            found.xs(quantity, level="quantity") for quantity in ("violations", "allowed")
        )
        assert len(violations) == 12
        assert ((violations <= allowed) == held).all()


def test_degrees_average_errors_out(study: Path) -> None:
    found = means(study, "ordinary").droplevel("experiment")
    assert found["loss of sort by degree"] < 0.001
    assert found["loss of QuickSort"] == pytest.approx(0.1, abs=0.02)


def test_boosters_meet(study: Path) -> None:
    found = means(study, "minimiser").droplevel("experiment")
    losses = [found[1000, f"pair loss of {name}"] for name in ("RankBoost", "AdaBoost")]
    assert losses[0] == pytest.approx(losses[1], abs=1e-4)


def test_boosters_meet_on_data(study: Path) -> None:
    found = pd.read_csv(study / "least-rounds.csv")
    own = found.set_index(["experiment", "problem", "quantity"])["mean"]
    rounds = [own["least", "cancer", f"rounds of {name}"] for name in ("RankBoost", "AdaBoost")]
    assert rounds == [26, 40]
    assert own["least", "cancer", "least pair loss"] == 0.0
    need_data()
    assert own["least", "breast-cancer", "least pair loss"] == pytest.approx(0.6941, abs=1e-4)
    ratios = own.xs("rounds of AdaBoost over RankBoost", level="quantity")
    assert (
        len(ratios) == 19 and ratios.between(1.0, 25.0).all()
    )  # 'colic' is too hard, of ten cuts
    assert (own.xs("pairs ordered otherwise", level="quantity") < 0.005).all()


def test_degrees_exceed_their_bound_where_pairs_depend(study: Path) -> None:
    found = pd.read_csv(study / "regrets.csv")
    own = found.set_index(["experiment", "group", "quantity"])["mean"]
    broken = own.xs("violations of (10.31)", level="quantity")
    assert (broken["regrets-dependent", "one best ranking"] >= 1).all()
    assert (broken.drop(("regrets-dependent", "one best ranking")) == 0).all()
    assert (own.xs("violations of (10.34)", level="quantity") == 0).all()


def need_data() -> None:
    """Skip what is about data that is not here."""
    if not (Path(os.environ.get("RANKEXP_DATA", "")) / "winequality-red.csv").is_file():
        pytest.skip("RANKEXP_DATA has not all data sets of the study")


def test_degrees_sort_a_trees_pairs_better(study: Path) -> None:
    need_data()
    found = pd.read_csv(study / "ratings.csv")
    own = found[found["problem"] == "winequality-red"].set_index("method")["mean"]
    assert own["tree-degree"] - own["tree-quicksort"] == pytest.approx(0.028, abs=0.02)
    assert own["forest-degree"] > own["forest-quicksort"] > own["tree-degree"]


def test_ratings_of_a_review(study: Path) -> None:
    """Which split otherwise, and kept duplicates together as well."""
    need_data()
    found = pd.read_csv(study / "ratings.csv")
    own = found[found["problem"] == "winequality-red"].set_index("method")["mean"]
    reviewed = {"tree-quicksort": 0.738, "tree-degree": 0.772}
    reviewed |= {"forest-quicksort": 0.808, "forest-degree": 0.814}
    for method, value in reviewed.items():
        assert own[method] == pytest.approx(value, abs=0.02)


def test_the_chapters_adaboost_takes_a_review_s_rounds(study: Path) -> None:
    need_data()
    found = pd.read_csv(study / "chapters-rounds.csv")
    own = found.set_index(["experiment", "quantity", "problem"])["mean"].sort_index()
    ratios = own["chapters", "rounds of AdaBoost with a constant over RankBoost"]
    assert ratios["breast-w"] == pytest.approx(0.9, abs=1e-9)
    assert ratios["breast-cancer"] == pytest.approx(16.3, abs=0.1)
    assert (ratios.drop("breast-w") > 1).all() and len(ratios) == 10


@pytest.mark.parametrize(
    ("experiment", "quantity", "pair", "expected", "error"),
    [
        ("separable", "test error", ("smooth margin", "RankBoost"), 0.0001, 0.0015),
        ("rounds", "test error", ("smooth margin", "RankBoost"), -0.0007, 0.0023),
        ("separable", "least margin", ("AdaBoost", "RankBoost"), 0.0043, 0.0007),
        ("separable", "least margin", ("AdaBoost", "smooth margin"), 0.0014, 0.0007),
    ],
)
def test_boosters_of_the_last_round(
    study: Path,
    experiment: str,
    quantity: str,
    pair: tuple[str, str],
    expected: float,
    error: float,
) -> None:
    found = pd.read_csv(study / "last-round.csv")
    keys = ["experiment", "quantity", "booster", "reference"]
    own = found.set_index(keys).loc[(experiment, quantity, *pair)]
    assert own["difference"] == pytest.approx(expected, abs=6e-5)
    assert 2 * own["difference_se"] == pytest.approx(error, abs=6e-5)


def test_general_targets(study: Path) -> None:
    found = means(study, "ordinary-general").droplevel("experiment")
    assert found["ratio of QuickSort"] == pytest.approx(1.61, abs=0.08)
    assert found["ratio of sort by degree"] == pytest.approx(0.127, abs=0.002)
    levels = means(study, "ordinary").droplevel("experiment")
    assert levels["ratio of sort by degree"] == pytest.approx(0.0030, abs=0.0004)


def test_emphasis(study: Path) -> None:
    found = pd.read_csv(study / "emphasis.csv")
    own = found.set_index(["experiment", "emphasis", "n", "quantity"])["mean"].sort_index()
    worst = own["emphasis-any", "any"].unstack()
    assert worst["ratio of QuickSort"].tolist() == pytest.approx([4 / 3, 3 / 2, 8 / 5])
    adverse = worst["ratio of sort by degree with adverse ties"]
    assert adverse.tolist() == pytest.approx([3, 3, 10 / 3])
    assert own["emphasis-others", "top 2", 5, "ratio of QuickSort"] == pytest.approx(4 / 3)


def test_one_law_of_several_sets(study: Path) -> None:
    found = pd.read_csv(study / "regrets-shared.csv").set_index("quantity")["mean"]
    assert len(found["violations of (10.31)"]) == 16
    assert (found["violations of (10.31)"] == 0).all()
    assert (found["violations of (10.34)"] == 0).all()
    assert (found["regret of h"] > 0.01).all()


def test_the_largest_margin_is_missed(study: Path) -> None:
    found = means(study, "missed-ends").droplevel("experiment")
    assert found["largest margin"] == pytest.approx(0.4, abs=1e-6)
    assert found["missing margin of RankBoost"] == pytest.approx(0.4 - 1 / 3, abs=1e-3)
    assert found["missing margin of smooth margin"] < 0.001
