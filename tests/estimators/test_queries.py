"""Pairs within queries: all alike, or every query alike, against lists of weighted pairs."""

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from rankexp.estimators import KernelRanker, LinearRanker, RankBoost
from rankexp.estimators.pair_data import PairError
from rankexp.losses import parse
from rankexp.solvers.hinge.iterate import band_hessian
from rankexp.solvers.hinge.pairs import hinge_pairs
from rankexp.solvers.hinge.sweep import sweep
from rankexp.solvers.pairs.partial_order import PartialOrder

COSTS = np.array([[0.0, 1.0, 3.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
LOSSES = ("logistic", "exponential", "squared_hinge", "hinge")
SIZES = (4, 30, 9, 17, 1, 12, 3)
"""Of queries; that of one row has no pair."""


def make(seed=0, sizes=SIZES, d=3):
    """Return rows, levels and queries, shuffled; scores are shifted from query to query."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.standard_normal((groups.size, d)) + groups[:, None] % 3
    s = X[:, 0] - 0.5 * X[:, 1] - groups % 3 + rng.logistic(size=groups.size)
    y = np.digitize(s, [0.0, 1.0])
    for g in range(len(sizes)):  # some pair in each query that can have one
        y[np.flatnonzero(groups == g)[:2]] = (0, 2)[: min(2, sizes[g])]
    order = rng.permutation(groups.size)
    return X[order], y[order], groups[order]


def listed(y, groups, queries, costs=COSTS, weight=None):
    """Return upper rows, lower rows and what the pairs count, which adds up to 1."""
    i, j = np.nonzero((y[:, None] > y[None]) & (groups[:, None] == groups[None]))
    count = costs[y[j], y[i]]
    if weight is not None:
        count = count * weight[i] * weight[j]
    if queries == "each":
        count = count / np.bincount(groups[i], count)[groups[i]]
    return i, j, count / count.sum()


def reference(loss, D, count, lam):
    """Return the coefficients of a solver of weighted examples, for margins ``w·D``."""
    sign = np.where(np.arange(len(D)) % 2, 1, -1)
    rows, weight = D * sign[:, None], count * 1e3
    C = 1.0 / (lam * 1e3)
    if loss == "exponential":
        of = parse(loss)
        found = minimize(
            lambda w: lam / 2 * w @ w + count @ of.of_margin(D @ w),
            np.zeros(D.shape[1]),
            jac=lambda w: lam * w + (count * of.margin_derivative(D @ w)) @ D,
            method="BFGS",
            options={"gtol": 1e-11},
        )
        return found.x
    if loss == "logistic":
        model = LogisticRegression(
            C=C, fit_intercept=False, tol=1e-12, solver="newton-cholesky", max_iter=1000
        )
    else:
        model = LinearSVC(
            C=C, loss=loss, fit_intercept=False, dual=loss == "hinge", tol=1e-10, max_iter=10**6
        )
    return model.fit(rows, sign, sample_weight=weight).coef_[0]


@pytest.mark.parametrize("queries", ["pairs", "each"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_list_of_weighted_pairs_gives_the_same(loss, weighted, queries):
    X, y, groups = make()
    weight = np.random.default_rng(1).integers(1, 4, y.size).astype(float) if weighted else None
    i, j, count = listed(y, groups, queries, weight=weight)
    model = LinearRanker(
        loss=loss,
        risk="multipartite",
        lam=0.05,
        costs=COSTS,
        queries=queries,
        tol=1e-11,
        max_iter=5000,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the last digits are not reached
        found = model.fit(X, y, groups=groups, sample_weight=weight)
        expected = reference(loss, X[i] - X[j], count, 0.05)
    np.testing.assert_allclose(found.coef_[0], expected, atol=2e-6)
    w = found.coef_[0]
    value = 0.025 * w @ w + count @ parse(loss).of_margin((X[i] - X[j]) @ w)
    assert found.objective_ == pytest.approx(value, rel=1e-9)
    assert found.gap_ < 1e-8


@pytest.mark.parametrize("loss", LOSSES)
def test_two_levels_and_kernels_take_queries_alike(loss):
    X, y, groups = make(2)
    two = (y > 0).astype(int)
    found = LinearRanker(loss=loss, risk="bipartite", lam=0.05, queries="each", tol=1e-9)
    found.fit(X, two, groups=groups)
    kernel = KernelRanker(kernel="linear", loss=loss, lam=0.05, queries="each", tol=1e-7)
    kernel.fit(X, two, groups=groups)
    i, j, count = listed(two, groups, "each", np.ones((2, 2)))
    w = found.coef_[0]
    value = 0.025 * w @ w + count @ parse(loss).of_margin((X[i] - X[j]) @ w)
    assert found.objective_ == pytest.approx(value, rel=1e-9)
    assert kernel.objective_ == pytest.approx(value, rel=1e-6)


def rankers(queries):
    yield from (
        LinearRanker(loss=loss, risk="multipartite", lam=0.05, queries=queries) for loss in LOSSES
    )
    for loss in ("exponential", "logistic"):
        yield RankBoost(
            risk="multipartite", n_rounds=15, loss=loss, queries=queries, smoothing=0.01
        )
    yield KernelRanker(risk="multipartite", lam=0.05, queries=queries)


@pytest.mark.parametrize("kind", range(7))
def test_of_one_query_all_pairs_are_alike(kind):
    X, y, _ = make(3)
    each, pairs = (
        list(rankers(q))[kind].fit(X, y, groups=np.zeros(y.size)) for q in ("each", "pairs")
    )
    assert np.array_equal(each.decision_function(X), pairs.decision_function(X))


@pytest.mark.parametrize("kind", range(7))
def test_copies_of_a_query_count_for_all_pairs_alone(kind):
    X, y, groups = make(4)
    more = np.concatenate((np.arange(y.size), np.flatnonzero(groups == 5)))
    away = {}
    for queries in ("each", "pairs"):
        model = list(rankers(queries))[kind]
        if not isinstance(model, RankBoost):
            model.set_params(tol=1e-9 if isinstance(model, LinearRanker) else 1e-7)
        once = model.fit(X, y, groups=groups).decision_function(X)
        twice = model.fit(X[more], y[more], groups=groups[more]).decision_function(X)
        away[queries] = np.abs(once - twice).max()
    few_digits = isinstance(model, KernelRanker)  # of the scores, though not of the objective
    assert away["each"] < (0.05 if few_digits else 1e-3) * away["pairs"]


@pytest.mark.parametrize("kind", range(6))
def test_a_weight_is_so_many_copies_of_a_row(kind):
    X, y, groups = make(5)
    times = np.random.default_rng(0).integers(1, 4, y.size)
    model = list(rankers("each"))[kind]
    if isinstance(model, LinearRanker):
        model.set_params(tol=1e-9)
    found = model.fit(X, y, groups=groups, sample_weight=times).decision_function(X)
    copied = (a.repeat(times, axis=0) for a in (X, y, groups))
    X_, y_, groups_ = copied
    expected = model.fit(X_, y_, groups=groups_).decision_function(X)
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("queries", ["pairs", "each"])
@pytest.mark.parametrize("sizes", [(40, 25, 60), (2,) * 60 + (3,) * 20])
@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_rank_boost_on_queries_is_that_on_a_list(loss, sizes, queries):
    X, y, groups = make(6, sizes)
    given = {"n_rounds": 25, "loss": loss, "smoothing": 0.01}
    model = RankBoost(risk="multipartite", costs=COSTS, queries=queries, **given)
    found = model.fit(X, y, groups=groups)
    i, j, count = listed(y, groups, queries)
    pairs = np.column_stack((i, j))
    other = RankBoost(**given).fit_pairs(X, pairs, np.ones(i.size, int), sample_weight=count)
    np.testing.assert_allclose(found.decision_function(X), other.decision_function(X), atol=1e-8)
    np.testing.assert_allclose(found.risk_, other.risk_, rtol=1e-8)


def test_rank_boost_stops_where_the_queries_held_out_are_best_alike():
    X, y, groups = make(7, (10, 40, 5, 25))
    s = np.round(X[:, 0], 1)
    i, j, count = listed(y, groups, "each")
    lost = count @ ((s[i] < s[j]) + 0.5 * (s[i] == s[j]))
    assert PairError(y, COSTS, groups, each=True)(s) == pytest.approx(lost, rel=1e-12)
    stopped = RankBoost(
        risk="multipartite", validation_fraction=0.5, queries="each", random_state=0
    )
    other = RankBoost(risk="multipartite", validation_fraction=0.5, random_state=0)
    errors = [m.fit(X, y, groups=groups).validation_error_ for m in (stopped, other)]
    assert not np.array_equal(*errors)


def test_sweeps_know_what_groups_count():
    X, y, groups = make(8)
    weight = np.random.default_rng(0).integers(1, 4, y.size).astype(float)
    pairs = hinge_pairs(X, PartialOrder.of(y, COSTS, groups, weight, each=True).whole())
    s, h = pairs.X @ np.array([1.0, 0.3, -0.2]), 0.7
    swept = sweep(pairs, s, h)
    order = pairs.order
    i, j, count = listed(order.level, order.group, "each", weight=pairs.weight)
    z = 1.0 - s[i] + s[j]
    alpha = np.clip((z + swept.h) / (2 * swept.h), 0.0, 1.0)
    assert swept.hinge == pytest.approx(count @ np.maximum(z, 0.0), rel=1e-9)
    assert swept.alpha == pytest.approx(count @ alpha, rel=1e-9)
    n = s.size
    residual = np.bincount(j, count * alpha, n) - np.bincount(i, count * alpha, n)
    np.testing.assert_allclose(swept.residual, residual, atol=1e-9)
    beyond = np.where(z >= swept.h, count, 0.0)
    settled = np.bincount(j, beyond, n) - np.bincount(i, beyond, n)
    np.testing.assert_allclose(swept.settled, settled, atol=1e-9)
    D, inside = pairs.X[i] - pairs.X[j], np.where(np.abs(z) < swept.h, count, 0.0)
    H = (D.T * inside) @ D / (2.0 * swept.h)
    np.testing.assert_allclose(swept.laplacian() / (2 * swept.h * pairs.count), H, atol=1e-9)
    np.testing.assert_allclose(band_hessian(swept), H, atol=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.slow
def test_many_rows_are_sampled_with_what_their_groups_count(loss):
    """The descent begins with a sample, and is certified on all rows."""
    for sizes in ((200,) * 200 + (600,) * 40, (40_000, 10_000, 14_000)):
        X, y, groups = make(10, sizes)
        found = LinearRanker(loss=loss, risk="multipartite", lam=0.01, queries="each", tol=1e-6)
        found.fit(X, y, groups=groups)
        assert found.gap_ <= 1e-6
        if max(sizes) < 1000:
            i, j, w = [], [], []
            for g in range(len(sizes)):
                mine = np.flatnonzero(groups == g)
                a, b, count = listed(y[mine], np.zeros(mine.size, int), "pairs", np.ones((3, 3)))
                i, j, w = [*i, mine[a]], [*j, mine[b]], [*w, count / len(sizes)]
            i, j, w = (np.concatenate(parts) for parts in (i, j, w))
            value = w @ parse(loss).of_margin((X[i] - X[j]) @ found.coef_[0])
            value += 0.005 * found.coef_[0] @ found.coef_[0]
            assert found.objective_ == pytest.approx(value, rel=1e-8)


def test_each_query_alike_without_queries_is_refused():
    X, y, groups = make()
    for model in rankers("each"):
        with pytest.raises(ValueError, match="queries='each' weighs all groups alike"):
            model.fit(X, y)
    with pytest.raises(ValueError, match=r"queries='each' needs groups.*takes no groups"):
        LinearRanker(queries="each").fit(X, y > 0)
    for model in (LinearRanker(loss="hinge", risk="bipartite"), RankBoost(), KernelRanker()):
        with pytest.raises(ValueError, match=r"unknown queries 'alike'.*known: pairs, each"):
            model.set_params(queries="alike").fit(X, y > 0, groups=groups)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic", "exponential"])
def test_across_queries_all_pairs_count(loss: str) -> None:
    """Groups that are given and left aside change nothing."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    groups = rng.integers(0, 6, 60)
    model = LinearRanker(loss=loss, risk="multipartite", lam=0.1, queries="across")
    plain = LinearRanker(loss=loss, risk="multipartite", lam=0.1).fit(X, y)
    np.testing.assert_array_equal(model.fit(X, y, groups).coef_, plain.coef_)
    assert not np.array_equal(
        clone(model).set_params(queries="pairs").fit(X, y, groups).coef_, plain.coef_
    )


@pytest.mark.parametrize("share", [None, 0.3])
def test_boosting_across_queries(share: float | None) -> None:
    """What is held out are whole groups all the same."""
    rng = np.random.default_rng(6)
    X, y, groups = rng.normal(size=(80, 3)), rng.integers(0, 3, 80), rng.integers(0, 8, 80)
    model = RankBoost(
        risk="multipartite",
        n_rounds=9,
        queries="across",
        validation_fraction=share,
        random_state=1,
    )
    found = model.fit(X, y, groups)
    if share is None:
        plain = clone(model).set_params(queries="pairs").fit(X, y)
        np.testing.assert_array_equal(found.alphas_, plain.alphas_)
    assert found.n_iter_ >= 1
