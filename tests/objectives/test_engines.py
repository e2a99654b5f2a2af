"""PairObjective as LightGBM's and XGBoost's objective, and beside XGBoost's own exact pairs."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, make_classification

from rankexp.metrics import auc, u_pairs
from rankexp.objectives import PairObjective


def lightgbm():
    return pytest.importorskip("lightgbm", reason="needs LightGBM: rankexp[lightgbm]")


def xgboost():
    return pytest.importorskip("xgboost", reason="needs XGBoost: rankexp[xgboost]")


def drawn(n=600, share=0.2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5))
    f = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.standard_normal(n)
    return X, f, (f > np.quantile(f, 1.0 - share)).astype(int), rng


LIGHT = {"verbosity": -1, "n_estimators": 20, "num_leaves": 8, "n_jobs": 1}
X_G = {"n_estimators": 20, "max_leaves": 8, "n_jobs": 1, "tree_method": "hist"}


def test_lightgbm_takes_weights_groups_and_levels():
    lgb, (X, f, y, rng) = lightgbm(), drawn()
    weight = rng.integers(1, 4, 600).astype(float)
    plain = lgb.LGBMClassifier(objective=PairObjective(), **LIGHT).fit(X, y)
    weighed = lgb.LGBMClassifier(objective=PairObjective(), **LIGHT).fit(X, y, weight)
    s = plain.predict(X, raw_score=True)
    assert auc(y, s) > 0.95
    assert not np.allclose(s, weighed.predict(X, raw_score=True))
    levels = np.searchsorted(np.quantile(f, [0.3, 0.7]), f)
    ranks = lgb.LGBMRegressor(objective=PairObjective("squared_hinge"), **LIGHT).fit(X, levels)
    assert u_pairs(levels, ranks.predict(X)) > 0.9
    sizes = [200, 100, 300]
    within = lgb.LGBMRanker(objective=PairObjective(), **LIGHT).fit(X, levels, group=sizes)
    data = lgb.Dataset(X, levels, group=sizes)
    native = lgb.train({**LIGHT, "objective": PairObjective()}, data)
    assert (within.predict(X) == native.predict(X)).all()
    assert not np.allclose(within.predict(X), ranks.predict(X))
    again = pickle.loads(pickle.dumps(plain))
    assert (again.predict(X, raw_score=True) == s).all()


@pytest.mark.filterwarnings("ignore:.*eval_set")
def test_lightgbm_stops_early_by_a_named_metric():
    lgb, (X, _, y, _) = lightgbm(), drawn()
    model = lgb.LGBMClassifier(objective=PairObjective(), metric="auc", **LIGHT)
    stop = lgb.early_stopping(5, verbose=False)
    model.fit(X[:400], y[:400], eval_set=[(X[400:], y[400:])], callbacks=[stop])
    assert set(model.best_score_["valid_0"]) == {"auc"}


def test_xgboost_takes_weights_groups_and_levels():
    xgb, (X, f, y, rng) = xgboost(), drawn()
    weight = rng.integers(1, 4, 600).astype(float)
    plain = xgb.XGBClassifier(objective=PairObjective(), base_score=0.5, **X_G).fit(X, y)
    weighed = xgb.XGBClassifier(objective=PairObjective(), base_score=0.5, **X_G)
    weighed.fit(X, y, sample_weight=weight)
    s = plain.predict(X, output_margin=True)
    assert auc(y, s) > 0.95
    assert not np.allclose(s, weighed.predict(X, output_margin=True))
    levels = np.searchsorted(np.quantile(f, [0.3, 0.7]), f)
    ranks = xgb.XGBRegressor(objective=PairObjective("exponential"), base_score=0, **X_G).fit(
        X, levels
    )
    assert u_pairs(levels, ranks.predict(X)) > 0.9
    params = {"max_leaves": 8, "base_score": 0, "nthread": 1, "tree_method": "hist"}
    same = xgb.train(params, xgb.DMatrix(X, y), 20, obj=PairObjective())
    assert (same.predict(xgb.DMatrix(X), output_margin=True) == s).all()
    data = xgb.DMatrix(X, levels)
    data.set_group([200, 100, 300])
    within = xgb.train(params, data, 20, obj=PairObjective("exponential"))
    assert not np.allclose(within.predict(xgb.DMatrix(X)), ranks.predict(X))
    assert (pickle.loads(pickle.dumps(plain)).predict(X, output_margin=True) == s).all()


def sets():
    """Yield three data sets of two classes."""
    X, y = load_diabetes(return_X_y=True)
    yield X, (y > 200).astype(int)
    yield make_classification(500, 10, flip_y=0.1, weights=[0.85], random_state=0)
    X, _, y, _ = drawn(400, 0.5, 1)
    yield np.round(X, 1), y


@pytest.mark.parametrize("which", range(3))
def test_xgboost_pairs_of_one_group_are_the_same(which):
    """Its rank:pairwise lists all pairs if told so, adds them up and doubles the curvature."""
    xgb, (X, y) = xgboost(), list(sets())[which]
    n, shared = len(y), {"eta": 0.1, "max_depth": 4, "nthread": 1, "tree_method": "hist"}
    rows = xgb.DMatrix(X, y)
    ours = {**shared, "base_score": 0, "min_child_weight": 1.0, "lambda": 1.0}
    found = xgb.train(ours, rows, 30, obj=PairObjective(curvature=2.0))
    theirs = {
        **shared,
        "base_score": 0,
        "objective": "rank:pairwise",
        "lambdarank_pair_method": "topk",
        "lambdarank_num_pair_per_sample": n,
        "lambdarank_normalization": False,
        "lambdarank_score_normalization": False,
        "min_child_weight": n / 2,
        "lambda": n / 2,
    }
    grouped = xgb.DMatrix(X, y)
    grouped.set_group([n])
    known = xgb.train(theirs, grouped, 30)
    at = xgb.DMatrix(X)
    difference = found.predict(at, output_margin=True) - known.predict(at, output_margin=True)
    assert np.abs(difference).max() <= 1e-5


def test_the_first_tree_is_that_of_balanced_logistic():
    lgb, (X, _, y, _) = lightgbm(), drawn(2000, 0.1)
    p, params = y.mean(), {"verbosity": -1, "num_threads": 1, "boost_from_average": False}
    balance = np.where(y == 1, 2.0 * (1.0 - p), 2.0 * p)
    points = lgb.train({**params, "objective": "binary"}, lgb.Dataset(X, y, weight=balance), 1)
    pairs = lgb.train({**params, "objective": PairObjective()}, lgb.Dataset(X, y), 1)
    difference = points.predict(X, raw_score=True) - pairs.predict(X, raw_score=True)
    assert np.abs(difference).max() <= 1e-12


def test_misuse_is_said():
    lgb, (X, _, y, _) = lightgbm(), drawn()
    three = np.arange(600) % 3
    with pytest.raises(ValueError, match="regressor or a ranker, because a classifier"):
        lgb.LGBMClassifier(objective=PairObjective(), **LIGHT).fit(X, three)
    with pytest.raises(ValueError, match="all labels are 1"):
        lgb.LGBMRegressor(objective=PairObjective(), **LIGHT).fit(X, np.ones(600))
    with pytest.raises(ValueError, match="neither classes"):
        lgb.LGBMRegressor(objective=PairObjective(), **LIGHT).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="all sample weights are 0"):
        lgb.LGBMClassifier(objective=PairObjective(), **LIGHT).fit(X, y, np.zeros(600))
    with pytest.raises(ValueError, match="each group has a single class"):
        lgb.LGBMRanker(objective=PairObjective(), **LIGHT).fit(X, y, group=np.ones(600, int))


@pytest.mark.filterwarnings("ignore:.*eval_set")  # LightGBM 4.7 has other names
def test_it_is_no_metric():
    (X, _, y, _), words = drawn(), "is an objective.*not a metric"
    model = lightgbm().LGBMClassifier(**LIGHT)
    with pytest.raises(TypeError, match=words):
        model.fit(X, y, eval_set=[(X, y)], eval_metric=PairObjective())
    model = xgboost().XGBClassifier(eval_metric=PairObjective(), **X_G)
    with pytest.raises(AttributeError, match=words):
        model.fit(X, y, eval_set=[(X, y)], verbose=False)


def test_groups_of_xgboost_are_for_its_native_functions():
    X, _, y, _ = drawn()
    with pytest.raises(ValueError, match="not supported by XGBRanker"):
        xgboost().XGBRanker(objective=PairObjective(), **X_G).fit(X, y, group=[600])
