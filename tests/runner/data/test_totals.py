"""Rows of sums at the end of a table are named, and nothing else is."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rankexp.runner.data.build import inspect_table

RNG = np.random.default_rng(1)
FRAME = pd.DataFrame(
    {
        "store": [f"s{i}" for i in range(40)],
        "visitors": RNG.integers(100, 9000, 40),
        "price": RNG.normal(20, 5, 40).round(2),
        "region": RNG.choice([*"NESW"], 40),
        "y": RNG.exponential(size=40).round(3),
    }
)
NUMBERS = ["visitors", "price", "y"]


def found(
    tmp_path: Path, *rows: dict[str, object], target: str | None = "y"
) -> tuple[object, ...]:
    table = pd.concat([FRAME, pd.DataFrame(rows)]) if rows else FRAME
    table.to_csv(tmp_path / "t.csv", index=False)
    return inspect_table(tmp_path / "t.csv", target=target).totals


SUMS: dict[str, object] = FRAME[NUMBERS].sum().round(3).to_dict()
NAMED = ", in 'visitors', 'price', 'y'"


@pytest.mark.parametrize("target", ["y", None])
def test_the_row_and_its_columns_are_named(tmp_path: Path, target: str | None) -> None:
    assert not found(tmp_path, target=target)
    assert found(tmp_path, {"store": "TOTAL", **SUMS}, target=target) == (
        ("row 41 of 41 holds", NAMED),
    )


def test_a_row_below_the_sums_is_looked_at_and_may_hold_them_again(tmp_path: Path) -> None:
    means = {"store": "Mean", **FRAME[NUMBERS].mean().round(2).to_dict()}
    assert found(tmp_path, dict(SUMS), means) == (("row 41 of 42 holds", NAMED),)
    both = found(tmp_path, dict(SUMS), {**SUMS, "y": ""})  # left out, as it has no target
    assert both == (("row 41 of 42 holds", NAMED),)
    assert len(found(tmp_path, dict(SUMS), dict(SUMS))) == 2


def test_rows_called_sums_are_named_wherever_they_stand(tmp_path: Path) -> None:
    called: list[dict[str, object]] = [
        {"store": "s0", "region": "Subtotal", "visitors": 7000 + i, "price": 1.5, "y": 0.2}
        for i in range(3)
    ]
    (said,) = found(tmp_path, *called, {**FRAME.iloc[3]})
    assert said == ("rows in which 'region' is 'Subtotal' (3) seem to hold", "")


def test_one_column_of_several_may_add_up_by_chance(tmp_path: Path) -> None:
    assert not found(tmp_path, {**FRAME.iloc[3], "visitors": SUMS["visitors"]})
