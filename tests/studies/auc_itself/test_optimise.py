"""Scorers that maximise the training AUC."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from rankexp.studies.auc_itself.optimise import AucItself, best_of_plane, surrogate_gradient

RNG = np.random.default_rng(1)
X = np.round(RNG.normal(size=(60, 4)), 1)
Y = (X @ [1.0, 1.0, 0.0, 0.0] + 2 * RNG.normal(size=60) > 0).astype(int)


@pytest.fixture(scope="module")
def climbed():
    return AucItself().fit(X, Y)


def test_it_starts_at_the_fit_and_gains(climbed):
    start = AucItself("").fit(X, Y)
    assert climbed.start_auc_ == start.training_auc_ == start.start_auc_
    assert climbed.training_gain_ > 0 == start.training_gain_
    own = roc_auc_score(Y, climbed.decision_function(X))
    assert own == pytest.approx(climbed.training_auc_)


def test_no_step_along_a_coordinate_gains_anything_more(climbed):
    w, shifted = climbed.coef_[0], X - X.mean(axis=0)
    for unit in np.eye(4):
        for t in np.linspace(-3, 3, 61):
            assert roc_auc_score(Y, shifted @ (w + t * unit)) <= climbed.training_auc_ + 1e-12
    assert climbed.n_sweeps_ < 50


def test_the_same_number_gives_the_same_scorer_and_one_sweep_gains_less(climbed):
    assert np.array_equal(AucItself().fit(X, Y).coef_, climbed.coef_)
    once = AucItself(sweeps=1).fit(X, Y)
    assert once.start_auc_ < once.training_auc_ <= climbed.training_auc_


def test_no_scorer_of_the_plane_has_a_larger_auc():
    model = AucItself(plane=True).fit(X, Y)
    Z = (X - X.mean(axis=0)) @ model.plane_
    angles = np.linspace(0, 2 * np.pi, 150)
    tried = [roc_auc_score(Y, Z @ [np.cos(one), np.sin(one)]) for one in angles]
    assert max(tried) <= model.training_auc_ + 1e-12
    assert model.training_auc_ - max(tried) < 0.01


@pytest.mark.parametrize("best", [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
def test_the_best_scorer_of_the_plane_is_found_in_all_directions(best):
    Z = np.random.default_rng(2).normal(size=(40, 2))
    positive = Z @ best > 0.3
    w = best_of_plane(Z, positive, -np.array(best))
    assert roc_auc_score(positive, Z @ w) == 1


def test_the_surrogates_gradient_points_uphill():
    w, positive = np.array([0.3, -1.0, 0.5, 0.2]), Y == 1

    def surrogate(w, width):
        s = X @ w
        return (1 / (1 + np.exp(-(s[positive][:, None] - s[~positive]) / width))).sum()

    width, gradient = 0.1 * (X @ w).std(), surrogate_gradient(X, positive, w)
    for k, unit in enumerate(np.eye(4)):
        ends = [surrogate(w + sign * 1e-6 * unit, width) for sign in (1, -1)]
        assert (ends[0] - ends[1]) / 2e-6 * width == pytest.approx(gradient[k], rel=1e-4, abs=1e-4)


def test_classes_may_have_any_names_and_pairs_may_be_the_start():
    model = AucItself("gradient", risk="pairs").fit(X, np.array(["a", "b"])[Y])
    assert set(model.predict(X)) <= {"a", "b"}
    assert model.training_auc_ >= model.start_auc_
