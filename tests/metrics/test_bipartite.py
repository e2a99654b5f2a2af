import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, roc_auc_score

from rankexp.metrics import auc, rank_loss
from rankexp.metrics.metric import UndefinedMetricWarning

laws = settings(max_examples=25)
TIES = {"expected": 0.5, "worst": 1.0, "best": 0.0}


def brute(y, scores, tie):
    lost = [
        1.0 if a < b else tie if a == b else 0.0 for a in scores[y == 1] for b in scores[y != 1]
    ]
    return sum(lost) / len(lost)


@st.composite
def problems(draw):
    """Labels of both classes, and scores with many ties and infinities."""
    n = draw(st.integers(2, 30))
    y = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)))
    y[:2] = -1, 1
    values = st.sampled_from([-np.inf, -1.5, -0.0, 0.0, 1e-300, 0.25, 2.0, np.inf])
    return y, draw(hnp.arrays(np.float64, n, elements=values | st.floats(-2, 2)))


@pytest.mark.parametrize("ties", TIES)
@given(problem=problems())
@laws
def test_equals_brute_force_over_pairs(ties, problem):
    y, s = problem
    expected = brute(y, s, TIES[ties])
    assert rank_loss(y, s, ties=ties) == pytest.approx(expected, abs=1e-14)
    assert auc(y, s, ties=ties) == pytest.approx(1 - expected, abs=1e-14)


@given(problem=problems())
@laws
def test_laws(problem):
    y, s = problem
    assert rank_loss(-y, s) == pytest.approx(1 - rank_loss(y, s), abs=1e-15)
    assert rank_loss(-y, -s) == rank_loss(y, s)
    assert rank_loss(y, -s, "worst") == auc(y, s, "best")  # a tie is a tie either way
    assert rank_loss(y, 4 * s) == rank_loss(y, s)  # increasing without merging neighbours
    assert rank_loss(y, np.zeros(len(y))) == 0.5
    middle = (rank_loss(y, s, "worst") + rank_loss(y, s, "best")) / 2
    assert rank_loss(y, s) == pytest.approx(middle, abs=1e-15)
    order = np.random.default_rng(0).permutation(len(y))
    assert rank_loss(y[order], s[order]) == rank_loss(y, s)


@pytest.mark.parametrize("decimals", [1, 9])
def test_agrees_with_scikit_learn(decimals):
    rng = np.random.default_rng(0)
    y = rng.random(3000) < 0.1
    s = np.round(rng.standard_normal(3000) + y, decimals)
    assert auc(y, s) == pytest.approx(roc_auc_score(y, s), abs=1e-13)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("ties", TIES)
def test_a_column_has_the_same_bits_in_a_batch(order, ties):
    rng = np.random.default_rng(1)
    y = np.where(rng.random(501) < 0.3, 1, -1)
    many = np.asarray(np.round(rng.standard_normal((501, 7)), 1), order=order)
    together = rank_loss(y, many, ties=ties)
    assert together.shape == (7,)
    assert together.tolist() == [rank_loss(y, column, ties=ties) for column in many.T]
    assert together.tolist() == [rank_loss(y, many[:, [j]], ties=ties)[0] for j in range(7)]
    assert together.tolist() == rank_loss(y, np.repeat(many, 2, axis=1), ties=ties)[::2].tolist()


@pytest.mark.parametrize(
    "y",
    [
        [False, True, True, False],
        [-1, 1, 1, -1],
        [0, 1, 1, 0],
        [1.5, 2.5, 2.5, 1.5],
        np.array([3, 200, 200, 3], dtype=np.uint8),
        np.array([0, 1, 1, 0], dtype=object),
        np.array(["2020", "2021", "2021", "2020"], dtype="datetime64[Y]"),
    ],
    ids=lambda y: str(getattr(y, "dtype", type(y[0]).__name__)),
)
def test_the_last_of_the_two_labels_is_positive(y):
    assert rank_loss(y, [0.1, 0.9, 0.2, 0.3]) == 0.25


