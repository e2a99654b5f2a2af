"""Bounds of mohri2018: special cases in closed form, and what else is known to agree."""

import numpy as np
import pytest

from rankexp.estimators import RankBoost
from rankexp.metrics.level_counts import won
from rankexp.statistics.orders import from_won
from rankexp.studies.mohri2018.theory.auc_bounds import (
    auc_deviation_bound,
    auc_half_width,
    bootstrap_interval,
    delong_interval,
)
from rankexp.studies.mohri2018.theory.boosting_bounds import (
    margin_fraction_bound,
    normalisers,
    round_shares,
    training_error_bound,
)
from rankexp.studies.mohri2018.theory.margin_bounds import (
    empirical_margin_loss,
    ensemble_margins,
    kernel_margin_bound,
    margin_bound,
    pair_margins,
    perceptron_bound,
    uniform_margin_bound,
)
from rankexp.studies.mohri2018.theory.rademacher import (
    empirical_rademacher,
    kernel_rows,
    linear_ball,
    linear_ball_bound,
    threshold_rankers,
)

X = np.random.default_rng(5).standard_normal((9, 3))


def exact_rademacher(supremum, m):
    """Return the mean over all 2^m vectors of signs."""
    signs = np.where(np.arange(2**m)[:, None] >> np.arange(m) & 1, 1.0, -1.0)
    return supremum(signs).mean() / m


def test_signs_drawn_agree_with_all_signs():
    for supremum in (linear_ball(X, 2.0), threshold_rankers(X)):
        found = empirical_rademacher(supremum, 9, np.random.default_rng(0), 4000)
        exact = exact_rademacher(supremum, 9)
        assert 0.0 < found.se < 0.05 * exact
        assert abs(found.value - exact) < 4.0 * found.se


def test_the_l2_ball_of_one_feature_is_a_mean_absolute_sum():
    """E|sum of m signs| = m C(m - 1, (m - 1) // 2) / 2^(m - 1); here m = 5."""
    assert exact_rademacher(linear_ball(np.full((5, 1), 3.0), 2.0), 5) == pytest.approx(6 * 6 / 16)


def test_the_bound_of_the_l2_ball_is_exact_for_orthogonal_rows():
    rows = 3.0 * np.eye(4)
    assert linear_ball_bound(rows, 2.0) == exact_rademacher(linear_ball(rows, 2.0), 4) == 3.0


def test_the_bound_of_the_l2_ball_is_right_up_to_the_root_of_two():
    for seed in range(20):
        rows = np.random.default_rng(seed).standard_cauchy((8, 2))
        exact = exact_rademacher(linear_ball(rows, 1.0), 8)
        assert exact <= linear_ball_bound(rows, 1.0) <= np.sqrt(2.0) * exact


def test_a_linear_kernel_is_the_l2_ball():
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(20, 9))
    rows = kernel_rows(X @ X.T)
    np.testing.assert_allclose(linear_ball(rows, 2.0)(signs), linear_ball(X, 2.0)(signs))
    assert linear_ball_bound(rows, 2.0) == pytest.approx(linear_ball_bound(X, 2.0))


def test_a_kernel_needs_no_rows_of_its_own():
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2))  # infinitely many features
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(20, 9))
    expected = 2.0 * np.sqrt(((signs @ K) * signs).sum(axis=1))
    np.testing.assert_allclose(linear_ball(kernel_rows(K), 2.0)(signs), expected)
    assert linear_ball_bound(kernel_rows(K), 2.0) == pytest.approx(2.0 / np.sqrt(9))


def test_threshold_rankers_are_all_of_them():
    rows = np.round(X)  # with ties
    cuts = np.r_[-99.0, np.unique(rows)]
    base = np.array([rows[:, j] > t for j in range(3) for t in cuts], dtype=float)
    both = np.concatenate([base, 1.0 - base])
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(50, 9))
    np.testing.assert_array_equal(threshold_rankers(rows)(signs), (signs @ both.T).max(axis=1))


def test_margins_say_which_row_is_to_be_above():
    margins = pair_margins([0.0, 2.0], [[1, 0], [1, 0], [0, 1]], [1, -1, 1])
    np.testing.assert_array_equal(margins, [2.0, -2.0, -2.0])
    np.testing.assert_array_equal(ensemble_margins(margins, [0.5, -1.5]), [1.0, -1.0, -1.0])


def test_the_margin_loss_lies_between_error_and_share_of_small_margins():
    margins, rho = np.linspace(-1.0, 1.0, 21), 0.5
    loss = empirical_margin_loss(margins, rho)
    assert loss == pytest.approx((11 + 0.8 + 0.6 + 0.4 + 0.2) / 21)
    assert (margins <= 0.0).mean() < loss < (margins <= rho).mean()


