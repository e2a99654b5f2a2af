"""Targets that are recorded otherwise in some rows are asked about; ordinary targets are not."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankexp.runner.data.dataset import Dataset, Feature
from rankexp.runner.data.reading import Layout, Reading
from rankexp.runner.data.suitable import called_sums
from rankexp.runner.diagnostics.diagnostic import TableFacts
from rankexp.runner.diagnostics.targets import CountsRows, RecordedOtherwise

RNG = np.random.default_rng(8)
N = 600
PRICES = np.round(np.exp(RNG.normal(9.0, 0.5, N)))
CLINIC = (np.arange(N) % 3).astype(float)
MARKS = RNG.integers(0, 3, N)


def said(
    y: np.ndarray,
    levels: tuple[str, ...] | None = None,
    name: str = "price",
    column: str = "x",
    values: np.ndarray = CLINIC,
) -> str:
    feature = Feature(column, "nominal", ("A", "B", "C"))
    made = Dataset("d", values[:, None], y, (feature,), levels)
    found = RecordedOtherwise().look(
        TableFacts(Reading("d.csv", Layout("delimited text"), len(y), target=name), made)
    )
    return "" if found is None else ". ".join(found)


def zeros(y: np.ndarray, rows: int, value: float = 0.0) -> np.ndarray:
    return np.where(np.arange(N) < rows, value, y)


@pytest.mark.parametrize("value", [0.0, -1.0])
def test_a_number_far_below_all_others_may_be_none(value: float) -> None:
    found = said(zeros(PRICES, 40, value))
    assert found.startswith(f"'price' is {value:g} in 40 rows, and ")
    assert "empty these cells of 'price'" in found


@pytest.mark.parametrize(
    "y",
    [
        zeros(PRICES, 2),  # an accident
        RNG.poisson(2.0, N).astype(float),
        np.round(RNG.normal(0.0, 20.0, N)),
        zeros(RNG.uniform(-0.8, 1.0, N), 40, -1.0),  # the least of a range
        np.round(np.maximum(RNG.normal(0.0, 20.0, N), 0.0)),
        np.round(np.maximum(RNG.normal(2.0, 20.0, N), 0.0), 1),
    ],
)
def test_zeros_among_other_numbers_are_numbers(y: np.ndarray) -> None:
    assert said(y) == ""


def test_two_units_are_told_by_their_column() -> None:
    low = np.exp(RNG.normal(0.0, 0.3, N))
    mixed = np.where(CLINIC == 1, 88.4 * low, low)
    found = said(mixed, name="creatinine")
    assert found.startswith(
        "'creatinine' has two parts, as 'x' tells. The numbers of 200 rows are"
    )
    assert "Is it in two units?" in found
    assert "two parts. The" in said(mixed, values=RNG.permutation(CLINIC))


@given(seed=st.integers(0, 10**6), spread=st.sampled_from([0.05, 0.5, 2.0]))
def test_one_hump_or_a_few_values_far_off_are_one_unit(seed: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    y = np.exp(rng.normal(0.0, spread, 300))
    y[:5] *= 1000.0
    assert said(y, values=CLINIC[:300]) == ""


def test_a_gap_between_wide_parts_is_none_of_units() -> None:
    logs = RNG.permutation(np.linspace(0.0, 2.0, N))
    wide, narrow = np.where(logs > 1.0, logs + 0.8, logs), np.where(logs > 1.0, logs + 2.0, logs)
    assert said(10.0**wide) == "" and "two parts" in said(10.0**narrow)


LEVELS = ("-1", "0", "1")


def test_a_value_of_the_last_rows_alone_may_stand_for_none() -> None:
    last = np.where(np.arange(N) >= 400, 0, 1 + (MARKS > 1))
    found = said(last, LEVELS, "label")
    assert found.startswith("'label' is -1 in 200 rows, and they stand together. Is the target")
    assert said(last[::-1], LEVELS, "label") == found
    assert said(np.sort(last), LEVELS, "label") == "", "all values stand in blocks"
    assert said(MARKS, LEVELS, "label") == ""
    assert said((MARKS > 1).astype(int), ("no", "yes"), "label") == ""


def test_a_value_of_the_rows_of_a_category_alone_may_stand_for_none() -> None:
    of_set = np.where(CLINIC == 2, 0, 1 + (MARKS > 1))
    assert "200 rows, and a value of 'set' has just these rows" in said(
        of_set, LEVELS, "label", "set"
    )
    each = Feature("set", "nominal", tuple(map(str, range(N))))
    one_each = Dataset("d", np.arange(N, dtype=float)[:, None], of_set, (each,), LEVELS)
    reading = Reading("d.csv", Layout("delimited text"), N, target="label")
    assert RecordedOtherwise().look(TableFacts(reading, one_each)) is None, "rows of their own"
    of_set[2] = 1
    assert said(of_set, LEVELS, "label", "set") == ""


@pytest.mark.parametrize(
    ("name", "event", "asked"),
    [
        ("days", "status", True),
        ("os_months", "DeathEvent", True),
        ("Laufzeit", "zensiert", True),
        ("days", "department", False),
        ("price", "status", False),
    ],
)
def test_times_until_an_event_are_asked_about(name: str, event: str, asked: bool) -> None:
    found = said(PRICES, None, name, event, np.minimum(CLINIC, 1.0))
    assert (f"'{name}' may be a time until an event, and '{event}' may say" in found) is asked
    assert said(PRICES, None, name, event) == "", "three values"


def in_cells(name: str, copies: int = 0, levels: tuple[str, ...] | None = ("no", "yes")) -> str:
    """Return what is said of a table of counts: a row for each age, sex, place and answer."""
    kinds = [(a, b, c, y) for a in range(5) for b in (0, 1) for c in range(6) for y in (0, 1)]
    cells = np.array(kinds, float)
    cells[len(cells) - copies :] = cells[:copies]
    counts = np.random.default_rng(0).integers(1, 400, len(cells))
    features = (Feature("age"), Feature("sex"), Feature("place"), Feature(name))
    X, y = np.column_stack([cells[:, :3], counts]), cells[:, 3].astype(int)
    reading = Reading("d.csv", Layout("delimited text"), len(y), target="answer")
    found = CountsRows().look(TableFacts(reading, Dataset("d", X, y, features, levels)))
    return "" if found is None else ". ".join(found)


def test_a_column_that_counts_the_rows_of_each_kind_is_asked_about() -> None:
    assert in_cells("freq").endswith("'weights: freq'")
    assert in_cells("Anzahl", 1) and not in_cells("price") and not in_cells("freq", 9)
    assert in_cells("n", levels=None).endswith("'drop: [n]'")


@pytest.mark.parametrize(
    ("name", "sums"),
    [("Total", True), ("sub-total", True), ("Summe", True), ("Total loss", False)],
)
def test_rows_called_sums_are_found(name: str, sums: bool) -> None:
    column = Feature("product", "nominal", ("A", name))
    values = np.array([[0.0], [1.0], [1.0]])
    found = list(called_sums([column, Feature("n")], np.hstack([values, values])))
    assert found == ([(f"in which 'product' is '{name}'", 2)] if sums else [])


def test_the_largest_table_takes_no_time_for_each_value() -> None:
    """A number has thousands of values, of which only both ends are looked at."""
    y = np.arange(200_000) % 50_000.0
    facts = Dataset("d", np.zeros((len(y), 1)), y, (Feature("x"),), None)
    look: Callable[[TableFacts], object] = RecordedOtherwise().look
    reading = Reading("d.csv", Layout("delimited text"), len(y), target="y")
    assert look(TableFacts(reading, replace(facts, y=y + 1.0))) is None
