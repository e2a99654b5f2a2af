import numpy as np
import pytest

from rankexp.studies.uematsu2010.checks.orders import costly_pairs, misclassified_orders


def values(rows):
    return {row["quantity"]: row["value"] for row in rows}


def test_costs_change_the_best_ranking_of_three_levels():
    found = values(costly_pairs(np.random.default_rng(1), draws=60))
    assert found["best"] == 1.0
    assert 0.2 < found["best_without_costs"] < 0.9
    assert found["excess_without_costs"] > 0.01


def test_a_wrong_theorem_would_be_seen(monkeypatch):
    def swapped(logs, costs):
        return np.exp(logs[:, 1] - logs[:, 0])

    monkeypatch.setattr("rankexp.studies.uematsu2010.checks.orders.tripartite_ratio", swapped)
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
