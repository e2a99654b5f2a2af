import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.metrics import parse, push_risk, rank_loss
from rankexp.metrics.metric import UndefinedMetricWarning
from rankexp.testing import check_metric

TIES = {"expected": 0.5, "worst": 1.0, "best": 0.0}


def brute(y, scores, p, tie):
    total = 0.0
    for negative in scores[y == 0]:
        counts = [1.0 if s < negative else tie if s == negative else 0.0 for s in scores[y == 1]]
        total += (sum(counts) / len(counts)) ** p
    return total / (y == 0).sum()


@st.composite
def problems(draw):
    n = draw(st.integers(2, 25))
    y = np.array(draw(st.lists(st.sampled_from([0, 1]), min_size=n, max_size=n)))
    y[:2] = 0, 1
    values = st.sampled_from([-np.inf, -1.0, 0.0, 0.5, np.inf]) | st.floats(-2, 2)
    return y, np.array(draw(st.lists(values, min_size=n, max_size=n)))


@pytest.mark.parametrize("ties", TIES)
@given(problem=problems(), p=st.sampled_from([1.0, 1.5, 2.0, 4.0, 16.0]))
@settings(max_examples=50)
def test_equals_brute_force(ties, problem, p):
    y, s = problem
    assert push_risk(y, s, p, ties) == pytest.approx(brute(y, s, p, TIES[ties]), abs=1e-14)
    assert push_risk(y, s, 1, ties) == pytest.approx(rank_loss(y, s, ties), abs=1e-14)


def test_it_keeps_the_contract_of_metrics():
    for text in ("push_risk", "push_risk(p=2.0)", "push_risk(ties=best)"):
        check_metric(text)


def test_one_negative_at_the_top_costs_as_many_wrong_pairs_more_with_p():
    y = np.repeat([0, 1], [4, 4])
    one_on_top = np.array([9, 0, 0, 0, 1, 2, 3, 4.0])
    all_above_one = np.array([1.5, 1.5, 1.5, 1.5, 1, 2, 3, 4.0])
    assert rank_loss(y, one_on_top) == rank_loss(y, all_above_one) == 0.25
    assert push_risk(y, one_on_top) == 1 / 4
    assert push_risk(y, all_above_one) == (1 / 4) ** 4


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match=r"p=0.5: expected a finite number >= 1"):
        parse("push_risk(p=0.5)")
    with pytest.raises(ValueError, match="ties='never': expected one of expected, best, worst"):
        push_risk([0, 1], [0.0, 1.0], ties="never")
    with pytest.raises(ValueError, match="finite number >= 1"):
        push_risk([0, 1], [0.0, 1.0], p=np.inf)
    with pytest.raises(ValueError, match="must have two values"):
        push_risk([0, 1, 2], [0.0, 1.0, 2.0])
    with pytest.warns(UndefinedMetricWarning, match="single class"):
        assert np.isnan(push_risk([1, 1], [0.0, 1.0]))
    with pytest.warns(UndefinedMetricWarning, match="single class"):
        assert np.isnan(push_risk([0, 1], [0.0, 1.0], sample_weight=[1, 0]))
