"""What every registered estimator must keep: scikit-learn's own checks, for every combination."""

from importlib.util import find_spec

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from rankexp import registry
from rankexp.estimators import (
    BoostedRanker,
    LinearRanker,
    ORBoost,
    OrdinalSVM,
    RankBoost,
    RankingForest,
)
from rankexp.testing import check_ranker

# scikit-learn's checks have up to 200 different targets, each a level: no need to be exact there.
LOOSE = {"tol": 1e-2}
# The cross-entropy of lists is far from 0 where it is least, so that its tolerance says less.
TOLERANCE = {"multipartite": LOOSE, "listwise": {"tol": 1e-10}}
RANKERS = [
    LinearRanker(loss=loss, risk=risk, **TOLERANCE.get(risk, {}))
    for loss, risk in LinearRanker.combinations()
]
# How a ranker is called does not hang on its loss, nor on its risk but for what y may be: scikit-
# learn's fifty checks try one of classes and one of levels, `make slow` one of each other risk,
# and the contract below is kept by all.
CHECKED = [LinearRanker(), LinearRanker(loss="exponential", risk="multipartite", **LOOSE)]
KINDS = {
    "classification": (),
    "bipartite": ("logistic", "squared_hinge", "hinge"),
    "multipartite": ("hinge",),
    "push": ("exponential",),
    "listwise": ("logistic",),
}
MORE = [one for one in RANKERS if one.loss in KINDS[one.risk.partition("(")[0]]]
# Data of the checks are not separable: MaxMarginRanker refuses them, and the Perceptron goes on.
MADE = {
    "OnlineRanker": {"max_iter": 1},
    "ORBoost": {"n_rounds": 20},
    "RankPerceptron": {"max_iter": 1},
    "RankingForest": {"n_estimators": 3},
    "SmoothMarginRanker": {"n_rounds": 20},
}
OTHERS = [
    registry.get("estimators", name)(**MADE.get(name, {}))
    for name in registry.names("estimators")
    if name not in ("LinearRanker", "BoostedRanker", "MaxMarginRanker")
]
# Engines that aren't installed are said to be skipped where they are tested.
OTHERS += [
    BoostedRanker(engine=name, n_rounds=9) for name in ("lightgbm", "xgboost") if find_spec(name)
]
LEVELS = [
    clone(other).set_params(risk="multipartite", **(LOOSE if "tol" in other.get_params() else {}))
    for other in OTHERS
    if "risk" in other.get_params()
] + [ORBoost(variant="all"), OrdinalSVM(constraints="all")]


def refused(estimator):
    """Return which checks ask of a ranker what it refuses, or cannot have."""
    known = {"check_regressors_no_decision_function": "it has scores by both names"}
    if isinstance(estimator, RankBoost) and estimator.risk == "multipartite":
        known["check_regressors_train"] = "the check sets alpha, here a word, to 0.01"
    if isinstance(estimator, RankingForest):
        known["check_sample_weight_equivalence_on_dense_data"] = (
            "the check shuffles copies, which other random examples are drawn of"
        )
    return known


@parametrize_with_checks(CHECKED + OTHERS, expected_failed_checks=refused)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(MORE + LEVELS, expected_failed_checks=refused)
def test_scikit_learn_with_other_risks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", RANKERS + OTHERS + LEVELS, ids=repr)
def test_keeps_its_contract(estimator):
    check_ranker(estimator, scikit_learn=False)
