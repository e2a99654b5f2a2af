"""What a spreadsheet would work out is marked as text; numbers stay as they are."""

import csv
import io

import pandas as pd
import pytest

from rankexp.runner.report.render.csv import table

FORMULAS = ["=cmd|'/C calc'!A0", "+1+2", "@SUM(A1)", "-x", "=1", "\t=1", "+", "-"]
PLAIN = ["a=1", "-1.5", "+2e3", "-inf", "x", "", "'=1", "3", "-5"]


def cells(numbers: pd.DataFrame) -> list[list[str]]:
    return list(csv.reader(io.StringIO(table(numbers), newline="")))[1:]


@pytest.mark.parametrize("kind", [object, "string", "category"])
def test_labels_that_begin_like_formulas_have_a_mark(kind):
    texts = [*FORMULAS, *PLAIN]
    found = cells(pd.DataFrame({"group": pd.Series(texts, dtype=kind), "value": -0.1}))
    assert [row[0] for row in found] == [*(f"'{text}" for text in FORMULAS), *PLAIN]
    assert {row[1] for row in found} == {"-0.1"}


def test_what_is_no_text_is_left_alone():
    numbers = pd.DataFrame({"a": [1.5, None, -2e-17], "b": [None, "=x", 3], "c": [-1, 2, True]})
    before = numbers.copy()
    assert cells(numbers) == [["1.5", "", "-1"], ["", "'=x", "2"], ["-2e-17", "3", "True"]]
    pd.testing.assert_frame_equal(numbers, before)


def test_names_of_columns_are_marked_too():
    assert table(pd.DataFrame({"=x": [1], "y": ["+a"]})) == "'=x,y\n1,'+a\n"
