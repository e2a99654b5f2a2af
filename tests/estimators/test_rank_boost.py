import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from rankexp.errors import ClassOrderWarning
from rankexp.estimators import RankBoost
from rankexp.estimators.labels import best_threshold
from rankexp.estimators.pair_data import PairError, held_out
from rankexp.metrics import rank_loss

laws = settings(max_examples=15)
LOSSES = pytest.mark.parametrize("loss", ["exponential", "logistic"])


def gaussians(m=200, d=1, K=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(K), m)
    return rng.normal(size=(K * m, d)) + 2.0 * y[:, None] - 1.0, y


def on_a_grid(m=2000, seed=0):
    """Two Gaussian classes on values all of which both have."""
    X, y = gaussians(m, seed=seed)
    return np.clip(np.round(2.0 * X) / 2.0, -1.5, 1.5), y


def log_ratio(X, y):
    """Return the values of X and log(g+ / g-) of their frequencies, centred."""
    values = np.unique(X)
    counts = [[(X[y == c, 0] == v).mean() for v in values] for c in (1, 0)]
    ratio = np.log(counts[0]) - np.log(counts[1])
    return values[:, None], ratio - ratio.mean()


def rounds_of(model):
    return model.stump_features_, model.stump_thresholds_, model.alphas_, model.normalisers_


@pytest.mark.parametrize("alpha", ["pairs", "bound", "textbook"])
@LOSSES
def test_all_pairs_of_two_classes_give_the_same_rounds_as_rows(loss, alpha):
    X, y = gaussians(40, d=3)
    upper, lower = (np.flatnonzero(y == c) for c in (1, 0))
    pairs = np.stack(np.meshgrid(upper, lower), axis=-1).reshape(-1, 2)
    model = RankBoost(n_rounds=50, cuts="all", loss=loss, alpha=alpha, smoothing=0.01).fit(X, y)
    flipped = np.random.default_rng(0).random(len(pairs)) < 0.5  # half of them as "below"
    pairs[flipped] = pairs[flipped, ::-1]
    labels = np.where(flipped, -1, 1)
    other = RankBoost(n_rounds=50, cuts="all", loss=loss, alpha=alpha, smoothing=0.01)
    other.fit_pairs(X, np.vstack((pairs, [[0, 1]])), np.append(labels, 0))
    assert model.n_iter_ == 50
    for mine, theirs in zip(rounds_of(model), rounds_of(other), strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-10)
    np.testing.assert_allclose(model.risk_, other.risk_, atol=1e-10)


@LOSSES
def test_costs_and_groups_are_weights_and_choices_of_pairs(loss):
    X, y = gaussians(30, d=2, K=3)
    groups = np.random.default_rng(0).integers(0, 4, 90)
    costs = np.array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    settings_ = {"n_rounds": 30, "cuts": "all", "loss": loss, "smoothing": 0.01}
    model = RankBoost(risk="multipartite", costs=costs, **settings_)
    model.fit(X, y, groups=[f"q{g}" for g in groups])
    i, j = np.nonzero((y[:, None] > y) & (groups[:, None] == groups))
    other = RankBoost(risk="multipartite", **settings_)
    other.fit_pairs(X, np.column_stack((i, j)), np.ones(i.size, int), costs[y[j], y[i]])
    for mine, theirs in zip(rounds_of(model), rounds_of(other), strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-10)


@LOSSES
@pytest.mark.filterwarnings("error")
def test_only_ratios_of_costs_count(loss):
    X, y = gaussians(30, d=2, K=3)
    costs = np.triu(np.array([[0.0, 1.0, 0.5], [0.0, 0.0, 0.25], [0.0, 0.0, 0.0]]))
    fits = [
        RankBoost(risk="multipartite", n_rounds=20, loss=loss, costs=scale * costs).fit(X, y)
        for scale in (1.0, 2.0**-1000, 2.0**1023)
    ]
    for other in fits[1:]:
        for mine, theirs in zip(rounds_of(fits[0]), rounds_of(other), strict=True):
            assert (mine == theirs).all()


def test_the_risk_is_the_mean_loss_of_pairs_and_falls():
    X, y = gaussians(50, d=2, K=3)
    costs = np.triu(np.arange(1.0, 10.0).reshape(3, 3), 1)
    for loss, of in (
        ("exponential", lambda z: np.exp(-z)),
        ("logistic", lambda z: np.log1p(np.exp(-z))),
    ):
        model = RankBoost(risk="multipartite", n_rounds=40, loss=loss, costs=costs).fit(X, y)
        i, j = np.nonzero(y[:, None] > y)
        staged = [np.zeros(150), *model.staged_decision_function(X)]
        risks = [np.average(of(s[i] - s[j]), weights=costs[y[j], y[i]]) for s in staged]
        np.testing.assert_allclose(model.risk_, risks, rtol=1e-9)
        assert (np.diff(model.risk_) < 0).all()


