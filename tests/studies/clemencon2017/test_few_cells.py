from itertools import combinations, permutations

import numpy as np
import pytest

from rankexp.metrics.continuous import d_tau
from rankexp.studies.clemencon2017.checks.partitions import _bound, _climb, few_cells


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
