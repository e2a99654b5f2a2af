"""The proportional-odds model beside statsmodels, logistic regression and a general optimiser."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from rankexp.estimators import LinearRanker, ProportionalOdds
from rankexp.solvers.ordinal.proportional_odds import ProportionalOddsRisk, thresholds

laws = settings(max_examples=40)


def make(n=300, d=4, K=4, seed=0, balanced=True):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * np.linspace(0.5, 2, d) + np.arange(d)
    s = X @ rng.standard_normal(d) + 1.5 * rng.logistic(size=n)
    at = np.arange(1, K) / K if balanced else 1 - 0.5 ** np.arange(1, K)
    return X, np.searchsorted(np.quantile(s, at), s)


def likelihood(w, theta, X, y):
    cuts = np.concatenate(([-np.inf], theta, [np.inf]))
    s = X @ w
    return -np.log(expit(cuts[y + 1] - s) - expit(cuts[y] - s)).mean()


@pytest.mark.parametrize("balanced", [True, False])
def test_equals_statsmodels_as_the_penalty_vanishes(balanced):
    ordinal_model = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
    X, y = make(balanced=balanced)
    other = ordinal_model.OrderedModel(y, X, distr="logit")
    near = other.fit(method="bfgs", disp=False, maxiter=1000, gtol=1e-6)
    result = other.fit(near.params, method="newton", disp=False)
    cuts = other.transform_threshold_params(result.params)[1:-1]
    for lam in (0.0, 1e-9):
        ours = ProportionalOdds(lam=lam).fit(X, y)
        np.testing.assert_allclose(ours.coef_[0], result.params[:4], atol=1e-5)
        np.testing.assert_allclose(ours.thresholds_, cuts, atol=1e-5)
        np.testing.assert_allclose(ours.predict_proba(X), other.predict(result.params), atol=1e-5)
        assert ours.objective_ == pytest.approx(-result.llf / len(y), abs=1e-7)


@pytest.mark.parametrize("lam", [1e-3, 0.1, 10.0])
def test_no_better_point_is_found(lam):
    X, y = make(n=80, d=3, K=3)
    model = ProportionalOdds(lam=lam, tol=1e-10).fit(X, y)

    def objective(p):
        theta = np.array([p[3], p[3] + np.exp(p[4])])
        return 0.5 * lam * p[:3] @ p[:3] + likelihood(p[:3], theta, X, y)

    found = minimize(objective, np.zeros(5), method="BFGS", options={"gtol": 1e-9})
    assert model.objective_ == pytest.approx(found.fun, rel=1e-8)
    assert model.objective_ <= found.fun * (1 + 1e-9)
    w, theta = model.coef_[0], model.thresholds_
    mine = 0.5 * lam * w @ w + likelihood(w, theta, X, y)
    assert mine == pytest.approx(model.objective_, rel=1e-10)
    np.testing.assert_allclose(w, found.x[:3], atol=1e-5)


def test_two_levels_are_logistic_regression():
    X, y = make(K=2, balanced=False)
    ours = ProportionalOdds(lam=1e-3).fit(X, y)
    other = LinearRanker(lam=1e-3, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.thresholds_, -other.intercept_, atol=1e-5)


def test_many_rows_are_solved_as_few_are():
    X, y = make(n=60_000, d=3, K=3)
    big = ProportionalOdds(lam=1e-3).fit(X, y)
    assert big.gap_ <= 1e-10
    few = ProportionalOdds(lam=1e-3).fit(X[::3], y[::3])
    np.testing.assert_allclose(big.coef_, few.coef_, atol=0.05)
    theta, w = big.thresholds_, big.coef_[0]
    assert likelihood(w, theta, X, y) + 0.5e-3 * w @ w == pytest.approx(big.objective_)


def test_a_middle_level_that_is_pulled_at_alike_from_both_sides():
    X = np.ones((65_536, 1))
    y = np.repeat([0, 1, 2], [4_096, 57_344, 4_096])  # where all scores are 0 it has no derivative
    model = ProportionalOdds().fit(X, y)
    assert model.gap_ <= 1e-10
    np.testing.assert_allclose(model.thresholds_, [-np.log(15), np.log(15)])


def test_a_sample_stands_for_all_rows():
    y = np.repeat([0, 1, 2], [40, 300, 5])
    rows, risk = ProportionalOddsRisk(y).sample(60)
    assert np.bincount(y[rows]).tolist() == [20, 20, 5]
    assert len(set(rows.tolist())) == 45
    assert risk.value(np.zeros(45)) == pytest.approx(ProportionalOddsRisk(y).value(np.zeros(345)))


@pytest.mark.parametrize("max_iter", [1, 2, 3])
@pytest.mark.parametrize("lam", [1e-4, 1e-2])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_gap_bounds_the_distance_to_the_minimum(lam, max_iter):
    X, y = make(n=80)
    least = ProportionalOdds(lam=lam).fit(X, y).objective_
    model = ProportionalOdds(lam=lam, max_iter=max_iter).fit(X, y)
    assert least < model.objective_ <= least / (1 - min(model.gap_, 1 - 1e-9))


def test_path_is_as_the_fits_and_in_the_order_given():
    X, y = make()
    lams = [1e-4, 1.0, 0.0, 1e-2]
    path = ProportionalOdds(tol=1e-12).path(X, y, lams)
    assert path.coef.shape == (4, 4)
    assert not path.intercept.any()
    for j, lam in enumerate(lams):
        one = ProportionalOdds(lam=lam, tol=1e-12).fit(X, y)
        np.testing.assert_allclose(path.coef[:, j], one.coef_[0], atol=1e-6)
        assert path.objective[j] == pytest.approx(one.objective_, rel=1e-9)


def test_probabilities():
    X, y = make()
    model = ProportionalOdds().fit(X, y)
    P = model.predict_proba(X)
    s, theta = model.decision_function(X), model.thresholds_
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert (P > 0).all()
    odds = P[:, :2].sum(axis=1) / P[:, 2:].sum(axis=1)
    np.testing.assert_allclose(np.log(odds), theta[1] - s, atol=1e-12)
    ends = np.array([[0, 0, 0, 1e3], [0, 0, 0, -1e3]])
    far, s_far = model.predict_proba(ends), model.decision_function(ends)
    assert ((far > 0) & (far <= 1)).all()  # no 1 - 1
    np.testing.assert_allclose(np.log(far[:, 0]), -np.logaddexp(0, s_far - theta[0]), atol=1e-12)
    np.testing.assert_allclose(np.log(far[:, 3]), -np.logaddexp(0, theta[2] - s_far), atol=1e-12)
    level = (s[:, None] > theta).sum(axis=1)
    assert model.predict_level(X).tolist() == level.tolist()


def test_a_level_without_an_example_has_no_probability():
    X, y = make(K=3)
    y = np.array(["bad", "good", "best"])[y]
    known = ProportionalOdds(levels=["bad", "good", "best"]).fit(X, y)
    levels = ["worst", "bad", "fair", "good", "best", "heaven"]
    model = ProportionalOdds(levels=levels).fit(X, y)
    low, high = known.thresholds_
    assert model.thresholds_.tolist() == [-np.inf, low, low, high, np.inf]
    assert (model.coef_ == known.coef_).all()
    P = model.predict_proba(X)
    assert (P[:, [1, 3, 4]] == known.predict_proba(X)).all()
    assert not P[:, [0, 2, 5]].any()
    assert (model.predict_level(X) == known.predict_level(X)).all()


@given(
    st.lists(st.integers(-5, 5), min_size=4, max_size=20),
    st.sampled_from([1e-3, 1.0, 30.0, 1e4, 1e9]),
    st.integers(2, 4),
)
@laws
def test_thresholds_of_any_scores(values, scale, K):
    s = np.array(values) * scale
    y = np.arange(len(s)) % K
    theta = thresholds(s, y)
    assert np.isfinite(theta).all()
    assert (np.diff(theta) > 0).all()
    risk = ProportionalOddsRisk(y)
    rounding = 1e-9 + 2e-15 * scale  # of scores up to 5 scale
    with np.errstate(over="ignore"):
        assert np.abs(risk.fit(s).gradient).sum() < rounding
        assert np.isfinite(risk.value(s))
        assert risk.slope(s).sum() == pytest.approx(0, abs=rounding)  # only differences count


@pytest.mark.parametrize(
    ("n", "K", "scale"), [(20, 4, 30.0), (7, 5, 1e3), (15, 5, 1e3), (34, 4, 1e3), (30, 3, 1e4)]
)
def test_thresholds_where_some_have_no_curvature_left(n, K, scale):
    for seed in range(25):
        s = scale * np.random.default_rng(seed).integers(-5, 6, n)
        with np.errstate(over="ignore"):
            assert ProportionalOddsRisk(np.arange(n) % K).fit(s).imbalance() < 1e-9


@pytest.mark.parametrize(
    ("s", "y", "expected"),
    [
        ([0, -1e3, -1e3], [1, 0, 0], [-500 + np.log(2) / 2]),
        ([30, -60, 120], [1, 0, 2], [-15, 75]),
        ([300, -600, 1200], [1, 0, 2], [-150, 750]),
        ([2e3, 0, -3e3, -1e3], [1, 1, 0, 0], [-500]),
    ],
)
def test_thresholds_between_scores_far_apart_are_in_the_middle(s, y, expected):
    s, y = np.array(s, dtype=np.float64), np.array(y)
    np.testing.assert_allclose(thresholds(s, y), expected, rtol=1e-12)
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(ProportionalOddsRisk(y).fit(s).theta, expected, rtol=1e-12)


def test_thresholds_of_ordinary_scores_are_exact_to_rounding():
    y = np.arange(30) % 4
    for seed in range(50):
        s = 3.0 * np.random.default_rng(seed).standard_normal(30)
        assert ProportionalOddsRisk(y).fit(s).imbalance() <= 1e-12


@given(st.integers(0, 10**6))
@laws
def test_the_risk_of_scores_has_the_derivatives_it_says(seed):
    rng = np.random.default_rng(seed)
    X, y = make(n=20, d=3, K=3, seed=seed)
    y[:3] = 0, 1, 2
    risk = ProportionalOddsRisk(y, rng.random(20) + 0.1)
    w, step = rng.standard_normal(3), 1e-5
    g = risk.slope(X @ w) @ X
    H = risk.hessian(X, X @ w)
    for j, e in enumerate(step * np.eye(3)):
        up, down = X @ (w + e), X @ (w - e)
        assert (risk.value(up) - risk.value(down)) / (2 * step) == pytest.approx(g[j], abs=1e-6)
        second = (risk.slope(up) - risk.slope(down)) @ X / (2 * step)
        np.testing.assert_allclose(H[j], second, atol=1e-5)


def test_separable_data():
    X = np.arange(30.0)[:, None]
    y = np.repeat([0, 1, 2], 10)
    with pytest.warns(ConvergenceWarning, match="lam=0"):
        model = ProportionalOdds(lam=0, max_iter=60).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.thresholds_).all()
    assert (model.predict_level(X) == y).all()
    assert ProportionalOdds(lam=1e-6).fit(X, y).gap_ <= 1e-10


def test_more_features_than_rows():
    X, y = make(n=30, d=60, K=3)
    model = ProportionalOdds(lam=1e-3).fit(X, y)
    assert model.gap_ <= 1e-10
    assert (model.predict_level(X) == y).mean() > 0.9


def test_features_of_very_different_scale():
    X, y = make()
    scaled = X * [1e-3, 1, 1e3, 1] + [0, 0, 1e5, 0]
    plain = ProportionalOdds(lam=0).fit(X, y)
    model = ProportionalOdds(lam=0).fit(scaled, y)
    np.testing.assert_allclose(model.predict_proba(scaled), plain.predict_proba(X), atol=1e-5)
