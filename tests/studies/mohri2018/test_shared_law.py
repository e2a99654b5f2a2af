"""Several sets of items, one law: (10.27) holds of the queries drawn, and so do the bounds."""

from collections import defaultdict
from itertools import permutations

import numpy as np
import pytest

from rankexp.preference import above, ranking_loss
from rankexp.studies.mohri2018.checks.shared_law import _queries, shared_law_regrets


def drawn(seed, weights="pairs"):
    return _queries(np.random.default_rng(seed), 5, 5, weights)


@pytest.mark.parametrize("seed", range(5))
def test_the_expected_order_of_a_pair_is_that_of_every_set(seed):
    queries, shared = drawn(seed)
    mass, first = defaultdict(float), defaultdict(float)
    for query in queries:
        mass[query.items] += query.probability
        for u, y in zip(query.items, query.target, strict=True):
            for v, z in zip(query.items, query.target, strict=True):
                first[u, v, query.items] += query.probability * (y > z)
    assert sum(mass.values()) == pytest.approx(1.0)
    expected = defaultdict(list)
    for (u, v, items), value in first.items():
        if mass[items] > 1e-9:
            expected[u, v].append(value / mass[items])
    assert shared > 0
    assert max(np.ptp(values) for values in expected.values()) < 1e-6


@pytest.mark.parametrize("weights", ["pairs", "classes"])
def test_costs_add_up_to_the_loss(weights):
    for query in drawn(3, weights)[0][:12]:
        y, n = np.array(query.target), len(query.target)
        assert query.costs().sum() <= 1.0 + 1e-12
        if np.ptp(y) == 0:
            assert not query.costs().any()
            continue
        pairs = y.sum() * (n - y.sum())
        scale = 1.0 if weights == "classes" else pairs / (n * (n - 1) / 2)
        for order in list(permutations(range(n)))[::5]:
            own = (query.costs() * above(order)).sum()
            assert own == pytest.approx(scale * ranking_loss(order, y), abs=1e-12)


@pytest.mark.parametrize("weights", ["pairs", "classes"])
def test_both_bounds_hold(weights):
    rows = shared_law_regrets(np.random.default_rng(1), cases=8, sets=4, weights=weights)
    values = {row["quantity"]: row["value"] for row in rows}
    assert values["violations of (10.34)"] == values["violations of (10.31)"] == 0
    assert values["regret of h"] > 0.001
    assert values["pairs in several sets"] > 1
    if weights == "pairs":
        assert values["regret of QuickSort"] == pytest.approx(values["regret of h"], abs=1e-10)


@pytest.mark.parametrize(
    "given", [{"cases": 0}, {"sets": 1}, {"weights": "items"}, {"errors": 1.5}]
)
def test_bad_parameters(given):
    with pytest.raises(ValueError, match="expected"):
        shared_law_regrets(np.random.default_rng(0), **given)
