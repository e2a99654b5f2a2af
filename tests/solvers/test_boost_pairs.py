import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from rankexp.losses import Exponential, Logistic
from rankexp.solvers.boosting.boost_pairs import (
    FactorisedPairs,
    ListedPairs,
    Shares,
    boost,
    coefficient,
    list_pairs,
    normaliser,
)
from rankexp.solvers.boosting.logistic_pairs import LogisticPairs, all_pairs
from rankexp.solvers.boosting.stumps import Stump, binned
from rankexp.solvers.pairs.convolution import Convolution, ScorePanels

laws = settings(max_examples=30)
RULES = pytest.mark.parametrize("rule", ["pairs", "bound", "textbook"])


def levels(n=120, d=3, K=4, groups=1, seed=0, shift=0.5):
    """Rows whose features grow with the level, and costs and groups at random."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, K, n)
    codes[:K] = np.arange(K)
    X = rng.normal(size=(n, d)) + shift * codes[:, None] * np.linspace(1.0, 0.0, d)
    costs = np.triu(rng.random((K, K)), 1) if K > 2 else np.triu(np.ones((2, 2)), 1)
    return X, codes, costs, rng.integers(0, groups, n)


def every_pair(codes, costs, groups):
    """Return the rows and the cost of all pairs, in loops."""
    found = [
        (i, j, costs[codes[j], codes[i]])
        for i, j in itertools.product(range(codes.size), repeat=2)
        if codes[i] > codes[j] and groups[i] == groups[j]
    ]
    upper, lower, cost = zip(*found, strict=True)
    return np.array(upper), np.array(lower), np.array(cost)


def figure_10_1(X, rows, upper, lower, weights, n_rounds, d):
    """mohri2018's RankBoost on pairs, with every base ranker tried on every pair."""
    D = weights / weights.sum()
    for _ in range(n_rounds):
        best = None
        for j, cuts in enumerate(rows.cuts):
            for k, cut in enumerate(cuts):
                h = (X[:, j] > cut).astype(float)
                difference = h[upper] - h[lower]
                right, wrong = D[difference > 0].sum(), D[difference < 0].sum()
                if best is None or abs(right - wrong) > best[0] * (1.0 + 1e-10):
                    best = abs(right - wrong), (j, k), right, wrong, difference
        _, at, right, wrong, difference = best
        alpha = 0.5 * np.log((right + d) / (wrong + d))
        D = D * np.exp(-alpha * difference)
        yield at, alpha, D.sum()
        D /= D.sum()


def figure_10_2(X, codes, rows, n_rounds):
    """mohri2018's bipartite pseudocode, with Z_t^- in its line 13."""
    up, down = X[codes == 1], X[codes == 0]
    D_up, D_down = np.full(len(up), 1.0 / len(up)), np.full(len(down), 1.0 / len(down))
    rankers = [(j, k, cut) for j, cuts in enumerate(rows.cuts) for k, cut in enumerate(cuts)]
    for _ in range(n_rounds):
        edges = np.abs([D_up @ (up[:, j] > t) - D_down @ (down[:, j] > t) for j, _, t in rankers])
        j, k, t = rankers[int(np.argmax(edges > edges.max() * (1.0 - 1e-10)))]
        plus, minus = D_up @ (up[:, j] > t), D_down @ (down[:, j] > t)
        alpha, root = 0.5 * np.log(plus / minus), np.sqrt(plus * minus)
        Z_up, Z_down = 1.0 - plus + root, 1.0 - minus + root
        D_up = D_up * np.exp(-alpha * (up[:, j] > t)) / Z_up
        D_down = D_down * np.exp(alpha * (down[:, j] > t)) / Z_down
        yield (j, k), alpha, Z_up * Z_down


def assert_same(rounds, others, at_least=1):
    """Compare rounds until what is left of an edge is near rounding."""
    compared = 0
    for a, b in zip(rounds, others, strict=False):
        if abs(a.alpha) < 1e-4:
            break
        assert a.stump == b.stump
        assert a.alpha == pytest.approx(b.alpha, abs=1e-10)
        assert a.ratio == pytest.approx(b.ratio, abs=1e-10)
        compared += 1
    assert compared >= at_least


