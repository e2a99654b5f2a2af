"""Costs of pairs of levels."""

import numpy as np
import pytest

from rankexp.metrics.costs import cost_matrix


def test_all_pairs_cost_one_by_default():
    assert cost_matrix(None, 3).tolist() == [[0, 1, 1], [0, 0, 1], [0, 0, 0]]


def test_a_mirrored_matrix_says_the_same():
    upper = np.array([[0.0, 1, 4], [0, 0, 2], [0, 0, 0]])
    assert np.array_equal(cost_matrix(upper + upper.T, 3), upper)
    assert np.array_equal(cost_matrix(upper, 3), upper)


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        (np.ones((2, 2)), "shape"),
        (np.zeros((3, 3)), "all be 0"),
        (-np.ones((3, 3)), ">= 0"),
        (np.full((3, 3), np.nan), "finite"),
        (np.tril(np.ones((3, 3)), -1), "diagonal"),
        (np.ones((3, 3)), "diagonal"),
    ],
)
def test_other_costs_are_refused(costs, said):
    with pytest.raises(ValueError, match=said):
        cost_matrix(costs, 3)
