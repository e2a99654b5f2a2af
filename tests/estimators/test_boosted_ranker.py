"""BoostedRanker: engines trained on points and on pairs."""

import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from rankexp.errors import ClassOrderWarning
from rankexp.estimators import BoostedRanker
from rankexp.estimators.engines import ENGINES
from rankexp.metrics import auc, u_pairs
from rankexp.objectives import PairObjective
from rankexp.runner.config.estimators import fit_takes
from rankexp.runner.config.outside import of_method
from rankexp.runner.config.schema import Method

WAYS = [
    ("classification", "logistic"),
    ("balanced", "logistic"),
    ("bipartite", "logistic"),
    ("bipartite", "squared_hinge"),
    ("bipartite", "exponential"),
]
SMALL = {"n_rounds": 12, "max_leaf_nodes": 6}
every_way = pytest.mark.parametrize(("risk", "loss"), WAYS)


@pytest.fixture(params=["lightgbm", "xgboost"])
def engine(request):
    pytest.importorskip(request.param, reason=f"needs the package {request.param}")
    return request.param


def drawn(n=500, share=0.25, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    f = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.standard_normal(n)
    return X, (f > np.quantile(f, 1.0 - share)).astype(int), f


@every_way
def test_it_ranks_and_its_probabilities_have_the_right_mean(engine, risk, loss):
    X, y, _ = drawn()
    new, truth, _ = drawn(seed=1)
    model = BoostedRanker(engine=engine, loss=loss, risk=risk, n_rounds=40, max_leaf_nodes=6).fit(
        X, y
    )
    s, chances = model.decision_function(new), model.predict_proba(new)
    assert auc(truth, s) > 0.85
    np.testing.assert_allclose(chances[:, 1], expit(s))
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert (model.predict(new) == (s > 0)).all()
    if risk == "classification":
        assert model.intercept_ == 0.0
    else:
        assert model.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), abs=1e-8)
    again = pickle.loads(pickle.dumps(model))
    assert (again.decision_function(new) == s).all()


@every_way
def test_a_grid_of_rounds_is_read_off_one_fit(engine, risk, loss, monkeypatch):
    X, y, _ = drawn()
    model, rounds = (
        BoostedRanker(engine=engine, loss=loss, risk=risk, max_leaf_nodes=6),
        [7, 20, 1],
    )
    alone = [clone(model).set_params(n_rounds=n).fit(X, y) for n in rounds]
    trained = []
    kind = type(ENGINES[engine])
    train = kind.train
    monkeypatch.setattr(kind, "train", lambda own, task: (trained.append(1), train(own, task))[1])
    together = model.fit_rounds(rounds, X, y)
    assert len(trained) == 1
    for one, other in zip(alone, together, strict=True):
        assert (one.n_iter_, one.intercept_) == (other.n_iter_, other.intercept_)
        assert (one.decision_function(X) == other.decision_function(X)).all()
    assert not hasattr(model, "booster_")
    stages = list(together[1].staged_decision_function(X))
    assert len(stages) == 20
    np.testing.assert_allclose(stages[-1], together[1].decision_function(X), atol=1e-5)
    fewer = stages[6] - together[1].intercept_ + together[0].intercept_
    np.testing.assert_allclose(fewer, together[0].decision_function(X), atol=1e-5)


def test_rounds_that_are_tried_on_held_out_rows_are_fitted_each():
    pytest.importorskip("lightgbm", reason="needs the package lightgbm")
    X, y, _ = drawn(200)
    model = BoostedRanker(validation_fraction=0.3, n_iter_no_change=2, random_state=0)
    few, more = model.fit_rounds([2, 60], X, y)
    for one, n in ((few, 2), (more, 60)):
        alone = clone(model).set_params(n_rounds=n).fit(X, y)
        assert one.n_iter_ == alone.n_iter_
        assert (one.validation_error_ == alone.validation_error_).all()
    assert few.validation_error_.size == 2 < more.validation_error_.size


@pytest.mark.parametrize("params", [{"boosting": "dart"}, {"booster": "dart"}])
def test_rounds_that_change_earlier_trees_are_fitted_each(params):
    name = "lightgbm" if "boosting" in params else "xgboost"
    pytest.importorskip(name, reason=f"needs the package {name}")
    X, y, _ = drawn(200)
    drops = {"drop_rate": 0.5} if name == "lightgbm" else {"rate_drop": 0.5}
    model = BoostedRanker(engine=name, params=params | drops, random_state=0)
    few, more = model.fit_rounds([4, 9], X, y)
    assert few.booster_ is not more.booster_
    if name == "xgboost":  # LightGBM 4.7 drops trees by more than its seed
        alone = clone(model).set_params(n_rounds=4).fit(X, y)
        assert (few.decision_function(X) == alone.decision_function(X)).all()
    with pytest.raises(ValueError, match="change the trees of earlier rounds"):
        clone(model).set_params(validation_fraction=0.2).fit(X, y)


