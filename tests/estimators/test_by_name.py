"""Parameters have names only, risks have plain names, and warnings point at the user's line."""

import copy
import pickle
import sys
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import rankexp.estimators as room
from rankexp.errors import ClassOrderWarning
from rankexp.estimators import BoostedRanker, KernelRanker, LinearRanker, RankBoost
from rankexp.losses import Hinge
from rankexp.risks import parse
from rankexp.solvers.result import PathResult

X = np.random.default_rng(0).normal(size=(60, 3))
Y = X[:, 0] + np.random.default_rng(1).normal(size=60) > 0.8


@pytest.mark.parametrize("name", [n for n in room.__all__ if isinstance(getattr(room, n), type)])
def test_no_parameter_goes_without_its_name(name):
    made = getattr(room, name)
    with pytest.raises(
        TypeError, match=rf"{name} takes its parameters by name: write {name}\(\w+="
    ):
        made("something")
    for again in (clone(made()), copy.copy(made()), pickle.loads(pickle.dumps(made()))):
        assert repr(again) == repr(made())


@pytest.mark.parametrize(
    ("made", "value", "advice"),
    [
        (LinearRanker, "bipartite", "risk='bipartite'"),
        (LinearRanker, "pairs", "risk='pairs'"),
        (LinearRanker, "push(p=2)", "risk='push(p=2)'"),
        (LinearRanker, "hinge", "loss='hinge'"),
        (LinearRanker, Hinge(), "loss=hinge"),
        (BoostedRanker, "xgboost", "engine='xgboost'"),
        (RankBoost, "logistic", "loss='logistic'"),
        (RankBoost, 100, "risk=100"),
    ],
)
def test_the_error_says_what_to_write(made, value, advice):
    with pytest.raises(TypeError) as said:
        made(value)
    assert str(said.value).endswith(f"write {made.__name__}({advice})")


def test_a_class_of_ones_own_may_take_values():
    class Mine(LinearRanker):
        def __init__(self, lam=1.0):
            super().__init__(lam=lam)

    assert Mine(0.5).lam == 0.5


@pytest.mark.parametrize(
    ("plain", "same"),
    [
        ({"risk": "points"}, {"risk": "classification"}),
        ({"risk": "pairs"}, {"risk": "bipartite"}),
        ({"risk": "balanced"}, {"class_weight": "balanced"}),
        ({"risk": "balanced", "loss": "hinge"}, {"loss": "hinge", "class_weight": "balanced"}),
    ],
)
def test_plain_names_of_risks(plain, same):
    one = LinearRanker(lam=0.1, **plain).fit(X, Y, sample_weight=1 + Y)
    other = LinearRanker(lam=0.1, **same).fit(X, Y, sample_weight=1 + Y)
    assert (one.coef_ == other.coef_).all()
    assert (one.intercept_, one.threshold_) == (other.intercept_, other.threshold_)
    assert (one.path(X, Y, [0.1]).coef == other.path(X, Y, [0.1]).coef).all()
    assert parse(repr(parse(plain["risk"]))) == parse(plain["risk"])


def test_balanced_has_its_own_weights():
    with pytest.raises(ValueError, match="class_weight cannot be set"):
        LinearRanker(risk="balanced", class_weight={0: 2.0}).fit(X, Y)


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_other_rankers_know_plain_names(engine):
    assert (RankBoost(risk="pairs").fit(X, Y).alphas_ == RankBoost().fit(X, Y).alphas_).all()
    assert (
        KernelRanker(risk="pairs").fit(X, Y).dual_coef_ == KernelRanker().fit(X, Y).dual_coef_
    ).all()
    pytest.importorskip(engine)
    for plain, same in (("points", "classification"), ("pairs", "bipartite")):
        one, other = (
            BoostedRanker(engine=engine, risk=r, n_rounds=3).fit(X, Y) for r in (plain, same)
        )
        assert (one.decision_function(X) == other.decision_function(X)).all()
        assert one.takes() == other.takes()


def test_more_levels_than_two_say_which_risk():
    with pytest.raises(ValueError, match="set risk='multipartite'"):
        LinearRanker(risk="pairs").fit(X, np.arange(60) % 3)


def test_a_search_warns_once_at_the_users_line():
    search = GridSearchCV(LinearRanker(levels=[True, False]), {"lam": [0.1, 1.0]}, cv=3)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        search.fit(X, Y)
        line = sys._getframe().f_lineno - 1
    said = [each for each in said if each.category is ClassOrderWarning]
    assert [(each.filename, each.lineno) for each in said] == [(__file__, line)]
    for _ in range(2):  # a fit of one's own always warns
        with pytest.warns(ClassOrderWarning) as said:
            LinearRanker(levels=[True, False]).fit(X, Y)
        assert said[0].filename == __file__


def test_a_path_is_shown_in_a_line():
    path = LinearRanker().path(X, Y, [1.0, 0.1])
    assert isinstance(path, PathResult)
    assert repr(path).startswith("PathResult: 2 penalties, 3 features, ")
    assert "2 of 2 converged, gap up to " in repr(path)
