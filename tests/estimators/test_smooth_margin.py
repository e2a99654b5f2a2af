"""Smooth margin ranking against plain loops over all pairs; edges and margins of RankBoost."""

import numpy as np
import pytest
from scipy.optimize import linprog, minimize_scalar

from rankexp.estimators import RankBoost, SmoothMarginRanker
from rankexp.metrics import rank_loss
from rankexp.studies.mohri2018.margins import least_margin, margin_loss


def separable(n=40, d=3, seed=0, K=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    s = X[:, 0] + X[:, 1]
    return X, np.searchsorted(np.quantile(s, np.arange(1, K) / K), s)


def all_pairs(y, groups=None):
    groups = np.zeros(y.size) if groups is None else groups
    return np.nonzero((y[:, None] > y) & (groups[:, None] == groups))


def plain(X, i, j, c, rounds):
    """Return the features, thresholds, coefficients and smooth margins of the plain algorithm."""
    cuts = [
        (f, t)
        for f in range(X.shape[1])
        for t in (np.sort(X[:, f])[1:] + np.sort(X[:, f])[:-1]) / 2
    ]
    h = np.array([X[:, f] > t for f, t in cuts]).astype(float)
    M = h[:, i] - h[:, j]
    z, size, found = np.zeros(i.size), 0.0, []

    def margin(alpha, row):
        return -np.log(c @ np.exp(-z - alpha * row)) / (size + abs(alpha))

    for _ in range(rounds):
        d = c * np.exp(-z) / (c @ np.exp(-z))
        edge = M @ d
        best = int(np.argmax(np.abs(edge) >= (1 - 1e-10) * np.abs(edge).max()))
        row, sign = M[best], np.sign(edge[best])
        right, wrong = (d @ (row == sign)), (d @ (row == -sign))
        alpha = 0.5 * np.log((right + 1 / len(X)) / (wrong + 1 / len(X)))
        if size and np.log(c @ np.exp(-z)) < 0:
            inner = minimize_scalar(
                lambda a, row=row, sign=sign: -margin(sign * a, row),
                bounds=(0, alpha),
                method="bounded",
                options={"xatol": 1e-12},
            )
            alpha = inner.x
        value = margin(sign * alpha, row)
        z, size = z + sign * alpha * row, size + alpha
        found.append((*cuts[best], sign * alpha, value))
    return np.array(found).T


@pytest.mark.parametrize("K", [2, 3])
def test_it_is_the_plain_algorithm_on_all_pairs(K):
    X, y = separable(K=K)
    i, j = all_pairs(y)
    wanted = plain(X, i, j, np.ones(i.size), 60)
    assert wanted[3, 10] < 0 < wanted[3, -1]  # of both kinds of rounds
    model = SmoothMarginRanker(
        risk="bipartite" if K == 2 else "multipartite", n_rounds=60, cuts="all"
    ).fit(X, y)
    listed = SmoothMarginRanker(n_rounds=60, cuts="all")
    listed.fit_pairs(X, np.column_stack((i, j)), np.ones(i.size, int))
    for found in (model, listed):
        np.testing.assert_array_equal(found.stump_features_, wanted[0])
        np.testing.assert_allclose(found.stump_thresholds_, wanted[1])
        np.testing.assert_allclose(found.alphas_, wanted[2], atol=1e-6)
        np.testing.assert_allclose(found.smooth_margins_, wanted[3], atol=1e-8)
        assert found.pairs_ == pytest.approx(i.size)


@pytest.mark.parametrize("seed", range(2))
def test_the_smooth_margin_never_falls_and_nears_the_greatest_margin(seed):
    X, y = separable(seed=seed, n=24)
    model = SmoothMarginRanker(n_rounds=4000, cuts="all", smoothing=1e-9).fit(X, y)
    G = model.smooth_margins_
    assert (np.diff(G) >= -1e-12).all()
    i, j = all_pairs(y)
    h = np.array([X[:, f] > t for f in range(3) for t in np.sort(X[:, f])[:-1]]).astype(float)
    M = h[:, i] - h[:, j]
    M = np.vstack((M, -M))
    n = len(M)
    found = linprog(
        np.r_[np.zeros(n), -1.0],
        A_ub=np.c_[-M.T, np.ones(i.size)],
        b_ub=np.zeros(i.size),
        A_eq=[np.r_[np.ones(n), 0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * n + [(None, None)],
    )
    least = least_margin(y, model.decision_function(X) / np.abs(model.alphas_).sum())
    assert G[-1] <= least <= -found.fun + 1e-9
    assert least > 0.9 * -found.fun


def test_rank_boost_may_lower_the_smooth_margin():
    X, y = separable()
    falls = np.diff(RankBoost(n_rounds=500, cuts="all").fit(X, y).smooth_margins_)
    assert falls.min() < -1e-5
    rises = np.diff(SmoothMarginRanker(n_rounds=500, cuts="all").fit(X, y).smooth_margins_)
    assert rises.min() >= 0.0


def test_where_some_pair_is_out_of_order_it_is_rank_boost():
    X, y = separable(n=60)
    y[:4] = 1 - y[:4]
    X[4:8] = X[:4]
    y[4:8] = 1 - y[:4]
    smooth, boost = SmoothMarginRanker(n_rounds=30).fit(X, y), RankBoost(n_rounds=30).fit(X, y)
    np.testing.assert_array_equal(smooth.alphas_, boost.alphas_)
    assert (np.diff(smooth.smooth_margins_) >= 0).all()
    assert smooth.smooth_margins_[-1] < 0


def test_one_base_ranker_may_order_all_pairs():
    X, y = np.arange(10.0)[:, None], np.arange(10) > 4
    model = SmoothMarginRanker(n_rounds=50).fit(X, y)
    assert set(model.stump_thresholds_) == {4.5}
    assert model.smooth_margins_[-1] > 0.9
    with pytest.raises(ValueError, match="smoothing > 0"):
        SmoothMarginRanker(smoothing=0.0).fit(X, y)


def test_rounds_in_groups_with_costs_go_on_from_stages():
    X, y = separable(K=3, n=60)
    groups = np.arange(60) % 5
    costs = [[0, 1, 3], [0, 0, 2], [0, 0, 0]]
    made = SmoothMarginRanker(risk="multipartite", cuts="all", costs=costs)
    even = np.full(60, 3**0.5)  # no pair counts less than 1
    several = made.fit_rounds([20, 5], X, y, groups=groups, sample_weight=even)
    i, j = all_pairs(y, groups)
    weights = np.array(costs)[y[j], y[i]]
    listed = SmoothMarginRanker(n_rounds=20, cuts="all")
    listed.fit_pairs(X, np.column_stack((i, j)), np.ones(i.size, int), weights)
    np.testing.assert_allclose(several[0].smooth_margins_, listed.smooth_margins_, atol=1e-9)
    np.testing.assert_array_equal(several[1].alphas_, several[0].alphas_[:5])
    assert "alpha" not in made.get_params()


@pytest.mark.parametrize("size", [1e-9, 1e-3, 0.1])
def test_small_weights_leave_the_margin_large(size):
    X, y = separable(K=3)
    i, j = all_pairs(y)
    pairs, labels = np.column_stack((i, j)), np.ones(i.size, int)
    made = SmoothMarginRanker(risk="multipartite", n_rounds=100, cuts="all")
    wanted = made.fit(X, y).smooth_margins_
    listed = made.fit_pairs(X, pairs, labels, np.full(i.size, size)).smooth_margins_
    np.testing.assert_allclose(listed, wanted, atol=1e-9)
    weighted = made.fit(X, y, sample_weight=np.full(len(X), size)).smooth_margins_
    np.testing.assert_allclose(weighted, wanted, atol=1e-9)
    weights = size * np.random.default_rng(0).uniform(1.0, 2.0, i.size)
    made.fit_pairs(X, pairs, labels, np.append(0.0, weights[1:]))
    s = made.predict(X) / np.abs(made.alphas_).sum()
    assert 0.0 < made.smooth_margins_[-1] <= (s[i] - s[j])[1:].min()


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_edges_are_those_of_the_weighted_pairs(loss):
    X, y = separable(seed=2)
    y[:5] = 1 - y[:5]
    model = RankBoost(n_rounds=15, cuts="all", loss=loss).fit(X, y)
    i, j = all_pairs(y)
    z = np.zeros(i.size)
    for t in range(15):
        d = np.exp(-z) if loss == "exponential" else 1 / (1 + np.exp(z))
        d /= d.sum()
        h = (X[:, model.stump_features_[t]] > model.stump_thresholds_[t]).astype(float)
        step = np.sign(model.alphas_[t]) * (h[i] - h[j])
        np.testing.assert_allclose(model.right_[t], d @ (step > 0), atol=1e-11)
        np.testing.assert_allclose(model.wrong_[t], d @ (step < 0), atol=1e-11)
        z += abs(model.alphas_[t]) * step
    assert (model.edges_ > 0).all()
    np.testing.assert_array_equal(model.edges_, (model.right_ - model.wrong_) / 2)
    if loss == "logistic":
        with pytest.raises(AttributeError, match="exponential loss"):
            _ = model.smooth_margins_
        return
    X, y = separable(n=300, seed=2)
    y[::4] = 1 - y[::4]
    free = RankBoost(n_rounds=15, n_cuts=9, smoothing=0.0).fit(X, y)
    tied = 1 - free.right_ - free.wrong_
    np.testing.assert_allclose(free.normalisers_, 2 * np.sqrt(free.right_ * free.wrong_) + tied)
    # Theorem 10.3 and exercise 10.3.
    assert np.prod(free.normalisers_) <= np.exp(-2 * (free.edges_**2).sum())
    s = free.decision_function(X)
    assert rank_loss(y, np.round(s, 10), ties="worst") <= np.prod(free.normalisers_)
    for rho in (0.01, 0.05, 0.1):
        share = margin_loss(y, s / np.abs(free.alphas_).sum(), rho, "step")
        ratio = (free.right_ / free.wrong_) ** (rho / 2)
        assert share <= np.prod(ratio * free.normalisers_)


def test_it_ends_where_no_base_ranker_raises_the_margin():
    """Of one pair, one threshold has the greatest margin there is."""
    model = SmoothMarginRanker(n_rounds=9, cuts="all").fit([[0.0], [1.0]], [0, 1])
    assert model.n_iter_ == 1
    assert model.smooth_margins_ == pytest.approx([1.0])