def test_margin_bounds_by_hand():
    given = {"rho": 0.5, "m": 100, "delta": 0.05}
    root = np.sqrt(np.log(20.0) / 200.0)
    expected = margin_bound(0.1, 0.2, **given, empirical=False)
    assert expected == pytest.approx(0.1 + 0.8 + root)
    assert margin_bound(0.1, 0.2, **given) == pytest.approx(0.9 + 3 * np.sqrt(np.log(40.0) / 200))
    kernel = kernel_margin_bound(0.1, radius=0.5, norm=3.0, **given)
    assert kernel == pytest.approx(0.1 + 4 * np.sqrt((1.5 / 0.5) ** 2 / 100) + root)
    assert kernel == pytest.approx(margin_bound(0.1, 2 * 0.15, **given, empirical=False))


@pytest.mark.parametrize("empirical", [True, False])
def test_any_margin_costs_more_than_one(empirical):
    given = {"m": 100, "delta": 0.05, "empirical": empirical}
    for rho in (1.0, 0.5, 0.01):
        uniform = uniform_margin_bound(0.1, 0.0, rho, **given)
        one = margin_bound(0.1, 0.0, rho, 100, 0.025, empirical=empirical)
        price = np.sqrt(np.log(np.log2(2.0 / rho)) / 100)
        assert uniform == pytest.approx(one + (3 if empirical else 1) * price)
        assert uniform_margin_bound(0.1, 0.2, rho, **given) - uniform == pytest.approx(0.8 / rho)


