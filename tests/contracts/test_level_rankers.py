"""What every estimator that ranks K ordered levels must keep."""

import inspect
import warnings
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning
from sklearn.utils import get_tags

from rankexp import registry
from rankexp.errors import ClassOrderWarning
from rankexp.metrics import u_pairs
from rankexp.testing import check_ranker

VARIANTS = {
    "LinearRanker": [
        {"loss": loss, "lam": 1e-2}
        for loss in ("hinge", "squared_hinge", "logistic", "exponential")
    ],
    "KernelRanker": [{"loss": loss} for loss in ("hinge", "squared_hinge", "logistic")],
    "RankBoost": [{"n_rounds": 20}, {"n_rounds": 20, "loss": "logistic"}],
    "SmoothMarginRanker": [{"n_rounds": 20}],
    "ORBoost": [{"variant": name, "n_rounds": 20} for name in ("lr", "all")],
    "BoostedRanker": [
        {"engine": "lightgbm", "n_rounds": 20, "params": {"min_data_in_leaf": 5}},
        {"engine": "xgboost", "n_rounds": 20, "loss": "squared_hinge"},
    ],
    "OrdinalSVM": [{"constraints": name} for name in ("adjacent", "all")],
}


def rankers():
    """Return every estimator that takes `levels`, with its variants."""
    for name in registry.names("estimators"):
        estimator = registry.get("estimators", name)
        known = inspect.signature(estimator).parameters
        if "levels" not in known:
            continue
        risk = {"risk": "multipartite"} if "risk" in known else {}
        for variant in VARIANTS.get(name, [{}]):
            words = "-".join(str(value) for value in variant.values())
            engine = variant.get("engine")
            lacks = engine is not None and find_spec(engine) is None
            marks = pytest.mark.skipif(lacks, reason=f"needs the package {engine}")
            yield pytest.param(estimator, risk | variant, id=f"{name}-{words}", marks=marks)


def which_have(attribute=""):
    """Return a mark that runs a test over the rankers with some method."""
    found = [case for case in rankers() if not attribute or hasattr(case.values[0], attribute)]
    return pytest.mark.parametrize(("estimator", "parameters"), found)


level_rankers = which_have()


def make(seed=0, n=90):
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((n, 3)), 1)
    s = X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.standard_normal(n)
    return X, np.searchsorted(np.quantile(s, [0.2, 0.6, 0.8]), s)


def fit(estimator, parameters, X, y, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return estimator(**parameters, **more).fit(X, y)


def ordered(values, categories):
    return pd.Series(pd.Categorical(values, categories=categories, ordered=True))


@level_rankers
def test_an_ordered_categorical_has_the_order_of_its_categories(estimator, parameters):
    X, y = make()
    known = fit(estimator, parameters, X, y)
    names = np.array([10, 9, 8, 7])  # 10 is the worst
    target = ordered(names[y], names)
    for given in (target, target.array, target.to_frame()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataConversionWarning)
            model = fit(estimator, parameters, X, given)
        assert model.levels_.tolist() == names.tolist()
        assert (model.decision_function(X) == known.decision_function(X)).all()
    if hasattr(estimator, "path"):
        path = estimator(**parameters).path(X, target, [0.1])
        assert (path.coef == estimator(**parameters).path(X, y, [0.1]).coef).all()
    assert fit(estimator, parameters, X, target, levels=[10, 9, 8, 7, 6]).levels_.tolist()[-1] == 6
    with pytest.raises(ValueError, match="contradict the order of y"):
        fit(estimator, parameters, X, target, levels=[7, 8, 9, 10])


@pytest.mark.parametrize(
    ("estimator", "parameters"), [case for case in rankers() if "risk" in case.values[1]]
)
def test_of_two_ordered_categories_the_last_is_the_positive_class(estimator, parameters):
    X, y = make()
    words = ordered(np.array(["yes", "no"])[(y > 1).astype(int)], ["unused", "yes", "no"])
    for risk in ("bipartite", "multipartite"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ClassOrderWarning)
            model = fit(estimator, parameters | {"risk": risk}, X, words)
        assert u_pairs(y > 1, model.rank_scores(X)) > 0.75
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize(
    ("estimator", "parameters"), [case for case in rankers() if "loss" in case.values[1]]
)  # all others do in test_estimators.py
def test_keeps_its_contract(estimator, parameters):
    check_ranker(estimator(**parameters), scikit_learn=False)


@level_rankers
def test_missing_values_are_refused_or_ranked(estimator, parameters):
    X, y = make()
    holed = X.copy()
    holed[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        estimator(**parameters).fit(X, np.where(y == 1, np.nan, y))
    if get_tags(estimator(**parameters)).input_tags.allow_nan:
        found = fit(estimator, parameters, holed, y).decision_function(holed)
        assert np.isfinite(found).all()
        return
    with pytest.raises(ValueError, match="NaN"):
        estimator(**parameters).fit(holed, y)
    with pytest.raises(ValueError, match="NaN"):
        fit(estimator, parameters, X, y).decision_function(holed)


@level_rankers
def test_constant_features(estimator, parameters):
    X, y = make()
    X[:, 2] = 5.0
    model = fit(estimator, parameters, X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert u_pairs(y, model.decision_function(X)) > 0.75
    nothing = fit(estimator, parameters, np.full_like(X, 2.0), y)
    s = nothing.decision_function(X)
    assert np.isfinite(s).all()
    assert len(set(nothing.decision_function(np.full_like(X, 2.0)).tolist())) == 1


@which_have("path")
def test_turning_the_levels_round_turns_the_scores_round(estimator, parameters):
    X, y = make()
    path = estimator(**parameters).path(X, y, [1.0, 1e-2])
    turned = estimator(**parameters).path(X, 3 - y, [1.0, 1e-2])
    np.testing.assert_allclose(turned.coef, -path.coef, atol=5e-3)
    np.testing.assert_allclose(turned.objective, path.objective, rtol=1e-5)
    moved = estimator(**parameters).path(X + np.array([5.0, -3.0, 100.0]), y, [1.0, 1e-2])
    np.testing.assert_allclose(moved.coef, path.coef, atol=5e-3)
    np.testing.assert_allclose(moved.objective, path.objective, rtol=1e-5)


@level_rankers
def test_predicts_numbers_as_a_regressor_does(estimator, parameters):
    made = estimator(**parameters)
    assert not is_classifier(made)
    assert is_regressor(made)


@which_have("path")
def test_the_path_scores_as_the_fits_do(estimator, parameters):
    X, y = make()
    path = estimator(**parameters).path(X, y, [1.0, 1e-2])
    assert path.coef.shape == (3, 2)
    for j, lam in enumerate((1.0, 1e-2)):
        model = fit(estimator, parameters | {"lam": lam}, X, y)
        np.testing.assert_allclose(X @ path.coef[:, j], model.decision_function(X), atol=1e-2)
