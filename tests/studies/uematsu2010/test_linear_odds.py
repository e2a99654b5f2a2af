"""What a linear proportional-odds model estimates, and that a trained AUC-SVM ties nothing."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import norm

from rankexp.estimators import KernelRanker, ProportionalOdds
from rankexp.generators import Gaussian
from rankexp.studies.uematsu2010.theory.linear_odds import linear_odds, linear_odds_thresholds
from rankexp.studies.uematsu2010.theory.ordinal import (
    proportional_odds,
    proportional_odds_thresholds,
)

SLOPE, GAP = 2.107, 4.337
"""Of the best linear model of N(-2, 1), N(0, 1), N(2, 1); the study prints them."""


def best_line():
    """Return slope and distance of thresholds of the greatest population likelihood."""
    x = np.linspace(-10, 10, 4001)
    of_level = [norm.pdf(x, mean) * (x[1] - x[0]) / 3 for mean in (-2, 0, 2)]

    def loss(values):
        slope, gap = values
        below, above = expit(-gap / 2 - slope * x), expit(slope * x - gap / 2)
        chances = (below, 1 - below - above, above)
        return -sum(w @ np.log(chance) for w, chance in zip(of_level, chances, strict=True))

    return minimize(loss, [2, 4], method="Nelder-Mead", options={"xatol": 1e-8}).x


def test_the_best_line_is_not_the_best_function():
    assert best_line() == pytest.approx([SLOPE, GAP], abs=5e-4)
    model = Gaussian([-2, 0, 2]).draw_model(None)
    assert linear_odds(model, [[1.0], [-2.0]]) == pytest.approx([SLOPE, -2 * SLOPE], abs=2e-3)
    assert linear_odds_thresholds(model) == pytest.approx([-GAP / 2, GAP / 2], abs=5e-4)
    gap = np.diff(proportional_odds_thresholds(model))[0]
    x = np.linspace(-2, 2, 81)
    slope = np.polyfit(x, proportional_odds(model, x[:, None]), 1)[0]
    assert (slope, gap) == pytest.approx((2.151, 4.436), abs=1e-3)


def test_the_linear_model_estimates_the_best_line():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(mean, 1, 50_000) for mean in (-2, 0, 2)])[:, None]
    found = ProportionalOdds(lam=1e-9).fit(X, np.repeat([0, 1, 2], 50_000))
    slope, gap = found.coef_.item(), np.diff(found.thresholds_)[0]
    assert (slope, gap) == pytest.approx((SLOPE, GAP), abs=0.03)  # 2.151 and 4.436 are beyond


def test_a_trained_auc_svm_has_no_ties():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(400, 1)), rng.normal(size=(500, 1))
    y = np.repeat([1, 0], 200)
    X[:200] += 1.0
    X[200:] -= 1.0
    found = KernelRanker(kernel="rbf", gamma=10, loss="hinge", risk="bipartite", lam=0.01)
    assert len(np.unique(found.fit(X, y).decision_function(new))) == 500