def test_theorem_10_3():
    X, y = on_a_grid()
    model = RankBoost(n_rounds=25, cuts="all", smoothing=0.0).fit(X, y)
    product = np.cumprod(model.normalisers_)
    np.testing.assert_allclose(product, model.risk_[1:], rtol=1e-12)
    for bound, s in zip(product, model.staged_decision_function(X), strict=True):
        assert rank_loss(y, np.round(s, 12), ties="worst") <= bound


@LOSSES
def test_it_reaches_the_best_ranking_function_of_its_loss(loss):
    """Theorem 2 of uematsu2010: half the log ratio, or the log ratio, up to a constant."""
    X, y = on_a_grid()
    values, ratio = log_ratio(X, y)
    model = RankBoost(n_rounds=2000, cuts="all", loss=loss).fit(X, y)
    s = model.decision_function(values)
    factor = 0.5 if loss == "exponential" else 1.0
    np.testing.assert_allclose(s - s.mean(), factor * ratio, atol=1e-3)


def test_it_agrees_with_adaboost_in_the_long_run():
    """Both end at half the log ratio; scikit-learn's weights and sums are twice the paper's."""
    X, y = on_a_grid()
    values, ratio = log_ratio(X, y)
    ada = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=400)
    ada.fit(X, y)
    theirs = ada.decision_function(values) * ada.estimator_weights_.sum() / 4.0
    mine = RankBoost(n_rounds=400, cuts="all").fit(X, y).decision_function(values)
    np.testing.assert_allclose(theirs - theirs.mean(), ratio / 2.0, atol=1e-3)
    np.testing.assert_allclose(mine - mine.mean(), theirs - theirs.mean(), atol=1e-3)


@given(seed=st.integers(0, 10**6))
@laws
def test_only_the_order_of_a_feature_counts(seed):
    X, y = gaussians(30, d=2, seed=seed)
    X = np.round(X, 1)
    model, other = (RankBoost(n_rounds=20, cuts="all") for _ in range(2))
    stretched = np.exp(X) + X
    s = model.fit(X, y).decision_function(X)
    assert (other.fit(stretched, y).decision_function(stretched) == s).all()


@given(seed=st.integers(0, 10**6))
@laws
def test_other_labels_turn_the_ranking_round(seed):
    X, y = gaussians(30, d=2, seed=seed)
    s = RankBoost(n_rounds=20, cuts="all").fit(X, y)._scores(X)
    np.testing.assert_allclose(RankBoost(n_rounds=20, cuts="all").fit(X, 1 - y)._scores(X), -s)


def test_twice_the_data_change_nothing():
    X, y = gaussians(50, d=2, K=3)
    for loss in ("exponential", "logistic"):
        fits = [
            RankBoost(risk="multipartite", n_rounds=30, cuts="all", loss=loss, smoothing=0.01).fit(
                *data
            )
            for data in ((X, y), (np.vstack((X, X)), np.tile(y, 2)))
        ]
        for mine, theirs in zip(*map(rounds_of, fits), strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-9)


def test_equal_rows_get_equal_bits_in_any_batch():
    X, y = gaussians(100, d=3)
    model = RankBoost(n_rounds=60).fit(X, y)
    X = np.vstack((X[:50], X[:50]))
    s = model.decision_function(X)
    assert (s[:50] == s[50:]).all()
    assert [model.decision_function(row[None])[0] for row in X[:50]] == s[:50].tolist()
    *_, last = model.staged_decision_function(X)
    np.testing.assert_allclose(last, s, atol=1e-12)


def test_the_threshold_has_the_least_training_error():
    X, y = gaussians(100)
    model = RankBoost(n_rounds=20).fit(X, y)
    s = model._scores(X)
    assert model.threshold_ == best_threshold(s, y == 1)
    assert (model.predict(X) == (s > model.threshold_)).all()


def test_levels_are_ordered_as_given():
    X, y = gaussians(60, K=3)
    words = np.array(["low", "fair", "high"])[y]
    model = RankBoost(risk="multipartite", levels=["low", "fair", "high"]).fit(X, words)
    assert (model.predict(X) == RankBoost(risk="multipartite").fit(X, y).predict(X)).all()
    more = RankBoost(risk="multipartite", levels=["none", "low", "fair", "high", "top"]).fit(
        X, words
    )
    assert (more.predict(X) == model.predict(X)).all()  # levels without an example: no pairs
    with pytest.warns(ClassOrderWarning):
        two = RankBoost(levels=["good", "bad"]).fit(X[:120], np.array(["good", "bad"])[y[:120]])
    assert rank_loss(y[:120], two.rank_scores(X[:120])) < 0.2
    assert two.predict(X[:1])[0] == "good"


