"""Ordered levels: their order is the given one, never the alphabet's."""

import numpy as np
import pytest
from scipy.special import expit

from rankexp.estimators.labels import ordered_levels, shift_to_share, two_classes


def test_given_levels_keep_their_order():
    levels, codes = ordered_levels(np.array(["good", "bad", "fair"]), ["bad", "fair", "good"])
    assert levels.tolist() == ["bad", "fair", "good"]
    assert codes.tolist() == [2, 0, 1]


def test_numbers_have_an_order_of_their_own():
    levels, codes = ordered_levels(np.array([10, 9, 2, 9]), None)
    assert levels.tolist() == [2, 9, 10]
    assert codes.tolist() == [2, 1, 0, 1]


def test_a_level_may_have_no_example():
    levels, codes = ordered_levels(np.array([0, 2]), [0, 1, 2])
    assert levels.tolist() == [0, 1, 2]
    assert codes.tolist() == [0, 2]


@pytest.mark.parametrize(
    ("y", "levels", "said"),
    [
        (["b", "a"], None, "give levels="),
        ([1, 2, 5], [1, 2], "y holds 5, which is not among the levels"),
        ([1, 2], [1, 2, 2], "levels must be distinct"),
        (["1", "2"], [1, 2], "y holds '1', '2', which is not among the levels \\[1, 2\\]"),
        (["a", "b"], "ab", "levels must be a list, .* got 'ab'"),
        (["a", "b"], {"a", "b"}, "levels must be a list"),
        (["a", "b"], [["a"], ["b"]], "levels must be a list"),
        ([0, 1], 2, "levels must be a list"),
        ([], None, "no example"),
        ([3, 3], None, "only one class, '3'"),
        ([3, 3], [2, 3], "only one class, '3'"),
    ],
)
def test_what_has_no_order_is_refused(y, levels, said):
    with pytest.raises(ValueError, match=said):
        ordered_levels(np.array(y), levels)


def test_labels_that_cannot_be_sorted():
    y = np.array(["b", 1, None, "b"], dtype=object)
    levels, codes = ordered_levels(y, np.array([None, "b", 1], dtype=object))
    assert levels.tolist() == [None, "b", 1]
    assert codes.tolist() == [1, 2, 0, 1]


def test_numbers_among_words_stay_numbers():
    y = np.array([0, "none", 1], dtype=object)
    levels, codes = ordered_levels(y, ["none", 0, 1])
    assert levels.tolist() == ["none", 0, 1]
    assert codes.tolist() == [1, 0, 2]


@pytest.mark.parametrize("apart", [0.0, 1e-16, 1e-3, 30.0])
def test_shifted_scores_have_the_share_of_the_better_class(apart):
    """Also of scores so near to each other that rounding hides where the root is."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        codes = np.r_[0, 1, rng.integers(0, 2, 18)]
        s = rng.normal() * (1.0 + apart * rng.integers(0, 3, 20))
        shift = shift_to_share(s, codes, None)
        assert expit(s + shift).mean() == pytest.approx(codes.mean(), abs=1e-9)


@pytest.mark.parametrize(
    "y",
    [
        np.array([True, False, True]),
        np.array([3, -1, 3, 3], dtype=np.int8),
        np.array([2**63 - 1, 0], dtype=np.int64),
        np.array([200, 100], dtype=np.uint8),
        np.array([1.0, 2.0]),
        np.array(["b", "a"]),
    ],
)
def test_two_classes_are_what_sorting_them_gives(y):
    classes, codes = two_classes(y)
    right, which = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(classes, right)
    assert classes.dtype == right.dtype
    np.testing.assert_array_equal(codes, which)
    with pytest.raises(ValueError, match="only one class"):
        two_classes(y[:1])
    if y.size > 2:
        return
    with pytest.raises(ValueError, match="3 classes"):
        two_classes(np.append(y, y[:1] * 0 + 7 if y.dtype.kind != "U" else ["c"]))