@pytest.mark.parametrize("risk", ["classification", "bipartite", "multipartite"])
def test_it_stops_by_the_pairs_held_out(engine, risk):
    X, y, f = drawn()
    y = np.searchsorted(np.quantile(f, [0.3, 0.6]), f) if risk == "multipartite" else y
    noisy = np.where(np.random.default_rng(0).random(500) < 0.3, 0, y)
    model = BoostedRanker(
        engine=engine,
        risk=risk,
        n_rounds=300,
        learning_rate=0.3,
        validation_fraction=0.3,
        random_state=0,
    ).fit(X, noisy)
    errors = model.validation_error_
    assert model.n_iter_ == errors.argmin() + 1
    assert errors.size == model.n_iter_ + 10 < 300
    assert u_pairs(y, model.rank_scores(X)) > 0.8
    assert len(list(model.staged_decision_function(X))) == model.n_iter_
    assert errors.min() < 0.3
    assert (clone(model).fit(X, noisy).validation_error_ == errors).all()
    model.set_params(validation_fraction=None, n_rounds=3).fit(X, noisy)
    assert not hasattr(model, "validation_error_")


def test_levels_are_ranked_and_have_no_probabilities(engine):
    X, _, f = drawn()
    words = np.array(["bad", "fair", "good"])[np.searchsorted([-0.5, 0.5], f)]
    order = ["bad", "fair", "good"]
    for loss in ("logistic", "squared_hinge", "exponential"):
        model = BoostedRanker(
            engine=engine, loss=loss, risk="multipartite", levels=order, **SMALL
        ).fit(X, words)
        assert model.score(X, words) > 0.85
        assert not hasattr(model, "predict_proba")
        assert (model.predict(X) == model.decision_function(X)).all()
    with pytest.raises(ValueError, match="there are 3 classes"):
        BoostedRanker(engine=engine, **SMALL).fit(X, words)
    with pytest.raises(ValueError, match=r"needs two levels.*set risk='multipartite'"):
        BoostedRanker(engine=engine, levels=order, **SMALL).fit(X, words)


def test_levels_turn_signs_as_for_other_rankers(engine):
    X, y, _ = drawn()
    words = np.array(["stay", "churn"])[y]
    with pytest.warns(ClassOrderWarning):
        model = BoostedRanker(engine=engine, levels=["stay", "churn"], **SMALL).fit(X, words)
    known = BoostedRanker(engine=engine, **SMALL).fit(X, y)
    assert (model.rank_scores(X) == known.decision_function(X)).all()
    assert (model.predict(X) == np.array(["stay", "churn"])[known.predict(X)]).all()
    assert (model.predict_proba(X) == known.predict_proba(X)[:, ::-1]).all()


def test_groups_leave_pairs_within(engine):
    X, y, _ = drawn()
    groups = np.arange(500) % 7
    shifted = X + 0.0
    shifted[:, 3] = groups
    across = np.where(groups > 3, 1, y)  # groups of one class
    model = BoostedRanker(engine=engine, **SMALL)
    assert fit_takes(model) == {"groups", "sample_weight"}
    within = model.fit(shifted, across, groups=groups)
    used = within.decision_function(shifted)
    shuffled = np.random.default_rng(0).permutation(500)
    same = clone(model).fit(shifted[shuffled], across[shuffled], groups=groups[shuffled])
    order = auc(y[groups <= 3], used[groups <= 3])
    assert order > 0.85
    assert auc(y[groups <= 3], same.decision_function(shifted)[groups <= 3]) > 0.85
    stopped = clone(model).set_params(validation_fraction=0.5, random_state=1)
    assert fit_takes(stopped) == {"groups"}
    stopped.fit(X, y, groups=groups)
    assert stopped.validation_error_[0] < 0.5
    with pytest.raises(ValueError, match="each group has a single class"):
        model.fit(X, y, groups=np.arange(500))
    with pytest.raises(ValueError, match="groups cannot be used with risk='balanced'"):
        BoostedRanker(engine=engine, risk="balanced").fit(X, y, groups=groups)