def boosted(**params):
    rng = np.random.default_rng(1)
    rows, pairs = rng.random((40, 3)), rng.integers(40, size=(60, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    labels = np.where(rows[pairs[:, 0], 0] > rows[pairs[:, 1], 0] + 0.3 * rng.random(), 1, -1)
    model = RankBoost(n_rounds=12, n_cuts=5, **params).fit_pairs(rows, pairs, labels)
    above = model.stump_thresholds_[:, None] < rows[:, model.stump_features_].T
    h = above.astype(float)
    return model, labels * (h[:, pairs[:, 0]] - h[:, pairs[:, 1]])


def test_normalisers_are_those_of_rankboost():
    model, differences = boosted()
    right, wrong = round_shares(differences, model.alphas_)
    np.testing.assert_allclose(normalisers(right, wrong, model.alphas_), model.normalisers_)
    assert (normalisers(right, wrong) <= model.normalisers_ + 1e-12).all()
    margins = ensemble_margins(model.alphas_ @ differences, model.alphas_)
    for rho in (0.0, 0.1, 0.5):
        bound = margin_fraction_bound(right, wrong, rho, model.alphas_)
        assert (margins <= rho).mean() <= bound
    assert margin_fraction_bound(right, wrong, 0.0, model.alphas_) == pytest.approx(
        model.risk_[-1]
    )


def test_the_coefficients_of_the_chapter_give_its_formula():
    right, wrong = np.array([0.6, 0.5]), np.array([0.2, 0.1])
    alphas = np.log(right / wrong) / 2
    formula = np.prod((right / wrong) ** 0.1 * ([0.2, 0.4] + 2 * np.sqrt(right * wrong)))
    assert margin_fraction_bound(right, wrong, 0.2) == pytest.approx(formula)
    assert margin_fraction_bound(right, wrong, 0.2, alphas) == pytest.approx(formula)
    assert training_error_bound(right, wrong) == pytest.approx(np.exp(-2 * (0.2**2 + 0.2**2)))
    assert training_error_bound(right, wrong, least_edge=True) == pytest.approx(np.exp(-0.16))


def test_a_base_ranker_that_ties_all_pairs_changes_nothing():
    assert normalisers([0.0], [0.0]) == 1.0 == training_error_bound([0.0], [0.0])


def test_a_round_that_puts_more_out_of_order_leaves_no_least_edge():
    assert training_error_bound([0.2, 0.6], [0.5, 0.1], least_edge=True) == 1.0


def test_negative_coefficients_count_by_their_size():
    rho, alphas, e, f = 0.3, np.array([0.5, -0.4]), np.array([0.6, 0.2]), np.array([0.2, 0.5])
    Z = normalisers(e, f, alphas)
    expected = np.exp(rho * 0.9) * Z.prod()
    assert margin_fraction_bound(e, f, rho, alphas) == pytest.approx(expected)


def test_what_an_auc_is_worth_by_hand():
    for m, n in ((20, 80), (80, 20)):
        assert auc_deviation_bound(0.2, m, n) == pytest.approx(2.0 * np.exp(-0.08 * 20))
        by_differences = 2.0 * np.exp(-0.08 * 16)  # 20 · 80 / 100
        assert auc_deviation_bound(0.2, m, n, "mcdiarmid") == pytest.approx(by_differences)


def test_hoeffdings_bound_is_the_sharper_one():
    for m, n in ((5, 5), (5, 500), (500, 5)):
        wide, sharp = (auc_half_width(m, n, 0.05, kind) for kind in ("mcdiarmid", "hoeffding"))
        assert sharp < wide
        assert auc_deviation_bound(sharp, m, n) == pytest.approx(0.05)
        assert auc_deviation_bound(wide, m, n, "mcdiarmid") == pytest.approx(0.05)
    assert auc_deviation_bound(1e-9, 5, 5) == 1.0


def test_delongs_interval_is_that_of_the_other_implementation():
    rng = np.random.default_rng(3)
    up, down = np.round(rng.normal(1.0, 1.0, 300), 1), np.round(rng.normal(0.0, 1.0, 200), 1)
    levels = np.repeat([1, 0], [300, 200])
    found = from_won(levels, won(levels, np.concatenate([up, down]))[None])
    low, high = delong_interval(up, down, 0.05)
    assert (low + high) / 2 == pytest.approx(found.value[0])
    se = (high - low) / 2 / 1.959963984540054
    assert se == pytest.approx(np.sqrt(found.covariance[0, 0]))
    again = bootstrap_interval(up, down, 0.05, rng, 2000)
    np.testing.assert_allclose(again, (low, high), atol=0.1 * (high - low))


def test_a_perceptron_on_orthogonal_pairs_makes_all_updates_that_it_may():
    assert perceptron_bound(7.0 * np.eye(4), np.ones(4)) == pytest.approx(4.0)


RNG = np.random.default_rng(0)

WRONG = [
    (lambda: empirical_rademacher(linear_ball(X, 1.0), 9, None, 1), "draws=1"),
    (lambda: linear_ball(X, 0.0), "norm=0"),
    (lambda: linear_ball_bound([1.0], 1.0), "two axes"),
    (lambda: kernel_rows(X), "square and symmetric"),
    (lambda: kernel_rows([[1.0, 2.0], [2.0, 1.0]]), "negative eigenvalue"),
    (lambda: threshold_rankers([[np.nan]]), "finite"),
    (lambda: pair_margins([0.0, 1.0], [[0, 1]], [0]), "1 or -1"),
    (lambda: pair_margins([0.0, 1.0], [[0, 2]], [1]), "rows of the scores, 0 .. 1"),
    (lambda: pair_margins([0.0, 1.0], [[0.0, 1.0]], [1]), "integers"),
    (lambda: ensemble_margins([1.0], [0.0]), "the sum of"),
    (lambda: empirical_margin_loss([1.0], 0.0), "rho=0"),
    (lambda: margin_bound(0.1, 0.1, 1.0, 0, 0.05), "m=0"),
    (lambda: margin_bound(0.1, 0.1, 1.0, 9, 1.0), "delta=1"),
    (lambda: margin_bound(np.nan, 0.1, 1.0, 9, 0.05), "loss=nan"),
    (lambda: margin_bound(0.1, -1.0, 1.0, 9, 0.05), "complexity=-1"),
    (lambda: uniform_margin_bound(-0.1, 0.1, 1.0, 9, 0.05), "loss=-0.1"),
    (lambda: empirical_rademacher(lambda signs: signs, 9, RNG, 5), "supremum must return"),
    (lambda: empirical_rademacher(lambda signs: signs[:, 0] * np.nan, 9, RNG), "finite sums"),
    (lambda: empirical_rademacher(lambda signs: 1.0, 9, RNG), "supremum must return"),
    (lambda: uniform_margin_bound(0.1, 0.1, 2.0, 9, 0.05), "margins up to largest=1"),
    (lambda: round_shares([[0.5]], [1.0]), "-1, 0 or 1"),
    (lambda: normalisers([0.7], [0.7]), "shares"),
    (lambda: normalisers([0.7], [0.1], [1.0, 2.0]), "alphas must be of shape"),
    (lambda: margin_fraction_bound([0.7], [0.0], 0.1), "e- above 0"),
    (lambda: margin_fraction_bound([0.1], [0.2], 0.1), "at least e-"),
    (lambda: margin_fraction_bound([0.7], [0.2], np.nan), "rho=nan"),
    (lambda: auc_half_width(3, 4, 0.05, "markov"), "hoeffding or mcdiarmid"),
    (lambda: auc_deviation_bound(0.0, 3, 4), "t=0"),
    (lambda: delong_interval([1.0], [0.0, 1.0], 0.05), "two each"),
    (lambda: bootstrap_interval([1.0, 2.0], [0.0, 1.0], 0.05, None, 1), "draws=1"),
    (lambda: perceptron_bound([[1.0], [-1.0]], [1.0]), "no margin"),
    (lambda: perceptron_bound([[1.0]], [1.0, 1.0]), "shape"),
]


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_the_bound_of_the_perceptron_has_no_unit(size):
    Z = np.array([[2.0, 1.0], [1.0, 2.0]])
    assert np.isclose(perceptron_bound(size * Z, [size, size]), perceptron_bound(Z, [1.0, 1.0]))


@pytest.mark.parametrize(("call", "words"), WRONG, ids=[words for _, words in WRONG])
def test_what_a_bound_says_nothing_of_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
