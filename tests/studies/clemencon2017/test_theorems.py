"""Proposition 1, Theorems 1 to 3 and boosted trees, against other ways to find the same."""

import numpy as np
import pytest
from sklearn.metrics import roc_curve

from rankexp.metrics import auc
from rankexp.metrics.continuous import d_tau, iauc
from rankexp.studies.clemencon2017.checks.cut_offs import _drawn, _iroc, _monotone, cut_offs
from rankexp.studies.clemencon2017.checks.tau_maximiser import best_angle, tau_maximiser
from rankexp.studies.clemencon2017.on_ranks import Boosted, levels


def test_an_optimal_scorer_needs_no_monotone_likelihood_ratio_and_the_rest_holds():
    found = {r["quantity"]: r["value"] for r in cut_offs(np.random.default_rng(3), draws=60)}
    assert found["order_differs"] == found["mean_differs"] == found["ratio_alone"] == 0
    assert found["optimal"] >= 40 and found["optimal_alone"] > 10
    assert max(found["above"], found["mean_below"], found["bend"]) < 1e-12


def test_the_kinds_of_distributions_are_what_they_are_said_to_be():
    rng = np.random.default_rng(0)
    for kind in range(3):
        given = _drawn(rng, 4, 5, kind)
        assert given.sum(axis=1) == pytest.approx(np.ones(4)) and given.min() >= 0
        above = 1 - given.cumsum(axis=1)[:, :-1]
        order = np.argsort(above[:, 0])
        assert (np.diff(above[order], axis=0) > -1e-12).all() == (kind < 2)
        assert _monotone(given[order]) == (kind == 0)


def test_the_curve_is_that_of_a_large_sample():
    rng = np.random.default_rng(1)
    given, weight = _drawn(rng, 4, 2, 2), np.array([0.1, 0.2, 0.3, 0.4])
    above, scores = given[:, 1:], np.array([2.0, 1.0, 2.0, 0.0])
    x = rng.choice(4, size=100_000, p=weight)
    y = rng.random(len(x)) < above[x, 0]
    false, true, _ = roc_curve(y, scores[x])
    own = _iroc(scores[:, None], weight, above)
    assert np.interp(np.linspace(0, 1, 101), false, true) == pytest.approx(own, abs=0.02)
    assert auc(y, scores[x]) == pytest.approx(np.trapezoid(own, dx=0.01), abs=0.02)


@pytest.mark.parametrize("seed", range(4))
def test_no_angle_has_a_larger_empirical_tau(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 2))
    y = np.round(X[:, 0] + rng.normal(size=25), seed % 2)
    tried = [d_tau(y, X @ [np.cos(a), np.sin(a)]) for a in np.linspace(0, 2 * np.pi, 500)]
    best = best_angle(X, y)
    assert d_tau(y, X @ [np.cos(best), np.sin(best)]) >= max(tried)


def test_the_formula_of_tau_is_that_of_a_large_sample_and_the_loss_falls():
    rng = np.random.default_rng(0)
    X, r, a = rng.normal(size=(3000, 2)), 0.5, 0.8
    y = r * X[:, 0] + np.sqrt(1 - r**2) * rng.normal(size=3000)
    own = d_tau(y, X @ [np.cos(a), np.sin(a)])
    assert own == pytest.approx(0.5 + np.arcsin(r * np.cos(a)) / np.pi, abs=0.02)
    lost = [
        np.mean([tau_maximiser(np.random.default_rng(s), n=n)[0]["value"] for s in range(20)])
        for n in (30, 300)
    ]
    assert lost[1] < lost[0] / 3


@pytest.mark.slow
@pytest.mark.parametrize("target", ["values", "ranks", "pairs"])
def test_boosted_trees_rank_and_only_least_squares_on_values_sees_the_scale(target):
    pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = X[:, 0] + 0.3 * rng.normal(size=300)
    model = Boosted(target, n_rounds=30).fit(X, y)
    assert iauc(y, model.predict(X)) > 0.9
    same = Boosted(target, n_rounds=30).fit(X, np.exp(3 * y)).predict(X)
    assert np.array_equal(same, model.predict(X)) == (target != "values")


def test_more_values_than_levels_are_cut_at_quantiles():
    y = np.random.default_rng(0).permutation(2500).astype(float)
    found = levels(y, 1000)
    assert np.unique(found).tolist() == list(range(1000))
    assert (np.diff(found[np.argsort(y)]) >= 0).all()
    assert np.bincount(found).max() <= 3
    assert levels([3.0, 1.0, 3.0], 1000).tolist() == [1, 0, 1]


def test_each_count_is_of_its_own_statement(monkeypatch):
    """If no order ever extends the cut-offs, only the first equivalence and the ratios fail."""
    from rankexp.studies.clemencon2017.checks import cut_offs as module

    monkeypatch.setattr(module, "_extends", lambda *_: False)
    rows_ = module.cut_offs(np.random.default_rng(0), draws=60)
    found = {row["quantity"]: row["value"] for row in rows_}
    assert found["optimal"] == found["mean_differs"] == found["optimal_alone"] == 0
    assert 0 < found["ratio_alone"] <= found["order_differs"] < 60