@every_way
def test_weights_of_0_are_no_rows(engine, risk, loss):
    X, y, _ = drawn()
    weight = (np.arange(500) % 3 > 0).astype(float)
    model = BoostedRanker(engine=engine, loss=loss, risk=risk, **SMALL)
    found = model.fit(X, y, sample_weight=weight).decision_function(X)
    kept = clone(model).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_allclose(found, kept.decision_function(X), atol=1e-6)
    heavy = clone(model).fit(X, y, sample_weight=1.0 + 20.0 * (X[:, 0] > 0))
    assert not np.allclose(heavy.decision_function(X), clone(model).fit(X, y).decision_function(X))
    for wrong, words in ((np.zeros(500), "non-zero|all be 0|are 0"), (-weight, "Negative")):
        with pytest.raises(ValueError, match=words):
            model.fit(X, y, sample_weight=wrong)
    with pytest.raises(ValueError, match="only one class, '1'"):
        model.fit(X, y, sample_weight=y)
    with pytest.raises(ValueError, match="sample_weight cannot be used with validation_fraction"):
        clone(model).set_params(validation_fraction=0.2).fit(X, y, sample_weight=weight)


def test_balanced_classes_weigh_alike(engine):
    X, y, _ = drawn(share=0.1)
    balanced = BoostedRanker(engine=engine, risk="balanced", **SMALL).fit(X, y)
    weight = np.where(y == 1, 2 * 0.9, 2 * 0.1)
    points = BoostedRanker(engine=engine, risk="classification", **SMALL)
    points.fit(X, y, sample_weight=weight)
    difference = balanced.decision_function(X) - points.decision_function(X)
    np.testing.assert_allclose(difference, balanced.intercept_, atol=1e-6)
    assert balanced.intercept_ < -1.0


