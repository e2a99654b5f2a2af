"""scikit-learn's tools rank by every ranker as they should, whatever `levels` say."""

import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.inspection import PartialDependenceDisplay, partial_dependence, permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import get_tags

from rankexp import registry
from rankexp.errors import ClassOrderWarning
from rankexp.estimators import (
    CRank,
    KendallTree,
    KernelRanker,
    LinearRanker,
    ORBoost,
    OrdinalSVM,
    ProportionalOdds,
    RankBoost,
    RankingForest,
)
from rankexp.metrics import (
    RankScorer,
    auc,
    auc_scorer,
    d_tau,
    d_tau_scorer,
    iauc,
    iauc_scorer,
    rank_loss,
    rank_loss_scorer,
    u_pairs,
    u_pairs_scorer,
    vus,
)

WORDS = ["stay", "churn"]  # worst to best: the other way round than they sort
GRADES = ["poor", "fair", "good"]


@dataclass
class Case:
    """A ranker, the labels of codes 0 .. K-1, and a poor and a good value of a parameter."""

    model: Any
    names: list[str] | None
    grid: dict[str, list[Any]]


LINEAR, STUMPS = {"lam": [1e5, 1e-3]}, {"n_rounds": [1, 20]}
TREES = {"depth": [0, 4]}
ENGINES = {"params": [{"min_data_in_leaf": 50}, {"min_data_in_leaf": 5}]}
engine = pytest.mark.skipif(find_spec("lightgbm") is None, reason="needs the package lightgbm")


def cases():
    """Yield every registered ranker, of two classes and of levels, with words and with codes."""
    made = {
        "LinearRanker": ({}, LINEAR),
        "KernelRanker": ({"max_rank": 50}, {"gamma": [1e4, 0.3]}),
        "OnlineRanker": ({"random_state": 0}, {"lam": [9.0, 1e-3]}),
        "RankBoost": ({}, STUMPS),
        "RankPerceptron": ({"max_iter": 20}, {}),
        "SmoothMarginRanker": ({}, STUMPS),
        "ORBoost": ({}, STUMPS),
        "OrdinalSVM": ({}, {"lam": [1e5, 1e-3]}),
        "ProportionalOdds": ({}, {"lam": [1e5, 1e-3]}),
        "KendallTree": ({}, TREES),
        "CRank": ({}, TREES),
        "RankingForest": ({"n_estimators": 5, "random_state": 0}, TREES),
        "BoostedRanker": ({"n_rounds": 30, "params": {"min_data_in_leaf": 5}}, ENGINES),
    }
    listed = {*made, "MaxMarginRanker"}  # which refuses data that no linear order fits
    assert listed == set(registry.names("estimators")), "a new ranker is to be listed"
    for name, (parameters, grid) in made.items():
        estimator = registry.get("estimators", name)
        known = estimator().get_params()
        if "levels" not in known:
            yield pytest.param(Case(estimator(**parameters), None, grid), id=name)
            continue
        risks = [{"risk": "bipartite"}, {"risk": "multipartite"}] if "risk" in known else [{}]
        for risk in risks:
            two = risk.get("risk") == "bipartite"
            for names in (None, WORDS) if two else (None, WORDS, GRADES):
                model = estimator(**parameters, **risk, levels=names)
                place = f"{name}-{'-'.join([*risk.values(), *(names or ['codes'])])}"
                marks = [engine] if name == "BoostedRanker" else []
                yield pytest.param(Case(model, names, grid), id=place, marks=marks)


every = pytest.mark.parametrize("case", list(cases()))
# One of each class: where labels have no part in what is asked.
each = pytest.mark.parametrize("case", list({p.id.split("-")[0]: p for p in cases()}.values()))
two_classes = pytest.mark.parametrize(
    "case", [p for p in cases() if p.values[0].model.get_params().get("risk") == "bipartite"]
)


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", ClassOrderWarning)
        yield


