"""LinearRanker as a user meets it."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rankexp.estimators import LinearRanker, linear
from rankexp.estimators.labels import best_threshold
from rankexp.losses import Logistic
from rankexp.metrics import rank_loss
from rankexp.solvers.result import scores

LEVELS = ("multipartite", "listwise")  # whose labels have an order
TWO_CLASSES = [cell for cell in LinearRanker.combinations() if cell[1] not in LEVELS]
combinations = pytest.mark.parametrize(("loss", "risk"), TWO_CLASSES)


def make(n=120, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, d))
    f = X @ rng.normal(size=d) + 0.2 * rng.normal(size=n)
    return X, f > np.median(f)


@combinations
def test_what_fit_leaves(loss, risk):
    X, y = make()
    ranker = LinearRanker(loss=loss, risk=risk, lam=0.01).fit(X, np.where(y, "yes", "no"))
    assert ranker.coef_.shape == (1, 5)
    assert ranker.intercept_.shape == (1,)
    assert ranker.classes_.tolist() == ["no", "yes"]
    assert 0 <= ranker.gap_ <= 1e-6
    assert ranker.n_iter_ >= 1
    assert ranker.objective_ > 0
    assert set(ranker.predict(X)) == {"no", "yes"}
    s = ranker.decision_function(X)
    assert s.shape == (120,)
    assert s[y].mean() > s[~y].mean()
    if risk == "bipartite":
        assert ranker.intercept_[0] == 0.0


@combinations
def test_the_path_is_that_of_single_fits(loss, risk):
    X, y = make()
    lams = [1e-3, 1.0, 1e-1]
    path = LinearRanker(loss=loss, risk=risk, tol=1e-8).path(X, y, lams)
    assert path.coef.shape == (5, 3)
    assert path.intercept.shape == (3,)
    for i, lam in enumerate(lams):
        one = LinearRanker(loss=loss, risk=risk, lam=lam, tol=1e-8).fit(X, y)
        assert path.objective[i] == pytest.approx(one.objective_, rel=3e-8)
        np.testing.assert_allclose(path.coef[:, i], one.coef_[0], atol=3e-3)


@combinations
def test_duplicate_rows_tie(loss, risk):
    X, y = make()
    ranker = LinearRanker(loss=loss, risk=risk, lam=0.01).fit(X, y)
    rows = np.random.default_rng(1).integers(120, size=333)
    np.testing.assert_array_equal(
        ranker.decision_function(X[rows]), ranker.decision_function(X)[rows]
    )
    s = scores(X, ranker.coef_.T, ranker.intercept_)[:, 0] - ranker.threshold_
    np.testing.assert_array_equal(ranker.decision_function(X), s)


@pytest.mark.parametrize(  # one of each way to solve
    ("loss", "risk"),
    [
        ("logistic", "classification"),
        ("hinge", "classification"),
        ("hinge", "bipartite"),
        ("squared_hinge", "bipartite"),
        ("exponential", "push"),
    ],
)
def test_works_where_classifiers_work(loss, risk):
    X, y = make()
    frame = pd.DataFrame(X, columns=list("abcde"))
    ranker = LinearRanker(loss=loss, risk=risk)
    assert cross_val_score(ranker, X, y, scoring="roc_auc", cv=3).mean() > 0.7
    search = GridSearchCV(
        make_pipeline(StandardScaler(), ranker),
        {"linearranker__lam": [1.0, 0.01]},
        scoring="roc_auc",
        cv=3,
    ).fit(frame, y)
    assert search.best_score_ > 0.7
    named = ranker.set_params(lam=0.1).fit(frame, y)
    assert named.feature_names_in_.tolist() == list("abcde")
    with pytest.raises(ValueError, match="feature names"):
        named.predict(frame[list("edcba")])
    copy = pickle.loads(pickle.dumps(named))
    np.testing.assert_array_equal(copy.predict(frame), named.predict(frame))


def test_is_logistic_regression():
    X, y = make()
    ranker = LinearRanker(lam=0.01, tol=1e-10).fit(X, y)
    ref = LogisticRegression(C=1 / (120 * 0.01), solver="newton-cholesky", tol=1e-12).fit(X, y)
    np.testing.assert_allclose(ranker.coef_, ref.coef_, atol=1e-6)
    np.testing.assert_allclose(ranker.intercept_, ref.intercept_, atol=1e-6)
    flat = LinearRanker(lam=0.01, fit_intercept=False).fit(X, y)
    assert flat.intercept_[0] == 0.0
    assert flat.objective_ > ranker.objective_


def test_balanced_weights_are_weights():
    X, y = make()
    kinds = (~y).sum(), y.sum()
    weights = {False: 120 / (2 * kinds[0]), True: 120 / (2 * kinds[1])}
    balanced = LinearRanker(class_weight="balanced", lam=0.1).fit(X, y)
    by_hand = LinearRanker(class_weight=weights, lam=0.1).fit(X, y)
    np.testing.assert_allclose(balanced.coef_, by_hand.coef_)
    doubled = {k: 2 * v for k, v in weights.items()}
    doubled = LinearRanker(class_weight=doubled, lam=0.1).fit(X, y)
    np.testing.assert_allclose(balanced.coef_, doubled.coef_)
    s = X @ balanced.coef_[0] + balanced.intercept_[0]
    each = np.where(y, weights[True], weights[False])
    risk = np.average(Logistic().value(np.where(y, 1.0, -1.0), s), weights=each)
    assert balanced.objective_ == pytest.approx(risk + 0.05 * (balanced.coef_**2).sum())


def test_weights_move_the_labels_of_a_pair_risk_but_not_its_ranking():
    X, y = make()
    plain = LinearRanker(loss="exponential", risk="bipartite").fit(X, y)
    heavy = LinearRanker(loss="exponential", risk="bipartite", class_weight={True: 100.0}).fit(
        X, y
    )
    np.testing.assert_array_equal(plain.coef_, heavy.coef_)
    assert heavy.predict(X)[y].all()
    assert not plain.predict(X)[y].all()


@settings(max_examples=50)
@given(
    s=st.lists(st.integers(-3, 3), min_size=2, max_size=12),
    data=st.data(),
    weights=st.sampled_from([(1.0, 1.0), (3.0, 0.5)]),
)
def test_no_threshold_has_less_error(s, data, weights):
    positive = np.array(data.draw(st.lists(st.booleans(), min_size=len(s), max_size=len(s))))
    s = np.array(s) / 3.0

    def error(t):
        wrong = (s > t) != positive
        return weights[1] * (wrong & positive).sum() + weights[0] * (wrong & ~positive).sum()

    t = best_threshold(s, positive, weights)
    assert np.isfinite(t)
    candidates = [-2.0, 0.0, 2.0, *s]
    assert error(t) == pytest.approx(min(error(c) for c in candidates))
    assert t == 0.0 or error(0.0) > error(t)


@settings(max_examples=50)
@given(s=st.lists(st.integers(-9, 9), min_size=2, max_size=12), data=st.data())
def test_a_threshold_needs_few_exact_scores(s, data):
    positive = np.array(data.draw(st.lists(st.booleans(), min_size=len(s), max_size=len(s))))
    weights = data.draw(st.sampled_from([(1.0, 1.0), (3.0, 0.5)]))
    wrong = np.array(data.draw(st.lists(st.floats(-1, 1), min_size=len(s), max_size=len(s))))
    s = np.array(s) / 3.0
    for error in (1e-9, 0.16, 0.5):  # of the last one, rows may change their places
        found = best_threshold(s + error * wrong, positive, weights, None, s.__getitem__, error)
        assert found == best_threshold(s, positive, weights)


@pytest.mark.parametrize(
    "kind", ["normal", "far", "copies", "cancelling", "small", "two", "sizes"]
)
def test_the_threshold_is_that_of_the_scores(kind, monkeypatch):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((3000, 120))
    if kind == "far":
        X += 1e6
    elif kind == "copies":
        X[1::2] = X[::2]
    elif kind == "two":
        X[1] = X[0]
    elif kind == "sizes":
        X *= 10.0 ** rng.integers(-4, 5, 120)
    elif kind == "cancelling":
        X[:, 1] = X[:, 0] + 1e7 * (rng.random(3000) < 0.1)
        X[:, 2] = X[:, 0] - X[:, 1]
    y = X[:, 5] - X[:, 5].mean() + rng.logistic(size=3000) > 0.5
    exact, taken = linear.scores, []

    def counted(X, *how):
        taken.append(len(X))
        return exact(X, *how)

    def checked(s, positive, weights, sample_weight, *how):
        if how:
            right = (X.astype(np.longdouble) @ model.coef_[0] + model.offset_[0])[:, None]
            both = np.column_stack((s, how[0](slice(None))))
            assert (abs(both - right) <= how[1]).all()
            assert kind not in ("normal", "two", "copies") or how[1] < 1e-10
        return best_threshold(s, positive, weights, sample_weight, *how)

    monkeypatch.setattr(linear, "scores", counted)
    lam = 1e5 if kind == "small" else 0.01  # beside the intercept
    model = LinearRanker(lam=lam, class_weight={False: 1.0, True: 2.0}).fit(X, y)
    if kind in ("normal", "two", "copies"):  # equal scores have no order that rounding keeps
        assert (max(taken) < 10) == (kind != "copies")
    s = exact(X, model.coef_.T, model.offset_)[:, 0]
    assert model.threshold_ == best_threshold(s, y, (1.0, 2.0))
    monkeypatch.setattr(linear, "best_threshold", checked)
    model.fit(X, y)


@pytest.mark.parametrize("risk", ["classification", "bipartite"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("d", [3, 60, 120])
def test_scores_of_the_descent_are_as_near_as_they_say(risk, intercept, d):
    rng = np.random.default_rng(d)
    X = rng.standard_normal((3000, d)) + 2.0
    y = X[:, 0] + rng.logistic(size=3000) > 2.5
    ranker = LinearRanker(risk=risk, fit_intercept=intercept)
    for lam in (1.0, 1e-2, 1e-6):
        found = ranker.path(X, y, [lam])
        s, error = found.rough
        right = X.astype(np.longdouble) @ found.coef[:, 0] + found.intercept[0]
        assert abs(s - right).max() <= error < 1e-9
    assert ranker.path(X, y, [1.0, 1e-2]).rough is None  # of which penalty?


def test_rows_without_a_pair_count_for_the_threshold():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((40, 3))
    X[:, 1] = X[:, 0]
    y, groups = np.arange(40) % 2 == 0, np.arange(40) // 20
    X[20:, :2] += 1e12 * rng.standard_normal((20, 2))  # their group has one class
    y[20:] = True
    model = LinearRanker(risk="bipartite", lam=0.1).fit(X, y, groups=groups)
    s = scores(X, model.coef_.T, model.offset_)[:, 0]
    assert model.threshold_ == best_threshold(s, y)
    far = X[:20] + 1e6
    for risk, rows in (("bipartite", X), ("bipartite", far), ("classification", far)):
        n = len(rows)
        how = {"groups": groups[:n]} if risk == "bipartite" else {}
        found = LinearRanker(risk=risk).path(rows, y[:n], [0.1], **how)
        right = scores(rows, found.coef, found.offset)[:, 0]
        assert found.rough is None or (abs(found.rough[0] - right) <= found.rough[1]).all()


def test_predict_has_the_least_training_error():
    X, y = make(n=200)
    ranker = LinearRanker(loss="logistic", risk="bipartite", lam=0.1).fit(X, y)
    s = X @ ranker.coef_[0]
    least = min(((s > t) != y).sum() for t in np.r_[-np.inf, s])
    assert (ranker.predict(X) != y).sum() == least


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "logistc"}, "unknown loss 'logistc'.*did you mean 'logistic'"),
        ({"risk": "bipartit"}, "unknown risk.*did you mean 'bipartite'.*classification"),
        (
            {"loss": "hinge", "risk": "push"},
            "hinge loss does not go with.*kinks.*squared_hinge; .*bipartite, class.*, mult",
        ),
        ({"lam": -1.0}, "lam must"),
        ({"lam": np.nan}, "lam must"),
        ({"lam": "1"}, "lam must"),
        ({"loss": "hinge", "risk": "bipartite", "lam": 0}, "lam > 0"),
        ({"tol": 0.0}, "tol must"),
        ({"max_iter": 0}, "max_iter must"),
        ({"max_iter": 1.5}, "max_iter must"),
        ({"class_weight": "balance"}, "class_weight"),
        ({"class_weight": {False: 1.0, True: -2.0}}, "class_weight"),
        ({"class_weight": {False: 1.0, True: np.nan}}, "class_weight"),
    ],
)
def test_impossible_parameters(parameters, message):
    X, y = make()
    with pytest.raises(ValueError, match=message):
        LinearRanker(**parameters).fit(X, y)
    if not isinstance(parameters.get("lam"), str):
        with pytest.raises(ValueError, match=message):
            LinearRanker(**parameters).path(X, y, [parameters.get("lam", 1.0)])


def test_impossible_data():
    X, y = make()
    holed = X.copy()
    holed[3, 2] = np.nan
    for bad, labels, error, message in (
        (holed, y, ValueError, "NaN"),
        (csr_matrix(holed), y, ValueError, "NaN"),
        (X, np.ones(120), ValueError, "only one class"),
        (X, np.arange(120) % 3, ValueError, "3 classes"),
        (X, X[:, 0], ValueError, "continuous"),
        (X[:50], y, ValueError, "inconsistent"),
        (X[:, 0], y, ValueError, "2D"),
    ):
        with pytest.raises(error, match=message):
            LinearRanker().fit(bad, labels)
        with pytest.raises(error, match=message):
            LinearRanker().path(bad, labels, [1.0])


def test_says_where_it_did_not_converge():
    X = make()[0]
    with pytest.warns(ConvergenceWarning, match=r"lam=1e-08.*gap.*after 1 iterations") as said:
        path = LinearRanker(max_iter=1).path(X, X[:, 0] > 0.5, [1e6, 1e-8])
    assert path.converged.tolist() == [True, False]
    assert len(said) == 1
    with pytest.warns(ConvergenceWarning, match="lam=0"):
        LinearRanker(lam=0).fit(X, X[:, 0] > 0.5)


def test_no_penalty_where_it_is_possible():
    X, y = make()
    assert LinearRanker(lam=0).fit(X, y).gap_ <= 1e-6


@pytest.mark.parametrize(("scale", "lam"), [(1.0, 1e15), (1.0, 1e17), (1e-10, 1e-2)])
@pytest.mark.parametrize("loss", ["logistic", "exponential", "squared_hinge"])
def test_a_large_intercept_loses_no_ranking(loss, scale, lam):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 5))
    y = (X @ np.ones(5) + rng.normal(size=1000) > 1.0).astype(int)
    X = X * scale
    found = LinearRanker(loss=loss, risk="classification", lam=lam).fit(X, y)
    s = found.decision_function(X)
    assert np.unique(s).size == 1000
    assert rank_loss(y, s) < 0.15
    np.testing.assert_array_equal(found.predict(X), (s > 0).astype(int))
    assert np.sign(found.offset_) == np.sign(found.intercept_)
    assert np.abs(found.offset_) < np.abs(found.intercept_)
