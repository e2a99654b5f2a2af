"""The Perceptron, the online machine and the LP on labelled pairs, against plain loops."""

import itertools
import pickle
import warnings

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from rankexp.estimators import (
    LinearRanker,
    MaxMarginRanker,
    OnlineRanker,
    RankPerceptron,
    pair_data,
)
from rankexp.solvers.pairs import pair_list

ALL = [RankPerceptron(), OnlineRanker(random_state=0), MaxMarginRanker()]
every = pytest.mark.parametrize("ranker", ALL, ids=lambda r: type(r).__name__)


def separable(seed, n=15, d=3, m=60):
    """Return rows, pairs and labels that a linear order agrees with, whole numbers throughout."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, (n, d)).astype(float)
    w = rng.integers(-4, 5, d)
    w[0] = w[0] or 1
    pairs = rng.integers(0, n, (m, 2))
    labels = np.sign((X[pairs[:, 0]] - X[pairs[:, 1]]) @ w).astype(int)
    labels[0], pairs[0], X[1] = 1, (0, 1), X[0] - w
    labels = np.sign((X[pairs[:, 0]] - X[pairs[:, 1]]) @ w).astype(int)
    return X, pairs, labels


def signed(X, pairs, labels):
    return labels[:, None] * (X[pairs[:, 0]] - X[pairs[:, 1]])


def test_the_perceptron_stays_within_its_bound_on_60_separable_draws():
    for seed in range(60):
        X, pairs, labels = separable(seed, m=30)
        D = signed(X, pairs, labels)[labels != 0]
        best = MaxMarginRanker().fit_pairs(X, pairs, labels)
        w = best.coef_[0] / np.linalg.norm(best.coef_)
        rho = (D @ w).min()  # of a w of norm 1: not above the greatest, so no smaller a bound
        assert rho > 0
        model = RankPerceptron(max_iter=10**6, shuffle=seed % 2 == 1, random_state=seed)
        model.fit_pairs(X, pairs, labels)
        assert model.separable_
        assert (D @ model.coef_[0] > 0).all()
        assert 1 <= model.n_updates_ <= (D**2).sum(axis=1).max() / rho**2
        norm = np.linalg.norm(model.coef_)
        assert model.margin_ == pytest.approx((D @ model.coef_[0]).min() / norm)


@pytest.mark.parametrize("seed", range(5))
def test_the_perceptron_is_the_plain_loop(seed):
    X, pairs, labels = separable(seed, n=40, m=400)
    D = signed(X, pairs, labels)[labels != 0]
    w, updates, times, clean = np.zeros(3), 0, 0, False
    while not clean:
        clean, times = True, times + 1
        for difference in D:
            if w @ difference <= 0:
                w, updates, clean = w + difference, updates + 1, False
    model = RankPerceptron(max_iter=10**5).fit_pairs(X, pairs, labels)
    assert (model.n_updates_, model.n_iter_) == (updates, times)
    np.testing.assert_allclose(model.coef_[0], w / np.abs(w).sum(), rtol=1e-14)


def test_the_perceptron_says_that_it_did_not_settle():
    X = np.array([[0.0], [1.0]])
    with pytest.warns(ConvergenceWarning, match="some pairs are in the wrong order"):
        model = RankPerceptron(max_iter=7).fit_pairs(X, [[0, 1], [1, 0]], [1, 1])
    assert (model.separable_, model.n_iter_, model.n_updates_) == (False, 7, 14)


def test_all_pairs_of_levels_in_groups_are_the_listed_ones():
    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(30, 3)), np.arange(30) % 4
    y = np.digitize(X[:, 0] - X[:, 1], [-0.5, 0.5])
    i, j = np.nonzero((y[:, None] > y) & (groups[:, None] == groups))
    for ranker in (MaxMarginRanker(), RankPerceptron(max_iter=10**4)):
        model = clone(ranker).fit(X, y, groups=groups)
        listed = clone(ranker).fit_pairs(X, np.column_stack((i, j)), np.ones(i.size, int))
        assert model.margin_ > 0
        if isinstance(ranker, MaxMarginRanker):
            assert model.margin_ == pytest.approx(listed.margin_, rel=1e-9)
        s = model.predict(X)
        assert (s[i] > s[j]).all()


@pytest.mark.parametrize("average", [True, False])
def test_the_online_ranker_is_the_plain_loop(average):
    rng = np.random.default_rng(1)
    X, pairs = rng.normal(size=(20, 3)), rng.integers(0, 20, (50, 2))
    labels, weights = rng.integers(-1, 2, 50), rng.random(50)
    labels[pairs[:, 0] == pairs[:, 1]] = 0
    w, total, t, wrong = np.zeros(3), np.zeros(3), 0, 0
    for (i, j), label, c in zip(pairs, labels, weights, strict=True):
        if label:
            difference, eta = label * (X[i] - X[j]), 0.5 / (1 + 0.01 * 0.5 * t)
            z = w @ difference
            w = w - eta * 0.01 * w + (z < 1) * eta * c * difference
            total, t, wrong = total + w, t + 1, wrong + (z <= 0)
    model = OnlineRanker(lam=0.01, average=average, eta0=0.5)
    for part in (slice(0, 13), slice(13, 50)):
        model.partial_fit_pairs(X, pairs[part], labels[part], weights[part])
        model = pickle.loads(pickle.dumps(model))
    np.testing.assert_allclose(model.coef_[0], total / t if average else w, rtol=1e-12)
    assert (model.t_, model.mistakes_, model.n_iter_) == (t, wrong, 2)


@pytest.mark.parametrize("average", [True, False])
def test_the_online_ranker_tends_to_the_machine(average):
    rng = np.random.default_rng(0)
    X, pairs = rng.normal(size=(100, 4)), rng.integers(0, 100, (2000, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    z = X[pairs[:, 0], 0] - X[pairs[:, 1], 1] + rng.normal(size=len(pairs))
    labels = np.where(z > 0, 1, -1)
    best = LinearRanker(loss="hinge", lam=0.1).fit_pairs(X, pairs, labels)
    model = OnlineRanker(lam=0.1, average=average, max_iter=30, random_state=0)
    w = model.fit_pairs(X, pairs, labels).coef_[0]
    objective = 0.05 * w @ w + np.maximum(0, 1 - signed(X, pairs, labels) @ w).mean()
    assert best.objective_ <= objective <= 1.002 * best.objective_
    again = model.fit_pairs(X, pairs, labels).coef_[0]
    assert (again == w).all()


def test_partial_fits_go_through_pairs_of_levels():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = np.digitize(X[:, 0], [0.0, 1.0])
    model = OnlineRanker()
    for rows in np.split(np.arange(40), 4):
        model.partial_fit(X[rows], y[rows])
    assert model.t_ == sum(
        (y[i] != y[j])
        for rows in np.split(np.arange(40), 4)
        for i, j in itertools.combinations(rows, 2)
    )
    assert model.score(X, y) > 0.9


def exact_margin(D):
    """Return the greatest least margin, by one program in w = u - v and the margin."""
    m, d = D.shape
    found = linprog(
        np.r_[np.zeros(2 * d), -1.0],
        A_ub=np.vstack((np.column_stack((-D, D, np.ones(m))), np.r_[np.ones(2 * d), 0.0])),
        b_ub=np.r_[np.zeros(m), 1.0],
        bounds=[(0, None)] * (2 * d) + [(None, None)],
    )
    return -found.fun


@pytest.mark.parametrize("parts", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_the_margin_is_the_greatest_and_certified(seed, parts, monkeypatch):
    if parts:
        monkeypatch.setattr(pair_list, "ADDED", 5)
    X, pairs, labels = separable(seed, m=200)
    D = signed(X, pairs, labels)[labels != 0]
    model = MaxMarginRanker().fit_pairs(X, pairs, labels)
    assert model.margin_ == pytest.approx(exact_margin(D), rel=1e-7)
    assert model.margin_ == pytest.approx((D @ model.coef_[0]).min(), rel=1e-12)
    assert np.abs(model.coef_).sum() == pytest.approx(1.0)
    assert 0.0 <= model.dual_gap_ <= 1e-6 * model.bound_
    assert (model.n_iter_ > 1) == parts


def test_data_far_from_zero_keep_their_margin():
    X, pairs, labels = separable(0)
    near = MaxMarginRanker().fit_pairs(X, pairs, labels)
    for scale, shift in ((1.0, 2.0**40), (2.0**-900, 0.0), (2.0**900, 0.0)):
        far = MaxMarginRanker().fit_pairs(X * scale + shift, pairs, labels)
        assert far.margin_ == pytest.approx(near.margin_ * scale, rel=1e-9)
        assert (far.coef_ == near.coef_).all()
        moved = RankPerceptron(max_iter=10**4).fit_pairs(X * scale + shift, pairs, labels)
        assert (
            moved.n_updates_
            == RankPerceptron(max_iter=10**4).fit_pairs(X, pairs, labels).n_updates_
        )


def test_what_is_not_separable_is_said_with_what_to_do():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    for pairs in ([[0, 1], [1, 0]], [[0, 1], [1, 2], [2, 0]]):
        with pytest.raises(ValueError, match=r"not separable.*LinearRanker"):
            MaxMarginRanker().fit_pairs(X, pairs, [1] * len(pairs))
    many = np.random.default_rng(0).normal(size=(200, 5))
    with pytest.raises(ValueError, match="not separable"):
        MaxMarginRanker().fit(many, np.arange(200) % 3)
    opposite = np.r_[X, X]
    with pytest.raises(ValueError, match="not separable"):
        MaxMarginRanker().fit(opposite, [0, 0, 1, 1, 1, 0])


@every
def test_a_row_is_not_above_itself(ranker):
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match=r"a pair needs two different rows, got \[1, 1\]"):
        ranker.fit_pairs(X, [[0, 1], [1, 1]], [1, -1])


@every
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pairs": np.empty((0, 2), int), "labels": []}, "no pair to rank"),
        ({"labels": [2]}, "labels must be -1, 0 or 1"),
        ({"labels": [0]}, "no pair to rank"),
        ({"pairs": [[0, 4]]}, r"rows of X, 0 \.\. 3"),
        ({"pairs": [[0.0, 1.0]]}, "integers"),
        ({"X": np.full((4, 2), np.nan)}, "NaN"),
        ({"sample_weight": [0.0]}, "no pair to rank"),
        ({"sample_weight": [-1.0]}, "finite and >= 0"),
    ],
)
def test_bad_pairs_are_refused(ranker, change, message):
    given = {"X": np.eye(4)[:, :2], "pairs": [[0, 1]], "labels": [1], **change}
    with pytest.raises(ValueError, match=message):
        clone(ranker).fit_pairs(**given)


@every
def test_bad_labels_are_refused(ranker, monkeypatch):
    X = np.arange(12.0).reshape(6, 2)
    for y, message in (
        (np.zeros(6), "only one class"),
        (list("ababab"), "order|convert|number"),
        ([0, 1, np.nan, 0, 1, 0], "NaN"),
    ):
        with pytest.raises(ValueError, match=message):
            clone(ranker).fit(X, y)
    with pytest.raises(ValueError, match="no pair to rank"):
        clone(ranker).fit(X, np.arange(6), groups=np.arange(6))
    monkeypatch.setattr(pair_data, "MOST_PAIRS", 8)
    with pytest.raises(ValueError, match=r"form 9 pairs, but at most 8 can be listed.*fit_pairs"):
        clone(ranker).fit(X, [0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize(
    ("ranker", "message"),
    [
        (RankPerceptron(max_iter=0), "max_iter must be an integer >= 1"),
        (OnlineRanker(lam=0.0), "lam must be a finite number > 0"),
        (OnlineRanker(eta0=np.inf), "eta0 must be"),
        (OnlineRanker(lam=1.0, eta0=1.0), "must be below 1"),
        (MaxMarginRanker(tol=0.0), "tol must be"),
    ],
)
def test_impossible_parameters_are_named(ranker, message):
    with pytest.raises(ValueError, match=message):
        ranker.fit_pairs(np.eye(2), [[0, 1]], [1])


@pytest.mark.parametrize("ranker", [RankPerceptron(), MaxMarginRanker()])
def test_where_all_pairs_are_to_be_in_order_they_have_no_weights(ranker):
    with pytest.raises(ValueError, match="does not weigh pairs"):
        ranker.fit_pairs(np.eye(3), [[0, 1], [1, 2]], [1, 1], [1.0, 2.0])
    scores = ranker.fit_pairs(np.eye(3), [[0, 1], [1, 0]], [1, 1], [2.0, 0.0]).predict(np.eye(3))
    assert scores[0] > scores[1]


@every
@pytest.mark.parametrize("size", [1e20, 1e100, 1e160, 1e300, 1.7e308, 1e-20, 1e-160, 5e-324])
def test_features_of_any_size_give_finite_scores_or_an_error(ranker, size):
    X, pairs, labels = separable(0)
    for where in (7, slice(None)):
        Y = X.copy()
        Y[where, 1] = size * np.sign(Y[where, 1])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            try:
                model = clone(ranker).fit_pairs(Y, pairs, labels)
            except (ValueError, FloatingPointError) as error:
                assert "scale the features" in str(error) or "not separable" in str(error)
                continue
        assert np.isfinite(model.predict(Y)).all()


def test_after_steps_that_diverge_there_is_nothing_to_predict_by():
    X, pairs, labels = separable(0)
    model = OnlineRanker().partial_fit_pairs(X, pairs, labels)
    with pytest.raises(FloatingPointError, match="scale the features"):
        model.partial_fit_pairs(1e200 * X, pairs, -np.asarray(labels))
    with pytest.raises(NotFittedError):
        model.predict(X)
