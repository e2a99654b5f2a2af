"""Both rules of stumps against the library's RankBoost, and against a second search."""

import numpy as np
import pytest

from rankexp.estimators import RankBoost
from rankexp.solvers.boosting.stumps import binned
from rankexp.studies.uematsu2010.checks import stump_rules as checked


def slopes(rows, name):
    return [row["value"] for row in rows if row["quantity"] == name]


def test_the_largest_edge_is_the_rule_of_the_library():
    rng = np.random.default_rng(4)
    up, down = rng.normal(1, 1, 53), rng.normal(-1, 1, 47)  # of equal sizes, edges would tie
    X, y, x = np.r_[up, down][:, None], np.repeat([1, 0], [53, 47]), checked.WINDOW
    at, rounds = binned(X, "quantile", 20).cuts[0], (1, 5, 30)
    own = checked._slopes(up, down, at, 0.0025, False, rounds)
    for k, count in enumerate(rounds):
        found = RankBoost(n_rounds=count, n_cuts=20, smoothing=0.0025).fit(X, y)
        slope = np.polyfit(x, found.decision_function(x[:, None]), 1)[0]
        assert own[k] == pytest.approx(slope, abs=1e-9), count
    assert checked._slopes(up, down, at, 0.0025, True, rounds) != own


def test_the_least_z_leaves_less_in_the_first_round():
    rng = np.random.default_rng(1)
    up, down = rng.normal(1, 1, 40), rng.normal(-1, 1, 40)
    left = []
    for t in np.quantile(np.r_[up, down], np.arange(1, 21) / 21):
        D = 1.0 * (up[:, None] > t) - 1.0 * (down > t)
        right, wrong = (D > 0).mean(), (D < 0).mean()
        alpha = 0.5 * np.log((right + 0.0025) / (wrong + 0.0025))
        left.append((float(np.exp(-alpha * D).mean()), t, alpha))
    _, t, alpha = min(left)
    slope = np.polyfit(checked.WINDOW, alpha * (t < checked.WINDOW), 1)[0]
    rows = checked.stump_rules(np.random.default_rng(1), per_class=40, rounds=[1])
    assert slopes(rows, "slope_least_z") == [pytest.approx(slope)]


@pytest.mark.parametrize("wrong", [{"per_class": 0}, {"rounds": [0]}, {"smoothing": 0.0}])
def test_bad_parameters(wrong):
    with pytest.raises(ValueError, match="above 0"):
        checked.stump_rules(np.random.default_rng(0), **wrong)
