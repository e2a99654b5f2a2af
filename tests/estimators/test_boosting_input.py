"""What RankBoost and ORBoost refuse, and how scikit-learn sees them."""

import numpy as np
import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from rankexp.estimators import ORBoost, RankBoost

NO_WEIGHTS = (
    "check_sample_weights_pandas_series",
    "check_sample_weights_not_an_array",
    "check_sample_weights_list",
    "check_sample_weights_shape",
    "check_sample_weights_not_overwritten",
    "check_all_zero_sample_weights_error",
    "check_sample_weight_equivalence_on_dense_data",
    "check_classifiers_one_label_sample_weights",
)


def refused(estimator):
    """Return which checks ask of a ranker what it refuses, or cannot have."""
    known = {"check_regressors_no_decision_function": "it has scores by both names"}
    if getattr(estimator, "validation_fraction", None) is not None:
        known |= dict.fromkeys(NO_WEIGHTS, "weights do not go with a part held out")
    return known


X, Y = np.arange(12.0).reshape(6, 2), np.array([0, 1, 2, 0, 1, 2])


HELD_OUT = RankBoost(validation_fraction=0.3, alpha="textbook", cuts="all", n_rounds=20)
OTHERS = [RankBoost(loss="logistic"), ORBoost(variant="all", cuts="equidistant")]


@parametrize_with_checks([HELD_OUT], expected_failed_checks=refused)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.slow  # contracts/test_estimators.py has both with their defaults
@parametrize_with_checks(OTHERS, expected_failed_checks=refused)
def test_scikit_learn_with_other_losses_and_cuts(estimator, check):
    check(estimator)


def test_tags_follow_the_risk():
    assert is_classifier(RankBoost())
    for ranker in (RankBoost(risk="multipartite"), ORBoost()):
        assert not is_classifier(ranker)
        assert is_regressor(ranker)  # it predicts numbers, the scores
    many, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
    many[:, 0] += y
    assert cross_val_score(RankBoost(), many, y, scoring="roc_auc").mean() > 0.5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"risk": "bipartit"}, r"unknown risk 'bipartit' \(did you mean 'bipartite'\?\)"),
        ({"cuts": "quantiles"}, "did you mean 'quantile'"),
        ({"loss": "hinge"}, "unknown loss 'hinge'"),
        ({"alpha": "best"}, "unknown alpha"),
        ({"n_rounds": 0}, "n_rounds must be an integer >= 1, got 0"),
        ({"n_cuts": 2.5}, "n_cuts must be"),
        ({"smoothing": -1.0}, "smoothing must be a finite number >= 0"),
        ({"smoothing": np.nan}, "smoothing must be"),
        ({"validation_fraction": 1.0}, r"in \(0, 1\), got 1.0"),
        ({"n_iter_no_change": 0}, "n_iter_no_change must be"),
        ({"costs": np.ones((2, 2))}, r"costs must be of shape \(3, 3\)"),
        ({"levels": [0, 1]}, "y holds 2, which is not among the levels"),
        ({"validation_fraction": 0.01}, "no pair to rank among the rows held out"),
        ({"validation_fraction": 0.99}, "leaves no row to train on"),
    ],
)
def test_rank_boost_says_what_is_wrong(parameters, message):
    with pytest.raises(ValueError, match=message):
        RankBoost(**{"risk": "multipartite", **parameters}).fit(X, Y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"variant": "left"}, "unknown variant 'left'; known: lr, all"),
        ({"n_rounds": 0.5}, "n_rounds must be"),
        ({"levels": [2, 2, 0, 1]}, "levels must be distinct"),
    ],
)
def test_or_boost_says_what_is_wrong(parameters, message):
    with pytest.raises(ValueError, match=message):
        ORBoost(**parameters).fit(X, Y)


@pytest.mark.parametrize("made", [RankBoost(risk="multipartite"), ORBoost()])
def test_bad_data_are_refused(made):
    with pytest.raises(ValueError, match="NaN"):
        made.fit(np.where(X == 3.0, np.nan, X), Y)
    with pytest.raises(ValueError, match="two levels"):
        made.fit(X, np.zeros(6))
    with pytest.raises(ValueError, match="no order of their own"):
        made.fit(X, np.array(list("abcabc")))


