"""The checks on a few points see what is so, and would see what is not."""

import numpy as np
import pytest
from scipy.optimize import minimize

from rankexp.losses import parse
from rankexp.studies.uematsu2010.checks import few_points
from rankexp.studies.uematsu2010.like_for_like import KernelLevels, WeighedPairs, apart
from rankexp.theory.population_hinge import pair_weights, surrogate_risk


def values(rows):
    return {row["quantity"]: row["value"] for row in rows}


def stream():
    return np.random.default_rng(3)


@pytest.mark.parametrize(
    ("loss", "slope"), [("logistic", 1.0), ("exponential", 0.5), ("squared_hinge", None)]
)
def test_smooth_losses_order_strictly_and_tie_equal_ratios(loss, slope):
    found = values(few_points.strict_order(stream(), loss=loss, draws=8))
    assert found["apart"] < 1e-9
    assert found["risk_and_auc"] < 1e-12
    assert found["least_gap"] > 0.001
    if slope:  # Theorem 2 says more of these
        assert found["least_gap"] == pytest.approx(slope, abs=1e-8)


def test_the_least_scores_are_least_by_an_optimiser_that_sees_values_alone():
    p, q = stream().dirichlet(np.ones(4), size=2)
    weights, loss = pair_weights(np.column_stack([q, p])), parse("squared_hinge")
    found = few_points._least(weights, loss)
    other = minimize(lambda s: surrogate_risk(s, weights, loss), np.zeros(4), method="Powell")
    assert surrogate_risk(found, weights, loss) <= other.fun + 1e-9


def test_the_hinge_is_refused_and_would_tie():
    with pytest.raises(ValueError, match="expected a smooth loss"):
        few_points.strict_order(stream(), loss="hinge")


def test_the_likeliest_level_has_the_least_loss_and_ranks_worse():
    found = values(few_points.likeliest_level(stream(), draws=20))
    assert found["least_risk"] == 1.0
    assert found["ranks_best"] < 0.5
    assert found["loss_of_pairs"] > 0.01


def test_the_formula_is_the_root_and_another_would_be_seen(monkeypatch):
    found = values(few_points.odds_formula(stream()))
    assert found["formula"] < 1e-9
    assert found["in_order"] == 1.0

    def turned(logs, theta):
        return few_points.np.flip(logs[:, 2] - logs[:, 0])

    monkeypatch.setattr(few_points, "odds_root", turned)
    wrong = values(few_points.odds_formula(stream()))
    assert wrong["formula"] > 0.1 and wrong["in_order"] < 0.9


def test_orboost_ranks_best_for_its_own_costs_only():
    found = values(few_points.boosting_costs(stream(), draws=25))
    assert found["best"] == 1.0
    assert found["best_without_costs"] < 1.0
    assert 0.2 < found["dearer"] < 0.9


def test_four_levels_rank_best_on_the_condition_and_not_without():
    found = values(few_points.four_levels(stream(), draws=40, points=6))
    assert found["best_on_condition"] == 1.0
    assert 0.0 < found["best_in_general"] < 0.9
    assert 0.0 < found["circles"] < 0.5


def test_squared_magnitudes_are_ridge_regression():
    assert values(few_points.magnitude_pairs(stream()))["from_ridge"] < 1e-10
    assert values(few_points.magnitude_pairs(stream(), lam=0.0))["from_ridge"] < 1e-10


def test_weighed_pairs_have_the_distances_of_their_levels():
    np.testing.assert_array_equal(apart([1, 3, 4, 3]), [[0, 2, 3], [0, 0, 1], [0, 0, 0]])
    rng = stream()
    X, y = rng.normal(size=(15, 2)), rng.integers(4, size=15)
    found = WeighedPairs(loss="logistic", risk="multipartite", lam=0.1, tol=1e-10).fit(X, y)
    i, j = np.nonzero(np.subtract.outer(y, y) > 0)
    D, w = X[i] - X[j], (y[i] - y[j]).astype(float)

    def objective(v):
        return 0.05 * v @ v + w @ np.logaddexp(0, -D @ v) / w.sum()

    best = minimize(objective, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-8})
    np.testing.assert_allclose(found.coef_[0], best.x, atol=1e-5)
    path = WeighedPairs(loss="logistic", risk="multipartite", tol=1e-10).path(X, y, [0.1])
    np.testing.assert_allclose(path.coef[:, 0], found.coef_[0], atol=1e-7)


def test_both_losses_of_a_kernel_have_the_same_features():
    rng = stream()
    X = rng.normal(size=(60, 2))
    y = np.digitize((X**2).sum(axis=1), [0.8, 2.5])
    odds, pairs = (KernelLevels(loss=loss, lam=0.001).fit(X, y) for loss in ("odds", "pairs"))
    np.testing.assert_array_equal(odds.map_.components_, pairs.map_.components_)
    assert min(np.corrcoef(odds.predict(X), pairs.predict(X))[0]) > 0.9
    with pytest.raises(ValueError, match="expected 'odds' or 'pairs'"):
        KernelLevels(loss="hinge").fit(X, y)
