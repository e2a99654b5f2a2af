"""Incomplete blocks are refused or dropped, never filled in; undefined splits take from nobody."""

import math
from typing import Any

import pandas as pd
import pytest

from rankexp.runner.analyse import complete_blocks
from rankexp.runner.analyse.complete_blocks import PLACE, IncompleteError
from rankexp.runner.analyse.frame import NONE

NAN = math.nan
Values = dict[str, dict[tuple[str, int, int], float]]

FOLDS = {("vote", 0, 0): 0.1, ("vote", 0, 1): 0.3, ("wine", 0, 0): 0.2, ("wine", 0, 1): 0.4}


def table(values: Values, methods: tuple[str, ...] = ("a", "b")) -> pd.DataFrame:
    """Method -> (problem, repeat, fold) -> value, over the four places of `FOLDS`."""
    rows: list[dict[str, Any]] = [
        {
            **{"problem": problem, "model": NONE, "rep": rep, "fold": fold},
            **{"method": method, "value": value},
        }
        for method, own in values.items()
        for (problem, rep, fold), value in own.items()
    ]
    columns = [*PLACE, "method", "value"]
    expected = pd.DataFrame([(p, NONE, r, f) for p, r, f in FOLDS], columns=PLACE)
    return complete_blocks.wide(pd.DataFrame(rows, columns=columns), expected, methods)


def shifted(by: float = 0.1) -> dict[tuple[str, int, int], float]:
    return {place: value + by for place, value in FOLDS.items()}


def without(place: tuple[str, int, int]) -> dict[tuple[str, int, int], float]:
    return {other: value for other, value in FOLDS.items() if other != place}


HOLE = ("vote", 0, 1)


def test_complete_blocks_have_the_means_of_their_splits() -> None:
    made = complete_blocks.complete(table({"a": FOLDS, "b": shifted()}), ["problem"], "refuse")
    assert made.values["a"].tolist() == pytest.approx([0.2, 0.3])
    assert made.values["b"].tolist() == pytest.approx([0.3, 0.4])
    assert (made.left_out, made.undefined) == ({}, 0)


def test_undefined_splits_are_left_out_for_all_and_counted() -> None:
    holes = [{**own, HOLE: NAN} for own in (FOLDS, shifted())]
    made = complete_blocks.complete(table({"a": holes[0], "b": holes[1]}), ["problem"], "refuse")
    assert made.values["a"].tolist() == pytest.approx([0.1, 0.3])
    assert (made.left_out, made.undefined) == ({}, 1)


@pytest.mark.parametrize(
    "lacking", [without(HOLE), {**FOLDS, HOLE: NAN}, {**FOLDS, HOLE: math.inf}]
)
def test_a_value_that_one_method_lacks_makes_its_block_incomplete(
    lacking: dict[tuple[str, int, int], float],
) -> None:
    made = table({"a": lacking, "b": shifted()})
    message = r"refused: values are missing \(vote: 1 of 2 splits lack a value\)"
    with pytest.raises(IncompleteError, match=message):
        complete_blocks.complete(made, ["problem"], "refuse")
    dropped = complete_blocks.complete(made, ["problem"], "drop")
    assert dropped.values.index.tolist() == ["wine"]
    assert dropped.left_out == {"vote": "1 of 2 splits lack a value"}
    by_split = complete_blocks.complete(made, PLACE, "drop")
    assert len(by_split.values) == 3
    assert list(by_split.left_out) == ["vote, repeat 0, fold 1"]
    assert by_split.values.notna().all(axis=None)


def test_a_split_that_no_method_ran_is_incomplete_not_undefined() -> None:
    made = table({"a": without(HOLE), "b": without(HOLE)})
    with pytest.raises(IncompleteError, match="vote"):
        complete_blocks.complete(made, ["problem"], "refuse")


def test_data_sets_that_were_not_run_are_named() -> None:
    made = table({"a": FOLDS, "b": FOLDS})
    with pytest.raises(IncompleteError, match="covtype: not run"):
        complete_blocks.complete(made, ["problem"], "refuse", missing=["covtype"])
    dropped = complete_blocks.complete(made, ["problem"], "drop", missing=["covtype"])
    assert dropped.left_out == {"covtype": "not run"} and len(dropped.values) == 2


def test_a_block_without_any_value_is_left_out_and_named() -> None:
    empty = {**FOLDS, ("vote", 0, 0): NAN, HOLE: NAN}
    made = complete_blocks.complete(table({"a": empty, "b": empty}), ["problem"], "refuse")
    assert made.values.index.tolist() == ["wine"] and made.undefined == 2
    assert made.left_out == {"vote": "no split has a value"}


def test_long_refusals_name_the_first_blocks() -> None:
    with pytest.raises(IncompleteError, match=r"x4: not run; and 3 more"):
        complete_blocks.complete(
            table({"a": FOLDS, "b": FOLDS}), ["problem"], "refuse", [f"x{i}" for i in range(8)]
        )


def test_nothing_run_is_no_error() -> None:
    made = table({})
    assert set(made["state"]) == {"incomplete"}
    assert len(complete_blocks.complete(made, ["problem"], "drop").values) == 0