def test_a_perfect_base_ranker_gives_finite_coefficients():
    X, y = np.arange(10.0)[:, None], np.repeat([0, 1], 5)
    for loss in ("exponential", "logistic"):
        model = RankBoost(n_rounds=1000, loss=loss).fit(X, y)
        assert np.isfinite(model.alphas_).all()
        assert np.isfinite(model.risk_).all()
        assert rank_loss(y, model.decision_function(X)) == 0.0
    with pytest.raises(ValueError, match="smoothing > 0"):
        RankBoost(smoothing=0).fit(X, y)


def test_smoothing_is_one_over_the_number_of_rows():
    X, y = gaussians(50)
    given_, default = RankBoost(smoothing=1 / 100).fit(X, y), RankBoost().fit(X, y)
    assert (given_.alphas_ == default.alphas_).all()


def test_a_second_fit_of_another_kind_leaves_nothing_of_the_first():
    X, y = gaussians(50)
    model = RankBoost(validation_fraction=0.2, random_state=0).fit(X, y)
    model.set_params(risk="multipartite", validation_fraction=None).fit(X, y)
    assert (model.predict(X) == model.decision_function(X)).all()
    assert not hasattr(model, "validation_error_")


def test_without_any_edge_all_scores_are_equal():
    X, y = np.ones((20, 2)), np.arange(20) % 2
    for loss in ("exponential", "logistic"):
        model = RankBoost(loss=loss).fit(X, y)
        assert model.n_iter_ == 0
        assert (model.decision_function(X) == model.decision_function(X)[0]).all()
        assert list(model.staged_decision_function(X)) == []
    X[:, 1] = np.arange(20) // 2  # either class once: no edge either
    assert RankBoost(cuts="all").fit(X, y).n_iter_ == 0


def test_it_stops_early_at_the_least_held_out_error():
    X, y = gaussians(150, d=4, K=3)
    model = RankBoost(
        risk="multipartite",
        n_rounds=500,
        validation_fraction=0.3,
        n_iter_no_change=7,
        random_state=3,
    ).fit(X, y)
    errors = model.validation_error_
    assert model.n_iter_ == errors.argmin() == errors.size - 1 - 7
    out = held_out(y, None, 0.3, np.random.RandomState(3))
    assert np.bincount(y[out]).tolist() == [45, 45, 45]
    rest = RankBoost(risk="multipartite", n_rounds=int(model.n_iter_)).fit(X[~out], y[~out])
    np.testing.assert_array_equal(rest.alphas_, model.alphas_)
    s = rest.decision_function(X[out])
    lost = (s[:, None] < s) + 0.5 * (s[:, None] == s)
    assert errors.min() == pytest.approx(lost[y[out][:, None] > y[out]].mean())


def test_early_stopping_knows_groups_and_costs():
    X, y = gaussians(100, d=4, K=3)
    groups = np.random.default_rng(0).integers(0, 12, 300)
    costs = np.array([[0.0, 1.0, 0.2], [0.0, 0.0, 0.5], [0.0, 0.0, 0.0]])
    early = {"validation_fraction": 0.3, "random_state": 3}
    model = RankBoost(risk="multipartite", n_rounds=200, costs=costs, **early).fit(
        X, y, groups=groups
    )
    out = held_out(y, groups, 0.3, np.random.RandomState(3))
    rest = RankBoost(risk="multipartite", n_rounds=int(model.n_iter_), costs=costs)
    rest.fit(X[~out], y[~out], groups=groups[~out])
    np.testing.assert_allclose(rest.alphas_, model.alphas_, rtol=1e-9)
    s, level, group = rest.decision_function(X[out]), y[out], groups[out]
    i, j = np.nonzero((level[:, None] > level) & (group[:, None] == group))
    lost = (s[i] < s[j]) + 0.5 * (s[i] == s[j])
    expected = np.average(lost, weights=costs[level[j], level[i]])
    assert model.validation_error_.min() == pytest.approx(expected)


def test_groups_are_held_out_whole_and_their_pairs_counted():
    rng = np.random.default_rng(0)
    codes, groups = rng.integers(0, 3, 80), rng.integers(0, 6, 80)
    out = held_out(codes, groups, 0.5, np.random.RandomState(0))
    assert len(set(groups[out])) == 3
    assert not set(groups[out]) & set(groups[~out])
    assert len(set(groups[held_out(codes, groups, 0.99, np.random.RandomState(0))])) == 5
    assert len(set(groups[held_out(codes, groups, 0.01, np.random.RandomState(0))])) == 1
    s, costs = rng.integers(0, 5, 80) * 0.5, np.triu(rng.random((3, 3)), 1)
    i, j = np.nonzero((codes[:, None] > codes) & (groups[:, None] == groups))
    lost = (s[i] < s[j]) + 0.5 * (s[i] == s[j])
    expected = np.average(lost, weights=costs[codes[j], codes[i]])
    assert PairError(codes, costs, groups)(s) == pytest.approx(expected)
