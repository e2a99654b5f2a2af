"""Selection on tables small enough to work by hand."""

import math

import pandas as pd
import pytest

from rankexp.runner.analyse import select
from rankexp.runner.analyse.frame import NONE
from rankexp.runner.grid import Point

NAN = math.nan


def table(values: dict[str, list[float]], *, models: bool = False, folds: int = 2) -> pd.DataFrame:
    """One problem and method: grid point -> values of (repeat, fold), or (model, set)."""
    rows = []
    for place in range(len(next(iter(values.values())))):
        unit, inside = divmod(place, folds)
        model, rep, fold = (unit, inside, NONE) if models else (NONE, unit, inside)
        rows += [
            ("p", "m", model, rep, fold, unit, Point.parse(grid), column[place])
            for grid, column in values.items()
        ]
    names = ["problem", "method", "model", "rep", "fold", "unit", "grid", "value"]
    return pd.DataFrame(rows, columns=names)


def test_the_oracle_takes_the_best_mean_over_all_splits() -> None:
    scores = table({"lam=1": [0.1, 0.3, 0.3, 0.3], "lam=2": [0.2, 0.2, 0.2, 0.3]})
    chosen = select.oracle(scores, higher=False)
    assert set(map(str, chosen["grid"])) == {
        "lam=2"
    }  # .225 against .25, though not the best of split 1
    assert list(chosen["value"]) == [0.2, 0.2, 0.2, 0.3]
    assert set(map(str, select.oracle(scores, higher=True)["grid"])) == {"lam=1"}


def test_the_oracle_chooses_for_each_model_by_itself() -> None:
    scores = table({"lam=1": [0.1, 0.1, 0.9, 0.9], "lam=2": [0.2, 0.2, 0.2, 0.2]}, models=True)
    chosen = select.oracle(scores, higher=False)
    assert list(map(str, chosen["grid"])) == ["lam=1", "lam=1", "lam=2", "lam=2"]
    assert list(chosen["value"]) == [0.1, 0.1, 0.2, 0.2]


def test_of_equals_the_first_of_the_grid_is_chosen() -> None:
    scores = table({"lam=9": [0.2, 0.2], "lam=1": [0.2, 0.2]})
    assert set(map(str, select.oracle(scores, higher=False)["grid"])) == {"lam=9"}
    assert set(map(str, select.oracle(scores, higher=True)["grid"])) == {"lam=9"}


def test_choices_that_the_order_of_the_grid_decided_are_counted() -> None:
    scores = table({"lam=9": [0.2, 0.2, 0.3, NAN], "lam=1": [0.2, 0.1, 0.3, NAN]})
    other = scores.assign(method="n", grid=scores["grid"].map(lambda one: Point.parse(f"{one}0")))
    other["value"] = 0.5
    both, alone = pd.concat([scores, other]), other.head(0)
    for higher, best in ((False, (1, 2)), (True, (1, 2))):
        assert select.ORACLE.ties(both, lambda part: alone, higher) == best, "of means 'n' alone"
    nested = select.Rule.parse("nested")
    assert nested.ties(both, lambda part: scores, False) == (2, 3), "the last split has no value"
    assert nested.ties(both, lambda part: scores, True) == (2, 3)
    assert nested.ties(both, lambda part: alone, True) == (0, 0)
    assert select.Rule.parse("fixed:lam=1").ties(both, lambda part: scores, True) == (0, 0)


def test_an_undefined_fold_is_left_out_and_stays_visible() -> None:
    scores = table({"lam=1": [0.1, NAN, 0.3, 0.5], "lam=2": [0.3, NAN, 0.3, 0.3]})
    means = select.grid_means(scores, ["problem", "method"])
    assert list(means["mean"]) == pytest.approx([0.25, 0.3])  # mean of the repeats' .1 and .4
    chosen = select.oracle(scores, higher=False)
    assert set(map(str, chosen["grid"])) == {"lam=1"} and chosen["value"].isna().sum() == 1


def test_a_grid_point_does_not_gain_by_failing_where_it_is_hard() -> None:
    scores = table({"lam=1": [0.1, NAN], "lam=2": [0.2, 0.6]})
    assert set(map(str, select.oracle(scores, higher=False)["grid"])) == {"lam=2"}


def test_nested_never_looks_at_the_test_part() -> None:
    scores = table({"lam=1": [0.1, 0.9], "lam=2": [0.5, 0.5]})
    inner = table({"lam=1": [0.4, 0.2], "lam=2": [0.3, 0.3]})
    chosen = select.nested(scores, inner, higher=False)
    assert list(map(str, chosen["grid"])) == ["lam=2", "lam=1"]
    assert list(chosen["value"]) == [0.5, 0.9]
    other = scores.assign(value=1 - scores["value"])
    assert list(map(str, select.nested(other, inner, higher=False)["grid"])) == ["lam=2", "lam=1"]


