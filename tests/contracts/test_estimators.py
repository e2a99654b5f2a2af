"""What every registered estimator must keep: scikit-learn's own checks, for every combination."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from rankexp import registry
from rankexp.estimators import LinearRanker, ORBoost, OrdinalSVM

RANKERS = [LinearRanker(loss=loss, risk=risk) for loss, risk in LinearRanker.combinations()]
OTHERS = [
    registry.get("estimators", name)()
    for name in registry.names("estimators")
    if name != "LinearRanker"
]
LEVELS = [type(other)(risk="multipartite") for other in OTHERS if "risk" in other.get_params()] + [
    ORBoost(variant="all"),
    OrdinalSVM(constraints="all"),
]


@parametrize_with_checks(RANKERS + OTHERS + LEVELS)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", registry.names("estimators"))
def test_every_parameter_has_a_default_and_is_kept(name):
    made = registry.get("estimators", name)()
    assert type(made)(**made.get_params()).get_params() == made.get_params()
