"""The criteria of K levels are risks of pairs: against the metrics, on samples."""

import numpy as np
import pytest
from enumeration import weak_orders
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.generators import Discrete
from rankexp.metrics import u_cons, u_ovo, u_pairs
from rankexp.studies.uematsu2010.theory.ratios import CRITERIA, costs_of
from rankexp.theory import tripartite
from rankexp.theory.population_hinge import pair_weights, ranking_risk

SEEDS = st.integers(0, 2**32 - 1)
METRICS = {"u_pairs": u_pairs, "u_ovo": u_ovo, "u_cons": u_cons}


def counted(seed, m, K):
    """Return counts of levels at points, (m, K), no level and no point without any."""
    counts = np.random.default_rng(seed).integers(0, 5, size=(m, K))
    counts[np.arange(m), np.arange(m) % K] += 1
    counts[np.arange(K) % m, np.arange(K)] += 1
    return counts


def as_sample(counts):
    """Return each row's point and level."""
    points, levels = np.indices(counts.shape)
    return np.repeat(points.ravel(), counts.ravel()), np.repeat(levels.ravel(), counts.ravel())


@pytest.mark.parametrize("criterion", CRITERIA)
@settings(max_examples=60)
@given(seed=SEEDS, m=st.integers(2, 5), K=st.integers(2, 5))
def test_one_minus_the_metric_is_the_risk(criterion, seed, m, K):
    counts = counted(seed, m, K)
    weights = pair_weights(counts, costs_of(criterion, counts.sum(axis=0)))
    points, y = as_sample(counts)
    scores = np.random.default_rng(seed).integers(0, 3, size=m)
    metric = METRICS[criterion](y, scores[points])
    assert ranking_risk(scores, weights) == pytest.approx(1 - metric, abs=1e-12)


@pytest.mark.parametrize("criterion", CRITERIA)
@settings(max_examples=25)
@given(seed=SEEDS, m=st.integers(2, 5))
def test_no_order_has_a_greater_metric_than_theorem_4s(criterion, seed, m):
    counts = counted(seed, m, 3)
    totals = counts.sum(axis=0)
    model = Discrete(list(range(m)), (counts / totals).T.tolist(), totals.tolist())
    X = np.arange(m, dtype=float)[:, None]
    best = tripartite(model.draw_model(None), X, costs=criterion)
    points, y = as_sample(counts)
    others = METRICS[criterion](y, weak_orders(m).T[points].astype(float))
    assert METRICS[criterion](y, best[points]) >= others.max() - 1e-12


def test_the_criteria_want_different_orders():
    """The first two points: U_pairs ranks the first above the second, the others below."""
    masses = np.array([[1, 3, 5], [0, 4, 2], [0, 3, 5]])
    found = {}
    for criterion in CRITERIA:
        weights = pair_weights(masses, costs_of(criterion, masses.sum(axis=0)))
        risks = [ranking_risk(order, weights) for order in weak_orders(3)]
        found[criterion] = weak_orders(3)[np.argmin(risks)].tolist()
    assert found == {"u_pairs": [1, 0, 2], "u_ovo": [0, 1, 2], "u_cons": [0, 1, 2]}


@pytest.mark.parametrize(
    ("criterion", "priors", "message"),
    [
        ("vus", [1, 2, 3], "unknown criterion 'vus'; known: u_pairs, u_ovo, u_cons"),
        ("u_ovo", [1, 0, 3], "priors must be positive"),
    ],
)
def test_what_is_refused(criterion, priors, message):
    with pytest.raises(ValueError, match=message):
        costs_of(criterion, priors)
