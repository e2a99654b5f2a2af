"""The engines of boosting-medium.yaml: rounds read off one fit are those of fits of their own."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

FILE = Path(__file__).parents[2] / "configs" / "boosting_medium_engines.py"


@pytest.fixture(scope="module")
def engines():
    spec = importlib.util.spec_from_file_location("boosting_medium_engines", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("Histogram", {}),
        ("Histogram", {"class_weight": "balanced"}),
        ("CatBoosted", {}),
        ("CatBoosted", {"balanced": True}),
        ("CatBoosted", {"pairs": 4}),
    ],
)
def test_rounds_of_one_fit_are_those_of_single_fits(engines, name, given) -> None:
    if name == "CatBoosted":
        pytest.importorskip("catboost", reason="catboost is not installed")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + rng.normal(size=200) > 0.7).astype(int)
    made = getattr(engines, name)(max_leaf_nodes=4, random_state=1, **given)
    for n, model in zip((3, 8), made.fit_rounds([3, 8], X, y), strict=True):
        scores = model.predict(X)
        single = made.set_params(n_rounds=n).fit(X, y).predict(X)
        np.testing.assert_allclose(scores, single, atol=1e-9)
        assert roc_auc_score(y, scores) > 0.7  # the larger class is the positive one


def test_weights_raise_the_scores_of_the_rarer_class(engines) -> None:
    X = np.repeat([[0.0], [1.0]], [80, 80], axis=0)
    y = np.r_[np.zeros(75), np.ones(5), np.zeros(65), np.ones(15)].astype(int)
    plain = engines.Histogram(n_rounds=50).fit(X, y).predict(X)
    balanced = engines.Histogram(n_rounds=50, class_weight="balanced").fit(X, y).predict(X)
    # Balanced weights add the log of the ratio of classes to converged log odds.
    assert balanced.mean() - plain.mean() == pytest.approx(np.log(140 / 20), abs=0.05)