def test_nested_leaves_out_splits_without_inner_values_but_not_single_points() -> None:
    scores = table({"lam=1": [0.1, 0.9], "lam=2": [0.5, 0.5]})
    inner = table({"lam=1": [NAN, 0.2], "lam=2": [NAN, 0.3]})
    assert list(select.nested(scores, inner, higher=False)["fold"]) == [1]
    single = table({"": [0.1, 0.9]})
    assert list(select.nested(single, inner.iloc[:0], higher=False)["value"]) == [0.1, 0.9]


def test_a_rule_by_other_values_asks_for_their_part() -> None:
    scores = table({"lam=1": [0.1, 0.9], "lam=2": [0.5, 0.5]})
    values = {"validation": table({"lam=1": [0.4, 0.2], "lam=2": [0.3, 0.2]})}
    rule = select.Rule.parse("validation")
    assert list(map(str, rule.apply(scores, values.__getitem__, False)["grid"])) == [
        "lam=2",
        "lam=2",  # as good as lam=1 in the second split, and simpler
    ]
    assert list(map(str, rule.apply(scores, values.__getitem__, True)["grid"])) == [
        "lam=1",
        "lam=2",
    ]
    with pytest.raises(KeyError, match="inner"):
        select.Rule.parse("nested").apply(scores, values.__getitem__, False)


def test_fixed_takes_what_it_is_told() -> None:
    scores = table({"lam=1": [0.1, 0.9], "lam=2": [0.5, 0.5]})
    assert list(
        select.Rule.parse("fixed:lam=2").apply(scores, lambda _: scores, False)["value"]
    ) == [0.5, 0.5]


def test_one_standard_error_takes_the_simplest_close_to_the_best() -> None:
    # Repeats' means of lam=1: .1 and .3, mean .2, SE .1: all up to .3 will do, .35 will not.
    values = {"lam=1": [0.1, 0.3], "lam=10": [0.29, 0.29], "lam=100": [0.35, 0.35]}
    scores = table(values, folds=1)
    assert set(map(str, select.one_standard_error(scores, higher=False)["grid"])) == {"lam=10"}
    better = scores.assign(value=1 - scores["value"])
    assert set(map(str, select.one_standard_error(better, higher=True)["grid"])) == {"lam=10"}


def test_a_smaller_c_is_simpler() -> None:
    scores = table({"C=1.0": [0.1, 0.3], "C=10.0": [0.25, 0.25], "C=0.1": [0.21, 0.21]}, folds=1)
    assert set(map(str, select.one_standard_error(scores, higher=False)["grid"])) == {"C=0.1"}


@pytest.mark.parametrize(
    ("grid", "grids", "expected"),
    [
        ("lam=0.01", ["lam=0.01", "lam=0.1", "lam=1"], "lowest lam"),
        ("lam=1000.0", ["lam=1000.0", "lam=0.1", "lam=1"], "highest lam"),
        ("lam=0.1", ["lam=0.01", "lam=0.1", "lam=1"], None),
        ("lam=0.1", ["lam=0.1"], None),
        ("", [""], None),
        ("k=a,C=2", ["k=a,C=1", "k=a,C=2", "k=b,C=1", "k=b,C=2"], "highest C"),
        ("lam=9", ["lam=10", "lam=9", "lam=8"], None),  # by number, not by letters
    ],
)
def test_edges_of_the_grid(grid: str, grids: list[str], expected: str | None) -> None:
    found = select.edge(Point.parse(grid), list(map(Point.parse, grids)))
    assert found is None if expected is None else str(found) == expected


def test_choices_are_counted_over_models_or_splits() -> None:
    scores = table({"lam=1": [0.1, 0.1, 0.9, 0.9], "lam=2": [0.2] * 4}, models=True)
    counts = select.chosen_counts(select.oracle(scores, higher=False), scores)
    assert list(map(str, counts["grid"])) == ["lam=1", "lam=2"] and set(counts["count"]) == {1}
    inner = table({"lam=1": [0.1, 0.1, 0.1, 0.9], "lam=2": [0.2] * 4})
    counts = select.chosen_counts(select.nested(inner, inner, higher=False), inner)
    assert list(map(str, counts["grid"])) == ["lam=1", "lam=2"] and list(counts["count"]) == [3, 1]
