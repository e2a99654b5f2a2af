"""Scores within groups: of rankers, of scorers, and in a search that hands groups on."""

import warnings

import numpy as np
import pytest
import sklearn
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rankexp.errors import UngroupedScoreWarning
from rankexp.estimators import (
    BoostedRanker,
    KernelRanker,
    LinearRanker,
    OnlineRanker,
    ProportionalOdds,
    RankBoost,
    RankPerceptron,
)
from rankexp.metrics import RankScorer, UndefinedMetricWarning, auc_scorer, ndcg, u_pairs
from rankexp.metrics.continuous import concordance

GROUPS = np.repeat(np.arange(12), 8)
TRAINED = [
    lambda: LinearRanker(risk="multipartite", lam=0.1),
    lambda: KernelRanker(risk="multipartite"),
    lambda: RankBoost(risk="multipartite", n_rounds=5),
    lambda: BoostedRanker(risk="multipartite", n_rounds=3),
    lambda: RankPerceptron(max_iter=3),
    lambda: OnlineRanker(random_state=0),
]


def data(levels: int = 3):
    """Return rows whose level of the group moves the features and nothing else."""
    rng = np.random.default_rng(levels)
    X = rng.normal(size=(96, 3))
    y = np.digitize(X[:, 0] + rng.normal(size=96), np.linspace(-0.5, 0.5, levels - 1))
    return X + 3.0 * rng.normal(size=(12, 1))[GROUPS], y


def by_hand(y, s, groups, each=False, weight=None):
    """Return the share of pairs in order, pair by pair."""
    weight = np.ones(len(y)) if weight is None else weight
    values, masses = [], []
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        pairs = [(i, j) for i in rows for j in rows if y[i] > y[j]]
        mass = sum(weight[i] * weight[j] for i, j in pairs)
        won = sum(weight[i] * weight[j] * (1 + np.sign(s[i] - s[j])) / 2 for i, j in pairs)
        if mass > 0:
            values.append(won / mass)
            masses.append(mass)
    return np.average(values, weights=None if each else masses)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("make", TRAINED, ids=lambda make: type(make()).__name__)
def test_score_counts_pairs_within_groups_and_says_if_they_are_forgotten(make):
    if isinstance(make(), BoostedRanker):
        pytest.importorskip("lightgbm")
    X, y = data()
    ranker = make().fit(X, y, groups=GROUPS)
    s = ranker.decision_function(X)
    assert ranker.score(X, y, groups=GROUPS) == pytest.approx(by_hand(y, s, GROUPS))
    with pytest.warns(UngroupedScoreWarning, match="trained within groups") as said:
        assert ranker.score(X, y) == concordance(y, s)
    assert said[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", UngroupedScoreWarning)
        ranker.fit(X, y).score(X, y)


@pytest.mark.parametrize("queries", ["pairs", "each", "across"])
def test_queries_say_how_groups_count(queries):
    X, y = data()
    ranker = LinearRanker(risk="multipartite", queries=queries, lam=0.1).fit(X, y, groups=GROUPS)
    s = ranker.decision_function(X)
    groups = np.zeros(96, int) if queries == "across" else GROUPS
    expected = by_hand(y, s, groups, each=queries == "each")
    assert ranker.score(X, y, groups=GROUPS) == pytest.approx(expected)


def test_two_classes_have_weights_within_groups():
    X, y = data(2)
    words, w = np.array(["yes", "no"])[y], np.random.default_rng(0).integers(0, 4, 96)
    ranker = LinearRanker(risk="pairs", lam=0.1).fit(X, words, groups=GROUPS)
    expected = by_hand(1 - y, ranker.decision_function(X), GROUPS, weight=w)
    found = ranker.score(X, words, sample_weight=w, groups=GROUPS)
    assert found == pytest.approx(expected)


def test_rankers_without_groups_are_scored_within_them():
    X, y = data()
    odds = ProportionalOdds().fit(X, y)
    expected = by_hand(y, odds.decision_function(X), GROUPS)
    assert odds.score(X, y, groups=GROUPS) == pytest.approx(expected)
    with pytest.warns(UndefinedMetricWarning, match="no group has rows"):
        assert np.isnan(odds.score(X, y, groups=np.arange(96)))


def test_scorers_take_the_mean_over_groups():
    X, y = data()
    ranker = make_pipeline(StandardScaler(), LinearRanker(risk="multipartite"))
    ranker.fit(X, y, linearranker__groups=GROUPS)
    s = ranker.decision_function(X)
    assert RankScorer("ndcg@3")(ranker, X, y, groups=GROUPS) == ndcg(y, s, GROUPS, k=3)
    assert RankScorer("u_pairs")(ranker, X, y, groups=GROUPS) == u_pairs(y, s, groups=GROUPS)
    found = RankScorer("rank_loss")(ranker, X, y > 0, groups=GROUPS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = [np.flatnonzero(g == GROUPS) for g in range(12)]
        each = [concordance((y > 0)[some], s[some]) for some in rows]
    assert -found == pytest.approx(1.0 - np.nanmean(each))
    with pytest.warns(UngroupedScoreWarning):
        RankScorer("ndcg@3")(ranker, X, y)


def test_a_search_hands_groups_on_or_complains():
    X, y = data()
    folds, scorer = GroupKFold(3), RankScorer("ndcg@3")
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = LinearRanker(risk="multipartite").set_fit_request(groups=True)
        for undecided in ({}, {"scoring": scorer}, {"scoring": auc_scorer}):
            with pytest.raises(UnsetMetadataPassedError, match="groups"):
                GridSearchCV(ranker, {"lam": [0.1]}, cv=folds, **undecided).fit(
                    X, y, groups=GROUPS
                )
        asked = scorer.set_score_request(groups=True)
        search = GridSearchCV(ranker, {"lam": [0.1]}, cv=folds, scoring=asked)
        found = search.fit(X, y, groups=GROUPS).best_score_
        own = ranker.set_score_request(groups=True)
        scores = cross_val_score(own, X, y, params={"groups": GROUPS}, cv=folds)
    expected, shares = [], []
    for train, test in folds.split(X, y, GROUPS):
        model = LinearRanker(risk="multipartite", lam=0.1)
        s = model.fit(X[train], y[train], groups=GROUPS[train]).decision_function(X[test])
        expected.append(ndcg(y[test], s, GROUPS[test], k=3))
        model = LinearRanker(risk="multipartite").fit(X[train], y[train], groups=GROUPS[train])
        shares.append(model.score(X[test], y[test], groups=GROUPS[test]))
    assert found == pytest.approx(np.mean(expected))
    assert scores == pytest.approx(shares)
    assert scorer == RankScorer("ndcg@3"), "a request makes a scorer of its own"
