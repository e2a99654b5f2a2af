"""LinearRanker under the multipartite risk: levels, costs, groups, tags."""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import cross_val_score

from rankexp.errors import ClassOrderWarning
from rankexp.estimators import LinearRanker
from rankexp.losses import Exponential, Hinge, Logistic, SquaredHinge

LOSSES = {
    "hinge": Hinge(),
    "squared_hinge": SquaredHinge(),
    "logistic": Logistic(),
    "exponential": Exponential(),
}
losses = pytest.mark.parametrize("loss", LOSSES)
COSTS = [[0, 1, 0, 3], [0, 0, 1, 2], [0, 0, 0, 1], [0, 0, 0, 0]]


def make(n=150, d=4, seed=0, levels=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    f = X @ rng.normal(size=d) + rng.normal(size=n)
    y = np.searchsorted(np.quantile(f, np.arange(1, levels) / levels), f)
    return X, y, rng.integers(0, 12, n)


def ranker(loss, **parameters):
    return LinearRanker(loss=loss, **{"risk": "multipartite", "lam": 0.01, **parameters})


def risk(loss, s, y, costs, groups):
    C = np.asarray(costs, dtype=float)[y[None], y[:, None]] * (groups[:, None] == groups[None])
    return (C * LOSSES[loss].of_margin(s[:, None] - s[None])).sum() / C.sum()


@losses
def test_the_objective_is_the_mean_over_pairs_by_cost_within_groups(loss):
    X, y, groups = make()
    found = ranker(loss, costs=COSTS).fit(X, y, groups=groups)
    assert found.levels_.tolist() == [0, 1, 2, 3]
    assert not hasattr(found, "classes_")
    assert 0 <= found.gap_ <= 1e-6
    s = found.decision_function(X)
    wanted = risk(loss, s, y, COSTS, groups) + 0.005 * (found.coef_**2).sum()
    assert found.objective_ == pytest.approx(wanted, rel=1e-7)
    np.testing.assert_array_equal(found.predict(X), s)
    pooled = ranker(loss, costs=COSTS).fit(X, y)
    assert risk(loss, s, y, COSTS, groups) != pytest.approx(pooled.objective_, rel=1e-4)


@losses
def test_two_levels_are_the_bipartite_risk(loss):
    X, y, _ = make(levels=2)
    two = ranker(loss, costs=[[0, 3], [3, 0]]).fit(X, y)
    bipartite = LinearRanker(loss=loss, risk="bipartite", lam=0.01).fit(X, y)
    np.testing.assert_array_equal(two.coef_, bipartite.coef_)


@losses
def test_levels_are_ordered_as_given(loss):
    X, y, groups = make()
    names = np.array(["poor", "fair", "good", "best"])
    found = ranker(loss, levels=list(names)).fit(X, names[y], groups=groups)
    np.testing.assert_array_equal(found.coef_, ranker(loss).fit(X, y, groups=groups).coef_)
    backwards = ranker(loss, levels=list(names[::-1]), tol=1e-8).fit(X, names[y])
    forwards = ranker(loss, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(backwards.coef_, -forwards.coef_, atol=2e-3)
    with pytest.raises(ValueError, match="no order of their own"):
        ranker(loss).fit(X, names[y])


@losses
def test_a_level_without_an_example_has_no_pairs(loss):
    X, y, _ = make()
    costs = np.insert(np.insert(np.array(COSTS), 2, 5, axis=0), 2, 5, axis=1)
    more = ranker(loss, levels=[0, 1, 1.5, 2, 3], costs=np.triu(costs, 1))
    less = ranker(loss, costs=COSTS).fit(X, y)
    np.testing.assert_allclose(more.fit(X, y).coef_, less.coef_, rtol=1e-9)


@losses
def test_rows_in_no_pair_change_nothing(loss):
    X, y, groups = make()
    alone = np.r_[groups, 100, 101, 101]
    more = ranker(loss).fit(np.r_[X, 9 + X[:3]], np.r_[y, 0, 2, 2], groups=alone)
    less = ranker(loss).fit(X, y, groups=groups)
    np.testing.assert_allclose(more.coef_, less.coef_, atol=1e-9)


@losses
def test_the_path_is_that_of_single_fits_and_duplicates_tie(loss):
    X, y, groups = make()
    path = ranker(loss, costs=COSTS, tol=1e-8).path(X, y, [1e-3, 1e-1], groups=groups)
    for i, lam in enumerate([1e-3, 1e-1]):
        one = ranker(loss, costs=COSTS, lam=lam, tol=1e-8).fit(X, y, groups=groups)
        assert path.objective[i] == pytest.approx(one.objective_, rel=3e-8)
    rows = np.random.default_rng(1).integers(150, size=333)
    np.testing.assert_array_equal(one.decision_function(X[rows]), one.decision_function(X)[rows])


def test_tags_follow_the_risk():
    many = ranker("hinge")
    assert not is_classifier(many)
    assert is_regressor(many)  # it predicts numbers, the scores
    two = clone(many).set_params(risk="bipartite")
    assert is_classifier(two)
    X, y, _ = make()
    again = many.fit(X, y).set_params(risk="bipartite").fit(X, y > 1)
    assert again.classes_.tolist() == [False, True]
    assert not hasattr(again, "levels_")
    scorer = make_scorer(lambda y, s: roc_auc_score(y > 1, s), response_method="predict")
    assert cross_val_score(ranker("hinge"), X, y, scoring=scorer, cv=3).mean() > 0.7


def test_two_classes_can_be_ordered_too():
    X, y, _ = make(levels=2)
    names = np.where(y, "bad", "awful")
    found = LinearRanker(loss="hinge", risk="bipartite", levels=["awful", "so so", "bad"]).fit(
        X, names
    )
    assert found.classes_.tolist() == ["awful", "bad"]
    assert found.better_ == "bad"
    assert (found.rank_scores(X) == found.decision_function(X)).all()
    with pytest.warns(ClassOrderWarning, match="'awful' above 'bad'"):
        turned = LinearRanker(loss="hinge", risk="bipartite", levels=["bad", "awful"]).fit(
            X, names
        )
    assert turned.classes_.tolist() == ["awful", "bad"]
    assert turned.better_ == "awful"
    np.testing.assert_allclose(turned.coef_, found.coef_, atol=1e-3)
    np.testing.assert_allclose(turned.rank_scores(X), -found.rank_scores(X), atol=1e-2)
    assert (turned.predict(X) == names).mean() > 0.7
    with pytest.warns(ClassOrderWarning, match="'awful' above 'bad'"):
        path = turned.path(X, names, [turned.lam])
    np.testing.assert_allclose(path.coef.T, turned.coef_, atol=1e-3)


@pytest.mark.parametrize(
    ("parameters", "groups", "message"),
    [
        ({"costs": np.ones((3, 3))}, None, r"costs must be of shape \(4, 4\)"),
        ({"costs": np.zeros((4, 4))}, None, "costs must not all be 0"),
        ({"levels": [0, 1, 2]}, None, "y holds 3"),
        ({}, np.arange(150), "there is no pair of two levels"),
        ({}, np.arange(149), "one a row"),
        ({"risk": "classification", "loss": "logistic"}, np.zeros(150), "no groups.*bipartite"),
        ({"lam": 0.0}, None, "lam > 0"),
    ],
)
def test_what_cannot_be(parameters, groups, message):
    X, y, _ = make()
    made = ranker(**{"loss": "hinge", **parameters})
    with pytest.raises(ValueError, match=message):
        made.fit(X, y, groups=groups)
    with pytest.raises(ValueError, match=message):
        made.path(X, y, [parameters.get("lam", 1.0)], groups=groups)


@losses
def test_only_the_ratios_of_costs_count(loss):
    X, y, groups = make()
    one = ranker(loss, costs=COSTS).fit(X, y, groups=groups)
    for scale in (1e-300, 1e307):
        other = ranker(loss, costs=scale * np.array(COSTS)).fit(X, y, groups=groups)
        np.testing.assert_allclose(other.coef_, one.coef_, rtol=1e-9)
        assert other.objective_ == pytest.approx(one.objective_, rel=1e-9)


def test_groups_must_tell_rows_apart():
    X, y, groups = make()
    words = [f"query {g}" for g in groups]
    one = ranker("hinge").fit(X, y, groups=groups)
    np.testing.assert_allclose(ranker("hinge").fit(X, y, groups=words).coef_, one.coef_, rtol=1e-9)
    missing = np.where(groups == 3, np.nan, groups)
    for wrong in (missing, [None, *words[1:]]):
        with pytest.raises(ValueError, match="none missing"):
            ranker("hinge").fit(X, y, groups=wrong)
    with pytest.raises(ValueError, match="one a row"):
        ranker("hinge").fit(X, y, groups=groups[:, None])


def test_a_continuous_target_is_to_be_binned():
    X = np.random.default_rng(0).normal(size=(1001, 1))
    with pytest.raises(ValueError, match="bin a continuous target"):
        ranker("hinge").fit(X, X[:, 0])