@pytest.mark.parametrize(("K", "groups"), [(2, 1), (2, 5), (4, 1), (3, 8)])
@RULES
def test_sums_over_cells_equal_sums_over_all_pairs(K, groups, rule):
    X, codes, costs, group = levels(K=K, groups=groups)
    rows = binned(X, "all", 1)
    listed = ListedPairs(rows, *every_pair(codes, costs, group), Exponential())
    factorised = FactorisedPairs(rows, codes, costs, group)
    first, second = (list(boost(rows, pairs, 60, rule, 1e-3)) for pairs in (factorised, listed))
    assert_same(first, second, at_least=60)


@pytest.mark.parametrize("signs", [[-1.0], [1.0], [-1.0, 1.0]])
@pytest.mark.parametrize(("K", "groups"), [(2, 1), (4, 3)])
def test_sums_over_cells_outlast_steps_of_any_size(K, groups, signs):
    """Scores go so far that the weights are made anew, several times."""
    rng = np.random.default_rng(0)
    X, codes, costs, group = levels(K=K, groups=groups)
    rows = binned(X, "all", 1)
    listed = ListedPairs(rows, *every_pair(codes, costs, group), Exponential())
    factorised = FactorisedPairs(rows, codes, costs, group)
    for step in range(150):
        stump = rows.best(rng.normal(size=codes.size))
        alpha = float(rng.uniform(2.0, 8.0) * rng.choice(signs))
        both = [pairs.shares(stump) for pairs in (factorised, listed)]
        np.testing.assert_allclose(*both, atol=1e-9, err_msg=f"step {step}")
        np.testing.assert_allclose(factorised.charges(), listed.charges(), atol=1e-9)
        for pairs, shares in zip((factorised, listed), both, strict=True):
            pairs.step(stump, alpha, shares)


@pytest.mark.parametrize(("K", "groups"), [(2, 1), (4, 3)])
def test_rounds_are_those_of_figure_10_1(K, groups):
    X, codes, costs, group = levels(n=40, K=K, groups=groups)
    rows = binned(X, "quantile", 7)
    upper, lower, weights = every_pair(codes, costs, group)
    found = boost(rows, FactorisedPairs(rows, codes, costs, group), 12, "pairs", 1e-3)
    theirs = figure_10_1(X, rows, upper, lower, weights, 12, 1e-3)
    for one, (at, alpha, Z) in zip(found, theirs, strict=True):
        assert (one.stump.feature, one.stump.cut) == at
        assert one.alpha == pytest.approx(alpha, abs=1e-10)
        assert one.ratio == pytest.approx(Z, abs=1e-10)


def test_textbook_rounds_are_those_of_figure_10_2():
    X, codes, costs, group = levels(n=200, K=2)
    rows = binned(X, "quantile", 9)
    found = boost(rows, FactorisedPairs(rows, codes, costs, group), 30, "textbook", 0.0)
    for one, (at, alpha, Z) in zip(found, figure_10_2(X, codes, rows, 30), strict=True):
        assert (one.stump.feature, one.stump.cut) == at
        assert one.alpha == pytest.approx(alpha, abs=1e-10)
        assert one.ratio == pytest.approx(Z, abs=1e-10)


def test_rounds_by_the_bound_are_those_of_freund_and_others():
    """r = e+ - e-; the loss falls by the factor sqrt(1 - r²) at least."""
    X, codes, costs, group = levels(n=150, K=3)
    rows = binned(X, "quantile", 9)
    pairs = FactorisedPairs(rows, codes, costs, group)
    for one in boost(rows, pairs, 30, "bound", 0.0):
        r = np.tanh(one.alpha)
        assert one.ratio <= np.sqrt(1 - r**2) + 1e-12
    shares = Shares(0.5, 0.2, 0.3, 0.0, 0.0)
    assert coefficient(shares, "bound", 0.0) == pytest.approx(np.arctanh(0.3), abs=1e-15)


@given(
    X=st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), min_size=4, max_size=14),
    data=st.data(),
)
@laws
def test_ties_and_missing_levels_change_no_equality(X, data):
    X = np.array(X, dtype=float)
    codes = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X))))
    group = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(X), max_size=len(X))))
    costs = np.triu(np.arange(16.0).reshape(4, 4), 1)
    rows = binned(X, "all", 1)
    if not any(codes[i] > codes[j] for i, j in np.argwhere(group[:, None] == group)):
        with pytest.raises(ValueError, match="no pair to rank"):
            FactorisedPairs(rows, codes, costs, group)
        return
    listed = ListedPairs(rows, *every_pair(codes, costs, group), Exponential())
    factorised = FactorisedPairs(rows, codes, costs, group)
    first, second = (list(boost(rows, pairs, 8, "pairs", 0.01)) for pairs in (factorised, listed))
    assert_same(first, second, at_least=0)
    assert abs(len(first) - len(second)) == 0 or min(abs(first[-1].alpha), 1.0) < 1e-4