@pytest.mark.parametrize(
    "y",
    [
        ["stay", "churn", "churn", "stay"],
        np.array(["stay", "churn", "churn", "stay"], dtype=object),
        pd.Series(["stay", "churn", "churn", "stay"], dtype="category"),
    ],
    ids=lambda y: str(getattr(y, "dtype", type(y[0]).__name__)),
)
def test_words_are_in_the_order_that_is_given(y):
    s = [0.1, 0.9, 0.2, 0.3]
    for levels in (["stay", "churn"], np.array(["none", "stay", "churn"])):
        assert rank_loss(y, s, levels=levels) == 0.25
        assert auc(y, s, levels=levels, sample_weight=[1, 1, 1, 1]) == 0.75
    assert rank_loss(y, s, levels=["churn", "stay"]) == 0.75
    for levels in (None, 2):
        with pytest.raises(ValueError, match="'churn', 'stay' have no order of their own: give"):
            rank_loss(y, s, levels=levels)
    with pytest.raises(ValueError, match="y holds 'churn', which is not among the levels"):
        auc(y, s, levels=["stay", "go"])
    with pytest.raises(ValueError, match="levels must be a list"):
        auc(y, s, levels="stay")
    with pytest.raises(ValueError, match="levels must be distinct"):
        auc(y, s, levels=["stay", "churn", "stay"])


def test_scores_of_other_types():
    y = [0, 1, 0, 1]
    assert rank_loss(y, [2**53, 2**53 + 1, 2**53 + 1, 2**53]) == 0.5
    assert rank_loss(y, [2**53, 2**53 + 1, 0, 2**53 + 1]) == 0  # int64 is not rounded to float
    assert rank_loss(y, np.array([0, 1, 0, 1], dtype=bool)) == 0
    assert rank_loss(y, np.array([0, 1, 0, 1], dtype=object)) == 0
    assert rank_loss(pd.Series(y), pd.DataFrame({"a": [0, 1, 0, 1]})).tolist() == [0]
    assert isinstance(rank_loss(y, y), float)


def test_input_is_left_alone():
    y, s = np.array([1, 0, 1, 0]), np.array([[3.0, 1], [2, 2], [1, 3], [0, 4]])
    kept = y.copy(), s.copy()
    rank_loss(y, s)
    rank_loss(y, s[:, 0])
    assert (y == kept[0]).all()
    assert (s == kept[1]).all()


@pytest.mark.parametrize("metric", [rank_loss, auc])
def test_one_class_is_nan_with_a_warning(metric):
    with pytest.warns(UndefinedMetricWarning, match="single class") as caught:
        assert np.isnan(metric([1, 1, 1], [1, 2, 3]))
    assert caught[0].filename == __file__
    with pytest.warns(RuntimeWarning):
        batch = metric(["a", "a"], levels=["b", "a"], scores=[[1, 2, 3], [1, 2, 3]])
    assert batch.shape == (3,)
    assert np.isnan(batch).all()


@pytest.mark.parametrize("metric", [rank_loss, auc])
@pytest.mark.parametrize(
    ("y", "scores", "message"),
    [
        ([1, 2, 3], [1, 2, 3], "two values, got 3: 1, 2, 3"),
        (range(7), range(7), "got 7: 0, 1, 2, 3, 4, ..."),
        (list("abcdefg"), range(7), "'a', 'b', 'c', 'd', 'e' have no order"),
        ([0, 1], [0.0, np.nan], "scores hold NaN"),
        ([0, 1], [[0.0, 1], [np.nan, 1]], "scores hold NaN"),
        ([1, 1], [0.0, np.nan], "scores hold NaN"),
        ([0, 1, np.nan], [0, 1, 2], "y holds NaN"),
        (np.array(["a", None, "b"], dtype=object), [0, 1, 2], "None have no order"),
        ([0, 1], [0, 1, 2], r"y \(2,\) and scores \(3,\)"),
        ([[0, 1]], [[0, 1]], r"y \(1, 2\)"),
        ([0, 1], [[[0]], [[1]]], r"scores \(2, 1, 1\)"),
        ([], [], "y is empty"),
    ],
)
def test_bad_input_is_refused(metric, y, scores, message):
    with pytest.raises(ValueError, match=message):
        metric(y, scores)