def data(case, n=90):
    """Return rows whose first feature ranks, codes, and labels."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    s = X[:, 0] + 0.4 * rng.standard_normal(n)
    many = case.names is not None and len(case.names) == 3
    codes = np.searchsorted([-0.5, 0.5] if many else [0.0], s)
    return X, codes, codes if case.names is None else np.array(case.names)[codes]


@every
def test_score_is_the_share_of_pairs_in_order(case):
    X, codes, y = data(case)
    model = case.model.fit(X, y)
    better = model.rank_scores(X)
    assert u_pairs(codes, better) > 0.8
    assert model.score(X, y) == pytest.approx(u_pairs(codes, better), abs=1e-12)
    assert cross_val_score(model, X, y, cv=3).min() > 0.7
    if case.names is not None:
        assert rank_loss(codes > 0, better) == rank_loss(
            np.array(WORDS)[(codes > 0).astype(int)], better, levels=WORDS
        )


@every
def test_a_grid_search_picks_what_ranks_better(case):
    X, _, y = data(case)
    if not case.grid:
        pytest.skip("it has no parameter that makes it better or worse")
    [(name, (_, good))] = case.grid.items()
    if name in ("lam", "nu"):  # the first feature ranks only less three times the second
        X[:, 0] += 3 * X[:, 1]
    scorer = None if case.names is None else u_pairs_scorer(levels=case.names)
    search = GridSearchCV(case.model, case.grid, cv=3, scoring=scorer).fit(X, y)
    assert search.best_params_ == {name: good}
    poor, better = search.cv_results_["mean_test_score"]
    assert poor < better - 0.02


@each
def test_importances_are_of_the_informative_feature(case):
    X, _, y = data(case)
    model = case.model.fit(X, y)
    found = permutation_importance(model, X, y, n_repeats=3, random_state=0).importances_mean
    assert found[0] > 0.1
    assert found[0] > 3 * abs(found[1:]).max()
    if hasattr(model, "feature_importances_"):
        assert model.feature_importances_.argmax() == 0
        assert model.feature_importances_.sum() == pytest.approx(1.0)


@every
def test_partial_dependence_rises_or_falls_with_the_class(case):
    X, codes, y = data(case)
    model = case.model.fit(X, y)
    average = partial_dependence(model, X, [0], grid_resolution=8)["average"][0]
    turned = list(getattr(model, "classes_", [])) == sorted(WORDS)
    assert (average[-1] > average[0]) != turned  # of classes_[1], which is "stay"
    assert np.unique(codes).size == (3 if case.names == GRADES else 2)


def test_partial_dependence_is_drawn():
    pytest.importorskip("matplotlib").use("Agg")
    X, _, y = data(Case(None, GRADES, {}))
    for model in (RankBoost(risk="multipartite", levels=GRADES), ProportionalOdds(levels=GRADES)):
        drawn = PartialDependenceDisplay.from_estimator(model.fit(X, y), X, [0], grid_resolution=5)
        assert len(drawn.lines_.ravel()) == 1


@two_classes
def test_two_classes_are_sorted_and_signs_go_with_them(case):
    X, codes, y = data(case)
    model = case.model.fit(X, y)
    assert model.classes_.tolist() == np.unique(y).tolist()
    assert model.better_ == (1 if case.names is None else "churn")
    s = model.decision_function(X)
    assert u_pairs(y == model.classes_[1], s) > 0.8
    assert (model.predict(X) == model.classes_[(s > 0).astype(int)]).all()
    assert auc(y, s, levels=model.classes_) == auc(codes, model.rank_scores(X))
    assert auc_scorer(model, X, y) == model.score(X, y) == auc(codes, model.rank_scores(X))
    assert rank_loss_scorer(model, X, y) == -rank_loss(codes, model.rank_scores(X))
    assert cross_val_score(model, X, y, scoring="roc_auc", cv=3).min() > 0.75
    assert cross_val_score(model, X, y, scoring="accuracy", cv=3).min() > 0.7
    weights = np.arange(len(y)) % 3
    expected = auc(codes, model.rank_scores(X), sample_weight=weights)
    assert model.score(X, y, sample_weight=weights) == pytest.approx(expected)
    assert auc_scorer(model, X, y, sample_weight=weights) == pytest.approx(expected)


@two_classes
def test_words_in_their_order_train_as_codes_do(case):
    if case.names is None:
        return
    X, codes, y = data(case)
    codes_too = type(case.model)(**{**case.model.get_params(), "levels": None})
    with pytest.warns(ClassOrderWarning, match="'churn' above 'stay', but scikit-learn sorts"):
        found = case.model.fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ClassOrderWarning)
        same = codes_too.fit(X, codes)
    assert (found.rank_scores(X) == same.rank_scores(X)).all()
    assert (found.decision_function(X) == -same.decision_function(X)).all()
    if hasattr(found, "staged_decision_function"):
        *_, last = found.staged_decision_function(X)
        np.testing.assert_allclose(last, found.decision_function(X), atol=1e-12)
    ordered = pd.Series(pd.Categorical(y, categories=WORDS, ordered=True))
    told = codes_too.fit(X, ordered)
    assert told.better_ == "churn"
    assert (told.rank_scores(X) == found.rank_scores(X)).all()


@two_classes
def test_probabilities_are_calibrated(case):
    X, _, y = data(case)
    model = CalibratedClassifierCV(case.model, cv=3).fit(X, y)
    chances = model.predict_proba(X)[:, 1]
    assert u_pairs(y == model.classes_[1], chances) > 0.8
    assert (model.predict(X) == y).mean() > 0.75


@each
def test_pipelines_take_frames(case):
    X, codes, y = data(case)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    pipe = make_pipeline(StandardScaler(), case.model).set_output(transform="pandas")
    assert pipe.fit(frame, y).score(frame, y) > 0.6
    assert pipe[-1].feature_names_in_.tolist() == ["a", "b", "c"]
    better = pipe[-1].rank_scores(pipe[:-1].transform(frame))
    assert u_pairs(codes, better) > 0.8


@each
@pytest.mark.parametrize("what", ["categories", "texts"])
def test_sparse_rows_are_refused_with_what_to_do_or_taken(case, what):
    words = np.array(["red wine", "white wine", "beer"])[np.arange(30) % 3]
    if what == "categories":
        rows = OneHotEncoder().fit_transform(words[:, None])
    else:
        rows = TfidfVectorizer().fit_transform(words)
    y = np.arange(30) % 3 == 0
    y = y.astype(int) if case.names is None else np.array(case.names)[y.astype(int)]
    if get_tags(case.model).input_tags.sparse:
        assert case.model.fit(rows, y).decision_function(rows).shape == (30,)
        return
    said = r"sparse.*X\.toarray\(\).*TruncatedSVD"
    with pytest.raises(TypeError, match=said):
        case.model.fit(rows, y)
    model = case.model.fit(rows.toarray(), y)
    with pytest.raises(TypeError, match=said):
        model.decision_function(rows)
    if hasattr(model, "path"):
        with pytest.raises(TypeError, match=said):
            model.path(rows, y, [0.1])
    dense = make_column_transformer((OneHotEncoder(sparse_output=False), [0]))
    if what == "categories":
        make_pipeline(dense, case.model).fit(words[:, None], y)


def test_scorers_rank_the_estimators_of_others():
    X, codes, y = data(Case(None, GRADES, {}))
    forest = RandomForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    places = [GRADES.index(label) for label in forest.classes_]
    expected = forest.predict_proba(X) @ places
    assert u_pairs_scorer(levels=GRADES)(forest, X, y) == u_pairs(codes, expected)
    with pytest.raises(ValueError, match="no order of their own"):
        u_pairs_scorer()(forest, X, y)
    two = LogisticRegression().fit(X, y == "good")
    assert auc_scorer(two, X, y == "good") == auc(y == "good", two.decision_function(X))
    tree = RankingForest(n_estimators=3, random_state=0).fit(X, X[:, 0])
    assert iauc_scorer(tree, X, X[:, 0]) == iauc(X[:, 0], tree.predict(X))
    odds = ProportionalOdds(levels=GRADES).fit(X, y)
    assert d_tau_scorer(tree, X, X[:, 0]) == d_tau(X[:, 0], tree.predict(X))
    assert tree.score(X, X[:, 0]) == d_tau_scorer(tree, X, X[:, 0])  # nothing ties in y
    found = RankScorer("vus", GRADES)(odds, X, y)
    assert found == vus(codes, odds.decision_function(X))
    assert u_pairs_scorer()(odds, X, y) == odds.score(X, y)  # it has levels_
    twice = np.r_[X, X[:9]], np.r_[y, y[:9]]
    weight = 1.0 + (np.arange(len(y)) < 9)
    assert u_pairs_scorer()(odds, X, y, sample_weight=weight) == u_pairs_scorer()(odds, *twice)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        RankScorer("vus", GRADES)(odds, X, y, sample_weight=np.ones(len(y)))


def test_levels_without_weights_say_so():
    X, _, y = data(Case(None, GRADES, {}))
    model = LinearRanker(loss="hinge", risk="multipartite", lam=0.1, levels=GRADES).fit(X, y)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        model.score(X, y, sample_weight=np.ones(len(y)))


def test_importances_are_of_stumps_and_thresholds_only():
    X, _, y = data(Case(None, None, {}))
    tree = CRank(classifier=LogisticRegression()).fit(X, y)
    assert not hasattr(tree, "feature_importances_")
    for model in (RankBoost(), ORBoost(), KendallTree(), CRank(), RankingForest(n_estimators=2)):
        assert not hasattr(model, "feature_importances_")
        assert model.fit(X, y).feature_importances_.shape == (3,)
        nothing = model.fit(np.zeros((6, 2)), [0, 1, 0, 1, 0, 1])
        assert nothing.feature_importances_.tolist() == [0, 0]
    for model in (OrdinalSVM(), LinearRanker(), KernelRanker()):
        assert not hasattr(model.fit(X, y), "feature_importances_")
