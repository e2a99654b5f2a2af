"""Numbers with ties: pairs of equal targets count neither in training, nor in the measure."""

from typing import Any

import numpy as np

from rankexp.arrays import Floats
from rankexp.estimators import KendallTree, RankingForest
from rankexp.metrics.continuous import concordance
from rankexp.metrics.metric import parse
from rankexp.runner.compare import methods
from rankexp.runner.compare.question import ask
from rankexp.runner.config.estimators import estimator_of
from rankexp.runner.config.schema import Method


def hurdle(n: int = 600) -> tuple[Floats, Floats]:
    """Return rows of which most are 0, and the others counts; one feature says which."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    counts = rng.random(n) < 1 / (1 + np.exp(2.5 - 2 * X[:, 0]))
    return X, counts * (1.0 + rng.poisson(2.0, n))


def test_a_number_is_measured_over_pairs_of_different_targets() -> None:
    question = ask("y", {f"{value}.5": 40 for value in range(12)})
    assert question.kind == "continuous"
    assert question.metric == "concordance"
    assert parse(question.metric).label == "share of pairs in order"


def test_trees_on_pairs_follow_targets_that_tie() -> None:
    X, y = hurdle()
    made = Method.model_validate(methods.offer("continuous", None).methods["pairs-tree"].content)
    assert made.params["count_ties"] is False
    given: dict[str, Any] = {**made.params, "depth": 3, "min_samples_leaf": 30}
    both = (estimator_of(made)(**given | {"count_ties": count}) for count in (True, False))
    scores = [tree.fit(X[:400], y[:400]).predict(X[400:]) for tree in both]
    with_ties, without = (concordance(y[400:], own) for own in scores)
    assert without > max(0.75, with_ties + 0.05), "a tree that ties count in has one leaf"


def test_a_forest_hands_its_ties_to_its_trees() -> None:
    made = Method.model_validate(methods.offer("continuous", None).methods["pairs-forest"].content)
    forest = estimator_of(made)(**{**made.params, "n_estimators": 1, "random_state": 0})
    assert forest.fit(*hurdle(60)).estimators_[0].count_ties is False
    assert RankingForest(n_estimators=1).fit(*hurdle(60)).estimators_[0].count_ties is True


def test_without_ties_a_tree_is_the_same_either_way() -> None:
    X = np.random.default_rng(1).normal(size=(80, 2))
    y = X[:, 0] + np.random.default_rng(2).normal(size=80)
    for kind in (KendallTree, RankingForest):
        given = {"n_estimators": 3, "random_state": 0} if kind is RankingForest else {}
        both = [kind(depth=3, count_ties=c, **given).fit(X, y).predict(X) for c in (True, False)]
        assert np.array_equal(*both)
