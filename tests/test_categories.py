"""Ordered categories keep their order in trees and in metrics; complex scores are refused."""

import numpy as np
import pandas as pd
import pytest

from rankexp import metrics
from rankexp.categories import categories_of, has_own_order, in_numbers, in_order
from rankexp.estimators import CRank, KendallTree, RankingForest

NAMES = [10, 9, 8]


def make(seed=0, n=60):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    return X, np.searchsorted([-0.5, 0.5], X[:, 0] + 0.3 * rng.standard_normal(n))


def ordered(y, names=NAMES):
    return pd.Series(pd.Categorical(np.array(names)[y], categories=names, ordered=True))


def test_only_what_is_ordered_has_categories():
    target = ordered(np.array([2, 0, 1]))
    assert categories_of(target) == categories_of(target.array) == NAMES
    assert categories_of(target.to_frame()) == NAMES
    for other in (target.astype(int), target.cat.as_unordered(), [8, 10], np.array([8, 10])):
        assert categories_of(other) is None
        assert in_numbers(other) is other
    missing = pd.Categorical([None, 9], categories=NAMES, ordered=True)
    np.testing.assert_array_equal(in_numbers(missing), [np.nan, 1.0])


@pytest.mark.parametrize(
    "tree", [CRank(), KendallTree(), RankingForest(n_estimators=5, random_state=0)]
)
def test_trees_take_the_order_of_categories(tree):
    X, y = make()
    known = tree.fit(X, y).predict(X)
    assert (tree.fit(X, ordered(y)).predict(X) == known).all()
    assert (tree.fit(X, ordered(y, ["low", "mid", "high"])).predict(X) == known).all()
    with pytest.raises(ValueError, match="NaN"):
        tree.fit(X, ordered(y).where(y > 0))


LEVELS = [metrics.u_pairs, metrics.u_ovo, metrics.u_cons, metrics.kendall_tau_b, metrics.iauc]


@pytest.mark.parametrize("metric", [*LEVELS, metrics.one_minus_discordance])
def test_metrics_take_the_order_of_categories(metric):
    X, y = make()
    assert metric(ordered(y), X[:, 0]) == metric(y, X[:, 0])
    assert metric(ordered(y), X[:, 0]) != metric(np.array(NAMES)[y], X[:, 0])


@pytest.mark.parametrize("metric", [metrics.auc, metrics.rank_loss])
def test_of_two_categories_the_last_is_positive(metric):
    X, y = make()
    two = ordered((y > 0).astype(int), ["yes", "no"])
    assert metric(two, X[:, 0]) == metric(y > 0, X[:, 0])


@pytest.mark.parametrize("metric", [*LEVELS, metrics.auc, metrics.rank_loss])
def test_complex_scores_are_refused(metric):
    X, y = make()
    y = y if metric in LEVELS else y > 0
    with pytest.raises(ValueError, match="complex"):
        metric(y, X[:, 0] + 1j)
    if metric in LEVELS:
        assert np.isfinite(metric(y, X[:, 0]))


def test_labels_are_put_in_the_order_of_levels():
    y = np.array(["good", "bad", "good"])
    assert in_order(y, ["bad", "good"]).tolist() == [1, 0, 1]
    assert in_order(pd.Series(y, dtype="category"), ("good", "bad")).tolist() == [0, 1, 0]
    assert in_order([2.0, 3.0], [3, 2]).tolist() == [1, 0]
    assert in_order([2, 3], None) == in_order([2, 3], 2) == [2, 3]


def test_words_have_no_order_of_their_own():
    for words in (["a", "b"], np.array(["a", 1], dtype=object), pd.Series(["a", "b"])):
        assert not has_own_order(words)
        with pytest.raises(ValueError, match="have no order of their own: give levels="):
            in_order(words, None)
    ordered = pd.Categorical(["a", "b"], categories=["b", "a"], ordered=True)
    for numbers in ([1, 2], np.array([1, 2.5], dtype=object), [True, False], ordered):
        assert has_own_order(numbers)


class Enum:
    """The type of a column of polars whose values have an order."""

    categories = ("bad", "fair", "good")


class Series:
    """A column of polars, as far as it matters: there is no polars to import here."""

    dtype = Enum()

    def __array__(self, dtype=None, copy=None):
        return np.array(["good", "bad", None, "fair"], dtype=object)


def test_an_enum_of_polars_has_its_order():
    assert categories_of(Series()) == ["bad", "fair", "good"]
    assert has_own_order(Series())
    assert np.array_equal(in_numbers(Series()), [2.0, 0.0, np.nan, 1.0], equal_nan=True)