def test_pairs_are_listed_once_each():
    _, codes, costs, group = levels(n=60, groups=4)
    costs[0, 1] = 0.0
    listed = sorted(zip(*(a.tolist() for a in list_pairs(codes, costs, group)), strict=True))
    expected = zip(*(a.tolist() for a in every_pair(codes, costs, group)), strict=True)
    assert listed == sorted(pair for pair in expected if pair[2] > 0.0)


@given(right=st.floats(1e-6, 1.0), wrong=st.floats(1e-6, 1.0), tied=st.floats(0.0, 1.0))
@laws
def test_alpha_minimises_the_normaliser(right, wrong, tied):
    total = right + wrong + tied
    shares = Shares(right / total, wrong / total, tied / total, 0.5, 0.5)
    alpha = coefficient(shares, "pairs", 0.0)
    best = minimize_scalar(
        lambda a: normaliser(shares, a),
        bounds=(-9.0, 9.0),
        method="bounded",
        options={"xatol": 1e-10},
    )
    assert normaliser(shares, alpha) <= best.fun + 1e-12
    smooth = coefficient(shares, "pairs", 0.1)
    assert abs(smooth) <= abs(alpha)
    assert normaliser(shares, smooth) <= 1.0 + 1e-12  # damped, a step never raises the risk


@RULES
def test_an_empty_error_needs_smoothing(rule):
    empty = Shares(1.0, 0.0, 0.0, 0.7, 0.0)
    with pytest.raises(ValueError, match="smoothing > 0"):
        coefficient(empty, rule, 0.0)
    assert 0.0 < coefficient(empty, rule, 1e-300) < np.inf


def test_the_product_of_normalisers_bounds_the_training_error():
    """Theorem 10.3 of mohri2018, without smoothing; a tied pair is an error there."""
    X, codes, costs, group = levels(n=300, K=3)
    rows = binned(X, "quantile", 15)
    upper, lower, cost = every_pair(codes, costs, group)
    s, product, seen = np.zeros(codes.size), 1.0, []
    for one in boost(rows, FactorisedPairs(rows, codes, costs, group), 80, "pairs", 0.0):
        s += one.alpha * one.stump.above(X)
        product *= one.ratio
        margins = s[upper] - s[lower]
        assert product == pytest.approx(np.average(np.exp(-margins), weights=cost), rel=1e-10)
        assert np.average(margins <= 1e-12, weights=cost) <= product
        seen.append(product)
    assert len(seen) == 80
    assert (np.diff(seen) < 0).all()


@pytest.mark.parametrize(("K", "groups"), [(2, 1), (4, 3)])
@RULES
def test_the_logistic_loss_without_pairs_equals_that_of_all_pairs(K, groups, rule):
    X, codes, costs, group = levels(n=150, K=K, groups=groups)
    rows = binned(X, "quantile", 20)
    upper, lower, cost = every_pair(codes, costs, group)
    panels = LogisticPairs(rows, codes, costs, group)
    listed = ListedPairs(rows, upper, lower, cost, Logistic())
    assert panels.risk == pytest.approx(np.log(2.0), abs=1e-12)
    first, second = (list(boost(rows, pairs, 60, rule, 1e-3)) for pairs in (panels, listed))
    assert_same(first, second, at_least=60)
    s = sum(one.alpha * one.stump.above(X) for one in first)
    brute = np.average(np.logaddexp(0.0, s[lower] - s[upper]), weights=cost)
    assert panels.risk == pytest.approx(brute, abs=1e-12)
    if rule == "pairs":
        assert max(one.ratio for one in first) < 1.0


