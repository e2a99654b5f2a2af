"""Several numbers of rounds read off one fit."""

import numpy as np
import pytest
from sklearn.base import clone

from rankexp.estimators import ORBoost, RankBoost

FITS = {
    "bipartite": (RankBoost(cuts="equidistant", n_cuts=9), {}),
    "turned": (RankBoost(levels=[1, 0]), {}),
    "multipartite": (
        RankBoost(risk="multipartite", loss="logistic", queries="each"),
        {"groups": None},
    ),
    "held out": (RankBoost(validation_fraction=0.3, random_state=1, n_iter_no_change=5), {}),
    "weights": (RankBoost(), {"sample_weight": None}),
    "levels": (ORBoost(), {"sample_weight": None}),
    "levels, all": (ORBoost(variant="all"), {}),
}


@pytest.mark.filterwarnings("ignore::rankexp.errors.ClassOrderWarning")
@pytest.mark.parametrize("name", FITS)
def test_numbers_of_rounds_read_off_one_fit_are_those_of_fits(name):
    model, given = FITS[name]
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 3))
    y = np.digitize(X[:, 0] + rng.standard_normal(90), [0.0, 1.0])
    if getattr(model, "risk", "") == "bipartite":
        y = np.minimum(y, 1)
    values = {"groups": rng.integers(0, 5, 90), "sample_weight": rng.integers(0, 3, 90)}
    given = {key: values[key] for key in given}
    rounds = [7, 1, 40, 3]
    before = dict(vars(model))
    several = model.fit_rounds(rounds, X, y, **given)
    assert vars(model) == before
    for n, found in zip(rounds, several, strict=True):
        alone = clone(model).set_params(n_rounds=n).fit(X, y, **given)
        assert found.get_params() == alone.get_params()
        assert vars(found).keys() == vars(alone).keys()
        for attribute, value in vars(alone).items():
            if attribute.endswith("_"):
                assert np.array_equal(getattr(found, attribute), value), attribute
        assert np.array_equal(found.decision_function(X), alone.decision_function(X))
        assert np.array_equal(found.predict(X), alone.predict(X))


def test_impossible_numbers_of_rounds_are_refused():
    X, y = np.arange(4.0)[:, None], [0, 1, 0, 1]
    with pytest.raises(ValueError, match="n_rounds must be"):
        RankBoost().fit_rounds([3, 0], X, y)
    assert RankBoost().fit_rounds([], X, y) == []