def test_pairs_need_two_levels_in_a_group():
    with pytest.raises(ValueError, match="no pair to rank"):
        RankBoost(risk="multipartite").fit(X, Y, groups=Y)
    with pytest.raises(ValueError, match="no pair to rank"):
        free = [[0, 0, 1], [0, 0, 0], [0, 0, 0]]
        RankBoost(risk="multipartite", costs=free, levels=[0, 1, 2]).fit(X[:2], [1, 2])
    with pytest.raises(ValueError, match=r"groups must be of shape \(6,\)"):
        RankBoost(risk="multipartite").fit(X, Y, groups=[1, 2])
    with pytest.raises(ValueError, match="two levels, got"):
        RankBoost(levels=[0, 1, 2]).fit(X, Y)


@pytest.mark.parametrize("groups", [[1.0, np.nan] * 3, ["a", None] * 3, ["a", 1] * 3])
def test_missing_groups_are_no_group(groups):
    with pytest.raises(ValueError, match="none missing"):
        RankBoost(risk="multipartite").fit(X, Y, groups=np.array(groups, dtype=object))
    with pytest.raises(ValueError, match="none missing"):
        RankBoost(risk="multipartite").fit(X, Y, groups=[1.0, np.nan] * 3)


def test_one_group_is_not_parted():
    with pytest.raises(ValueError, match="only one group"):
        RankBoost(risk="multipartite", validation_fraction=0.5).fit(X, Y, groups=np.ones(6))


@pytest.mark.parametrize("made", [RankBoost(risk="multipartite"), ORBoost()])
def test_a_continuous_target_is_refused(made):
    with pytest.raises(ValueError, match="1001 levels, more than 1000: bin a continuous target"):
        made.fit(np.zeros((1001, 1)), np.arange(1001))


@pytest.mark.parametrize(
    ("pairs", "labels", "weights", "message"),
    [
        ([[0, 1, 2]], [1], None, r"integers of shape \(m, 2\)"),
        ([[0.0, 1.0]], [1], None, "integers"),
        ([], [], None, "no pair to rank: pairs is empty"),
        ([[0, 1], [0, 6]], [1, 1], None, r"rows of X, 0 \.\. 5: pair 1 is \[0, 6\]"),
        ([[0, 1], [-1, 1]], [1, 1], None, r"pair 1 is \[-1, 1\]"),
        ([[0, 1], [1, 2]], [1, 2], None, r"labels must be -1, 0 or 1, .*: pair 1 has 2"),
        ([[0, 1]], ["1"], None, "pair 0 has '1'"),
        ([[0, 1]], [None], None, "pair 0 has None"),
        ([[0, 1]], [1, 1], None, r"labels must be .* got shape \(2,\)"),
        ([[0, 1]], [False], None, "not booleans"),
        ([[0, 1], [1, 2]], [1, 1], [1e308, 1e308], "sum of sample_weight overflows"),
        ([[0, 1]], [1], [-1.0], "sample_weight must be finite and >= 0"),
        ([[0, 1]], [0], None, "no pair to rank"),
        ([[0, 1]], [1], [0.0], "no pair to rank"),
    ],
)
def test_labelled_pairs_are_checked(pairs, labels, weights, message):
    with pytest.raises(ValueError, match=message):
        RankBoost().fit_pairs(X, pairs, labels, weights)


def test_pairs_leave_no_classes_behind():
    model = RankBoost().fit(X, Y > 1)
    assert model.threshold_ != 0.0
    model.fit_pairs(X, [[5, 0], [0, 2]], [1, -1])
    assert not hasattr(model, "classes_")
    s = model.predict(X)
    assert (s == RankBoost().fit_pairs(X, [[5, 0], [0, 2]], [1, -1]).predict(X)).all()
    assert s[5] > s[0]
    assert s[2] > s[0]


def test_pairs_left_out_take_their_weights_with_them():
    pairs, labels, weights = [[0, 4], [5, 0], [1, 3], [3, 2]], [0, 1, 1, -1], [9.0, 1.0, 0.0, 4.0]
    model = RankBoost().fit_pairs(X, pairs, labels, weights)
    plain = RankBoost().fit_pairs(X, [[5, 0], [2, 3]], [1, 1], [1.0, 4.0])
    assert (model.risk_ == plain.risk_).all()
    assert (model.alphas_ == plain.alphas_).all()
    assert (model.stump_thresholds_ == plain.stump_thresholds_).all()
