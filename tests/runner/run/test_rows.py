"""Rows of a record that was read are the rows that were written, whoever shares their labels."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankexp.runner.grid import Point
from rankexp.runner.run.record import Record, RecordRow, RecordRows
from rankexp.runner.run.store import pack, unpack

GRID = (Point.of({"lam": 1}), Point.of({"lam": 2}))
TEXTS = st.sampled_from(["test", "train", "rank_loss", ""])
NUMBERS = st.none() | st.integers(-1, 3)
ROWS = st.lists(
    st.builds(RecordRow, TEXTS, st.integers(-1, 3), NUMBERS, st.none() | TEXTS, TEXTS, st.floats())
)


@given(ROWS, ROWS)
def test_rows_are_a_sequence_like_a_list(first: list[RecordRow], second: list[RecordRow]) -> None:
    rows = RecordRows(first)
    assert repr(rows) == repr(first)
    assert len(rows) == len(first)
    assert repr(rows[1:]) == repr(first[1:])
    assert [type(row) for row in rows] == [RecordRow] * len(first)
    if first:
        assert repr(rows[-1]) == repr(first[-1])
    assert (rows == second) == (repr(first) == repr(second))
    assert rows == first == list(rows) or any(math.isnan(row.value) for row in first)
    assert rows == RecordRows(first)


def test_records_alike_share_what_stands_beside_their_values() -> None:
    one, other = (
        Record(
            f"{i}", grid=GRID, rows=[RecordRow("test", 0, None, "q", "auc", float(i))], version="1"
        )
        for i in (1, 2)
    )
    content = pack("job", [one, other])
    _, _, (first, second) = unpack(content)
    assert isinstance(first.rows, RecordRows) and isinstance(second.rows, RecordRows)
    assert first.rows.labels is second.rows.labels
    assert first.rows != second.rows


def test_truth_values_are_no_numbers() -> None:
    wrong = Record(
        "1", grid=GRID, rows=[RecordRow("test", True, None, None, "auc", 0.5)], version="1"
    )
    right = Record(
        "1", grid=GRID, rows=[RecordRow("test", 1, None, None, "auc", 0.5)], version="1"
    )
    assert unpack(pack("job", [right]))[2][0].rows == right.rows
    with pytest.raises(ValueError, match="records of another shape"):
        unpack(pack("job", [wrong]))
