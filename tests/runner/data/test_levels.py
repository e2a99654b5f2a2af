import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.errors import DataError
from rankexp.runner.data.dataset import Feature, level_codes

NAMES = Feature("class", "nominal", ("no", "yes", "maybe", "unused"))
CODES = np.array([0.0, 1, 2, 1])


@pytest.mark.parametrize(
    ("levels", "expected", "names"),
    [
        (["no", "maybe", "yes"], [0, 2, 1, 2], ("no", "maybe", "yes")),
        (["*", "yes"], [0, 1, 0, 1], ("*", "yes")),
        (["yes", "*"], [1, 0, 1, 0], ("yes", "*")),
        ([["no", "maybe"], "yes"], [0, 1, 0, 1], ("no|maybe", "yes")),
        ([False, "maybe", True], [0, 2, 1, 2], ("False", "maybe", "True")),
        ([["no", "unused"], "maybe", "yes"], [0, 2, 1, 2], ("no|unused", "maybe", "yes")),
    ],
)
def test_names(levels, expected, names):
    y, found = level_codes(NAMES, CODES, levels)
    np.testing.assert_array_equal(y, expected)
    assert y.dtype == np.int64
    assert found == names


@pytest.mark.parametrize("one", [1, 1.0, "1", "1.0", " 1"])
def test_numbers_are_equal_however_written(one):
    for target, values in (
        (Feature("t"), np.array([2.0, 1.0])),
        (Feature("t", "nominal", ("1", "2")), np.array([1.0, 0.0])),
    ):
        y, names = level_codes(target, values, [one, 2])
        np.testing.assert_array_equal(y, [1, 0])
        assert names == ("1", "2")


@pytest.mark.parametrize(
    ("levels", "what"),
    [
        (["no", "yes"], "contains 'maybe', but no level lists it"),
        (["no", "yes", "maybe", "unused"], "no row has level 'unused' of target 'class'"),
        (["no", "Yes", "maybe"], "never has this value (did you mean 'yes'?); it has 'no', 'yes'"),
        (["no", "yes", ["maybe", "no"]], "list the value 'no' twice"),
        (["*", "*"], "'*' more than once"),
        (["no", "yes", "maybe", "*"], "no row has level '*' of target 'class'"),
    ],
)
def test_levels_that_do_not_fit(levels, what):
    with pytest.raises(DataError) as caught:
        level_codes(NAMES, CODES, levels)
    assert what in str(caught.value)


def test_a_truth_value_that_could_be_two_names():
    with pytest.raises(DataError, match="put it in quotes"):
        level_codes(Feature("t", "nominal", ("yes", "on")), np.array([0.0, 1]), [True, "on"])


@settings(max_examples=50)
@given(st.lists(st.integers(0, 4), min_size=1), st.permutations(range(5)))
def test_codes_follow_the_declared_order(values, order):
    values = [*values, *range(5)]
    y, names = level_codes(Feature("t"), np.array(values, dtype=float), list(order))
    assert [int(names[code]) for code in y] == values