@pytest.mark.parametrize("ties", ["order", "half", None])
def test_unknown_ties_are_refused(ties):
    with pytest.raises(ValueError, match="expected one of expected, worst, best"):
        rank_loss([0, 1], [0, 1], ties=ties)


def test_no_warning_on_good_input():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rank_loss([0, 1], [-np.inf, np.inf]) == 0
        assert rank_loss([0, 1], np.empty((2, 0))).shape == (0,)


def test_many_pairs_do_not_overflow():
    y = np.repeat([0, 1], 100_000)  # 1e10 pairs, more than 32 bits
    assert rank_loss(y, -y) == 1
    assert auc(y, y) == 1
    assert rank_loss(y, -y[:, None]) == [1]


def test_works_as_a_scikit_learn_scorer():
    X = np.arange(10.0)[:, None]
    y = (X[:, 0] > 4).astype(int)
    scorer = make_scorer(
        rank_loss, greater_is_better=False, response_method="decision_function", ties="worst"
    )
    assert scorer(LogisticRegression().fit(X, y), X, y) == 0
    assert pickle.loads(pickle.dumps(rank_loss)) is rank_loss


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("metric", [rank_loss, auc])
@given(
    problem=problems(), data=st.data(), unit=st.sampled_from([1.0, 0.25, 2.0**1000, 2.0**-1000])
)
@laws
def test_a_weight_is_so_many_copies(metric, ties, problem, data, unit):
    y, s = problem
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y))))
    times[:2] = 1
    copies = metric(np.repeat(y, times), np.repeat(s, times), ties)
    assert metric(y, s, ties, sample_weight=unit * times) == copies
    both = np.column_stack((s, -s))
    weighted = metric(y, both, ties, sample_weight=times)
    assert weighted.tolist() == [copies, metric(y, -s, ties, sample_weight=times)]


@given(problem=problems(), data=st.data())
@laws
def test_a_pair_counts_the_product_of_its_weights(problem, data):
    y, s = problem
    w = np.array(data.draw(st.lists(st.floats(0.01, 9), min_size=len(y), max_size=len(y))))
    up, low = np.nonzero(y == 1)[0], np.nonzero(y != 1)[0]
    lost = [(s[i] < s[j]) + 0.5 * (s[i] == s[j]) for i in up for j in low]
    expected = np.average(lost, weights=[w[i] * w[j] for i in up for j in low])
    assert rank_loss(y, s, sample_weight=w) == pytest.approx(expected, abs=1e-12)
    assert 0.0 <= rank_loss(y, s, sample_weight=w) <= 1.0


@pytest.mark.parametrize("wrong", [[1, 1], [1, -1, 1], [1, np.nan, 1], [np.inf, 1, 1], [0, 0, 0]])
def test_impossible_weights(wrong):
    with pytest.raises(ValueError, match="sample_weight must be finite, >= 0, not all 0"):
        rank_loss([0, 1, 1], [1.0, 2.0, 3.0], sample_weight=wrong)


def test_a_class_without_weight_is_no_class():
    with pytest.warns(UndefinedMetricWarning, match="single class"):
        assert np.isnan(auc([0, 1, 1], [1.0, 2.0, 3.0], sample_weight=[0, 1, 1]))
    assert auc([0, 1, 2], [1.0, 2.0, 3.0], sample_weight=[1, 1, 0]) == 1.0
