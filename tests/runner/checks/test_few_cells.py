from itertools import combinations, permutations

import numpy as np
import pytest

from rankexp.metrics.continuous import d_tau
from rankexp.runner.checks.misclassified import misclassified_orders
from rankexp.runner.checks.pair_costs import costly_pairs
from rankexp.runner.checks.partitions import _bound, _climb, few_cells


def values(rows):
    return {row["quantity"]: row["value"] for row in rows}


@pytest.mark.parametrize("seed", range(6))
def test_no_scorer_of_three_intervals_passes_the_bound(seed):
    """All partitions of eight points into three intervals, in all orders."""
    y = np.random.default_rng(seed).permutation(8).astype(float)
    best = max(
        d_tau(y, np.repeat(order, np.diff([0, *ends, 8])))
        for ends in combinations(range(1, 8), 2)
        for order in permutations(range(3))
    )
    bound, ends = _bound(y, 3)
    attained, ends = _climb(y, ends)
    assert attained <= best <= bound + 1e-12
    assert (np.diff([0, *ends, 8]) > 0).all()


def test_intervals_of_a_monotone_target_are_its_levels():
    y = np.arange(32.0)
    bound, ends = _bound(y, 4)
    attained, ends = _climb(y, ends)
    assert ends.tolist() == [8, 16, 24]
    assert bound == attained == pytest.approx(1 - (4 * 28 / 2) / (32 * 31 / 2))


def test_eight_intervals_of_the_toy_cannot_have_the_published_tau():
    found = values(few_cells(np.random.default_rng(0)))
    assert found["intervals_attained"] == pytest.approx(0.902, abs=0.003)
    assert found["intervals_attained"] < found["intervals_bound"] < 0.91
    assert found["intervals_on_test"] == pytest.approx(0.900, abs=0.005)
    assert found["levels"] == 0.9375


def test_only_one_feature_has_intervals():
    with pytest.raises(ValueError, match="expected one"):
        few_cells(np.random.default_rng(0), generator="regression")
    with pytest.raises(ValueError, match="cells=1"):
        few_cells(np.random.default_rng(0), cells=1)


def test_costs_change_the_best_ranking_of_three_levels():
    found = values(costly_pairs(np.random.default_rng(1), draws=60))
    assert found["best"] == 1.0
    assert 0.2 < found["best_without_costs"] < 0.9
    assert found["excess_without_costs"] > 0.01


def test_a_wrong_theorem_would_be_seen(monkeypatch):
    def swapped(logs, costs):
        return np.exp(logs[:, 1] - logs[:, 0])

    monkeypatch.setattr("rankexp.runner.checks.pair_costs.tripartite_ratio", swapped)
    assert values(costly_pairs(np.random.default_rng(1), draws=60))["best"] < 0.5


def test_the_orders_of_the_slides_are_both_there():
    found = values(misclassified_orders(np.random.default_rng(0)))
    assert found["4/16 of pairs wrong"] == 5
    assert list(found)[-1] == "8/16 of pairs wrong" and found["8/16 of pairs wrong"] == 2
    perfect = values(misclassified_orders(np.random.default_rng(0), errors=0))
    assert perfect == {"0/16 of pairs wrong": 1}


@pytest.mark.parametrize("wrong", [{"errors": 9}, {"positives": 0}, {"negatives": 13}])
def test_impossible_numbers(wrong):
    with pytest.raises(ValueError, match="impossible"):
        misclassified_orders(np.random.default_rng(0), **wrong)
    with pytest.raises(ValueError, match="points=1"):
        costly_pairs(np.random.default_rng(0), points=1)
