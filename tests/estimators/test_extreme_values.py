"""One cell or one column of any size: a right answer, a clear error or an honest warning."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from rankexp.estimators import CRank, KendallTree, ORBoost, OrdinalSVM, ProportionalOdds, RankBoost

SIZES = [1e20, -3.4e38, 1e100, 1e160, 1e300, 1.7e308, 1e-20, 1e-160, 5e-324]
MODELS = [
    OrdinalSVM(),
    OrdinalSVM(constraints="all"),
    ProportionalOdds(),
    ProportionalOdds(lam=0.0),
]
ORDER_ONLY = [
    CRank(),
    KendallTree(),
    ORBoost(n_rounds=10),
    RankBoost(risk="multipartite", n_rounds=10),
    RankBoost(risk="multipartite", n_rounds=10, cuts="equidistant"),
    RankBoost(risk="multipartite", n_rounds=10, cuts="all"),
]


def make(where, size):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (60, 3))
    y = np.searchsorted([-0.4, 0.4], X[:, 0] + 0.3 * rng.standard_normal(60))
    if where == "a cell":
        X[7, 1] = size
    else:
        X[:, 1] = X[:, 1] * size if where == "a column" else X[:, 1] + size
    return X, y


each = pytest.mark.parametrize("size", SIZES)
places = pytest.mark.parametrize("where", ["a cell", "a column", "a mean"])


@each
@places
@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.timeout(60)
def test_models_end(model, where, size):
    X, y = make(where, size)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        try:
            model.fit(X, y)
        except (ValueError, FloatingPointError) as error:
            assert abs(size) >= 1e150
            assert "column 1" in str(error)
            assert "scale" in str(error)
            return
    assert np.isfinite(model.decision_function(X)).all()
    assert model.gap_ <= model.tol or any(w.category is ConvergenceWarning for w in caught)


@each
@places
@pytest.mark.parametrize("model", ORDER_ONLY, ids=repr)
def test_what_only_sees_the_order_of_values_does_not_mind(model, where, size):
    X, y = make(where, size)
    s = model.fit(X, y).decision_function(X)
    assert np.isfinite(s).all()
    won = (s[y == 2][:, None] > s[y == 0]).mean()
    assert won > 0.7
