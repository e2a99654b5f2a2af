"""Preference functions of classifiers: consistency, what is learned, and bad input."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from rankexp.metrics import auc
from rankexp.preference import PairClassifier, quicksort_rank, ranking_loss

CLASSIFIERS = [
    LogisticRegression(),
    LinearSVC(),
    SVC(),
    RidgeClassifier(),
    DecisionTreeClassifier(max_depth=4, random_state=0),
    RandomForestClassifier(10, random_state=0),
    GaussianNB(),
    KNeighborsClassifier(),
    make_pipeline(StandardScaler(), LogisticRegression()),
    GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}, cv=2),
    "sklearn.tree.DecisionTreeClassifier(max_depth=3)",
]


def data(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=n) > 0


@pytest.mark.parametrize(
    "features", ["difference", "concatenation", lambda U, V: U[:, :1] - V[:, :1]]
)
@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda c: str(c).partition("(")[0])
def test_preferences_are_consistent(classifier, features):
    X, y = data()
    model = PairClassifier(classifier, features).fit(X, y)
    Z = np.random.default_rng(1).normal(size=(50, 3))
    h, back = model.preference(Z, Z[::-1]), model.preference(Z[::-1], Z)
    assert ((h >= 0) & (h <= 1)).all()
    np.testing.assert_allclose(h + back, 1.0, atol=1e-15)
    np.testing.assert_array_equal(model.preference(Z, Z), 0.5)
    assert model.n_pairs_ == y.sum() * (~y).sum()
    order = quicksort_rank(model.preference, Z, 0).order  # tries that it is consistent
    assert sorted(order.tolist()) == list(range(50))
    hard = model.set_params(hard=True).preference(Z, Z[::-1])
    assert ranking_loss(model.rank(Z, random_state=0).order, Z[:, 0] - Z[:, 1] > 0) < 0.45
    assert set(hard) <= {0.0, 0.5, 1.0}
    np.testing.assert_array_equal(hard, (1 + np.sign(h - back)) / 2)


def test_it_learns_to_rank():
    X, y = data(300)
    Z, truth = data(300, seed=1)
    model = PairClassifier(LogisticRegression(), hard=True).fit(X, y)
    for method in ("quicksort", "degree"):
        model.set_params(second_stage=method, random_state=3)
        order = model.rank(Z, random_state=0).order
        assert auc(truth, -np.argsort(order)) > 0.97
        scores = model.decision_function(Z)
        np.testing.assert_array_equal(scores, model.decision_function(Z))
        assert np.array_equal(np.argsort(-scores), order)  # it is transitive
        with pytest.raises(ValueError, match="top_k"):
            model.rank(Z, top_k=301)
    model.set_params(second_stage="quicksort")
    top = model.rank(Z, top_k=5, random_state=0)
    assert np.array_equal(top.order, model.rank(Z, random_state=1).order[:5])
    assert top.calls < 300 * 299 / 2


def test_a_frame_is_ranked_without_a_warning():
    X, y = data()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = PairClassifier(LogisticRegression(), hard=True).fit(frame, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        order = model.rank(frame, random_state=0).order
    assert np.array_equal(order, clone(model).fit(X, y).rank(X, random_state=0).order)


def test_an_interaction_makes_cycles():
    """Stone, scissors, paper: learned from pairs, by features of both."""
    X = np.eye(3)
    pairs = [[0, 1], [1, 2], [2, 0]]
    tree = DecisionTreeClassifier(random_state=0)
    model = PairClassifier(tree, "concatenation").fit_pairs(X, pairs, [1, 1, 1])
    first, second = np.transpose(pairs)
    np.testing.assert_array_equal(model.preference(X[first], X[second]), 1.0)


def test_labels_turn_pairs_round():
    X = np.arange(6.0)[:, None]
    pairs = np.array([[0, 1], [3, 2], [4, 5], [5, 1]])
    one = PairClassifier(LogisticRegression()).fit_pairs(X, pairs, [-1, 1, -1, 1])
    turned = PairClassifier(LogisticRegression()).fit_pairs(X, pairs[:, ::-1], [1, -1, 1, -1])
    without = PairClassifier(LogisticRegression()).fit_pairs(
        X, [*pairs.tolist(), [0, 5]], [-1, 1, -1, 1, 0]
    )
    U, V = X[[1, 2]], X[[0, 5]]
    assert (one.preference(U, V) > 0.5).tolist() == [True, False]
    np.testing.assert_allclose(turned.preference(U, V), one.preference(U, V))
    np.testing.assert_allclose(without.preference(U, V), one.preference(U, V))
    assert without.n_pairs_ == 4


def test_weights_are_copies():
    X, rng = np.random.default_rng(0).normal(size=(20, 2)), np.random.default_rng(1)
    pairs, labels = rng.integers(20, size=(30, 2)), rng.choice((-1, 1), size=30)
    w = rng.integers(3, size=30)
    model = PairClassifier(LogisticRegression(tol=1e-10, max_iter=1000))
    weighed = clone(model).fit_pairs(X, pairs, labels, w).preference(X, X[::-1])
    copies = clone(model).fit_pairs(X, pairs.repeat(w, axis=0), labels.repeat(w))
    np.testing.assert_allclose(weighed, copies.preference(X, X[::-1]), atol=1e-7)
    with pytest.raises(ValueError, match="KNeighborsClassifier takes no sample_weight"):
        PairClassifier(KNeighborsClassifier()).fit_pairs(X, pairs, labels, w)


class Counts(DecisionTreeClassifier):
    """Keeps what it is given."""

    def fit(self, X, y, sample_weight=None):
        self.given = X, y
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("groups", [None, [0, 0, 1, 1, 1, 0, 2]])
def test_pairs_are_those_of_different_labels(groups):
    X, y = np.arange(7.0)[:, None], np.array(["b", "a", "c", "a", "c", "b", "a"])
    model = PairClassifier(Counts(), "concatenation", levels=["a", "c", "b"]).fit(X, y, groups)
    rank, same = {"a": 0, "c": 1, "b": 2}, [0] * 7 if groups is None else groups
    expected = {
        (i, j)
        for i in range(7)
        for j in range(7)
        if rank[y[i]] > rank[y[j]] and same[i] == same[j]
    }
    Z, label = model.classifier_.given
    assert {(int(u), int(v)) for u, v in Z[label == 1]} == expected
    assert {(int(v), int(u)) for u, v in Z[label == 0]} == expected
    assert model.n_pairs_ == len(expected) == len(Z) / 2


def test_too_many_pairs_are_drawn_and_said():
    X, y = data(60)
    model = PairClassifier(Counts(), "concatenation", max_pairs=100, random_state=0)
    one = model.fit(X, y).classifier_.given[0]
    assert len(np.unique(one, axis=0)) == len(one) == 200
    assert model.n_possible_pairs_ == y.sum() * (~y).sum() > model.n_pairs_ == 100
    np.testing.assert_array_equal(one, clone(model).fit(X, y).classifier_.given[0])
    whole = clone(model).set_params(max_pairs=10_000).fit(X, y)
    assert whole.n_pairs_ == whole.n_possible_pairs_
    many = np.arange(700) % 2
    with pytest.warns(UserWarning, match=r"trains on 100,000 of 122,500 pairs, drawn at random"):
        PairClassifier(GaussianNB()).fit(many[:, None] + 0.1 * X[many], many)


@pytest.mark.parametrize(
    ("pairs", "labels", "message"),
    [
        ([[0, 1]], [2], "labels must be -1, 0 or 1"),
        ([[0, 1]], [0.5], "labels must be -1, 0 or 1"),
        ([[0, 1]], [np.nan], "labels must be -1, 0 or 1"),
        ([[0, 9]], [1], "pairs must be rows of X"),
        (np.empty((0, 2), dtype=int), [], "there is no pair to rank"),
        ([[0, 1]], [0], "there is no pair to rank"),
    ],
)
def test_bad_pairs(pairs, labels, message):
    with pytest.raises(ValueError, match=message):
        PairClassifier(LogisticRegression()).fit_pairs(np.eye(3), pairs, labels)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimator": Ridge()}, "Ridge has neither predict_proba nor decision_function"),
        ({"estimator": "sklearn.linear_model.Ridge"}, "Ridge has neither"),
        ({"estimator": "sklearn.linear_model.Logistic"}, "cannot be imported"),
        ({"estimator": 3}, "neither an estimator nor an import path"),
        ({"features": "diference"}, r"unknown features 'diference' \(did you mean 'difference'"),
        (
            {"features": lambda U, V: U[:, 0]},
            r"features\(U, V\) must have shape \(4, p\), got \(4,",
        ),
        ({"second_stage": "sort"}, "unknown second_stage 'sort'"),
        ({"max_pairs": 0}, "max_pairs must be an integer >= 1"),
    ],
)
def test_bad_parameters(parameters, message):
    model = PairClassifier(**{"estimator": LogisticRegression()} | parameters)
    with pytest.raises(ValueError, match=message):
        model.fit(np.eye(4), [0, 0, 1, 1])


def test_bad_data():
    model = PairClassifier(LogisticRegression())
    with pytest.raises(ValueError, match="no group has two levels"):
        model.fit(np.eye(4), [0, 0, 1, 1], groups=[0, 0, 1, 1])
    with pytest.raises(ValueError, match="only one class"):
        model.fit(np.eye(4), [1, 1, 1, 1])
    model.fit(np.eye(4), [0, 0, 1, 1])
    with pytest.raises(ValueError, match="as many rows, got 4 and 3"):
        model.preference(np.eye(4), np.eye(4)[:3])
    with pytest.raises(ValueError, match="two or more items"):
        model.rank(np.eye(4)[:1])
    with pytest.raises(ValueError, match="top_k must be an integer from 1"):
        model.rank(np.eye(4), top_k=5)
    with pytest.raises(ValueError, match="NaN"):
        model.preference(np.full((1, 4), np.nan), np.eye(4)[:1])
    with pytest.raises(ValueError, match="requires y"):
        model.fit(np.eye(4), None)


class Given(LogisticRegression):
    """Probabilities that are given."""

    probabilities = np.ones((1, 2))

    def predict_proba(self, X):
        return np.broadcast_to(self.probabilities, (len(X), self.probabilities.shape[1]))


@pytest.mark.parametrize("probabilities", [[[np.nan, np.nan]], [[3.0, 3.0]], [[0.5, -0.1]]])
def test_what_is_no_probability_is_no_preference(probabilities):
    model = PairClassifier(Given()).fit(np.eye(4), [0, 0, 1, 1])
    model.classifier_.probabilities = np.array(probabilities)
    for call in (lambda: model.preference(np.eye(4), np.eye(4)), lambda: model.rank(np.eye(4))):
        with pytest.raises(ValueError, match="Given returns NaN, or not the probabilities"):
            call()


def test_differences_that_overflow_are_named():
    X = np.array([[1.7e308], [-1.7e308], [0.0]])
    with pytest.raises(ValueError, match="overflows: scale the features"):
        PairClassifier(LogisticRegression()).fit(X, [0, 1, 1])


@pytest.mark.parametrize("hard", [False, True])
def test_its_score_is_the_accuracy_of_pairs(hard):
    X, y = data(60)
    Z, truth = data(90, seed=1)
    truth = truth * 1 + (Z[:, 2] > 1)
    groups = np.repeat(list("abc"), 30)
    model = PairClassifier(DecisionTreeClassifier(max_depth=2, random_state=0), hard=hard).fit(
        X, y
    )
    u, v = np.nonzero(truth[:, None] > truth)
    right = np.sign(model.preference(Z[u], Z[v]) - 0.5) / 2 + 0.5
    assert 0.5 in right, "neither is preferred"
    assert model.score(Z, truth) == pytest.approx(right.mean(), abs=1e-12)
    own = groups[u] == groups[v]
    assert model.score(Z, truth, groups) == pytest.approx(right[own].mean(), abs=1e-12)
    pairs, w = np.column_stack((v, u)), np.arange(1.0, u.size + 1)
    assert model.score_pairs(Z, pairs, -np.ones(u.size, int)) == pytest.approx(right.mean())
    found = model.score_pairs(Z, pairs, -np.ones(u.size, int), w)
    assert found == pytest.approx(np.average(right, weights=w))
    grid = GridSearchCV(model, {"features": ["difference", "concatenation"]}, cv=3).fit(X, y)
    assert 0.7 < grid.best_score_ <= 1.0


def test_a_score_needs_pairs():
    X, y = data(20)
    model = PairClassifier(GaussianNB()).fit(X, y)
    with pytest.raises(ValueError, match="no group has two levels"):
        model.score(X, y, y)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        model.score(X[:19], y)
    with pytest.raises(ValueError, match="two levels, but y holds only one class"):
        model.score(X, y * 0)
