"""Regression on ranks and levels of the target, and the paper's equalities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

from rankexp.estimators import ProportionalOdds
from rankexp.metrics.continuous import iauc
from rankexp.studies.clemencon2017.checks.identities import identities
from rankexp.studies.clemencon2017.on_ranks import (
    ForestOnRanks,
    LinearOnRanks,
    OddsOfLevels,
    TreeOnRanks,
    ranks,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = np.round(X @ [1.0, 2.0, 0.0] + RNG.normal(size=60), 1)
MODELS = [
    TreeOnRanks(max_depth=3, random_state=0),
    ForestOnRanks(n_estimators=5, random_state=0),
    LinearOnRanks(),
    OddsOfLevels(4),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda one: type(one).__name__)
def test_no_increasing_map_of_the_target_changes_the_fit(model):
    own = clone(model).fit(X, Y).predict(X)
    for mapped in (np.exp(Y), Y**3, 1e6 * Y - 5):
        assert np.array_equal(clone(model).fit(X, mapped).predict(X), own)


def test_least_squares_on_y_is_changed():
    own = LinearRegression().fit(X, Y).predict(X)
    other = LinearRegression().fit(X, np.exp(Y)).predict(X)
    assert (own.argsort() != other.argsort()).any()


def test_the_fit_is_that_of_the_base_to_the_ranks():
    tree = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, ranks(Y))
    assert np.array_equal(tree.predict(X), MODELS[0].fit(X, Y).predict(X))
    weights = np.arange(60.0)
    linear = LinearRegression().fit(X, ranks(Y), weights)
    assert np.array_equal(linear.predict(X), LinearOnRanks().fit(X, Y, weights).predict(X))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_ranks_are_shares_and_ties_share_theirs(values):
    got = ranks(values)
    for value, own in zip(values, got, strict=True):
        below, equal = sum(v < value for v in values), values.count(value)
        assert own == pytest.approx((below + (equal + 1) / 2) / len(values))


@pytest.mark.parametrize("cuts", [2, 4, 8])
def test_levels_have_about_the_same_size(cuts):
    y = RNG.permutation(80).astype(float)
    model = OddsOfLevels(cuts).fit(RNG.normal(size=(80, 2)), y)
    assert len(model.levels_) == cuts
    tied = np.repeat(y, 2)
    assert len(OddsOfLevels(cuts).fit(RNG.normal(size=(160, 2)), tied).levels_) == cuts
    assert isinstance(model, ProportionalOdds) and model.lam == 1e-4


def test_on_the_toy_a_tree_on_ranks_ranks_far_better_than_one_on_values():
    from rankexp import registry

    model = registry.get("generators", "polynomial")().draw_model(np.random.default_rng(3))
    train, test = (model.sample(n, np.random.default_rng(n)) for n in (100, 2000))
    plain = DecisionTreeRegressor(max_depth=3, random_state=0).fit(*train)
    ranked = TreeOnRanks(max_depth=3, random_state=0).fit(*train)
    assert iauc(test[1], ranked.predict(test[0])) > iauc(test[1], plain.predict(test[0])) + 0.1


@pytest.mark.parametrize("seed", range(5))
def test_the_equalities_hold_up_to_rounding(seed):
    found = {row["quantity"]: row["value"] for row in identities(np.random.default_rng(seed))}
    assert found["change_of_iauc"] == found["change_of_tau"] == 0
    assert found["tau_less_auc"] < 1e-12


def test_too_few_examples_for_the_equalities_are_refused():
    with pytest.raises(ValueError, match="n=9: expected 10"):
        identities(np.random.default_rng(0), n=9)
