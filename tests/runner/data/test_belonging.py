"""Columns that say which rows belong together are told from those that measure something."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rankexp.errors import DataError
from rankexp.runner.data.build import inspect_table
from rankexp.runner.data.dataset import Feature
from rankexp.runner.data.suitable import alike, of_groups

RNG = np.random.default_rng(7)
BLOCKS = np.repeat(RNG.permutation(100) + 1, 6).astype(float)
EVEN = RNG.permutation(np.repeat(np.arange(100.0), 5))


def out(name: str, values: np.ndarray, texts: bool = False, known: bool = False) -> bool:
    column = Feature(name, "nominal", tuple(map(str, range(200)))) if texts else Feature(name)
    return of_groups(column, values, known=known) is not None


@pytest.mark.parametrize(
    "name", ["qid", "basket", "Customer", "customer_id", "userId", "patient no", "Hospital_Number"]
)
def test_names_of_groups_are_known(name: str) -> None:
    assert out(name, RNG.integers(0, 40, 400).astype(float))
    assert out(name, RNG.integers(0, 40, 400).astype(float), texts=True)


@pytest.mark.parametrize("name", ["email", "E-Mail", "e_mail", "Email address", "email_id"])
def test_addresses_of_persons_are_groups_and_counts_of_letters_are_not(name: str) -> None:
    assert out(name, RNG.integers(0, 40, 400).astype(float), texts=True)
    assert out(name, RNG.integers(0, 40, 400).astype(float)) is (name == "email_id")
    assert not out(name, RNG.integers(0, 3, 400).astype(float), texts=True), "opened or not"


@pytest.mark.parametrize(
    "name",
    [
        "age",
        "rooms",
        "zip",
        "month",
        "year",
        "quality",
        "humid",
        "paid",
        "bid",
        "customers",
        "price",
        "number",
        "code",
        "covid",
        "citric acid",
        "orders_per_customer",
    ],
)
def test_counts_codes_and_measures_stay_features(name: str) -> None:
    for values in (
        RNG.integers(0, 40, 400),
        RNG.integers(0, 100, 1000),
        np.sort(RNG.integers(0, 100, 700)),
        np.round(RNG.exponential(300, 500)),
    ):
        assert not out(name, values.astype(float)), name


def test_few_values_are_classes_whatever_their_name() -> None:
    assert not out("user", RNG.integers(0, 2, 400).astype(float))
    assert not out("subject", RNG.integers(0, 8, 400).astype(float), texts=True)
    assert not out("session", RNG.normal(size=400))
    assert out("query", RNG.integers(0, 6, 400).astype(float), texts=True)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (BLOCKS, True),
        (np.sort(BLOCKS), True),
        (EVEN, True),
        (BLOCKS + 0.5, False),
        (np.where(np.arange(600) == 5, np.nan, BLOCKS), False),
        (np.repeat(np.arange(1900.0, 1990), 6), False),
        (np.repeat(RNG.permutation(30), 10).astype(float), False),
        (RNG.permutation(np.repeat(500.0 + 7 * np.arange(60), 10)), True),
        (np.sort(RNG.permutation(np.repeat(500.0 + 7 * np.arange(60), 10))[:590]), False),
        (np.sort(RNG.poisson(60, 600)).astype(float), False),
    ],
)
def test_without_a_name_numbers_must_stand_in_blocks(values: np.ndarray, expected: bool) -> None:
    assert out("x", values) is expected
    assert not out("x", values, known=True)
    assert not out("day", values)


def agreed(name: str, values: np.ndarray, y: np.ndarray) -> float:
    found = alike(Feature(name), values, y, of_groups=False)
    assert found is None or found[0] == len(np.unique(values))
    return found[1] if found else 0.0


def test_equal_values_with_similar_targets_belong_together() -> None:
    of = RNG.permutation(np.repeat(np.arange(60), 10)).astype(float)
    label, noise = RNG.integers(0, 2, 60)[of.astype(int)], RNG.normal(size=600)
    assert agreed("x", of, label) == pytest.approx(1)
    assert agreed("x", RNG.normal(size=60)[of.astype(int)], label) == pytest.approx(1)
    number = RNG.normal(size=60)[of.astype(int)]
    assert agreed("x", of, number + 0.7 * noise) == pytest.approx(1 / 1.49, abs=0.12)
    assert agreed("x", of, number + 1.5 * noise) == 0, "little agreement"
    assert agreed("patient", of, number + 1.5 * noise) == pytest.approx(1 / 3.25, abs=0.12)
    assert agreed("x", of, RNG.integers(0, 2, 600)) == 0
    smooth = (of > 29).astype(int)
    assert agreed("x", of, smooth) == 0, "the target depends on the number"
    assert agreed("patient", of, smooth) == pytest.approx(1), "persons may be in order"
    assert agreed("x", np.where(of < 30, 0, of), label) == 0, "mostly zero"
    assert agreed("x", np.arange(600.0), label) == 0, "no value repeats"


def test_a_rare_target_agrees_by_chance() -> None:
    """Two positives of one pair agree perfectly, and say nothing."""
    y = np.zeros(600, dtype=np.int64)
    y[:2] = 1
    assert agreed("x", np.repeat(np.arange(300.0), 2), y) == 0


@pytest.fixture
def table(tmp_path: Path) -> Path:
    n = len(BLOCKS)
    frame = pd.DataFrame({"grp": BLOCKS.astype(int), "x": RNG.normal(size=n), "same": 1})
    frame["meter"] = 3 * np.arange(n) + RNG.normal(size=n)
    frame["y"] = frame.grp % 2
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def test_a_study_reads_as_before_unless_it_says_so(table: Path) -> None:
    plain = inspect_table(table, target="y")
    assert not plain.left_out
    found = inspect_table(table, target="y", identifiers="drop_groups")
    assert {c.name: c.kind for c in found.columns if c.role == "left out"} == {
        "grp": "groups",
        "same": "constant",
    }
    assert found.belonging == (("grp", 100, pytest.approx(1)),)
    kept = inspect_table(table, target="y", identifiers="drop_groups", keep=["grp", "same"])
    assert not kept.left_out
    assert not inspect_table(table, target="y", groups="grp").belonging
    assert inspect_table(table, target="y", drop=["grp"]).belonging, "dropping does not help"


def test_rows_in_order_of_a_noisy_meter_are_seen(table: Path) -> None:
    assert inspect_table(table, target="y").in_order == (("meter", True),)
    assert inspect_table(table, target="meter").in_order == ()


@pytest.mark.parametrize(
    ("line", "said"),
    [("$3.20", "different signs ($ and €)"), ("y ,y", "twice (spaces around it do not count)")],
)
def test_refusals_name_what_is_seen(tmp_path: Path, line: str, said: str) -> None:
    head, cell = ("y ,y", "1,2") if "," in line else ("fee,y", f"{line},1")
    rows = [head, *(["€2.50,1"] * 30 if "," not in line else []), cell]
    (tmp_path / "t.csv").write_text("\n".join(rows), encoding="utf-8")
    with pytest.raises(DataError) as error:
        inspect_table(tmp_path / "t.csv", target="y")
    assert said in str(error.value)
