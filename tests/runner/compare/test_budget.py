"""The minutes decide what is run: nothing is left out or made smaller without a word."""

from dataclasses import replace

import numpy as np
import pytest

from rankexp.runner.compare.budget import (
    Allowance,
    Cost,
    RunDesign,
    design,
    inner_folds,
    outer_folds,
    together,
)
from rankexp.runner.data.dataset import Dataset, Feature

PAIRS = {"pairs": "points"}


def data(n: int, positives: int | None = None) -> Dataset:
    y = (np.arange(n) < (n // 2 if positives is None else positives)).astype(np.int64)
    return Dataset("d", np.zeros((n, 1)), y, (Feature("x"),), ("no", "yes"))


def planned(seconds: float, shares: dict[str, float] | None = None, **costs: float) -> RunDesign:
    made = {name: Cost(1000, value, 1.0) for name, value in costs.items()}
    allowed = Allowance(seconds, 2, 3)
    return design(made, PAIRS, data(1000), allowed, {"stratified": True}, shares)


def test_with_time_all_methods_are_cross_validated() -> None:
    found = planned(1000, points=0.1, pairs=0.2, forest=3)
    assert found.methods == ["points", "pairs", "forest"]
    assert found.protocol == {"kind": "cross_validation", "folds": 5, "stratified": True}
    assert not found.words


def test_the_slowest_method_beside_the_question_goes_first_and_is_named() -> None:
    found = planned(30, points=0.1, pairs=0.2, forest=30, boosting=1)
    assert found.methods == ["points", "pairs", "boosting"]
    assert len(found.words) == 1
    assert "forest is left out because" in found.words[0] and "--minutes" in found.words[0]


def test_the_minutes_named_for_a_method_do_include_it() -> None:
    said = planned(30, points=0.1, pairs=0.2, forest=30).words[0]
    minutes = float(said.split("--minutes ")[1].split(" ")[0])
    assert "forest" in planned(60 * minutes, points=0.1, pairs=0.2, forest=30).methods


def test_a_cheap_method_stays_where_leaving_it_out_would_not_help() -> None:
    found = planned(10, points=50, pairs=50, ridge=0.1)
    assert "ridge" in found.methods


def test_training_parts_become_smaller_where_the_question_itself_takes_too_long() -> None:
    found = planned(10, points=50, pairs=50)
    assert found.protocol["kind"] == "split"
    test = found.protocol["test"]
    assert isinstance(test, float) and 200 < test < 1000 and test.is_integer()
    assert "of the 1,000 rows" in found.words[0]


@pytest.mark.parametrize("positives", [3, 4, 5, 8, 30])
def test_every_fold_can_have_a_row_of_each_level(positives: int) -> None:
    rare = data(400, positives)
    folds, inner = outer_folds(rare), inner_folds(rare)
    assert 2 <= folds <= min(5, positives)
    left = positives - -(-positives // folds)
    assert inner == 2 or left >= 3


def test_of_two_contrasts_the_slower_goes_whole_before_training_parts_become_smaller() -> None:
    costs = {"points": 0.1, "pairs": 0.2, "tree": 0.1, "forest": 90.0}
    made = {name: Cost(1000, value, 1.0) for name, value in costs.items()}
    pairs = {"pairs": "points", "forest": "tree"}
    found = design(made, pairs, data(1000), Allowance(60, 2, 3), {})
    assert found.methods == ["points", "pairs"]
    assert found.protocol["kind"] == "cross_validation"
    assert "forest and tree are left out because" in found.words[0]


def test_a_slow_method_is_tried_with_a_smaller_grid_before_it_is_left_out() -> None:
    costs = {"points": 0.1, "pairs": 0.2, "forest": 6.0, "boosting": 1.0}
    half = {"forest": 0.5, "boosting": 0.5}
    assert planned(120, half, **costs).narrow == []
    found = planned(60, half, **costs)
    assert (found.methods, found.narrow) == (list(costs), ["forest"])
    assert "forest is tried with half of the settings" in found.words[0]
    minutes = float(found.words[0].split("--minutes ")[1].split(" ")[0])
    assert planned(60 * minutes, half, **costs).narrow == []
    found = planned(20, half, **costs)
    assert found.methods == ["points", "pairs", "boosting"]
    assert found.narrow == [], "boosting has time for all of it once the forest is gone"
    assert "forest is left out because" in found.words[0] and len(found.words) == 1


def test_the_question_comes_first_and_what_takes_long_by_itself_the_fastest_first() -> None:
    costs = {"boosting": 4.0, "points": 0.1, "forest": 2.0, "pairs": 0.2, "ridge": 0.05}
    found = planned(120, **costs)
    assert [names for names, _ in found.stages] == [
        ["points", "pairs", "ridge"],
        ["forest"],
        ["boosting"],
    ]
    assert sum(seconds for _, seconds in found.stages) == pytest.approx(6.35 * 2.4 * 3)
    assert [names for names, _ in planned(5000, **costs).stages] == [
        ["points", "pairs", "ridge", "forest", "boosting"]
    ]


def test_one_test_set_is_trained_for_once_on_all_rows_of_its_training_part() -> None:
    train = replace(data(1000), parts=np.ones(1000, np.int64), part_names=("test", "train"))
    made = {name: Cost(1000, seconds, 1.0) for name, seconds in (("points", 5.0), ("pairs", 5.0))}
    found = design(made, PAIRS, train, Allowance(1000, 2, 3), {"together": "groups"})
    assert found.protocol == {"kind": "given", "test": "test", "together": "groups"}
    assert (found.repeats, found.words) == (1, [])
    short = design(made, PAIRS, train, Allowance(10, 2, 3), {})
    assert short.protocol == {"kind": "given", "test": "test"}, "no row of it is left out"
    assert short.words == [
        "training takes about 30 s, which is longer than the 10 s left of --minutes"
    ]
    assert inner_folds(replace(train, y=np.repeat([0, 1], [997, 3]))) == 3


def shared(seconds: float, share: float, least: float = 0.0, **costs: float) -> RunDesign:
    made = {name: Cost(1000, value, 1.0) for name, value in costs.items()}
    allowed = Allowance(seconds, 1, 3, share=share, least=least)
    return design(made, PAIRS, data(1000), allowed, {"stratified": True})


def test_what_takes_a_twentieth_of_the_time_is_not_left_out() -> None:
    found = shared(10, 0.2, points=0.15, pairs=0.2, ridge=0.03)
    assert found.methods == ["points", "pairs", "ridge"] and not found.words
    assert "ridge" not in shared(10, 0.2, points=0.15, pairs=0.2, ridge=0.3).methods


def test_the_question_has_all_rows_even_where_most_of_the_time_is_for_repeats() -> None:
    found = shared(10, 0.2, points=0.1, pairs=0.2)  # takes 4 s, more than a fifth of the time
    assert found.protocol["kind"] == "cross_validation"
    assert shared(10, 0.2, points=0.3, pairs=0.3).protocol["kind"] == "split"


def test_some_seconds_are_allowed_although_all_time_has_passed() -> None:
    given = {"points": 0.004, "pairs": 0.005}
    assert shared(-5, 0.6, least=0.6, **given).protocol["kind"] == "cross_validation"
    assert shared(-5, 0.6, **given).protocol["kind"] == "split"


def test_smaller_parts_are_split_three_times_before_anything_else_where_that_fits() -> None:
    assert shared(10, 0.6, points=2, pairs=2).fewest == 3
    assert shared(1, 0.6, points=9, pairs=9).fewest == 1
    assert shared(100, 0.6, points=0.1, pairs=0.1).fewest == 1, "folds make an interval"


@pytest.mark.parametrize(
    ("different", "kept", "said"),
    [
        (1000, None, ""),
        (999, None, "1 row repeats the features of another. So few can hardly matter"),
        (991, None, "9 rows repeat the features of another. So few can hardly matter"),
        (
            990,
            "duplicates",
            "10 rows repeat the features of another. A split keeps equal rows tog",
        ),
        (500, "duplicates", "so the answer is about rows that are new."),
        (499, "duplicates", "so the answer is about rows that are new."),  # copies
        (32, "duplicates", "so the answer is about rows that are new."),
        (31, None, "The 1,000 rows have only 31 different combinations of features. New rows"),
        (24, None, "write 'together: duplicates' in the protocol of the study."),
    ],
)
def test_equal_rows_stay_together_where_they_are_neither_few_nor_most(
    different: int, kept: str | None, said: str
) -> None:
    some = replace(data(1000), X=(np.arange(1000.0) % different)[:, None])
    found, words = together(some)
    assert found == kept and said in words and bool(said) is bool(words)
