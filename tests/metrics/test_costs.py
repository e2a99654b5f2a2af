"""Costs of pairs of levels."""

import numpy as np
import pytest

from rankexp.metrics import pair_risk
from rankexp.metrics.level_counts import cost_matrix
from rankexp.metrics.metric import build, parse


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
        ([[0, np.inf, 1], [0, 0, 1], [0, 0, 0]], "finite"),
        ([[0, 1, 2], [2, 0, 1], [1, 0, 0]], "mirror"),
    ],
)
def test_other_costs_are_refused(costs, said):
    with pytest.raises(ValueError, match=said):
        cost_matrix(costs, 3)


@pytest.mark.parametrize(
    ("costs", "message"),
    [("a b", "as in '1 2 1'"), ("1 2", "as in '1 2 1'"), ("1 -2 1", ">= 0"), ("0", "all be 0")],
)
def test_impossible_costs_are_told_from_the_name(costs, message):
    with pytest.raises(ValueError, match=message):
        parse(f"pair_risk(costs={costs})")


def test_costs_of_a_name_are_for_so_many_levels():
    metric = parse("pair_risk(costs=1 2 1, ties=worst)")
    metric.check(levels=3)
    parse("pair_risk").check(levels=4)
    with pytest.raises(ValueError, match=r"shape \(4, 4\)"):
        metric.check(levels=4)
    with pytest.raises(ValueError, match="metric 'pair_risk', costs: expected a number, a text"):
        build("pair_risk", {"costs": [[0, 1], [0, 0]]})


@pytest.mark.parametrize("unit", [5e-324, 1e-310, 1e300, 8e307])
def test_the_unit_of_costs_does_not_matter(unit):
    y, s = np.arange(30) % 3, np.arange(30) // 7
    costs = np.triu(np.ones((3, 3)), 1)
    assert pair_risk(y, s, costs=unit * costs) == pair_risk(y, s)
