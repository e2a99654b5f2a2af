"""Table 1 of clemencon2017 over 100 seeds: what the paper's single run is one draw of."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from rankexp.estimators import CRank, KendallTree
from rankexp.generators import Polynomial
from rankexp.metrics import d_tau, iauc, mse

pytestmark = pytest.mark.fidelity
MADE = {
    "CRank": CRank(depth=3),
    "Kendall": KendallTree(depth=3),
    "CART": DecisionTreeRegressor(max_depth=3),
}


@pytest.fixture(scope="module")
def found():
    """Return IAUC (6), d_tau (8) and MSE by method, (100, 3) each."""
    model = Polynomial().draw_model(np.random.default_rng(0))
    values = {name: [] for name in MADE}
    for seed in range(100):
        rng = np.random.default_rng(seed)
        (X, y), (X_test, y_test) = model.sample(100, rng), model.sample(2000, rng)
        for name, estimator in MADE.items():
            s = estimator.fit(X, y).predict(X_test)
            scale = {"score_scale": getattr(estimator, "score_scale_", 1)}
            error = mse(s, model.mean(X_test), scale)
            values[name].append((iauc(y_test, s), d_tau(y_test, s), error))
    return {name: np.array(rows) for name, rows in values.items()}


@pytest.mark.parametrize(
    ("name", "expected", "within"),
    [
        ("CRank", (0.93, 0.84, 0.096), (0.02, 0.03, 0.01)),
        ("Kendall", (0.94, 0.85, 0.092), (0.01, 0.01, 0.01)),
        ("CART", (0.61, 0.58, 8.2e-4), (0.03, 0.02, 4e-4)),
    ],
)
def test_means(found, name, expected, within):
    assert (np.abs(found[name].mean(axis=0) - expected) <= within).all()


def test_cart_predicts_best_and_ranks_worst_every_time(found):
    for name in ("CRank", "Kendall"):
        assert (found["CART"][:, 0] < found[name][:, 0]).all()
        assert (found["CART"][:, 2] < found[name][:, 2]).all()


def test_the_published_tau_is_out_of_reach(found):
    """.92 and .93 are printed; eight cells cannot reach them under (8)."""
    assert max(found["CRank"][:, 1].max(), found["Kendall"][:, 1].max()) < 0.9
