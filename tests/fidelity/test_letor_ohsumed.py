"""The study letor-ohsumed as it runs, against LETOR's print and figures known to be reachable."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

pytestmark = pytest.mark.fidelity

COLUMNS = ("ndcg@1", "ndcg@3", "ndcg@5", "ndcg@10", "map", "u_pairs")
SE = dict(zip(COLUMNS, (0.04, 0.033, 0.03, 0.025, 0.02, 0.012), strict=True))
REACHED = {  # by a review, with the choice on lambda 10 to 1e-4 and at most 600 rounds
    "hinge": (0.574, 0.502, 0.481, 0.453, 0.448, 0.626),
    "squared-hinge": (0.560, 0.487, 0.475, 0.449, 0.448, 0.625),
    "logistic": (0.541, 0.483, 0.475, 0.450, 0.447, 0.625),
    "odds": (0.555, 0.483, 0.468, 0.447, 0.448, 0.625),
    "ridge": (0.538, 0.476, 0.464, 0.448, 0.446, 0.626),
    "least-squares": (0.446, 0.443, 0.429, 0.412, 0.422, 0.608),
    "rankboost": (0.483, 0.464, 0.463, 0.439, 0.444, 0.62),
    "orboost-lr": (0.405, 0.397, 0.396, 0.388, 0.427, 0.614),
    "orboost-all": (0.439, 0.425, 0.407, 0.413, 0.436, 0.618),
}
REGRESSION = {1: 0.4456, 3: 0.4426, 5: 0.4278, 10: 0.4110}  # LETOR's row: NDCG by cut-off
REVIEWED = {  # MAP, NDCG@1, NDCG@10 of a review's own code, and how near: paired errors
    ("letor", "listwise"): ((0.4482, 0.5345, 0.4542), (0.0002, 0.0005, 0.0005)),
    ("trees", "lambdamart"): ((0.4433, 0.5220, 0.4378), (0.008, 0.03, 0.012)),
    ("trees", "xendcg"): ((0.4470, 0.4911, 0.4385), (0.008, 0.03, 0.012)),
    ("trees", "trees-points"): ((0.4393, 0.5102, 0.4301), (0.008, 0.03, 0.012)),
}
MORE = {
    ("orboost-lr", "ndcg@1"): 1.2
}  # .450, better than what was reached: other rounds to choose from
CONSTANT = {"map": 0.3069, "map(ties=order)": 0.4274}


@pytest.fixture(scope="module")
def values(run_study: Callable[..., Path]) -> "dict[tuple[str, str], pd.Series]":
    """Values by experiment and method, chosen by MAP on the validation parts: means of folds."""
    folder = run_study(
        "letor-ohsumed", "letor", "file-order", "trees", data=["ohsumed/QueryLevelNorm"]
    )
    rows = pd.read_csv(folder / "scores.csv", dtype={"grid": str, "group": str})
    rows = rows[rows["group"].isna()].fillna({"grid": ""})
    split = ["experiment", "method", "fold"]
    chosen = rows[(rows["part"] == "validation") & (rows["metric"] == "map")]
    best = chosen.loc[chosen.groupby(split)["value"].idxmax(), [*split, "grid"]]
    test = rows[rows["part"] == "test"].merge(best, on=[*split, "grid"])
    means = test.groupby(["experiment", "method", "metric"])["value"].mean()
    return {
        (str(experiment), str(method)): own.droplevel([0, 1])
        for (experiment, method), own in means.groupby(level=[0, 1])
    }


def test_least_squares_are_letors_regression_to_the_last_digit(
    values: "dict[tuple[str, str], pd.Series]",
) -> None:
    found = values["file-order", "least-squares"]
    for k, printed in REGRESSION.items():
        assert round(found[f"ndcg@{k}(discount=letor, ties=order)"], 4) == printed, k
    assert round(found["map(ties=order)"], 4) == 0.4220


def test_the_order_of_the_file_gives_relevance_away(
    values: "dict[tuple[str, str], pd.Series]",
) -> None:
    found = values["file-order", "constant"]
    for name, value in CONSTANT.items():
        assert round(found[name], 4) == value
    assert found["map(ties=reversed)"] < found["map"] - 0.03
    random = values["file-order", "random"]
    assert abs(random["map(ties=order)"] - random["map(ties=reversed)"]) < 0.005


@pytest.mark.parametrize("method", REACHED)
def test_methods_come_within_one_standard_error_of_what_was_reached(
    values: "dict[tuple[str, str], pd.Series]", method: str
) -> None:
    for name, reached in zip(COLUMNS, REACHED[method], strict=True):
        metric = f"{name}(discount=letor)" if name.startswith("ndcg") else name
        found = values["letor", method][metric]
        within = SE[name] * MORE.get((method, name), 1.0)
        assert abs(found - reached) < within, (name, found, reached)


@pytest.mark.parametrize("place", REVIEWED, ids="/".join)
def test_lists_and_trees_come_to_what_a_review_found(
    values: "dict[tuple[str, str], pd.Series]", place: tuple[str, str]
) -> None:
    names = ("map", "ndcg@1(discount=letor)", "ndcg@10(discount=letor)")
    for name, known, near in zip(names, *REVIEWED[place], strict=True):
        assert abs(values[place][name] - known) <= near, name