def test_categories_and_missing_values_are_the_engines(engine):
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue", "grey"], 400)
    y = np.isin(colour, ["red", "grey"]).astype(int)
    frame = pd.DataFrame({"colour": pd.Categorical(colour), "noise": rng.standard_normal(400)})
    model = BoostedRanker(engine=engine, n_rounds=10, max_leaf_nodes=4).fit(frame, y)
    assert model.feature_names_in_.tolist() == ["colour", "noise"]
    assert model.score(frame, y) == 1.0
    turned = frame.assign(
        colour=frame["colour"].cat.reorder_categories(["red", "grey", "green", "blue"])
    )
    assert (model.decision_function(turned) == model.decision_function(frame)).all()
    with pytest.raises(ValueError, match="feature names"):
        model.decision_function(frame.rename(columns={"noise": "other"}))
    X = rng.standard_normal((400, 2))
    X[y == 1, 0] = np.nan
    assert BoostedRanker(engine=engine, **SMALL).fit(X, y).score(X, y) == 1.0
    X[0, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        BoostedRanker(engine=engine, **SMALL).fit(X, y)


def test_all_parameters_of_the_engine_pass_through(engine):
    X, y, _ = drawn()
    plain = BoostedRanker(engine=engine, **SMALL).fit(X, y).decision_function(X)
    params = {"max_delta_step": 0.01, "reg_lambda": 5.0}
    other = BoostedRanker(engine=engine, params=params, **SMALL).fit(X, y).decision_function(X)
    assert np.abs(other - np.median(other)).max() < 0.3 < np.abs(plain - np.median(plain)).max()


GIVEN = [
    ({"engine": "lightgmb"}, "unknown engine 'lightgmb'.*did you mean 'lightgbm'"),
    ({"loss": "hinge"}, "unknown loss 'hinge'"),
    ({"risk": "push"}, "unknown risk 'push'"),
    ({"risk": "balanced", "loss": "exponential"}, "loss='exponential' is for pairs"),
    ({"n_rounds": 0}, "n_rounds must be"),
    ({"max_leaf_nodes": 1}, "max_leaf_nodes must be an integer >= 2"),
    ({"learning_rate": 0.0}, "learning_rate must be"),
    ({"curvature": -1.0}, "curvature must be"),
    ({"validation_fraction": 1.0}, "validation_fraction must be"),
    ({"n_iter_no_change": 0}, "n_iter_no_change must be"),
    ({"n_jobs": 0}, "n_jobs must be"),
    ({"params": "depth=3"}, "params must be a dict"),
    ({"params": {"objective": "binary"}}, "'objective': set it by loss and risk"),
    ({"params": {"n_estimators": 5}}, "'n_estimators': set it by n_rounds"),
    ({"params": {"eta": 0.3}}, "'eta': set it by learning_rate"),
    ({"params": {"scale_pos_weight": 3}}, "'scale_pos_weight': set it by risk='balanced'"),
    ({"params": {"is_unbalance": True}}, "'is_unbalance'.*'balanced'"),
    ({"params": {"callbacks": []}}, "'callbacks'.*validation_fraction"),
    ({"params": {"eval_metric": "auc"}}, "'eval_metric': set it by validation_fraction"),
    ({"params": {"early_stopping_rounds": 5}}, "'early_stopping_rounds'.*n_iter_no_change"),
]


@pytest.mark.parametrize(("given", "words"), GIVEN)
def test_bad_parameters_are_refused_without_an_engine(given, words):
    with pytest.raises(ValueError, match=words):
        BoostedRanker(**given).check()


def test_lightgbm_refuses_parameters_that_it_does_not_know():
    pytest.importorskip("lightgbm", reason="needs the package lightgbm")
    X, y, _ = drawn(100)
    with pytest.raises(ValueError, match=r"no parameter 'min_data_in_leav'.*'min_data_in_leaf'"):
        BoostedRanker(params={"min_data_in_leav": 3}).fit(X, y)


def test_xgboost_warns_of_parameters_that_it_does_not_know():
    pytest.importorskip("xgboost", reason="needs the package xgboost")
    X, y, _ = drawn(100)
    with pytest.warns(UserWarning, match="min_child_wait.*not used"):
        BoostedRanker(engine="xgboost", params={"min_child_wait": 3}, n_rounds=2).fit(X, y)


@every_way
def test_rows_that_no_tree_tells_apart_are_said(engine, risk, loss):
    X, y, _ = drawn(30)
    few = {"min_data_in_leaf": 20} if engine == "lightgbm" else {"min_child_weight": 20}
    for rows in (X, np.ones((30, 2))):
        with pytest.warns(ConvergenceWarning, match="so all scores are equal.*set params"):
            model = BoostedRanker(engine=engine, loss=loss, risk=risk, params=few).fit(rows, y)
        assert model.predict_proba(X[:, : rows.shape[1]])[:, 1] == pytest.approx(
            y.mean(), abs=1e-5
        )


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_that_is_not_installed_is_asked_for(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    X, y, _ = drawn(50)
    model = BoostedRanker(engine=name)
    model.check()
    with pytest.raises(ImportError, match=rf"pip install 'rankexp\[{name}\]'"):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.decision_function(X)


def test_the_objective_is_that_of_the_room():
    """What BoostedRanker prepares once gives the bits of the call that is made each round."""
    X, y, _ = drawn()
    s = X[:, 0]
    for loss in ("logistic", "squared_hinge", "exponential"):
        pairs = PairObjective(loss)
        prepared = pairs.prepared(y, 2)
        for one, other in zip(prepared(s), pairs(y.astype(np.float32), s), strict=True):
            assert (one == other).all()
        with pytest.raises(ValueError, match="500 of 500 scores are not finite"):
            prepared(np.full(500, np.nan))


def test_the_engine_belongs_to_the_key_of_a_record(engine):
    """Records by another version of LightGBM are others."""
    found = of_method(Method(estimator="BoostedRanker", params={"engine": engine}))
    (package,) = found
    assert package.startswith(engine)
    assert found[package] == sys.modules[engine].__version__
    both = of_method(Method(estimator="BoostedRanker", grid={"engine": ["lightgbm", engine]}))
    assert both.keys() >= found.keys()


@pytest.mark.parametrize("strange", [["a", "b"] * 50, pd.to_datetime(["2026-01-01"] * 100)])
@pytest.mark.parametrize("also", [{}, {"kind": pd.Categorical(["u", "v"] * 50)}])
def test_a_column_of_no_numbers_is_named_with_what_to_do(engine, strange, also):
    X = pd.DataFrame({"size": np.arange(100.0), "when": strange, **also})
    with pytest.raises(ValueError, match=r"column 'when'.*X\['when'\].astype\('category'\)"):
        BoostedRanker(engine=engine).fit(X, X["size"] > 60)
    # numbers that are objects, or whole numbers with one missing, are numbers
    X["when"] = pd.array([1, None] * 50, dtype="Int64")
    X = X.astype({"size": object})
    assert BoostedRanker(engine=engine, n_rounds=3).fit(X[["when", "size"]], X["size"] > 60)


def test_infinity_beside_categories_is_named(engine):
    X = pd.DataFrame({"size": np.arange(100.0), "kind": pd.Categorical(["u", "v"] * 50)})
    model = BoostedRanker(engine=engine, n_rounds=3).fit(X, X["size"] > 60)
    with pytest.raises(ValueError, match="column 'size' of X holds infinity"):
        model.decision_function(X.assign(size=np.inf))


@pytest.mark.parametrize("share", [None, 0.3])
def test_chance_is_anew_in_each_fit_without_a_random_state(engine, share):
    X, y, _ = drawn()
    name = "subsample" if engine == "xgboost" else "bagging_fraction"
    more = {} if engine == "xgboost" else {"bagging_freq": 1}
    model = BoostedRanker(
        engine=engine, validation_fraction=share, params={name: 0.5, **more}, **SMALL
    )
    first, second = (clone(model).fit(X, y).decision_function(X) for _ in range(2))
    assert (first != second).any()
    seeded = clone(model).set_params(random_state=3)
    first, second = (clone(seeded).fit(X, y).decision_function(X) for _ in range(2))
    assert (first == second).all()