def test_few_pairs_are_listed_and_many_are_not():
    X, codes, costs, group = levels(n=200, groups=50)
    rows = binned(X, "quantile", 20)
    assert isinstance(all_pairs(rows, codes, costs, group, Logistic()), ListedPairs)
    assert isinstance(all_pairs(rows, codes, costs, None, Logistic()), LogisticPairs)
    assert isinstance(all_pairs(rows, codes, costs, None, Exponential()), FactorisedPairs)
    many = np.triu(np.ones((40, 40)), 1)
    assert isinstance(all_pairs(rows, codes, many, group, Exponential()), ListedPairs)


def test_a_list_of_pairs_takes_no_more_room_than_they_do():
    codes = np.zeros(400_000, dtype=np.int64)
    codes[7] = 1
    upper, lower, cost = list_pairs(codes, np.triu(np.full((2, 2), 3.0), 1))
    assert upper.tolist() == [7] * 399_999
    assert (np.sort(lower) == np.flatnonzero(codes == 0)).all()
    assert (cost == 3.0).all()


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_separable_classes_stay_finite():
    X, codes = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
    rows, costs = binned(X, "all", 1), np.triu(np.ones((2, 2)), 1)
    group = np.zeros_like(codes)
    factorised = FactorisedPairs(rows, codes, costs, group)
    exponential = list(boost(rows, factorised, 400, "pairs", 0.01))
    assert len(exponential) == 400
    np.testing.assert_allclose([one.alpha for one in exponential], 0.5 * np.log(101.0))
    listed = ListedPairs(rows, *list_pairs(codes, costs), Logistic())
    for pairs in (LogisticPairs(rows, codes, costs, group), listed):
        logistic = list(boost(rows, pairs, 400, "pairs", 0.01))
        assert 5 < len(logistic) < 400  # nothing is left to learn
        assert all(one.ratio < 1.0 for one in logistic)
    factorised = FactorisedPairs(rows, codes, costs, group)
    for pairs in (factorised, LogisticPairs(rows, codes, costs, group)):
        with pytest.raises(ValueError, match="smoothing > 0"):
            list(boost(rows, pairs, 1, "pairs", 0.0))


def test_nothing_is_left_to_learn_of_pairs_far_in_order():
    X, codes = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
    rows, costs = binned(X, "all", 1), np.triu(np.ones((2, 2)), 1)
    listed = ListedPairs(rows, *list_pairs(codes, costs), Logistic())
    for pairs in (LogisticPairs(rows, codes, costs, np.zeros_like(codes)), listed):
        stump = Stump(0, 9, 9.5)
        pairs.step(stump, 20.0, pairs.shares(stump))
        assert pairs.charges()[-1] == pytest.approx(0.1, rel=1e-3)
        pairs.step(stump, 5.0, pairs.shares(stump))  # weights of exp(-25), under LEAST
        assert not pairs.charges().any()


def test_what_is_only_rounding_is_no_error():
    rng = np.random.default_rng(0)
    X, codes = np.arange(400.0)[:, None], np.repeat([0, 1], 200)
    rows, costs = binned(X, "all", 1), np.triu(np.ones((2, 2)), 1)
    pairs = LogisticPairs(rows, codes, costs, np.zeros_like(codes))
    for _ in range(5):
        pairs.step(rows.best(rng.normal(size=400)), 1.0, pairs.shares(rows.best(pairs.charges())))
        shares = pairs.shares(Stump(0, 99, 99.5))
        assert shares.wrong == 0.0
        assert 0.1 < shares.right < 0.9


@pytest.mark.parametrize("span", [0.0, 0.1, 3.0, 40.0])
def test_panel_sums_are_sums_over_pairs(span):
    rng = np.random.default_rng(0)
    s, cell = span * rng.random(80), rng.integers(0, 2, 80)
    panels = ScorePanels(s)
    moments = panels.moments(cell, 2)
    loss = Logistic()
    for of in (loss.of_margin, loss.margin_derivative):
        kernel = Convolution(of)
        for _ in range(2):  # the second time with the table there already
            hats = kernel.transform(moments)
            up = panels.values(kernel.seen_by_upper(hats, panels.count), cell)
            down = panels.values(kernel.seen_by_lower(hats, panels.count), cell)
        mine = cell[:, None] == cell
        np.testing.assert_allclose(up, (of(s[:, None] - s) * mine).sum(axis=1), atol=1e-10)
        np.testing.assert_allclose(down, (of(s - s[:, None]) * mine).sum(axis=1), atol=1e-10)
